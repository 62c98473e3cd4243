//! Calls of the kernel API by their row.

use super::function::Printer;
use super::metalium_0_81 as api;
use super::piece::int_type;
use crate::ir::Ty;
use crate::ir::call::{Call, Kind, Operand};

impl Printer<'_> {
    /// The row's text with its operands.
    pub(super) fn api_call(&mut self, call: &Call) -> String {
        self.headers.extend(call.row.headers);
        let mut out = String::new();
        let mut rest = call.row.cpp;
        while let Some(at) = rest.find(['$', '%', '@']) {
            out.push_str(&rest[..at]);
            let how = rest.as_bytes()[at];
            let digit = rest.as_bytes().get(at + 1).map_or(0, |d| usize::from(d - b'0'));
            if let Some(operand) = call.operands.get(digit) {
                let text = match how {
                    b'@' => self.l1_pointer(operand),
                    b'%' => self.placed(operand, true),
                    _ => self.placed(operand, false),
                };
                out.push_str(&text);
            }
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        out.push_str(rest);
        // What does nothing is left out.
        let out = out.replace(" + 0,", ",").replace(", 1 * ", ", ");
        match call.row.operands.first() {
            Some(Kind::Words) if self.is_common(call) => out.replace(api::PER_CORE_ARG, api::COMMON_ARG),
            _ => out,
        }
    }

    fn is_common(&self, call: &Call) -> bool {
        call.names().next().is_some_and(|l| *self.f.local(l).ty.peeled() == Ty::CommonWords)
    }

    fn placed(&mut self, operand: &Operand, inside: bool) -> String {
        match operand {
            Operand::Name(local) => self.name(*local),
            Operand::Value(e) if inside => self.operand(e),
            Operand::Value(e) => self.text(e),
        }
    }

    /// An address as a pointer to its elements.
    fn l1_pointer(&mut self, operand: &Operand) -> String {
        let Operand::Value(e) = operand else { return String::new() };
        let element = match e.ty {
            Ty::L1Ptr(Some(int)) => int_type(int),
            _ => "float",
        };
        let address = self.text(e);
        format!("reinterpret_cast<volatile tt_l1_ptr {element}*>({address})")
    }
}
