//! Refusals by message and by the tokens they point at, without a compiler; and inputs that make no sense.

use crate::messages;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// The messages of an expansion.
fn errors(output: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    collect(output, &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<String>) {
    let mut expected = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => expected = ident == "compile_error" || expected,
            TokenTree::Group(group) => {
                if std::mem::take(&mut expected) {
                    found.push(message(group.stream()));
                } else {
                    collect(group.stream(), found);
                }
            }
            TokenTree::Punct(_) => {}
            TokenTree::Literal(_) => expected = false,
        }
    }
}

fn message(tokens: TokenStream) -> String {
    syn::parse2::<syn::LitStr>(tokens).map_or_else(|e| e.to_string(), |s| s.value())
}

/// Expands a kernel with this body from source text, so that spans have columns. Gives the text under each error and its message.
fn body(source: &str) -> Vec<(String, String)> {
    let text = format!("fn k(noc: Noc, n: u32, out: CbOut<bf16>) {{ {source} }}");
    let item: TokenStream = text.parse().expect("test source");
    let mut report = crate::report::Report::default();
    let (kind, _) = crate::args::kernel("reader".parse().expect("role"), &mut report);
    let item = crate::item::parse(item).expect("a function");
    let mut func = crate::parse::function(item, kind, &mut report);
    crate::check::scope::resolve(&mut func, &mut report);
    crate::check::calls::check(&func, &mut report);
    report
        .errors()
        .iter()
        .map(|e| {
            let span = e.span();
            let (start, end) = (span.start().column, span.end().column);
            let under = text.get(start..end).unwrap_or_default().to_string();
            (under, e.to_string())
        })
        .collect()
}

fn refused(source: &str, under: &str, refusal: &messages::Refusal) {
    let found = body(source);
    assert!(found.iter().any(|(u, m)| u.starts_with(under) && *m == refusal.text()), "{source}: {found:?}");
}

#[test]
fn expressions_outside_the_subset() {
    use messages as m;
    refused("if n > 3 && let A::B(x) = n {}", "let A::B(x) = n", &m::LET_CONDITION);
    refused("while let A::B(x) = n {}", "let A::B(x) = n", &m::LET_CONDITION);
    refused("let f = |x| x;", "|x| x", &m::CLOSURE);
    refused("f(n)?;", "?", &m::QUESTION);
    refused("async { n };", "async", &m::ASYNC);
    refused("n.await;", "await", &m::AWAIT);
    refused("unsafe { n };", "unsafe", &m::UNSAFE);
    refused("const { n };", "const", &m::CONST_BLOCK);
    refused("let r = 0..n;", "0..n", &m::RANGE_VALUE);
    refused("let s = \"x\";", "\"x\"", &m::STRING);
    refused("let c = 'x';", "'x'", &m::CHAR);
    refused("let c = b'x';", "b'x'", &m::CHAR);
    refused("'a: loop { break 'a; }", "'a", &m::LABEL);
    refused("loop { break n; }", "n", &m::BREAK_VALUE);
    refused("'a: { n; }", "'a", &m::BLOCK_LABEL);
    refused("_ = n;", "_", &m::INFER);
    refused("let p = &raw const n;", "&raw const n", &m::RAW_ADDRESS);
    refused("let x = 5u64;", "5u64", &m::WIDE_LITERAL);
    refused("let x = 5.0f64;", "5.0f64", &m::F64);
    refused("(f)(n)(n);", "(f)", &m::CALLEE);
}

#[test]
fn statements_outside_the_subset() {
    use messages as m;
    refused("let (a, b);", "(a, b)", &m::LET_PATTERN);
    refused("let ref a = n;", "ref", &m::REF_PATTERN);
    refused("fn f() {}", "fn f() {}", &m::NESTED_ITEM);
    refused("const A: u32 = 1;", "const A", &m::NESTED_ITEM);
    refused("#[cfg(x)] let a = n;", "#[cfg(x)]", &m::STMT_ATTRIBUTE);
    refused("vec![1];", "vec!", &m::MACRO_VEC);
    refused("out.reserve_back(1).store(n);", "store", &m::STORE_IN_DATA_MOVEMENT);
    refused("println!();", "println!", &m::MACRO_PRINT);
    refused("ttl::print!();", "ttl::print", &m::PRINT_FORMAT);
    refused("ttl::print_tile!(x);", "ttl::print_tile", &m::PRINT_TILE);
    refused("ttl::print_tile!(x, 0, 0..4);", "ttl::print_tile", &m::PRINT_TILE);
    refused("ttl::print_tile!(x, 0, 0..4, ..);", "..", &m::PRINT_TILE);
    refused("ttl::print!(n);", "n", &m::PRINT_FORMAT);
    refused("ttl::print!(\"{:?}\", n);", "\"{:?}\"", &m::PRINT_SPEC);
    refused("ttl::print!(\"{} {}\", n);", "\"{} {}\"", &m::PRINT_OPERAND);
    refused("ttl::zone!(n);", "ttl::zone", &m::ZONE_NAME);
    refused("assert!();", "assert", &m::ASSERT_CONDITION);
    refused("assert_eq!(n);", "assert_eq", &m::ASSERT_TWO);
    refused("format!(\"\");", "format!", &m::MACRO_FORMAT);
    refused("mine!();", "mine!", &m::MACRO_PLAIN);
    refused("for (i, j) in 0..n {}", "(i, j)", &m::FOR_PATTERN);
    refused("for i in n.. {}", "..", &m::RANGE_ENDS);
    refused("for i in list.chunks(2) {}", "list.chunks(2)", &m::FOR_ITERATOR);
    refused("for i in (0..n).step_by(n as usize) {}", "n as usize", &m::STEP);
    refused("for i in (0..n).step_by(f(n)) {}", "f(n)", &m::STEP);
}

/// Sizes that are written as numbers, and what is said about them: the text under the error, the numbers.
#[test]
fn sizes_of_blocks() {
    use messages as m;
    let wrong = |source: &str, under: &str, refusal: &messages::Refusal, numbers: &str| {
        let found = body(source);
        let expected = (under.to_string(), refusal.text_with(numbers));
        assert_eq!(found, [expected], "{source}");
    };
    let front = "let x = a.wait_front(6); let w = b.wait_front(2 * 3);";
    let of = |rest: &str| format!("{front} {rest}");
    wrong(&of("let z = x.block(2, 3) + w.block(3, 2);"), "+", &m::COMBINED, "2x3 and 3x2 tiles");
    wrong(&of("let z = (&x * w.wait_front(4)).exp();"), "*", &m::COMBINED, "6 and 4 tiles");
    wrong(&of("let z = x.block(2, 3).exp().power(w.block(3, 2));"), "power", &m::COMBINED, "2x3 and 3x2 tiles");
    wrong(&of("let s = c.zeros(2, 2); s += x.block(2, 3);"), "+=", &m::COMBINED, "2x2 and 2x3 tiles");
    wrong(&of("let z = x.block(2, 3).matmul(w.block(2, 3));"), "matmul", &m::INNER_SIZES, "2x3 and 2x3 tiles");
    wrong(&of("let z = x.block(3, 3);"), "block", &m::LARGE_BLOCK, "3x3 tiles of 6");
    wrong(&of("let z = x.block(2, 3).bcast_rows();"), "bcast_rows", &m::NO_ROW, "2x3 tiles");
    wrong(&of("let z = x.bcast_cols();"), "bcast_cols", &m::NO_COLUMN, "1x6 tiles");
    wrong(&of("let z = x.block(2, 3).sum_row().bcast_scalar();"), "bcast_scalar", &m::NO_NUMBER, "2x1 tiles");
    wrong(&of("let z = x.block(2, 3) - w.block(1, 2).bcast_rows();"), "-", &m::COMBINED, "2x3 and ?x2 tiles");
    let right = [
        "let z = x.block(2, 3) + w.block(1, 3).bcast_rows() * 2.0;",
        "let z = x.block(2, 3).sum_row() + w.block(3, 2).transpose().matmul(x.block(3, 1));",
        "let z = (&x + &w).block(2, 3) * w.block(N, 3);",
        "let z = x.block(2, 3); let v = z - z.mean_row().bcast_cols();",
        "let z = n + 3 * 4; z += 1;",
        "let v = x.block(2, 3); v = w.block(3, 2); let z = v + w.block(3, 2);",
    ];
    for source in right {
        assert_eq!(body(&of(source)), [], "{source}");
    }
    // Compute kernels store.
    let stored = |source: &str| {
        let text = format!("fn k(c: Compute) {{ {} }}", of(source));
        let kind = crate::model::Kind::Kernel(crate::model::Role::Compute);
        let mut report = crate::report::Report::default();
        let item = crate::item::parse(text.parse().expect("test source")).expect("a function");
        let mut func = crate::parse::function(item, kind, &mut report);
        crate::check::scope::resolve(&mut func, &mut report);
        crate::check::calls::check(&func, &mut report);
        report.errors().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let size = |numbers: &str| vec![m::STORE_SIZE.text_with(numbers)];
    assert_eq!(stored("y.reserve_back(4).store(x.block(2, 3).exp());"), size("2x3 tiles to a block of 4"));
    assert_eq!(stored("y.reserve_back(4).store(&x + &w);"), size("6 tiles to a block of 4"));
    assert_eq!(
        stored("let mut t = y.reserve_back(3); t.store(x.block(2, 3).sum_row());"),
        size("2x1 tiles to a block of 3")
    );
    assert_eq!(stored("y.reserve_back(6).store(&x * 2.0);"), Vec::<String>::new());
}

#[test]
fn calls_types_and_names() {
    use messages as m;
    refused("u32::max(n, n);", "u32::max", &m::TYPE_CALL);
    refused("<u32 as Ord>::max(n, n);", "<u32 as Ord>::max", &m::QSELF);
    refused("n(3);", "n", &m::LOCAL_CALL);
    refused("n.rev();", "rev", &m::RANGE_METHOD);
    refused("n.into();", "into", &m::METHOD_INTO);
    refused("n.clone();", "clone", &m::METHOD_CLONE);
    refused("n.unwrap();", "unwrap", &m::METHOD_UNWRAP);
    refused("n.iter();", "iter", &m::METHOD_ITER);
    refused("n.checked_add(1);", "checked_add", &m::METHOD_CHECKED);
    refused("n.min::<u32>(n);", "::<u32>", &m::TURBOFISH_METHOD);
    refused("f32::from_bits();", "f32::from_bits", &m::FROM_BITS_ARGS);
    refused("let x = n as isize;", "isize", &m::ISIZE);
    refused("let x = n as _;", "_", &m::CAST_INFER);
    refused("let x: u64 = n;", "u64", &m::WIDE_INT);
    refused("let x: Vec<u32> = n;", "Vec<u32>", &m::TYPE_HEAP);
    refused("let x: &[u32] = n;", "[u32]", &m::TYPE_SLICE);
    refused("let x: *const u32 = n;", "*const u32", &m::TYPE_POINTER);
    refused("let x: &dyn T = n;", "dyn T", &m::TYPE_DYN);
    refused("let x: fn() = n;", "fn()", &m::TYPE_FN);
    refused("let x: &'static u32 = &n;", "'static", &m::NAMED_LIFETIME);
    refused("let __ttl_x = n;", "__ttl_x", &m::RESERVED_NAME);
    // Whether there is such a method, and whether it is device code, the copy asks rustc.
    assert_eq!(body("out.reserve_bakc(1);"), []);
}

#[test]
fn patterns_outside_the_subset() {
    use messages as m;
    refused("match n { A::B(x) | A::C(x) => {} }", "A::B(x) | A::C(x)", &m::OR_BINDING);
    refused("match n { [a, ..] => {} }", "[a, ..]", &m::ARRAY_REST_PATTERN);
    refused("match n { 1.5 => {} }", "1.5", &m::FLOAT_PATTERN);
    refused("match n { 'c' => {} }", "'c'", &m::CHAR);
    refused("match n { ref x => {} }", "ref", &m::REF_PATTERN);
    refused("match n { <T as U>::X => {} }", "<T as U>::X", &m::QSELF);
}

/// The messages of an item with `#[ttl::device]`.
fn item(source: &str) -> Vec<String> {
    errors(crate::device(TokenStream::new(), source.parse().expect("test source")))
}

#[test]
fn items_outside_the_subset() {
    use messages as m;
    for (source, refusal) in [
        ("struct P(u32);", &m::GROUP_FIELDS),
        ("struct P<'a> { x: &'a u32 }", &m::DATA_LIFETIME),
        ("enum E {}", &m::EMPTY_ENUM),
        ("impl P { fn store(&self) {} }", &m::METHOD_NAME),
        ("impl P { fn pick<T>(&self) {} }", &m::GENERIC_METHOD),
        ("impl [u32; 4] { fn pick(&self) {} }", &m::IMPL_TYPE),
        ("impl P { fn pick(&self) { vec![1]; } }", &m::MACRO_VEC),
        ("trait T { fn pick(&self) { vec![1]; } }", &m::MACRO_VEC),
        ("trait T { fn exp(&self); }", &m::METHOD_NAME),
        ("fn pick(&self) {}", &m::SELF_PARAM),
    ] {
        assert_eq!(item(source), [refusal.text()], "{source}");
    }
    for source in [
        "#[derive(Clone, Copy)] pub struct P<const N: u32> { pub x: u32, y: [u8; 4] }",
        "enum E { A = 3, B }",
        "enum E { A(u32), B { x: u32 }, C }",
        "impl P { const A: u32 = 1; fn pick(&mut self, n: u32) -> u32 { self.x += Self::A; self.other(n) } }",
        "impl T for P<3> { const A: u32 = 1; fn f(x: Self) -> Self { Self { ..x } } }",
        "trait T: U { const A: u32; fn pick(&self) -> u32; fn twice(&self) -> u32 { self.pick() * Self::A } }",
        "#[derive(Clone, Copy)] struct Unit;",
        "#[derive(Clone, Copy)] struct P(u32, u8);",
        "struct Args { x: CbIn<bf16>, #[ttl(common)] n: u32 }",
    ] {
        assert_eq!(item(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn the_subset_is_accepted() {
    for source in [
        "let Some(x) = n else { return }; let y = Some(n); let z: Option<u32> = None; if let None = z {} y.unwrap_or(3);",
        "let Pair(a, b) = Pair(n, 2); match p { Pair(1, _) => {} _ => {} }",
        "let x = 1; let mut y: u32 = 2; let z; z = x + y; y += z; let _ = y;",
        "if n < 3 { return; } else if n == 4 { } else { }",
        "let x = if n > 1 { let y = n * 2; y } else { 3 };",
        "for i in (0..=n).rev().step_by(4) { if i == 2 { continue; } break; }",
        "for _ in (0..N).step_by(consts::STEP as usize) {}",
        "while n > 3 && !(n == 5) || true {} loop { break; }",
        "let r = &mut out; let y = *r; let f = f32::from_bits(n); let g = f.to_bits();",
        "let t = out.reserve_back(1); t.push_back(); helpers::f::<4, u32>(n, -1.5e3, 0xff_u8);",
        "let a = [n; 4]; let b = a[n as usize]; let c = (n, n).0; let p = P { x: n, ..q }; let E::V(x) = e else { return };",
        "match n { 0 | 1 => {} 2..=5 => return, -3 => {} X => {} E::A { x, .. } if x > 1 => {} (a, _, [b, 2]) => {} _ => {} }",
        "if let E::A(x) = n { } for x in &a { } assert!(n > 3, \"n is {n:#x} {}\", n); panic!(\"no\"); T::new(n).area();",
        "#[allow(unused)] let x = n as i16 >> 3; ; let u = (); { let x = 2; }",
    ] {
        assert_eq!(body(source), [], "{source}");
    }
}

#[test]
fn several_errors_and_the_function_comes_back() {
    let item: TokenStream = "fn k(noc: Noc) { vec![1]; match 1 { _ => \"\" } }".parse().unwrap();
    let output = crate::kernel("reader".parse().unwrap(), item.clone());
    assert!(output.to_string().starts_with(&item.to_string()));
    assert_eq!(errors(output), [messages::MACRO_VEC.text(), messages::STRING.text()]);
}

#[test]
fn the_function_comes_back_unchanged_but_for_its_marks() {
    let source = "#[inline] pub fn k(noc: Noc, #[ttl(common)] n: u32) { let x = n; /* */ let _ = x; }";
    let output = crate::kernel("reader".parse().unwrap(), source.parse().unwrap());
    let kept: TokenStream = source.replace("#[ttl(common)] ", "").parse().unwrap();
    assert!(output.to_string().starts_with(&kept.to_string()));
    assert_eq!(errors(output), Vec::<String>::new());
}

#[test]
fn messages_follow_the_rules() {
    for refusal in messages::ALL {
        let text = refusal.text();
        let (first, help) = text.split_once("\nhelp: ").expect("a help line");
        for line in [first, help] {
            assert!(!line.ends_with('.') && !line.is_empty(), "{text}");
            assert!(!line.starts_with(char::is_uppercase) || line.starts_with("Rust"), "{text}");
            assert_eq!(line.matches('`').count() % 2, 0, "{text}");
        }
    }
}

/// Numbers that look random and are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

const WORDS: [&str; 44] = [
    "let",
    "mut",
    "if",
    "else",
    "for",
    "in",
    "while",
    "loop",
    "match",
    "return",
    "break",
    "continue",
    "fn",
    "struct",
    "const",
    "unsafe",
    "async",
    "await",
    "move",
    "ref",
    "as",
    "dyn",
    "impl",
    "self",
    "x",
    "y",
    "noc",
    "out",
    "u32",
    "f64",
    "usize",
    "Vec",
    "reserve_back",
    "push_back",
    "step_by",
    "rev",
    "true",
    "_",
    "where",
    "pub",
    "static",
    "vec",
    "f32",
    "from_bits",
];

fn soup(dice: &mut Dice, depth: usize, length: usize) -> TokenStream {
    let mut out = TokenStream::new();
    for _ in 0..length {
        let token = match dice.roll(10) {
            0..4 => TokenTree::Ident(Ident::new(WORDS[dice.roll(WORDS.len())], Span::call_site())),
            4 => TokenTree::Literal(match dice.roll(6) {
                0 => Literal::u32_unsuffixed(7),
                1 => Literal::f32_unsuffixed(1.5),
                2 => Literal::string("s"),
                3 => Literal::u64_suffixed(u64::MAX),
                4 => Literal::u128_unsuffixed(u128::MAX),
                _ => Literal::character('c'),
            }),
            5 | 6 if depth > 0 => {
                let delimiter =
                    [Delimiter::Brace, Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::None][dice.roll(4)];
                let length = dice.roll(8);
                let inner = soup(dice, depth - 1, length);
                TokenTree::Group(Group::new(delimiter, inner))
            }
            _ => {
                let all = ['+', '-', '*', '=', '.', ',', ';', ':', '<', '>', '&', '|', '!', '?', '#'];
                let spacing = [Spacing::Alone, Spacing::Joint][dice.roll(2)];
                TokenTree::Punct(Punct::new(all[dice.roll(all.len())], spacing))
            }
        };
        out.extend([token]);
    }
    out
}

#[test]
fn no_input_makes_the_macros_panic() {
    let mut dice = Dice(0x5eed);
    for round in 0..6000 {
        let length = dice.roll(24);
        let tokens = soup(&mut dice, 4, length);
        let item = match round % 4 {
            0 => tokens,
            1 => quote::quote!(fn k(noc: Noc, x: u32, y: f32) { #tokens }),
            2 => quote::quote!(fn k(#tokens) { x }),
            _ => quote::quote!(pub fn k<#tokens>(noc: Noc) -> u32 { #tokens }),
        };
        let args = match round % 3 {
            0 => soup(&mut dice, 1, 2),
            _ => quote::quote!(reader),
        };
        crate::kernel(args.clone(), item.clone());
        crate::device(args, item);
    }
}

/// Bodies made of well-formed pieces, most of which are in the subset: they get further than soup does.
#[test]
fn no_body_makes_the_macros_panic() {
    const PIECES: [&str; 24] = [
        "let x = 1;",
        "let mut y = x + 2;",
        "let z;",
        "z = y;",
        "y += 3;",
        "if x < y { x } else { y }",
        "for i in (0..x).step_by(N) { let y = i; }",
        "while y > 1 { y -= 1; }",
        "loop { break; }",
        "return;",
        "let t = out.reserve_back(1);",
        "if y == 2 { t.push_back(); }",
        "t.push_back();",
        "f::<u8>(x, 3);",
        "let _ = &mut t;",
        "match x { _ => {} }",
        "let w: f32 = -1.5;",
        "{ let x = x; x }",
        "*y = 3;",
        "let v = x.min(2).wrapping_add(y << 3);",
        "f32::from_bits(3);",
        "continue;",
        "let u: u8 = if x { 1 } else { 2 };",
        "(x, y);",
    ];
    let mut dice = Dice(7);
    for _ in 0..3000 {
        let mut source = String::from("fn k(noc: Noc, out: CbOut<bf16>) {");
        for _ in 0..dice.roll(12) {
            source.push_str(PIECES[dice.roll(PIECES.len())]);
        }
        source.push('}');
        let Ok(item) = source.parse::<TokenStream>() else {
            continue;
        };
        for output in [crate::kernel(quote::quote!(reader), item.clone()), crate::device(TokenStream::new(), item)] {
            let parsed = syn::parse2::<syn::File>(output.clone());
            assert!(parsed.is_ok(), "{source}\n{output}");
        }
    }
}

/// The skeleton of a device function, with the number of slots that are no probes.
fn skeleton(source: &str) -> (ttl_skeleton::Def, u32) {
    let mut report = crate::report::Report::default();
    let item = crate::item::parse(source.parse().unwrap()).unwrap();
    let mut func = crate::parse::function(item, crate::model::Kind::Device, &mut report);
    let scope = crate::check::scope::resolve(&mut func, &mut report);
    assert!(!report.has_errors(), "{source}");
    let flow = crate::check::flow::analyse(&func, &scope);
    let copy = crate::expand::copy::Copy::of(&func, &scope, &flow);
    let known = func.types.list.len() + scope.consts.len();
    (copy.def, known as u32)
}

#[test]
fn a_skeleton_has_structure_and_slots() {
    use ttl_skeleton::{BinOp, Expr, StmtKind};
    let source = "fn f(x: u32) -> u32 { let y = x + 1; let z = 2; for i in 0..4 { g(i, 7); } N + y }";
    let (def, known) = skeleton(source);
    // Slots: u32, N, then the probes of z, i, g and 7. `y` and `1` have the type of `x`; `2` that of `z`; `0` and `4` that of `i`.
    assert_eq!((known, def.ret), (2, Some(0)));
    let slots: Vec<_> = def.locals.iter().map(|l| (l.name.as_str(), l.slot)).collect();
    assert_eq!(slots, [("x", 0), ("y", 0), ("z", 2), ("i", 3)]);
    let int = |value, slot| Box::new(Expr::Int { value, slot });
    let init = Expr::Binary(BinOp::Add, Box::new(Expr::Local(0)), int(1, 0));
    assert_eq!(def.body.stmts[0].kind, StmtKind::Let { local: 1, init: Some(init) });
    assert_eq!(def.body.stmts[1].kind, StmtKind::Let { local: 2, init: Some(*int(2, 2)) });
    let StmtKind::Expr(Expr::For { local, range, body }) = &def.body.stmts[2].kind else {
        panic!("{def:?}");
    };
    assert_eq!((*local, &range.start, &range.end), (Some(3), &int(0, 3), &int(4, 3)));
    let call = Expr::Call { slot: 4, args: vec![Expr::Local(3), *int(7, 5)] };
    assert_eq!(body.stmts[0].kind, StmtKind::Expr(call));
    let tail = Expr::Binary(BinOp::Add, Box::new(Expr::Const(1)), Box::new(Expr::Local(1)));
    assert_eq!(def.body.tail.as_ref().unwrap().kind, StmtKind::Expr(tail));
    let bytes = def.encode().unwrap();
    assert_eq!(ttl_skeleton::Def::decode(&bytes).unwrap(), def);
}

/// The locals that `flow` finds uneven, and the text at which it says so.
fn uneven(body: &str) -> Vec<(String, String)> {
    let source = format!("fn f(out: CbOut<bf16>, n: u32) {{ {body} }}");
    let mut report = crate::report::Report::default();
    let item = crate::item::parse(source.parse().unwrap()).unwrap();
    let mut func = crate::parse::function(item, crate::model::Kind::Device, &mut report);
    let scope = crate::check::scope::resolve(&mut func, &mut report);
    let flow = crate::check::flow::analyse(&func, &scope);
    flow.uneven
        .iter()
        .map(|(local, span)| {
            let name = scope.locals[*local as usize].name.clone();
            let (start, end) = (span.start().column, span.end().column);
            (name, source[start..end].to_string())
        })
        .collect()
}

#[test]
fn guards_released_on_one_path() {
    let t = |body: &str| uneven(&format!("let t = out.reserve_back(1); {body}"));
    let found = |at: &str| vec![("t".to_string(), at.to_string())];
    assert_eq!(t("if n > 3 { t.push_back(); }"), found("push_back"));
    assert_eq!(t("if n > 3 { } else if n > 4 { give(t); }"), found("t"));
    assert_eq!(t("while n > 3 { t.push_back(); break; }"), found("push_back"));
    assert_eq!(t("let x = n > 3 && take(t);"), found("t"));
    assert_eq!(uneven("let t; if n > 3 { t = out.reserve_back(1); }"), found("t"));
    // The same on every path, or no path that goes on.
    assert_eq!(t("if n > 3 { t.push_back(); } else { t.push_back(); }"), []);
    assert_eq!(t("if n > 3 { t.push_back(); return; }"), []);
    assert_eq!(t("if n > 3 { return; } t.push_back();"), []);
    assert_eq!(t("for i in 0..n { if i == 3 { break; } } t.push_back();"), []);
    assert_eq!(t("loop { if n > 3 { t.push_back(); break; } }"), []);
    assert_eq!(t("if n > 3 { fill(&mut t); } noc.read_page(&src, n, &mut t).wait();"), []);
    assert_eq!(uneven("for i in 0..n { let t = out.reserve_back(1); t.push_back(); }"), []);
    assert_eq!(uneven("let t; if n > 3 { t = f(); } else { t = g(); }"), []);
    // Numbers cannot be guards.
    assert_eq!(uneven("let x = n + 1; if n > 3 { f(x); }"), []);
}
