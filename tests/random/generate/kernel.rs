//! One random kernel: constants, functions, and a kernel that calls each in turn and writes down what it gives.

use super::dice::Dice;
use super::function::{Gen, Sig};
use super::types::Ty;
use std::fmt::Write as _;

const FUNCTIONS: usize = 14;

/// The module's text, and its functions' names in the order of their words.
pub(crate) fn write(name: &str, dice: &mut Dice) -> (String, Vec<String>) {
    let mut text = String::from(
        "// Written by the build script of ttl-random-tests.\n#![allow(clippy::all, warnings)]\n#![allow(arithmetic_overflow, overflowing_literals, unconditional_panic)]\n\nuse super::helpers::*;\nuse ttl::prelude::*;\n\n",
    );
    let mut consts = vec![];
    for number in 0..6 {
        let ty = Ty::any(dice);
        let _ = writeln!(text, "const K{number}: {} = {};", ty.name(), ty.literal(dice));
        consts.push((format!("K{number}"), ty));
    }
    let mut functions: Vec<Sig> = vec![];
    for number in 0..FUNCTIONS {
        let (function, sig) = Gen::write(&format!("f{number}"), dice, &functions, &consts);
        text.push('\n');
        text.push_str(&function);
        functions.push(sig);
    }
    let _ = write!(
        text,
        "
/// Two words per function and round: its value, and what it left in the variable lent to it.
#[ttl::kernel(writer)]
pub(crate) fn {name}(
    noc: Noc,
    words: CbOut<f32>,
    done: CbIn<f32>,
    result: TensorAccessor<f32>,
    #[ttl(common)] rounds: u32,
    page: u32,
    seed: u32,
) {{
    let mut out = words.reserve_back(1);
    for round in 0..rounds {{
        let s = mixed(seed + round);
        let base = round * {};
        let mut lent = word(s, 99);
",
        2 * FUNCTIONS
    );
    for (number, f) in functions.iter().enumerate() {
        let mut args: Vec<String> =
            f.params.iter().enumerate().map(|(at, ty)| argument(*ty, number * 8 + at)).collect();
        if f.lends {
            args.push("&mut lent".into());
        }
        let call = format!("{}({})", f.name, args.join(", "));
        let value = match f.ret {
            Ty::F32 => format!("bits({call})"),
            _ => format!("{call} as u32"),
        };
        let _ = writeln!(text, "        out.write_u32(base + {}, {value});", 2 * number);
        let _ = writeln!(text, "        out.write_u32(base + {}, lent);", 2 * number + 1);
    }
    text.push_str(
        "    }
    out.push_back();
    let out = done.wait_front(1);
    noc.write_page(&result, page, &out).flushed();
}
",
    );
    (text, functions.into_iter().map(|f| f.name).collect())
}

/// An argument from the round's seed.
fn argument(ty: Ty, salt: usize) -> String {
    match ty {
        Ty::Bool => format!("word(s, {salt}) % 2 == 0"),
        Ty::F32 => format!("float(word(s, {salt}))"),
        Ty::Int { .. } => format!("word(s, {salt}) as {}", ty.name()),
    }
}
