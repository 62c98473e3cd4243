//! What C++ kernels print: text in the style of `fmt` with arguments.
//!
//! # Unsafe code
//!
//! [`PrintArg`] and [`TileSlice`] are laid out as `ttl/print.h` declares them; texts are string literals of a kernel, and a slice lies
//! on the kernel's stack while the call lasts.

use std::ffi::{CStr, c_char};
use std::fmt::Write as _;

use crate::sim::ops;
use crate::site::Site;

/// One argument; `bits` by `kind`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PrintArg {
    kind: u32,
    bits: u64,
    text: *const c_char,
    slice: *const TileSlice,
}

/// A part of a tile in a circular buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct TileSlice {
    cb: u32,
    tile: u32,
    rows: [u32; 3],
    cols: [u32; 3],
    at_write_pointer: bool,
    line_per_row: bool,
}

/// Kinds of arguments in the order of `PrintKind`.
const BOOL: u32 = 0;
const CHAR: u32 = 1;
const SIGNED: u32 = 2;
const UNSIGNED: u32 = 3;
const FLOAT: u32 = 4;
const TEXT: u32 = 5;
const TILE: u32 = 6;

/// Prints `format` with its arguments.
///
/// # Safety
///
/// `format` and the texts are strings that end with 0, and `args` points to `count` arguments.
pub(super) unsafe fn print(format: *const c_char, args: *const PrintArg, count: u32, site: Site) {
    // SAFETY: the caller promises it.
    let format = unsafe { CStr::from_ptr(format) }.to_string_lossy();
    // SAFETY: the caller promises it; the header passes at least one element.
    let args = unsafe { std::slice::from_raw_parts(args, count as usize) };
    match expand(&format, args.len(), |i, spec| value(&args[i], spec, site)) {
        Ok(text) => ops::print(&text, site),
        Err(message) => ops::fail(format!("the print cannot be written: {message}"), site),
    }
}

/// What stands between `{` and `}` behind the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    ty: Option<char>,
}

/// Replaces the placeholders.
fn expand(format: &str, count: usize, value: impl Fn(usize, Spec) -> Result<String, String>) -> Result<String, String> {
    let (mut out, mut next) = (String::new(), 0);
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let (brace, tail) = rest[at..].split_at(1);
        if let Some(tail) = tail.strip_prefix(brace) {
            out.push_str(brace);
            rest = tail;
            continue;
        }
        if brace == "}" {
            return Err("a `}` without a `{`".to_owned());
        }
        let Some((inner, tail)) = tail.split_once('}') else { return Err("a `{` without a `}`".to_owned()) };
        let (index, spec) = inner.split_once(':').unwrap_or((inner, ""));
        let index = if index.is_empty() {
            next += 1;
            next - 1
        } else {
            index.parse().map_err(|_| format!("`{{{inner}}}` names no argument"))?
        };
        if index >= count {
            return Err(format!("argument {index} is not there; there are {count}"));
        }
        out += &value(index, parse(spec)?)?;
        rest = tail;
    }
    Ok(out + rest)
}

fn parse(text: &str) -> Result<Spec, String> {
    let mut spec = Spec::default();
    let mut chars = text.chars().peekable();
    let mut ahead = text.chars();
    match (ahead.next(), ahead.next()) {
        (fill, Some(align @ ('<' | '>' | '^'))) => {
            (spec.fill, spec.align) = (fill, Some(align));
            chars.nth(1);
        }
        (Some(align @ ('<' | '>' | '^')), _) => {
            spec.align = Some(align);
            chars.next();
        }
        _ => {}
    }
    spec.sign = chars.next_if(|c| matches!(c, '+' | '-' | ' '));
    spec.alternate = chars.next_if_eq(&'#').is_some();
    spec.zero = chars.next_if_eq(&'0').is_some();
    let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        let mut n = None;
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            n = Some((n.unwrap_or(0) * 10 + digit as usize).min(1000));
            chars.next();
        }
        n
    };
    spec.width = number(&mut chars).unwrap_or(0);
    if chars.next_if_eq(&'.').is_some() {
        spec.precision = Some(number(&mut chars).ok_or_else(|| format!("`{text}` has no digits behind the point"))?);
    }
    spec.ty = chars.next();
    match chars.next() {
        None => Ok(spec),
        Some(_) => Err(format!("`{text}` is no format")),
    }
}

fn value(arg: &PrintArg, spec: Spec, site: Site) -> Result<String, String> {
    let (digits, numeric) = match arg.kind {
        BOOL => ((arg.bits != 0).to_string(), false),
        CHAR if matches!(spec.ty, None | Some('c')) => (char::from(arg.bits as u8).to_string(), false),
        CHAR | UNSIGNED => (integer(arg.bits, false, spec)?, true),
        SIGNED => {
            let n = arg.bits as i64;
            (integer(n.unsigned_abs(), n < 0, spec)?, true)
        }
        FLOAT => (float(f64::from_bits(arg.bits), spec)?, true),
        TEXT => {
            // SAFETY: a string literal of the kernel, see the module docs.
            let text = unsafe { CStr::from_ptr(arg.text) }.to_string_lossy().into_owned();
            (text, false)
        }
        TILE => {
            // SAFETY: lives on the kernel's stack during the call, see the module docs.
            let s = unsafe { &*arg.slice };
            let slice = ops::TileSlice {
                cb: s.cb,
                tile: s.tile,
                rows: (s.rows[0], s.rows[1], s.rows[2]),
                cols: (s.cols[0], s.cols[1], s.cols[2]),
                at_write_pointer: s.at_write_pointer,
                line_per_row: s.line_per_row,
            };
            return Ok(ops::tile_text(&slice, site));
        }
        _ => ("<a value that the simulator cannot print>".to_owned(), false),
    };
    Ok(pad(digits, numeric, spec))
}

fn integer(magnitude: u64, negative: bool, spec: Spec) -> Result<String, String> {
    let (prefix, digits) = match spec.ty {
        None | Some('d') => ("", magnitude.to_string()),
        Some('x') => ("0x", format!("{magnitude:x}")),
        Some('X') => ("0X", format!("{magnitude:X}")),
        Some('b') => ("0b", format!("{magnitude:b}")),
        Some('o') => ("0", format!("{magnitude:o}")),
        Some('p') => return Ok(format!("0x{magnitude:x}")),
        Some('c') => return Ok(char::from(magnitude as u8).to_string()),
        Some(ty) => return Err(format!("an integer cannot be printed as `{ty}`")),
    };
    Ok(with_sign(negative, if spec.alternate { prefix } else { "" }, digits, spec))
}

fn float(x: f64, spec: Spec) -> Result<String, String> {
    let magnitude = x.abs();
    let digits = match (spec.ty, spec.precision) {
        (Some('f' | 'F'), p) => format!("{magnitude:.*}", p.unwrap_or(6)),
        (Some('e'), p) => exponent(magnitude, p.unwrap_or(6)),
        (None | Some('g'), None) => magnitude.to_string(),
        (None | Some('g'), Some(p)) => {
            // As %g: significant digits, without zeros at the end.
            let text = format!("{magnitude:.*}", p.saturating_sub(1 + magnitude.log10().max(0.0) as usize));
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        (Some(ty), _) => return Err(format!("a float cannot be printed as `{ty}`")),
    };
    Ok(with_sign(x.is_sign_negative(), "", digits, spec))
}

/// `1.500000e+00`.
fn exponent(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |d| ('-', d));
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}

fn with_sign(negative: bool, prefix: &str, digits: String, spec: Spec) -> String {
    let sign = match (negative, spec.sign) {
        (true, _) => "-",
        (false, Some('+')) => "+",
        (false, Some(' ')) => " ",
        _ => "",
    };
    let taken = sign.len() + prefix.len() + digits.len();
    let mut out = format!("{sign}{prefix}");
    if spec.zero && spec.align.is_none() {
        (taken..spec.width).for_each(|_| out.push('0'));
    }
    let _ = write!(out, "{digits}");
    out
}

fn pad(text: String, numeric: bool, spec: Spec) -> String {
    let missing = spec.width.saturating_sub(text.chars().count());
    let fill = spec.fill.unwrap_or(' ');
    let left = match spec.align {
        Some('<') => 0,
        Some('^') => missing / 2,
        Some(_) => missing,
        None if numeric => missing,
        None => 0,
    };
    let mut out: String = (0..left).map(|_| fill).collect();
    out += &text;
    out.extend((left..missing).map(|_| fill));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(kind: u32, bits: u64) -> PrintArg {
        PrintArg { kind, bits, text: std::ptr::null(), slice: std::ptr::null() }
    }

    fn text(format: &str, args: &[PrintArg]) -> Result<String, String> {
        expand(format, args.len(), |i, spec| value(&args[i], spec, Site::UNKNOWN))
    }

    #[test]
    fn placeholders() {
        let args = [number(UNSIGNED, 42), number(SIGNED, -7i64 as u64), number(FLOAT, 1.5f64.to_bits())];
        let ok = |format: &str| text(format, &args).unwrap();
        assert_eq!(ok("a={} b={} c={}\n"), "a=42 b=-7 c=1.5\n");
        assert_eq!(ok("{2} {0} {{}}"), "1.5 42 {}");
        assert_eq!(ok("{:#x} {:5}| {:.3f}"), "0x2a    -7| 1.500");
        assert_eq!(ok("{:08b} {:<5}|{:e}"), "00101010 -7   |1.500000e+00");
        assert_eq!(ok("{:*^6} {:+} {:8.2f}"), "**42** -7     1.50");
        assert_eq!(ok("{:X}"), "2A");
        assert_eq!(text("{}", &[number(BOOL, 1)]).unwrap(), "true");
        assert_eq!(text("{} {:d}", &[number(CHAR, 65), number(CHAR, 65)]).unwrap(), "A 65");
    }

    #[test]
    fn mistakes() {
        let error = |format: &str| text(format, &[number(UNSIGNED, 1)]).unwrap_err();
        assert_eq!(error("{} {}"), "argument 1 is not there; there are 1");
        assert_eq!(error("{"), "a `{` without a `}`");
        assert_eq!(error("}"), "a `}` without a `{`");
        assert_eq!(error("{:q}"), "an integer cannot be printed as `q`");
        assert_eq!(error("{x}"), "`{x}` names no argument");
    }
}
