//! What has no value in Rust is an error: with the Rust line on the native engine, and division by zero on the C++ engine too.

use ttl::prelude::*;

mod functions {
    #[ttl::device]
    pub(super) fn sum(a: u32, b: u32) -> u32 {
        a + b // sum
    }

    #[ttl::device]
    pub(super) fn difference(a: u8, b: u8) -> u8 {
        a - b // difference
    }

    #[ttl::device]
    pub(super) fn product(a: i16, b: i16) -> i16 {
        a * b // product
    }

    #[ttl::device]
    pub(super) fn negative(a: i32, b: i32) -> i32 {
        -a + b // negative
    }

    #[ttl::device]
    pub(super) fn absolute(a: i8, b: i8) -> i8 {
        a.abs() + b
    }

    #[ttl::device]
    pub(super) fn left_shift(a: u32, b: u32) -> u32 {
        a << b // left shift
    }

    #[ttl::device]
    pub(super) fn right_shift(a: i16, b: i16) -> i16 {
        a >> b // right shift
    }

    #[ttl::device]
    pub(super) fn quotient(a: u32, b: u32) -> u32 {
        a / b // quotient
    }

    #[ttl::device]
    pub(super) fn remainder(a: u8, b: u8) -> u8 {
        a % b // remainder
    }

    #[ttl::device]
    pub(super) fn signed_quotient(a: i32, b: i32) -> i32 {
        let c = b;
        a / c // signed quotient
    }
}

/// The line with this comment.
fn line(what: &str) -> usize {
    let comment = format!("// {what}");
    let found = include_str!("panics.rs").lines().position(|l| l.ends_with(&comment));
    found.expect("a line with the comment") + 1
}

/// For each function a kernel that calls it with its arguments.
macro_rules! kernels {
    ($($name:ident: $t:ident;)*) => {$(
        mod $name {
            use ttl::prelude::*;

            #[ttl::kernel(writer)]
            fn kernel(_noc: Noc, words: CbOut<f32>, done: CbIn<f32>, a: $t, b: $t) {
                let mut page = words.reserve_back(1);
                page.write_u32(0, super::functions::$name(a, b) as u32);
                page.push_back();
                done.wait_front(1).pop_front();
            }

            /// Runs it; the message of the error if there is one.
            pub(super) fn run(engine: Engine, a: $t, b: $t) -> Result<(), String> {
                let run = || -> ttl::Result<()> {
                    let mut device = Device::with_options(DeviceOptions { engine, ..DeviceOptions::default() })?;
                    let core = crate::harness::CORE;
                    let mut program = Program::new(stringify!($name));
                    let (words, done) = program.circular_buffer::<f32>("words", core, 1);
                    program.kernel(core, kernel { words, done, a: a.into(), b: b.into() });
                    let program = program.validate(&device)?;
                    device.run(&program)?;
                    Ok(())
                };
                run().map_err(|e| e.to_string())
            }
        }
    )*};
}

kernels! {
    sum: u32;
    difference: u8;
    product: i16;
    negative: i32;
    absolute: i8;
    left_shift: u32;
    right_shift: i16;
    quotient: u32;
    remainder: u8;
    signed_quotient: i32;
}

/// The error of a kernel names the line with this comment and says what happened.
#[track_caller]
fn fails(error: Result<(), String>, comment: &str, what: &str) {
    let error = error.expect_err("the kernel has no value to give");
    let place = format!("tests/semantics/panics.rs:{}", line(comment));
    assert!(error.contains(&place), "the error does not name {place}:\n{error}");
    assert!(error.contains(what), "the error does not say `{what}`:\n{error}");
}

#[test]
fn native_overflow_is_an_error_at_its_line() {
    fails(sum::run(Engine::Native, u32::MAX, 1), "sum", "attempt to add with overflow");
    fails(difference::run(Engine::Native, 3, 4), "difference", "attempt to subtract with overflow");
    fails(product::run(Engine::Native, 256, 128), "product", "attempt to multiply with overflow");
    fails(negative::run(Engine::Native, i32::MIN, 0), "negative", "attempt to negate with overflow");
    fails(left_shift::run(Engine::Native, 1, 32), "left shift", "attempt to shift left with overflow");
    fails(right_shift::run(Engine::Native, 1, -1), "right shift", "attempt to shift right with overflow");
}

/// The overflow is inside `abs`, whose line is in the standard library.
#[test]
fn native_overflow_in_a_method_is_an_error() {
    let error = absolute::run(Engine::Native, -128, 0).expect_err("there is no absolute value of -128");
    assert!(error.contains("overflow"), "{error}");
}

#[test]
fn division_by_zero_is_an_error_on_both_engines() {
    fails(quotient::run(Engine::Native, 1, 0), "quotient", "attempt to divide by zero");
    fails(
        remainder::run(Engine::Native, 1, 0),
        "remainder",
        "attempt to calculate the remainder with a divisor of zero",
    );
    fails(signed_quotient::run(Engine::Native, 1, 0), "signed quotient", "attempt to divide by zero");
    fails(signed_quotient::run(Engine::Native, i32::MIN, -1), "signed quotient", "attempt to divide with overflow");
    fails(quotient::run(Engine::Cpp, 1, 0), "quotient", "zero");
    fails(remainder::run(Engine::Cpp, 1, 0), "remainder", "zero");
    fails(signed_quotient::run(Engine::Cpp, 1, 0), "signed quotient", "zero");
    fails(signed_quotient::run(Engine::Cpp, i32::MIN, -1), "signed quotient", "overflow");
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
