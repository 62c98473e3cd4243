//! Every quiet difference between Rust and C++, run natively and as generated C++, against values that the host computes.
//!
//! - `integers.rs`, `floats.rs`: operators, casts and methods of numbers on corner values;
//! - `expressions.rs`: order of evaluation, short circuits, blocks as values, references;
//! - `loops.rs`: ranges to the limits of their types, `while`, `break`, `continue`, early `return`;
//! - `guards.rs`: where guards are released, seen by the pages that the next wait finds;
//! - `debug.rs`: assertions, printing, structs as arguments;
//! - `data.rs`: structs, enums, tuples, arrays, `match`;
//! - `arguments.rs`: scalars on their way from the host; `groups.rs`: structs that group parameters;
//! - `closures.rs`: closures that device functions get;
//! - `options.rs`: `Option`, structs without field names;
//! - `names.rs`: constants, generic functions, names that mean something in C++;
//! - `placed.rs`: which processor and NoC a kernel gets;
//! - `panics.rs`: what is an error rather than a value; `outside.rs`: what is not in a block;
//! - `refused.rs`, `refused_data.rs`, `refused_tiles.rs`: what Rust accepts and C++ could not follow.

// The functions are written to have the shapes that are tested.
#![allow(clippy::all, unused_assignments, unused_variables, unused_mut, unused_parens, unused_imports, unused_must_use)]
#![allow(unreachable_code, dead_code, path_statements, invalid_nan_comparisons, non_snake_case)]
#![allow(for_loops_over_fallibles, mismatched_lifetime_syntaxes)]

/// One kernel that writes the value of each expression, and a test that compares the values of both engines with the expected ones.
macro_rules! table {
    ($test:ident { $($value:expr => $expected:expr;)* }) => {
        mod $test {
            use super::*;
            use ttl::prelude::*;

            #[ttl::kernel(writer)]
            fn $test(noc: Noc, words: CbOut<f32>, done: CbIn<f32>, result: TensorAccessor<f32>) {
                let mut page = words.reserve_back(1);
                let mut at = 0;
                $(page.write_u32(at, $value); at += 1;)*
                page.push_back();
                let page = done.wait_front(1);
                noc.write_page(&result, 0, &page).flushed();
            }

            #[test]
            fn on_both_engines() {
                let expected: &[(&str, u32)] = &[$((stringify!($value), $expected)),*];
                let words = crate::harness::words(1, |words, done, result| $test { words, done, result });
                for ((what, expected), word) in expected.iter().zip(words) {
                    assert_eq!(word, *expected, "{what} gives {word:#x} on both engines, not {expected:#x}");
                }
            }
        }
    };
}

/// Kernels that Rust accepts, and what `validate` says of each: the one message with its help, and a line of this file.
macro_rules! refusals {
    ($test:ident: $kind:ident $params:tt { $($name:ident $body:block => $message:literal, $help:literal;)* }) => {
        $(
            #[ttl::kernel($kind)]
            fn $name $params $body
        )*

        #[test]
        fn $test() {
            $(crate::harness::assert_refused(stringify!($name), refused!($kind $name), $message, $help, file!());)*
        }
    };
}

/// What `validate` says of a kernel of [`refusals`].
macro_rules! refused {
    (writer $name:ident) => {
        crate::harness::refusal(|words, done, n| $name { words, done, n, first: true.into() })
    };
    (compute $name:ident) => {
        crate::harness::refusal_of_tiles(|x, w, y, n| $name { x, w, y, n, first: true.into() })
    };
}

mod arguments;
mod closures;
mod data;
mod debug;
mod div_ceil;
mod expressions;
mod floats;
mod groups;
mod guards;
mod harness;
mod integers;
mod loops;
mod names;
mod options;
mod outside;
mod panics;
mod placed;
mod print_tile;
mod refused;
mod refused_data;
mod refused_tiles;
mod traits;
