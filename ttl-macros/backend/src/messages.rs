//! The catalogue of messages: what was refused, why, and what to write instead. All texts of the macros are here.

/// A construct that device code does not have.
pub(crate) struct Refusal {
    /// With its verb: "`match` cannot be used in a ttl kernel".
    pub(crate) what: &'static str,
    /// One reason, or empty.
    pub(crate) why: &'static str,
    pub(crate) instead: &'static str,
}

impl Refusal {
    pub(crate) fn text(&self) -> String {
        self.text_with(self.why)
    }

    /// With the numbers of this case for the reason.
    pub(crate) fn text_with(&self, why: &str) -> String {
        let colon = if why.is_empty() { "" } else { ": " };
        format!("{}{colon}{why}\nhelp: {}", self.what, self.instead)
    }
}

macro_rules! refusals {
    ($($name:ident: $what:literal, $why:literal, $instead:literal;)*) => {
        $(pub(crate) const $name: Refusal = Refusal { what: $what, why: $why, instead: $instead };)*

        /// Every refusal, for the tests of the catalogue.
        #[cfg(test)]
        pub(crate) const ALL: &[&Refusal] = &[$(&$name),*];
    };
}

pub(crate) const BUG: &str = "the ttl macro has panicked: this is a bug in ttl, not in your code\nhelp: please report it with the function it stands on";

refusals! {
    // Attributes and signatures.
    NO_ROLE: "a kernel needs a role", "it runs on one kind of processor", "write `#[ttl::kernel(reader)]`, `#[ttl::kernel(writer)]` or `#[ttl::kernel(compute)]`";
    OPERATION_STATEMENT: "an operation consists of buffers, variables and sections", "each section is a kernel of its own", "move this into `ttl::reader(..)`, `ttl::compute(..)` or `ttl::writer(..)`";
    SECTION_TWICE: "an operation has one section of each kind", "a core has two processors for data movement and one for computing", "put both parts into one section, or the second one into another operation";
    SECTION_FORM: "a section is a closure with the token of its role", "", "write `ttl::reader(|noc| { .. })`, `ttl::compute(|compute| { .. })`, `ttl::writer(|noc| { .. })`";
    BUFFER_FORM: "a buffer has two ends and an element type", "", "write `let (x_out, x_in) = ttl::buffer::<bf16>(2);`";
    END_OF_TWO_SECTIONS: "this end of the buffer belongs to another section already", "a circular buffer has one producer and one consumer", "use the other end here, or a buffer of its own";
    UNKNOWN_ROLE: "this is no role of a kernel", "", "the roles are `reader`, `writer` and `compute`";
    UNKNOWN_NOC: "a kernel has no such setting", "", "write `noc = 0` or `noc = 1` behind the role, or leave it out";
    NOC_OF_COMPUTE: "a compute kernel has no NoC", "transfers belong to readers and writers", "leave `noc` out";
    DEVICE_ARGUMENTS: "`#[ttl::device]` takes no arguments", "", "remove them; a device function runs wherever it is called";
    ASYNC_FN: "an `async` function cannot run on the device", "kernels run to their end and wait in their own calls", "remove `async`";
    UNSAFE_FN: "an `unsafe` function cannot be device code", "", "remove `unsafe`; device calls check what they are given in the simulator";
    EXTERN_FN: "a function with an ABI cannot be device code", "the device knows one calling convention", "remove `extern`";
    VARIADIC: "variadic functions cannot be device code", "", "list the parameters";
    SELF_PARAM: "a method alone cannot be device code", "", "put `#[ttl::device]` on the `impl` block";
    GENERIC_METHOD: "generic methods cannot be used in device code yet", "", "write a generic `#[ttl::device]` function, or put the parameter on the `impl`";
    IMPL_TYPE: "methods of this type cannot be device code", "", "implement methods for a struct or enum with `#[ttl::device]`";
    DATA_LIFETIME: "device data holds no references", "it is copied between host and device", "hold the values, or an index";
    GROUP_FIELDS: "a struct that groups parameters has named fields", "each is a parameter of its own in the C++", "name the fields; or derive `Clone` and `Copy` below `#[ttl::device]`, if it is plain data";
    EMPTY_ENUM: "an enum without variants has no values", "", "give it variants";
    LIFETIME_PARAM: "lifetime parameters cannot be written on device functions", "", "leave them out: `x: &mut Reserved<bf16>`";
    NAMED_LIFETIME: "named lifetimes cannot be used in device code", "", "leave the lifetime out";
    IMPL_TRAIT: "`impl Trait` cannot be used here", "each instance of a function needs its types by name", "name a type parameter: `fn f<T: Trait>(x: T)`; a `#[ttl::device]` function takes a closure as `f: impl Fn(u32) -> u32`";
    CLOSURE_IN_METHOD: "methods take no closures yet", "", "write a `#[ttl::device]` function that takes the closure";
    PARAM_PATTERN: "a parameter of device code is a name", "", "name the parameter, and take it apart in the body";
    PARAM_ATTRIBUTE: "this attribute cannot stand on a parameter of device code", "", "the attributes of parameters are `#[ttl(common)]` and `#[ttl(compile_time)]`";
    MARK_ON_DEVICE_FN: "only the parameters of kernels travel from the host", "", "remove the attribute: a device function gets its arguments from its caller";
    MARK_ON_TOKEN: "the token of the role is no argument", "", "remove the attribute";
    MARK_TWICE: "a parameter travels in one way", "", "keep one of `#[ttl(common)]` and `#[ttl(compile_time)]`";
    UNKNOWN_MARK: "this is no way for a parameter to travel", "", "write `#[ttl(common)]` for one value for all cores, `#[ttl(compile_time)]` for a constant of the C++, and nothing for a value per core";
    NO_TOKEN: "a kernel begins with the token of its role", "its methods are what this kind of thread may do", "write `noc: Noc` as the first parameter of a reader or writer, `compute: Compute` of a compute kernel";
    KERNEL_RESULT: "a kernel returns nothing", "its results go into circular buffers and tensors", "remove the result type";
    STORE_IN_DATA_MOVEMENT: "reader and writer kernels cannot compute tiles", "their processors have no tile registers", "store in a `compute` kernel, and pass the tiles to it through a circular buffer";
    UNUSED_TYPE_PARAM: "this type parameter is in no parameter of the kernel", "the host could not say what it is", "use it in the type of a parameter, or remove it";
    RESERVED_NAME: "names that begin with `__ttl` are reserved", "", "choose another name";

    // Statements.
    NESTED_ITEM: "items cannot stand inside device code", "", "move it out of the function; constants and `use` work from outside as well";
    GUARD_PARAM: "a kernel cannot get a guard", "guards are what it reserves and waits for itself", "take the end of the buffer: `CbOut<T>` for `Reserved<T>`, `CbIn<T>` for `Front<T>`";
    LET_PATTERN: "a pattern needs its value at once", "", "write `let (a, b) = ..;`";
    PATTERN: "this pattern cannot be used in device code", "", "use names, `_`, numbers, ranges, constants, tuples, structs and variants";
    OR_BINDING: "alternatives that bind names cannot be used in device code yet", "", "write one arm for each alternative";
    ARRAY_REST_PATTERN: "`..` in the pattern of an array cannot be used in device code", "", "name the elements, or take them by their index";
    FLOAT_PATTERN: "this number cannot be a pattern in device code", "", "compare it with `==` in a guard";
    REF_PATTERN: "`ref` cannot be used in device code", "", "write `let x = &y;`";
    LET_TYPE_PATTERN: "this pattern cannot be used in device code", "", "bind a name: `let x: u32 = ..;`";
    FOR_PATTERN: "the variable of a `for` is a name or `_`", "", "write `for i in 0..n`";
    STMT_ATTRIBUTE: "this attribute cannot be used inside device code", "the generated C++ would not follow it", "lint attributes (`allow`, `expect`, `warn`) are accepted; put others on the function";
    MACRO_PLAIN: "this macro cannot be used in device code", "its expansion is not visible here", "write the code out, or put it in a `#[ttl::device]` function";
    MACRO_VEC: "macro `vec!` cannot be used in device code", "kernels do not allocate", "keep the data in a circular buffer";
    MACRO_PRINT: "printing macros of Rust cannot be used in device code", "the device has no standard output", "write `ttl::print!(\"x = {}\", x)`, which prints from the simulator and from a card";
    PRINT_FORMAT: "a message begins with its text", "the device prints by texts that are known before it runs", "write `\"x = {}\", x`";
    PRINT_SPEC: "this format cannot be printed by a kernel", "", "numbers are printed with `{}`, `{:x}`, `{:#x}`, `{:08x}`, `{:.3}`";
    PRINT_OPERAND: "the text names a value that is not there", "", "give one value for each `{}`";
    PRINT_TILE: "a print of a tile names a block, a tile, and perhaps rows and columns", "", "write `ttl::print_tile!(x, 0)`, or `ttl::print_tile!(x, 0, 0..4, 0..8)` for a part";
    ASSERT_CONDITION: "`assert!` needs a condition", "", "write `assert!(x < y, \"x is {}\", x)`";
    ASSERT_TWO: "this assertion compares two values", "", "write `assert_eq!(left, right)`";
    ZONE_NAME: "a zone has a name that is written out", "", "write `ttl::zone!(\"name\")`";
    MACRO_FORMAT: "formatting macros cannot be used in device code", "the device has no strings", "format on the host";

    // Expressions.
    CLOSURE: "a closure can only be an argument of a `#[ttl::device]` function", "the device has no values that are functions", "give it directly, as `apply(|x| x * 2, n)` to `fn apply(f: impl Fn(u32) -> u32, n: u32)`, or write a loop";
    CLOSURE_PARAM: "a parameter of a closure is a name or `_`", "", "name it, and take it apart in the body";
    CLOSURE_RETURN: "`return` cannot be used in a closure", "", "let the closure end with its value";
    ASYNC: "`async` blocks cannot be used in device code", "a transfer runs in the background by itself", "keep the transfer in a variable and call `.wait()` on it";
    AWAIT: "`.await` cannot be used in device code", "", "call `.wait()` on the transfer";
    CONST_BLOCK: "`const` blocks cannot be used in device code", "", "write a `const` item outside the function";
    LET_CONDITION: "this `let` in a condition cannot be used in device code", "", "`if let` stands alone: write `if let .. { if .. { } }`, and `matches!(..)` for a condition";
    RANGE_VALUE: "a range can only be what a `for` runs over", "", "write `for i in a..b`, or compare with `a <= x && x < b`";
    RANGE_ENDS: "a `for` of device code needs both ends of its range", "", "write `for i in a..b`, or `loop` with `break`";
    FOR_ITERATOR: "a `for` of device code runs over a range or an array", "the device has no iterators", "write `for i in a..b`, with `.rev()` or `.step_by(n)` after it in parentheses, or `for x in array`";
    STEP: "the step of a range is a literal or a constant", "Rust takes it as `usize`, which the device does not have", "write `.step_by(4)` or `.step_by(STEP as usize)`; for a step known at run time, a `while` loop";
    RAW_ADDRESS: "raw pointers cannot be used in device code", "", "take a reference: `&x`";
    STRING: "strings cannot be used in device code", "", "use numbers";
    CHAR: "characters cannot be used in device code", "", "use numbers: `97u8`";
    QUESTION: "`?` cannot be used in device code", "device code has no `Result`", "calls on the device cannot fail: remove `?`";
    TRY_BLOCK: "`try` blocks cannot be used in device code", "device code has no `Result`", "write the block plainly";
    UNSAFE: "`unsafe` blocks cannot be used in device code", "", "use the safe calls of ttl";
    YIELD: "`yield` cannot be used in device code", "", "threads wait in `reserve_back` and `wait_front`";
    INFER: "`_` on the left of `=` cannot be used in device code", "", "write `let _ = ..;`";
    LABEL: "labels cannot be used in device code yet", "", "put the inner loop in a `#[ttl::device]` function and return from it";
    BREAK_VALUE: "`break` with a value cannot be used in device code yet", "", "assign the value to a variable before the `break`";
    BLOCK_LABEL: "labelled blocks cannot be used in device code yet", "", "write a `#[ttl::device]` function with `return`";
    UNKNOWN_SYNTAX: "this syntax cannot be used in device code", "ttl does not know it", "write it with statements and expressions that the guide lists";
    INT_TOO_LARGE: "this number fits no integer of the device", "the widest have 32 bits", "use a smaller number";
    WIDE_LITERAL: "the device has no type of this suffix", "its numbers are `bool`, `u8`, `i8`, `u16`, `i16`, `u32`, `i32` and `f32`", "use one of those";

    // Paths and calls.
    CALLEE: "only functions can be called in device code", "", "call a `#[ttl::device]` function by its path, or a method";
    LOCAL_CALL: "this variable cannot be called in device code", "only a parameter `impl Fn(..)` is a function there", "call a `#[ttl::device]` function by its path";
    TYPE_CALL: "functions of numbers cannot be called by their type in device code", "", "call it as a method, `x.max(y)`, or write a `#[ttl::device]` function";
    METHOD_NAME: "ttl has a method of this name already", "calls are told apart by their name before types are known", "choose another name";
    QSELF: "calls and patterns through a trait cannot be used in device code yet", "", "call it as a method, or by the type: `T::f(x)`";
    TURBOFISH_METHOD: "generic arguments on methods cannot be used in device code", "", "remove them; write the type on the `let` instead";
    FROM_BITS_ARGS: "`f32::from_bits` takes one argument", "", "write `f32::from_bits(x)`";
    RANGE_METHOD: "this is an adapter of the range of a `for`", "", "write `for i in (a..b).rev()` or `for i in (a..b).step_by(4)`";
    METHOD_INTO: "conversions with `into` and `from` cannot be used in device code", "", "write a cast: `x as u32`";
    METHOD_CLONE: "`clone` is not needed in device code", "numbers are copied", "write the variable itself";
    METHOD_UNWRAP: "device code does not unwrap", "there is nobody to catch a panic of a kernel", "write `match`, `if let Some(x) = ..`, `let Some(x) = .. else { .. }` or `.unwrap_or(x)`";
    METHOD_ITER: "the device has no iterators", "", "write `for i in a..b`, or `for x in array`";
    METHOD_CHECKED: "checked and saturating arithmetic cannot be used in device code yet", "", "compare first, or use `wrapping_add`, `wrapping_sub`, `wrapping_mul`";

    // Types.
    CAST_INFER: "a cast of device code names its type", "", "write it: `x as u32`";
    TYPE_FN: "function pointers cannot be used in device code", "", "call a `#[ttl::device]` function by its path";
    TYPE_MACRO: "macros cannot stand for types in device code", "", "write the type";
    TYPE_NEVER: "`!` cannot be written in device code", "", "leave the type out";
    TYPE_POINTER: "raw pointers cannot be used in device code", "", "use a reference";
    TYPE_SLICE: "slices cannot be used in device code", "", "pass a circular buffer or a guard";
    TYPE_DYN: "trait objects cannot be used in device code", "calls are decided when the C++ is written", "name a type parameter: `fn f<T: Trait>(x: T)`";
    TYPE_QSELF: "types through a trait cannot be written in device code yet", "", "name the type itself";
    TYPE_INFER: "the type of a parameter has to be written", "", "write it instead of `_`";
    TYPE_UNKNOWN: "this type cannot be used in device code", "ttl does not know this syntax", "use a type that the guide lists";
    WIDE_INT: "the device has no 64-bit and no 128-bit integers", "its processors have 32 bits", "use `u32` or `i32`";
    ISIZE: "`isize` cannot be used in device code", "it has 64 bits on the host and 32 on the device", "use `i32`";
    F64: "the device has no `f64`", "", "use `f32`";
    TYPE_CHAR: "the device has no `char` and no `str`", "", "use numbers";
    TYPE_HEAP: "kernels do not allocate", "", "keep the data in a circular buffer, and scalars in variables";
    TYPE_RESULT: "device code has no `Result`", "", "use an `Option`, or an enum with `#[ttl::device]`";

    // Sizes of blocks. The reason is given with the numbers.
    COMBINED: "blocks of different shapes are combined", "", "both sides must have the same shape, or one is broadcast: `bcast_rows`, `bcast_cols`, `bcast_scalar`";
    INNER_SIZES: "a matrix product of blocks that do not fit", "", "the columns of the left block must be the rows of the right one";
    STORE_SIZE: "what is stored does not have the size of the reserved block", "", "reserve as many pages as the expression has tiles";
    LARGE_BLOCK: "a block has more tiles than were waited for", "", "wait for as many tiles as the block has";
    NO_ROW: "`bcast_rows` of more than a row of tiles", "", "it repeats row 0 of a row of tiles: `.block(1, cols).bcast_rows()`";
    NO_COLUMN: "`bcast_cols` of more than a column of tiles", "", "it repeats column 0 of a column of tiles: `.block(rows, 1).bcast_cols()`";
    NO_NUMBER: "`bcast_scalar` of more than a tile", "", "it repeats the first element of one tile: wait for one tile, or reduce the block first";
}
