//! C++ identifiers for Rust names: legal, not reserved, unique where they are visible, and still the author's names.

use super::metalium_0_81::RESERVED;
use crate::ops::{BinaryOp, TernaryOp, UnaryOp};
use std::collections::HashMap;

/// Keywords of C++20 with the alternative operators, and names of the C library that headers may have as macros.
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "size_t",
    "uintptr_t",
    "std",
    "main",
    "NULL",
    "EOF",
    "assert",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "unix",
    "linux",
    "uint",
];

/// Functions of the C library, which the kernel API's headers may declare: a device function of that name could differ from one only in its
/// linkage. A local variable may have any of these names.
const C_LIBRARY: &[&str] = &[
    "abort",
    "abs",
    "acos",
    "asin",
    "atan",
    "atan2",
    "atexit",
    "atoi",
    "atol",
    "bsearch",
    "calloc",
    "cbrt",
    "ceil",
    "clock",
    "copysign",
    "cos",
    "cosh",
    "div",
    "erf",
    "erfc",
    "exit",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fabsf",
    "fdim",
    "ffs",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "fmod",
    "fmodf",
    "free",
    "frexp",
    "getc",
    "gets",
    "hypot",
    "ilogb",
    "index",
    "isalnum",
    "isalpha",
    "isdigit",
    "isfinite",
    "isinf",
    "isnan",
    "isspace",
    "j0",
    "j1",
    "jn",
    "labs",
    "ldexp",
    "ldiv",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "modf",
    "nan",
    "nearbyint",
    "pow",
    "powf",
    "printf",
    "putc",
    "putchar",
    "puts",
    "qsort",
    "raise",
    "rand",
    "random",
    "read",
    "realloc",
    "remainder",
    "remove",
    "remquo",
    "rename",
    "rint",
    "round",
    "roundf",
    "scalbn",
    "select",
    "signal",
    "sin",
    "sinh",
    "sleep",
    "sqrt",
    "sqrtf",
    "srand",
    "strcmp",
    "strcpy",
    "strlen",
    "strncmp",
    "swap",
    "system",
    "tan",
    "tanh",
    "tgamma",
    "time",
    "tolower",
    "toupper",
    "trunc",
    "truncf",
    "write",
    "y0",
    "y1",
    "yn",
];

/// `name` as part of an identifier: `copy<bf16, 4>` becomes `copy_bf16_4`.
pub(super) fn sanitize(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if c.is_ascii() {
            // Everything else separates; two underscores in a row are reserved in C++.
            if !out.ends_with('_') {
                out.push('_');
            }
        } else {
            out.push_str(&format!("u{:x}", u32::from(c)));
        }
    }
    while out.len() > 1 && out.ends_with('_') {
        out.pop();
    }
    // A leading underscore is reserved at namespace level, and before a capital everywhere.
    let name = out.trim_start_matches('_');
    if name.is_empty() {
        return "unnamed".to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("n{name}");
    }
    name.to_owned()
}

/// A legal identifier close to `name`.
pub(super) fn identifier(name: &str) -> String {
    let name = sanitize(name.strip_prefix("r#").unwrap_or(name));
    if is_reserved(&name) { format!("{name}_") } else { name }
}

fn is_reserved(name: &str) -> bool {
    let stem = |call: &str| call.split('<').next() == Some(name);
    KEYWORDS.contains(&name)
        || RESERVED.contains(&name)
        || UnaryOp::ALL.iter().any(|op| stem(op.row().init) || stem(op.row().call))
        || BinaryOp::ALL.iter().any(|op| {
            let r = op.row();
            let fpu = r.fpu.iter().flat_map(|f| [f.init, f.call, f.reuse_init, f.reuse_call]);
            fpu.chain([r.init, r.call]).any(stem)
        })
        || TernaryOp::ALL.iter().any(|op| stem(op.row().init) || stem(op.row().call))
}

/// The names that are visible at a place, innermost scope last.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    scopes: Vec<Vec<String>>,
}

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// `wanted`, or with the first number that makes it unlike every visible name: `tile`, `tile_2`.
    pub(super) fn declare(&mut self, wanted: &str) -> String {
        self.declare_as(identifier(wanted))
    }

    /// As [`Scopes::declare`], for a legal identifier.
    fn declare_as(&mut self, base: String) -> String {
        let taken = |name: &str| self.scopes.iter().flatten().any(|n| n == name);
        let mut name = base.clone();
        let mut number = 1;
        // Nested counters are usually i and j.
        if base == "i" && taken("i") && !taken("j") {
            name = "j".to_owned();
        }
        while taken(&name) {
            number += 1;
            let separator = if base.ends_with('_') { "" } else { "_" };
            name = format!("{base}{separator}{number}");
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.clone());
        }
        name
    }
}

/// Unique names for functions: `fill`, `fill_bf16_4`.
pub(super) fn function_names<'a>(
    scopes: &mut Scopes,
    functions: impl Iterator<Item = (u32, &'a str, &'a [String])>,
) -> HashMap<u32, String> {
    functions
        .map(|(id, name, generics)| {
            let mut full = name.to_owned();
            for generic in generics {
                full.push('_');
                full.push_str(generic);
            }
            if C_LIBRARY.contains(&full.as_str()) {
                full.push('_');
                return (id, scopes.declare_as(full));
            }
            (id, scopes.declare(&full))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_legal_and_recognisable() {
        for (rust, cpp) in [
            ("tile", "tile"),
            ("r#auto", "auto_"),
            ("int", "int_"),
            ("_unused", "unused"),
            ("__x__y", "x_y"),
            ("_", "unnamed"),
            ("größe", "gruf6udfe"),
            ("copy_tile", "copy_tile_"),
            ("gelu_tile", "gelu_tile_"),
            ("kernel_main", "kernel_main_"),
            ("copy<bf16, 4>", "copy_bf16_4"),
            ("2d", "n2d"),
        ] {
            assert_eq!(identifier(rust), cpp, "{rust}");
        }
    }

    #[test]
    fn shadowing_gets_numbers_and_siblings_do_not() {
        let mut scopes = Scopes::default();
        scopes.enter();
        assert_eq!(scopes.declare("tile"), "tile");
        assert_eq!(scopes.declare("tile"), "tile_2");
        scopes.enter();
        assert_eq!(scopes.declare("tile"), "tile_3");
        assert_eq!(scopes.declare("i"), "i");
        assert_eq!(scopes.declare("i"), "j");
        assert_eq!(scopes.declare("i"), "i_2");
        assert_eq!(scopes.declare("int"), "int_");
        assert_eq!(scopes.declare("int"), "int_2");
        scopes.leave();
        scopes.enter();
        assert_eq!(scopes.declare("i"), "i");
        scopes.leave();
    }
}
