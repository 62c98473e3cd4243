//! Runs printed data-movement kernels on the host, with stand-ins for the few API functions they call, and interprets the IR they were
//! printed from. What a kernel "says" are the page counts that it pushes.

use crate::build::*;
use std::collections::HashMap;
use std::process::Command;
use ttl_runtime::arch::ComputeConfig;
use ttl_runtime::ir::{BinOp, Expr, ExprKind, FnId, For, LocalId, Module, Op, Order, ParamKind, Stmt, StmtKind, Ty};

/// Arguments of one run: words of the per-core arguments.
pub(crate) type Words = Vec<u32>;

const HEADER: &str = r#"
#include <cstdint>
#include <cstdio>
#include <cstring>
extern const uint32_t* words;
template <typename T> T get_arg_val(int i) { T v; std::memcpy(&v, words + i, 4); return v; }
#define get_compile_time_arg_val(i) uint32_t(i)
inline void cb_reserve_back(uint32_t, uint32_t) {}
inline void cb_push_back(uint32_t, uint32_t n) { std::printf("%u\n", unsigned(n)); }
void kernel_main();
"#;

/// What the printed kernel says for each set of arguments, or `None` without a C++ compiler.
pub(crate) fn said_by_cpp(name: &str, module: &Module, runs: &[Words]) -> Option<Vec<Vec<u32>>> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    if Command::new(&compiler).arg("--version").output().is_err() {
        println!("skipped: no C++ compiler");
        return None;
    }
    let folder = std::env::temp_dir().join(format!("ttl-semantics-{name}-{}", std::process::id()));
    let api = folder.join("api/dataflow");
    std::fs::create_dir_all(&api).expect("a temporary folder");
    std::fs::write(api.join("dataflow_api.h"), HEADER).expect("write the header");
    let kernel = text(module, &ComputeConfig::default());
    std::fs::write(folder.join("kernel.cpp"), &kernel).expect("write the kernel");
    let mut main = String::from("#include \"api/dataflow/dataflow_api.h\"\nconst uint32_t* words;\n");
    main += "int main() {\n";
    for words in runs {
        let list: Vec<String> = words.iter().map(|w| format!("{w}u")).collect();
        main += &format!(
            "    {{ static const uint32_t w[] = {{{}}}; words = w; kernel_main(); std::puts(\"--\"); }}\n",
            list.join(", ")
        );
    }
    main += "}\n";
    std::fs::write(folder.join("main.cpp"), main).expect("write main");
    let program = folder.join("program");
    let output = Command::new(&compiler)
        .args(["-std=c++17", "-O1", "-Wall", "-Werror", "-Wno-parentheses"])
        .args(["-fsanitize=undefined", "-fno-sanitize-recover=all", "-I."])
        .args(["kernel.cpp", "main.cpp", "-o"])
        .arg(&program)
        .current_dir(&folder)
        .output()
        .expect("run the compiler");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{messages}\n{kernel}");
    let output = Command::new(&program).output().expect("run the kernels");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{messages}\n{kernel}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    std::fs::remove_dir_all(&folder).expect("remove the temporary folder");
    let mut all: Vec<Vec<u32>> =
        said.split("--\n").map(|run| run.lines().map(|l| l.parse().expect("a number")).collect()).collect();
    all.pop();
    Some(all)
}

/// What the kernel means: the IR interpreted with Rust's meaning of everything.
pub(crate) fn said_by_ir(module: &Module, words: &Words) -> Vec<u32> {
    let mut run = Run { module, said: Vec::new() };
    let mut env = HashMap::new();
    let scalars = module.params.iter().filter(|p| p.kind == ParamKind::PerCore);
    for (param, word) in scalars.zip(words) {
        let value = match &param.ty {
            Ty::Bool => Value::Bool(*word != 0),
            Ty::F32 => Value::F32(f32::from_bits(*word)),
            ty => Value::Int(ty.int().expect("an integer").wrap(i64::from(*word))),
        };
        env.insert(param.local, value);
    }
    run.block(&module.entry().body, &mut env);
    run.said
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Int(i64),
    F32(f32),
    Bool(bool),
    Unit,
}

enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

type Env = HashMap<LocalId, Value>;

struct Run<'a> {
    module: &'a Module,
    said: Vec<u32>,
}

impl Run<'_> {
    fn block(&mut self, block: &[Stmt], env: &mut Env) -> Flow {
        for stmt in block {
            let flow = match &stmt.kind {
                StmtKind::Let { local, init } => {
                    if let Some(init) = init {
                        let value = self.eval(init, env);
                        env.insert(*local, value);
                    }
                    Flow::Next
                }
                StmtKind::Assign { local, value } => {
                    let value = self.eval(value, env);
                    env.insert(*local, value);
                    Flow::Next
                }
                StmtKind::Eval(e) => {
                    self.eval(e, env);
                    Flow::Next
                }
                StmtKind::Op(Op::PushBack { pages, .. }) => {
                    let Value::Int(pages) = self.eval(pages, env) else { panic!("pages") };
                    self.said.push(pages as u32);
                    Flow::Next
                }
                StmtKind::Op(_) => Flow::Next,
                // The modules of these tests have scalars only.
                StmtKind::Set { .. } | StmtKind::Debug(_) => panic!("{stmt:?}"),
                StmtKind::If { cond, then, els } => {
                    let then_it = self.eval(cond, env) == Value::Bool(true);
                    self.block(if then_it { then } else { els }, env)
                }
                StmtKind::While { cond, body } => loop {
                    if self.eval(cond, env) != Value::Bool(true) {
                        break Flow::Next;
                    }
                    match self.block(body, env) {
                        Flow::Break => break Flow::Next,
                        Flow::Return(v) => break Flow::Return(v),
                        Flow::Next | Flow::Continue => {}
                    }
                },
                StmtKind::Loop { body } => loop {
                    match self.block(body, env) {
                        Flow::Break => break Flow::Next,
                        Flow::Return(v) => break Flow::Return(v),
                        Flow::Next | Flow::Continue => {}
                    }
                },
                StmtKind::For(l) => self.range(l, env),
                StmtKind::Break => Flow::Break,
                StmtKind::Continue => Flow::Continue,
                StmtKind::Return(v) => Flow::Return(v.as_ref().map_or(Value::Unit, |v| self.eval(v, env))),
                StmtKind::Block(b) => self.block(b, env),
            };
            if !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }

    fn range(&mut self, l: &For, env: &mut Env) -> Flow {
        let int = |v: Value| match v {
            Value::Int(i) => i,
            other => panic!("a bound {other:?}"),
        };
        let start = int(self.eval(&l.start, env));
        let end = int(self.eval(&l.end, env)) + i64::from(l.inclusive);
        let step = usize::try_from(l.step).expect("a step");
        let elements: Box<dyn Iterator<Item = i64>> = match l.order {
            Order::Forward => Box::new((start..end).step_by(step)),
            Order::RevThenStep => Box::new((start..end).rev().step_by(step)),
            Order::StepThenRev => {
                // As `(start..end).step_by(step).rev()`, which a 64-bit range does not have.
                let step = step as i64;
                let count = (end - start).max(0).div_euclid(step) + i64::from((end - start).max(0) % step != 0);
                Box::new((0..count).rev().map(move |n| start + n * step))
            }
        };
        for element in elements {
            env.insert(l.local, Value::Int(element));
            match self.block(&l.body, env) {
                Flow::Break => break,
                Flow::Return(v) => return Flow::Return(v),
                Flow::Next | Flow::Continue => {}
            }
        }
        Flow::Next
    }

    fn call(&mut self, id: FnId, args: &[Expr], env: &Env) -> Value {
        let f = self.module.function(id);
        let mut inner = Env::new();
        for (param, arg) in f.params.iter().zip(args) {
            let value = self.eval(arg, env);
            inner.insert(*param, value);
        }
        match self.block(&f.body, &mut inner) {
            Flow::Return(v) => v,
            _ => Value::Unit,
        }
    }

    fn eval(&mut self, e: &Expr, env: &Env) -> Value {
        match &e.kind {
            ExprKind::Int(v) => Value::Int(*v),
            ExprKind::F32(v) => Value::F32(*v),
            ExprKind::Bool(v) => Value::Bool(*v),
            ExprKind::Local(l) => env.get(l).copied().unwrap_or(Value::Unit),
            ExprKind::Neg(x) => match self.eval(x, env) {
                Value::Int(v) => Value::Int(e.ty.int().expect("int").wrap(-v)),
                Value::F32(v) => Value::F32(-v),
                other => panic!("-{other:?}"),
            },
            ExprKind::Not(x) => match self.eval(x, env) {
                Value::Int(v) => Value::Int(e.ty.int().expect("int").wrap(!v)),
                Value::Bool(v) => Value::Bool(!v),
                other => panic!("!{other:?}"),
            },
            ExprKind::Binary(BinOp::And, a, b) => match self.eval(a, env) {
                Value::Bool(true) => self.eval(b, env),
                other => other,
            },
            ExprKind::Binary(BinOp::Or, a, b) => match self.eval(a, env) {
                Value::Bool(false) => self.eval(b, env),
                other => other,
            },
            ExprKind::Binary(op, a, b) => {
                let (va, vb) = (self.eval(a, env), self.eval(b, env));
                binary(*op, &a.ty, va, vb)
            }
            ExprKind::Cast(x) => cast_value(self.eval(x, env), &e.ty),
            ExprKind::Call(id, args) => self.call(*id, args, env),
            ExprKind::Bits(x) => match self.eval(x, env) {
                Value::F32(v) => Value::Int(i64::from(v.to_bits())),
                Value::Int(v) => Value::F32(f32::from_bits(v as u32)),
                other => panic!("the bits of {other:?}"),
            },
            ExprKind::Erased => Value::Unit,
            ExprKind::Query(q) => panic!("{q:?}"),
            other => panic!("{other:?}"),
        }
    }
}

fn binary(op: BinOp, ty: &Ty, a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            let ty = ty.int().expect("an integer");
            let amount = (b as u64 & u64::from(ty.bits - 1)) as u32;
            let value = match op {
                BinOp::Add => a + b,
                BinOp::Sub => a - b,
                BinOp::Mul => a.wrapping_mul(b),
                BinOp::Div => a / b,
                BinOp::Rem => a % b,
                BinOp::BitAnd => a & b,
                BinOp::BitOr => a | b,
                BinOp::BitXor => a ^ b,
                BinOp::Shl => a.wrapping_shl(amount),
                BinOp::Shr => a >> amount,
                _ => return compare(op, a, b),
            };
            Value::Int(ty.wrap(value))
        }
        (Value::F32(a), Value::F32(b)) => match op {
            BinOp::Add => Value::F32(a + b),
            BinOp::Sub => Value::F32(a - b),
            BinOp::Mul => Value::F32(a * b),
            BinOp::Div => Value::F32(a / b),
            _ => compare(op, a, b),
        },
        (Value::Bool(a), Value::Bool(b)) => match op {
            BinOp::BitAnd => Value::Bool(a & b),
            BinOp::BitOr => Value::Bool(a | b),
            BinOp::BitXor => Value::Bool(a ^ b),
            _ => compare(op, a, b),
        },
        other => panic!("{op:?} of {other:?}"),
    }
}

fn compare<T: PartialOrd>(op: BinOp, a: T, b: T) -> Value {
    Value::Bool(match op {
        BinOp::Eq => a == b,
        BinOp::Ne => a != b,
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        BinOp::Ge => a >= b,
        other => panic!("{other:?}"),
    })
}

fn cast_value(value: Value, to: &Ty) -> Value {
    match (value, to) {
        (Value::Int(v), Ty::F32) => Value::F32(v as f32),
        (Value::Int(v), Ty::Int(to)) => Value::Int(to.wrap(v)),
        (Value::Bool(v), Ty::Int(_)) => Value::Int(i64::from(v)),
        (Value::F32(v), Ty::Int(to)) => Value::Int(match (to.signed, to.bits) {
            (false, 8) => i64::from(v as u8),
            (false, 16) => i64::from(v as u16),
            (false, _) => i64::from(v as u32),
            (true, 8) => i64::from(v as i8),
            (true, 16) => i64::from(v as i16),
            (true, _) => i64::from(v as i32),
        }),
        (value, _) => value,
    }
}
