//! Assertions, printing and zones: macros of the kernel API, which are nothing unless they are switched on.

use super::function::Printer;
use super::metalium_0_81 as api;
use crate::ir::{Debug, Text};

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
            Debug::Zone(name) => {
                self.headers.insert(api::ZONE_HEADER);
                self.out.code(&format!("{}({});", api::ZONE, quoted(name)));
            }
        }
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
