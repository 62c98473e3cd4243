//! What an operation is, and the macros that make one of an expression.

use crate::exact::Exact;
use ttl::prelude::*;

/// How the second operand is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broadcast {
    /// Not at all: both have one shape.
    None,
    /// A row, down the rows.
    Row,
    /// A column, along the columns.
    Column,
    /// A number, everywhere.
    Number,
}

/// What the compute kernel of a binary operation gets.
#[derive(Debug)]
pub struct Operands<T> {
    /// Blocks of the first operand.
    pub a_in: Consumer<T>,
    /// Blocks of the second one.
    pub b_in: Consumer<T>,
    /// Where blocks of the result go.
    pub y_out: Producer<T>,
    /// Tiles of a block of `a` and `y`; of `b` as many, or one where it is a column or a number.
    pub width: u32,
    /// Blocks of each core.
    pub count: PerCore<u32>,
}

/// An operation of two numbers: see [`binary_operation!`](crate::binary_operation).
pub trait BinaryOperation {
    /// As messages and programs call it.
    const NAME: &'static str;

    /// Puts the compute kernel on cores.
    fn compute<T: Exact>(
        program: &mut Program,
        cores: &CoreSet,
        config: ComputeConfig,
        broadcast: Broadcast,
        operands: Operands<T>,
    );
}

/// What the compute kernel of a unary operation gets.
#[derive(Debug)]
pub struct Operand<T> {
    /// Blocks of the operand.
    pub x_in: Consumer<T>,
    /// Where blocks of the result go.
    pub y_out: Producer<T>,
    /// Tiles of a block.
    pub width: u32,
    /// Blocks of each core.
    pub count: PerCore<u32>,
}

/// An operation of one number: see [`unary_operation!`](crate::unary_operation).
pub trait UnaryOperation {
    /// As messages and programs call it.
    const NAME: &'static str;

    /// Puts the compute kernel on cores.
    fn compute<T: Exact>(program: &mut Program, cores: &CoreSet, config: ComputeConfig, operand: Operand<T>);
}

/// Makes a type that is an element-wise operation of two operands: `binary_operation! { pub Name, |a, b| expression }`, where the expression is one of
/// block expressions (`a * b`, `(a - b).square()`, `a.max(b).exp()`).
#[macro_export]
macro_rules! binary_operation {
    ($(#[$doc:meta])* $vis:vis $name:ident, |$a:ident, $b:ident| $value:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        const _: () = {
            use ::ttl::prelude::*;

            #[::ttl::kernel(compute)]
            fn whole<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let a_block = a_in.wait_front(width);
                    let b_block = b_in.wait_front(width);
                    let $a = a_block.block(1, width);
                    let $b = b_block.block(1, width);
                    y_out.reserve_back(width).store($value);
                }
            }

            #[::ttl::kernel(compute)]
            fn with_row<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                // Tile by tile: the vector unit's row of bf16 in 32-bit registers goes through a buffer, whose size must be a constant.
                for _ in 0..count * width {
                    let a_block = a_in.wait_front(1);
                    let b_block = b_in.wait_front(1);
                    let $a = a_block.block(1, 1);
                    let $b = b_block.block(1, 1).bcast_rows();
                    y_out.reserve_back(1).store($value);
                }
            }

            #[::ttl::kernel(compute)]
            fn with_column<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let a_block = a_in.wait_front(width);
                    let b_block = b_in.wait_front(1);
                    let $a = a_block.block(1, width);
                    let $b = b_block.block(1, 1).bcast_cols();
                    y_out.reserve_back(width).store($value);
                }
            }

            #[::ttl::kernel(compute)]
            fn with_number<T: Element>(
                _compute: Compute,
                a_in: CbIn<T>,
                b_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let a_block = a_in.wait_front(width);
                    let b_block = b_in.wait_front(1);
                    let $a = a_block.block(1, width);
                    let $b = b_block.block(1, 1).bcast_scalar();
                    y_out.reserve_back(width).store($value);
                }
            }

            impl $crate::elementwise::BinaryOperation for $name {
                const NAME: &'static str = stringify!($name);

                fn compute<T: $crate::exact::Exact>(
                    program: &mut Program,
                    cores: &CoreSet,
                    config: ComputeConfig,
                    broadcast: $crate::elementwise::Broadcast,
                    operands: $crate::elementwise::Operands<T>,
                ) {
                    use $crate::elementwise::Broadcast;
                    let $crate::elementwise::Operands { a_in, b_in, y_out, width, count } = operands;
                    match broadcast {
                        Broadcast::None => {
                            let (a, b) = (a_in.clone(), b_in.clone());
                            let kernel = whole::<T> { a_in, b_in, y_out, width, count };
                            T::compute_with(program, cores, config, &[&a, &b], kernel);
                        }
                        Broadcast::Row => {
                            program.compute(cores, config, with_row::<T> { a_in, b_in, y_out, width, count });
                        }
                        Broadcast::Column => {
                            program.compute(cores, config, with_column::<T> { a_in, b_in, y_out, width, count });
                        }
                        Broadcast::Number => {
                            program.compute(cores, config, with_number::<T> { a_in, b_in, y_out, width, count });
                        }
                    }
                }
            }
        };
    };
}

/// Makes a type that is an element-wise operation of one operand: `unary_operation! { pub Name, |x| expression }`.
#[macro_export]
macro_rules! unary_operation {
    ($(#[$doc:meta])* $vis:vis $name:ident, |$x:ident| $value:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name;

        const _: () = {
            use ::ttl::prelude::*;

            #[::ttl::kernel(compute)]
            fn whole<T: Element>(
                _compute: Compute,
                x_in: CbIn<T>,
                y_out: CbOut<T>,
                #[ttl(common)] width: u32,
                count: u32,
            ) {
                for _ in 0..count {
                    let x_block = x_in.wait_front(width);
                    let $x = x_block.block(1, width);
                    y_out.reserve_back(width).store($value);
                }
            }

            impl $crate::elementwise::UnaryOperation for $name {
                const NAME: &'static str = stringify!($name);

                fn compute<T: $crate::exact::Exact>(
                    program: &mut Program,
                    cores: &CoreSet,
                    config: ComputeConfig,
                    operand: $crate::elementwise::Operand<T>,
                ) {
                    let $crate::elementwise::Operand { x_in, y_out, width, count } = operand;
                    let x = x_in.clone();
                    T::compute_with(program, cores, config, &[&x], whole::<T> { x_in, y_out, width, count });
                }
            }
        };
    };
}
