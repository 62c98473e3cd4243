//! What has no value in Rust is an error: with the Rust line on the native engine, and division by zero on the C++ engine too.

use crate::harness::CORE;
use ttl::prelude::*;

/// A kernel that computes `$value` from its arguments, and the line where it does.
macro_rules! kernels {
    ($($name:ident($a:ident, $b:ident: $t:ident) $value:expr;)*) => {$(
        mod $name {
            use super::*;

            #[ttl::kernel(writer)]
            fn $name(_noc: Noc, words: CbOut<f32>, done: CbIn<f32>, $a: $t, $b: $t) {
                let mut page = words.reserve_back(1);
                page.write_u32(0, $value as u32);
                page.push_back();
                done.wait_front(1).pop_front();
            }

            /// Runs it; the message of the error if there is one.
            pub(super) fn run(engine: Engine, a: $t, b: $t) -> Result<(), String> {
                let run = || -> ttl::Result<()> {
                    let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() })?;
                    let mut program = Program::new(stringify!($name));
                    let (words, done) = program.circular_buffer::<f32>("words", CORE, 1);
                    program.kernel(CORE, $name { words, done, $a: a.into(), $b: b.into() });
                    let program = program.validate(&device)?;
                    device.run(&program)?;
                    Ok(())
                };
                run().map_err(|e| e.to_string())
            }
        }
    )*};
}

const FIRST_LINE: u32 = line!() + 2;
kernels! {
    sum(a, b: u32) a + b;
    difference(a, b: u8) a - b;
    product(a, b: i16) a * b;
    negative(a, b: i32) -a + b;
    absolute(a, b: i8) a.abs() + b;
    left_shift(a, b: u32) a << b;
    right_shift(a, b: i16) a >> b;
    quotient(a, b: u32) a / b;
    remainder(a, b: u8) a % b;
    signed_quotient(a, b: i32) a / b;
}

/// The error of a kernel: it names the line, which is the `line`-th of those above, and says what happened.
#[track_caller]
fn fails(error: Result<(), String>, line: u32, what: &str) {
    let error = error.expect_err("the kernel has no value to give");
    let place = format!("tests/semantics/panics.rs:{}", FIRST_LINE + line);
    assert!(error.contains(&place), "the error does not name {place}:\n{error}");
    assert!(error.contains(what), "the error does not say `{what}`:\n{error}");
}

#[test]
fn native_overflow_is_an_error_at_its_line() {
    fails(sum::run(Engine::Native, u32::MAX, 1), 0, "attempt to add with overflow");
    fails(difference::run(Engine::Native, 3, 4), 1, "attempt to subtract with overflow");
    fails(product::run(Engine::Native, 256, 128), 2, "attempt to multiply with overflow");
    fails(negative::run(Engine::Native, i32::MIN, 0), 3, "attempt to negate with overflow");
    fails(left_shift::run(Engine::Native, 1, 32), 5, "attempt to shift left with overflow");
    fails(right_shift::run(Engine::Native, 1, -1), 6, "attempt to shift right with overflow");
}

/// The overflow is inside `abs`, whose line is in the standard library.
#[test]
fn native_overflow_in_a_method_is_an_error() {
    let error = absolute::run(Engine::Native, -128, 0).expect_err("there is no absolute value of -128");
    assert!(error.contains("overflow"), "{error}");
}

#[test]
fn division_by_zero_is_an_error_on_both_engines() {
    fails(quotient::run(Engine::Native, 1, 0), 7, "attempt to divide by zero");
    fails(remainder::run(Engine::Native, 1, 0), 8, "attempt to calculate the remainder with a divisor of zero");
    fails(signed_quotient::run(Engine::Native, 1, 0), 9, "attempt to divide by zero");
    fails(signed_quotient::run(Engine::Native, i32::MIN, -1), 9, "attempt to divide with overflow");
    fails(quotient::run(Engine::Cpp, 1, 0), 7, "zero");
    fails(remainder::run(Engine::Cpp, 1, 0), 8, "zero");
    fails(signed_quotient::run(Engine::Cpp, 1, 0), 9, "zero");
    fails(signed_quotient::run(Engine::Cpp, i32::MIN, -1), 9, "overflow");
}

#[test]
fn what_has_a_value_is_none() {
    for engine in [Engine::Native, Engine::Cpp] {
        assert_eq!(sum::run(engine, u32::MAX - 1, 1), Ok(()));
        assert_eq!(product::run(engine, -256, 128), Ok(()));
        assert_eq!(right_shift::run(engine, -1, 15), Ok(()));
        assert_eq!(signed_quotient::run(engine, i32::MIN, 1), Ok(()));
    }
}
