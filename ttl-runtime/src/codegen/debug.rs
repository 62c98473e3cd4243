//! Assertions, printing and zones: macros of the kernel API, which are nothing unless they are switched on.

use super::function::Printer;
use super::metalium_0_81 as api;
use crate::ir::{Debug, Role, Text, TilePart, Ty};

impl Printer<'_> {
    pub(super) fn debug(&mut self, debug: &Debug) {
        match debug {
            Debug::Assert { cond, message: None, .. } => {
                self.headers.insert(api::ASSERT_HEADER);
                let cond = self.text(cond);
                // A comma outside of parentheses would end the argument of the macro.
                let cond = if cond.contains('{') || cond.contains('<') { format!("({cond})") } else { cond };
                self.out.code(&format!("{}({cond});", api::ASSERT));
            }
            Debug::Assert { cond, message: Some(message), .. } => {
                self.headers.insert(api::ASSERT_HEADER);
                let cond = self.negated(cond);
                self.out.code(&format!("if ({cond}) {{"));
                self.out.indent();
                self.print(message);
                self.out.code(&format!("{}(false);", api::ASSERT));
                self.out.dedent();
                self.out.plain("}");
            }
            Debug::Print(text) => self.print(text),
            Debug::Tile(part) => self.print_tile(part),
            Debug::Zone(name) => {
                self.headers.insert(api::ZONE_HEADER);
                self.out.code(&format!("{}({});", api::ZONE, quoted(name)));
            }
        }
    }

    /// A line for each row: what one print can hold is not more than a row.
    fn print_tile(&mut self, part: &TilePart) {
        self.headers.insert(api::PRINT_HEADER);
        let ty = self.f.local(part.cb).ty.peeled().clone();
        let wide =
            matches!(&ty, Ty::CbIn(f) | Ty::CbOut(f) | Ty::Front(f) | Ty::Reserved(f) if f.element_bytes() == Some(4));
        // Rows of 32 elements of 4 bytes are longer than what a `TSLICE` has room for.
        let slice = if wide { api::WIDE_TILE_SLICE } else { api::TILE_SLICE };
        let [tile, first, end, left, right] = part.numbers.each_ref().map(|n| self.text(n));
        let cb = self.name(part.cb);
        let row = api::TILE_ROW;
        let byte = |text: &str| match text.parse::<u8>() {
            Ok(_) => text.to_owned(),
            Err(_) => format!("static_cast<uint8_t>({text})"),
        };
        let (left, right, this, next) = (byte(&left), byte(&right), byte(row), byte(&format!("{row} + 1")));
        let (print, side) = match (self.module.role, part.reserved) {
            (Role::Compute, false) => (api::PRINT_UNPACK, ""),
            (Role::Compute, true) => (api::PRINT_PACK, ""),
            (_, false) => (api::PRINT, api::TILE_SLICE_IN),
            (_, true) => (api::PRINT, api::TILE_SLICE_OUT),
        };
        self.out.code(&format!("for (uint32_t {row} = {first}; {row} < {end}; ++{row}) {{"));
        self.out.indent();
        let range = format!("SliceRange{{{this}, {next}, 1, {left}, {right}, 1}}");
        self.out.code(&format!("{print}(\"{{}}\", {slice}({cb}, {tile}, {range}{side}));"));
        self.out.dedent();
        self.out.plain("}");
    }

    fn print(&mut self, text: &Text) {
        self.headers.insert(api::PRINT_HEADER);
        let mut all = vec![quoted(&format!("{}\n", text.format))];
        all.extend(text.args.iter().map(|a| self.printed(a)));
        self.out.code(&format!("{}({});", api::PRINT, all.join(", ")));
    }
}

/// As a C++ string literal.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            // What no kernel needs to say in another way.
            _ => out.push('?'),
        }
    }
    out.push('"');
    out
}
