//! Where Rust and C++ differ quietly: how each case is printed, and that the printed code computes what Rust does.

use crate::build::*;
use crate::run_cpp::{Words, said_by_cpp, said_by_ir};
use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::ir::{BinOp, Expr, FnId, IntTy, LocalId, Module, Order, ParamKind, Role, StmtKind, Ty};

const INTS: [IntTy; 6] = [IntTy::U8, IntTy::U16, IntTy::U32, IntTy::I8, IntTy::I16, IntTy::I32];

/// A reader with the given per-core scalars `a`, `b`, .. that pushes what `body` says.
fn reader(types: &[Ty], body: impl FnOnce(&mut FnBuilder, LocalId, &[Expr])) -> Module {
    let mut k = FnBuilder::new("test", 1);
    k.param("noc", Ty::Noc);
    let out = k.cb_out("out", BF16);
    let args: Vec<LocalId> =
        types.iter().zip('a'..).map(|(ty, name)| k.arg(&name.to_string(), ty.clone(), ParamKind::PerCore)).collect();
    let args: Vec<Expr> = args.into_iter().map(|a| k.get(a)).collect();
    body(&mut k, out, &args);
    k.kernel(Role::Reader, Vec::new())
}

fn say(k: &mut FnBuilder, out: LocalId, value: Expr) {
    let word = match value.ty {
        Ty::Int(IntTy::U32) => value,
        _ => cast(value, Ty::U32),
    };
    k.reserve(out, u32(1));
    k.push(out, word);
}

/// How an expression of `a` and `b` is printed.
fn printed(a: Ty, b: Ty, f: impl FnOnce(Expr, Expr) -> Expr) -> String {
    let module = reader(&[a, b], |k, out, args| {
        let value = f(args[0].clone(), args[1].clone());
        let value = k.let_("value", value);
        let value = k.get(value);
        if value.ty == Ty::F32 || value.ty.int().is_some() || value.ty == Ty::Bool {
            say(k, out, value);
        }
    });
    let text = text(&module, &ComputeConfig::default());
    let line = text.lines().find(|l| l.contains(" value = ")).expect("the line of the value");
    let value = line.split(" value = ").nth(1).expect("a value");
    value.trim_end_matches(';').to_owned()
}

#[test]
fn each_difference_is_printed_so_that_it_means_the_same() {
    let (u8s, u16s, i32s, u32s) = (Ty::Int(IntTy::U8), Ty::Int(IntTy::U16), Ty::Int(IntTy::I32), Ty::U32);
    type Row = (&'static str, Ty, Box<dyn FnOnce(Expr, Expr) -> Expr>, &'static str);
    let op = |op: BinOp| move |a: Expr, b: Expr| bin(op, a, b);
    let rows: Vec<Row> = vec![
        ("u32 wraps by itself", u32s.clone(), Box::new(op(BinOp::Sub)), "a - b"),
        (
            "i32 wraps through unsigned",
            i32s.clone(),
            Box::new(op(BinOp::Add)),
            "static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b))",
        ),
        ("i32 division does not wrap", i32s.clone(), Box::new(op(BinOp::Div)), "a / b"),
        ("u8 is cast back", u8s.clone(), Box::new(op(BinOp::Add)), "static_cast<uint8_t>(a + b)"),
        (
            "u16 products do not overflow int",
            u16s,
            Box::new(op(BinOp::Mul)),
            "static_cast<uint16_t>(static_cast<uint32_t>(a) * b)",
        ),
        ("shift amounts are masked", u32s.clone(), Box::new(op(BinOp::Shl)), "a << (b & 31)"),
        ("unless they are literal", u32s.clone(), Box::new(|a, _| bin(BinOp::Shr, a, u32(4))), "a >> 4"),
        (
            "a literal that is shifted is unsigned",
            u32s.clone(),
            Box::new(|_, b| bin(BinOp::Shl, u32(1), b)),
            "1u << (b & 31)",
        ),
        ("u8 shifts mask to 7", u8s.clone(), Box::new(op(BinOp::Shl)), "static_cast<uint8_t>(a << (b & 7))"),
        (
            "i32 left shift may shift the sign out",
            i32s.clone(),
            Box::new(op(BinOp::Shl)),
            "static_cast<int32_t>(static_cast<uint32_t>(a) << (b & 31))",
        ),
        ("i32 right shift is arithmetic", i32s.clone(), Box::new(op(BinOp::Shr)), "a >> (b & 31)"),
        ("complement of u8 is a u8", u8s.clone(), Box::new(|a, _| not(a)), "static_cast<uint8_t>(~a)"),
        (
            "negation wraps",
            i32s.clone(),
            Box::new(|a, _| neg(a)),
            "static_cast<int32_t>(0u - static_cast<uint32_t>(a))",
        ),
        (
            "large literals stay 32 bits wide",
            u32s.clone(),
            Box::new(|a, _| add(a, u32(3_000_000_000))),
            "a + 3000000000u",
        ),
        (
            "the least i32 is an int",
            i32s.clone(),
            Box::new(|a, _| bin(BinOp::BitXor, a, int(i64::from(i32::MIN), IntTy::I32))),
            "a ^ INT32_MIN",
        ),
        (
            "literals are computed with their type's width",
            u32s.clone(),
            Box::new(|a, _| lt(bin(BinOp::Sub, u32(0), u32(1)), a)),
            "4294967295u < a",
        ),
        (
            "comparison and bit operation need parentheses",
            u32s.clone(),
            Box::new(|a, b| bin(BinOp::Eq, bin(BinOp::BitAnd, a, b), u32(0))),
            "(a & b) == 0",
        ),
        (
            "order of subtraction is kept",
            u32s.clone(),
            Box::new(|a, b| bin(BinOp::Sub, a.clone(), bin(BinOp::Sub, b, a))),
            "a - (b - a)",
        ),
        (
            "division is not reassociated",
            u32s.clone(),
            Box::new(|a, b| bin(BinOp::Mul, a.clone(), bin(BinOp::Div, b, a))),
            "a * (b / a)",
        ),
        ("casts truncate", u32s.clone(), Box::new(move |a, _| cast(a, Ty::Int(IntTy::I8))), "static_cast<int8_t>(a)"),
        ("f32 to integer saturates", Ty::F32, Box::new(|a, _| cast(a, Ty::Int(IntTy::I32))), "f32_to_i32(a)"),
        ("float literals are f32", Ty::F32, Box::new(|a, _| bin(BinOp::Mul, a, f32(0.1))), "a * 0.1f"),
        ("a minus before a minus", Ty::F32, Box::new(|a, _| neg(neg(a))), "-(-a)"),
        (
            "and binds tighter than or, visibly",
            Ty::Bool,
            Box::new(|a, b| bin(BinOp::Or, a.clone(), bin(BinOp::And, a, b))),
            "a || (a && b)",
        ),
    ];
    for (what, ty, f, expected) in rows {
        assert_eq!(printed(ty.clone(), ty, f), expected, "{what}");
    }
}

/// Values where arithmetic goes wrong if it does.
fn corners(ty: IntTy) -> Vec<u32> {
    let max: i64 = if ty.signed { (1 << (ty.bits - 1)) - 1 } else { (1 << ty.bits) - 1 };
    let min = if ty.signed { -max - 1 } else { 0 };
    let half = 1i64 << (ty.bits / 2);
    let mut values = vec![0, 1, 2, 7, half - 1, half, max - 1, max, min, min + 1, max / 2 + 1];
    if ty.signed {
        values.extend([-1, -2, -half]);
    }
    values.into_iter().map(|v| ty.wrap(v) as u32).collect()
}

fn compare(name: &str, module: &Module, runs: &[Words]) {
    let Some(cpp) = said_by_cpp(name, module, runs) else {
        return;
    };
    assert_eq!(cpp.len(), runs.len());
    for (words, cpp) in runs.iter().zip(cpp) {
        let ir = said_by_ir(module, words);
        assert!(!ir.is_empty());
        assert_eq!(cpp, ir, "{name} with {words:?}");
    }
}

#[test]
fn integer_arithmetic_computes_what_rust_does() {
    use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub};
    for ty in INTS {
        let t = Ty::Int(ty);
        let module = reader(&[t.clone(), t.clone()], |k, out, args| {
            let (a, b) = (args[0].clone(), args[1].clone());
            for op in [Add, Sub, Mul, BitAnd, BitOr, BitXor, Shl, Shr] {
                say(k, out, bin(op, a.clone(), b.clone()));
                say(k, out, bin(op, bin(op, a.clone(), b.clone()), a.clone()));
                say(k, out, bin(op, a.clone(), int(3, ty)));
                say(k, out, bin(op, int(1, ty), b.clone()));
                // A result that is not brought back to its type shows in a comparison or a wider cast.
                let sum = bin(op, a.clone(), b.clone());
                say(k, out, bin(Lt, sum, a.clone()));
            }
            for op in [Eq, Ne, Lt, Le, Gt, Ge] {
                say(k, out, bin(op, a.clone(), b.clone()));
            }
            say(k, out, not(a.clone()));
            if ty.signed {
                say(k, out, neg(a.clone()));
            }
            for op in [Div, Rem] {
                say(k, out, bin(op, a.clone(), int(7, ty)));
                // Not by zero, and not the least value by -1: both are errors in Rust.
                let divisor = bin(BitOr, bin(BitAnd, b.clone(), int(3, ty)), int(1, ty));
                say(k, out, bin(op, a.clone(), divisor));
            }
            for to in INTS {
                say(k, out, cast(a.clone(), Ty::Int(to)));
                say(k, out, cast(bin(Mul, a.clone(), b.clone()), Ty::Int(to)));
            }
            let float = cast(a.clone(), Ty::F32);
            say(k, out, cast(float, Ty::Int(IntTy::I32)));
        });
        let runs: Vec<Words> = corners(ty).iter().flat_map(|a| corners(ty).into_iter().map(|b| vec![*a, b])).collect();
        compare(&format!("ints-{t}"), &module, &runs);
    }
}

#[test]
fn float_arithmetic_and_casts_compute_what_rust_does() {
    let module = reader(&[Ty::F32, Ty::F32], |k, out, args| {
        let (a, b) = (args[0].clone(), args[1].clone());
        // NaNs differ in sign and payload between machines: only whether a result is one counts.
        let exact = |k: &mut FnBuilder, value: Expr| {
            let value = k.let_("value", value);
            let value = k.get(value);
            k.if_(
                bin(BinOp::Eq, value.clone(), value.clone()),
                |k| say(k, out, bits(value.clone())),
                |k| say(k, out, u32(7)),
            );
        };
        for op in [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div] {
            exact(k, bin(op, a.clone(), b.clone()));
            for scale in [1e-30, 65536.0, -0.1] {
                exact(k, bin(BinOp::Mul, bin(op, a.clone(), b.clone()), f32(scale)));
            }
        }
        exact(k, neg(a.clone()));
        exact(k, bits(bin(BinOp::BitXor, bits(a.clone()), bits(b.clone()))));
        for to in INTS {
            say(k, out, cast(a.clone(), Ty::Int(to)));
            say(k, out, cast(neg(a.clone()), Ty::Int(to)));
        }
        use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        for op in [Eq, Ne, Lt, Le, Gt, Ge] {
            say(k, out, bin(op, a.clone(), b.clone()));
        }
    });
    let values = [
        0.0,
        -0.0,
        0.5,
        -0.99,
        1.0,
        126.9,
        127.0,
        128.0,
        -128.9,
        -129.0,
        255.5,
        256.0,
        65535.9,
        -32769.0,
        2147483520.0,
        2147483648.0,
        -2147483648.0,
        4294967040.0,
        4294967296.0,
        1e20,
        -1e20,
        1e-40,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let runs: Vec<Words> =
        values.iter().flat_map(|a: &f32| values.iter().map(|b| vec![a.to_bits(), b.to_bits()])).collect();
    compare("floats", &module, &runs);
}

#[test]
fn ranges_run_as_in_rust() {
    for ty in INTS {
        let t = Ty::Int(ty);
        let module = reader(&[t.clone(), t.clone()], |k, out, args| {
            for inclusive in [false, true] {
                for order in [Order::Forward, Order::RevThenStep, Order::StepThenRev] {
                    for step in [1, 2, 3, 100, 1 << 33] {
                        let (start, end) = (args[0].clone(), args[1].clone());
                        let rounds = k.let_("rounds", u32(0));
                        k.range("i", start, end, inclusive, order, step, |k, i| {
                            let (i, old) = (k.get(i), k.get(rounds));
                            k.assign(rounds, add(old.clone(), u32(1)));
                            say(k, out, i.clone());
                            k.if_(bin(BinOp::Gt, old, u32(6)), |k| k.stmt(StmtKind::Break), |_| {});
                            // A `continue` must not skip the step.
                            let odd = bin(BinOp::Eq, bin(BinOp::Rem, i, int(2, ty)), int(1, ty));
                            k.if_(odd, |k| k.stmt(StmtKind::Continue), |_| {});
                            say(k, out, u32(77));
                        });
                        let rounds = k.get(rounds);
                        say(k, out, rounds);
                    }
                }
            }
            // Literal bounds at the end of the type, and a variable that the body changes.
            let max = if ty.signed { (1i64 << (ty.bits - 1)) - 1 } else { (1i64 << ty.bits) - 1 };
            for (inclusive, step) in [(true, 1), (false, 1), (true, 2), (false, 2), (true, 3)] {
                let (start, end) = (int(max - 5, ty), int(max, ty));
                k.range("i", start, end, inclusive, Order::Forward, step, |k, i| {
                    let value = k.get(i);
                    say(k, out, value);
                    k.assign(i, int(0, ty));
                });
            }
        });
        let max: i64 = if ty.signed { (1 << (ty.bits - 1)) - 1 } else { (1 << ty.bits) - 1 };
        let min = if ty.signed { -max - 1 } else { 0 };
        let pairs = [
            (0, 0),
            (0, 1),
            (0, 9),
            (3, 10),
            (9, 0),
            (max - 9, max),
            (max - 1, max),
            (max, max),
            (max, min),
            (min, min),
            (min, min + 1),
            (min, min + 9),
            (min, max),
            (min + 1, max - 1),
        ];
        let runs: Vec<Words> = pairs.iter().map(|(a, b)| vec![ty.wrap(*a) as u32, ty.wrap(*b) as u32]).collect();
        compare(&format!("ranges-{t}"), &module, &runs);
    }
}

#[test]
fn logic_is_short_circuit_and_calls_happen_in_order() {
    // A device function that says something and returns it.
    let mut f = FnBuilder::new("loud", 1).ret(Ty::Bool);
    let out = f.param("out", Ty::CbOut(BF16));
    let word = f.param("word", Ty::U32);
    let answer = f.param("answer", Ty::Bool);
    let (word, answer) = (f.get(word), f.get(answer));
    say(&mut f, out, word);
    f.stmt(StmtKind::Return(Some(answer)));
    let (loud, _) = f.finish();
    let mut k = FnBuilder::new("test", 20);
    k.param("noc", Ty::Noc);
    let out = k.cb_out("out", BF16);
    let a = k.arg("a", Ty::Bool, ParamKind::PerCore);
    let b = k.arg("b", Ty::Bool, ParamKind::PerCore);
    let (a, b, cb) = (k.get(a), k.get(b), k.get(out));
    let ask = |word, answer: &Expr| {
        let args = vec![cb.clone(), u32(word), answer.clone()];
        call(FnId(0), args, Ty::Bool)
    };
    for op in [BinOp::And, BinOp::Or] {
        let both = bin(op, ask(1, &a), ask(2, &b));
        let value = k.let_("value", both);
        let value = k.get(value);
        say(&mut k, out, value);
        k.while_(bin(op, ask(3, &a), ask(4, &b)), |k| {
            k.stmt(StmtKind::Break);
        });
    }
    let module = k.kernel(Role::Reader, vec![loud]);
    let runs = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|w| w.to_vec());
    compare("logic", &module, &runs);
}
