//! Headers of the table of operations, made from its rows.
//!
//! A function of the kernel API may have template parameters, and each of the operations that it stands for then names some arguments:
//! [`TEMPLATES`] has the parameters. What else such a header has on the chip is not simulated: a call of it is refused by its name, other arguments by
//! an assertion.

use crate::ops::{BinaryOp, TernaryOp, UnaryOp};
use std::fmt::Write as _;

/// A function with template parameters: type, name and default of each.
type Template = (&'static str, &'static [(&'static str, &'static str, &'static str)]);

const FAST: &[(&str, &str, &str)] = &[("bool", "fast_and_approx", "false")];
const APPROX: &[(&str, &str, &str)] = &[("bool", "approx", "false")];
const FORMAT: &[(&str, &str, &str)] = &[("DataFormat", "data_format", "")];
const ROUNDING: &[(&str, &str, &str)] = &[("DstRoundingMode", "dst_rounding_mode", "DstRoundingMode::Default")];

const TEMPLATES: &[Template] = &[
    ("add_binary_tile", ROUNDING),
    ("sub_binary_tile", ROUNDING),
    ("rsub_binary_tile", ROUNDING),
    ("sqrt_tile", &[("bool", "FAST_APPROX", "false")]),
    ("rsqrt_tile", &[("RsqrtMode", "mode", "RsqrtMode::Default")]),
    ("gelu_tile_init", &[("bool", "fast_and_approx", "true")]),
    ("gelu_tile", &[("bool", "fast_and_approx", "true")]),
    ("gelu_tanh_tile_init", &[("bool", "fast", "false")]),
    ("gelu_tanh_tile", &[("bool", "is_fp32_dest_acc_en", "DST_ACCUM_MODE"), ("bool", "fast", "false")]),
    ("gelu_derivative_tile_init", FAST),
    ("gelu_derivative_tile", FAST),
    ("sigmoid_tile_init", FAST),
    ("sigmoid_tile", &[("VectorMode", "vec_mode", "VectorMode::RC"), ("bool", "fast_and_approx", "false")]),
    ("tanh_tile_init", FAST),
    ("tanh_tile", FAST),
    ("tanh_derivative_tile_init", FAST),
    ("tanh_derivative_tile", FAST),
    ("log_tile_init", FAST),
    ("log_tile", FAST),
    ("log1p_tile_init", FAST),
    ("log1p_tile", FAST),
    ("log_with_base_tile_init", FAST),
    ("log_with_base_tile", &[("bool", "fast_and_approx", "false"), ("bool", "base_is_two", "false")]),
    ("expm1_tile_init", APPROX),
    ("expm1_tile", APPROX),
    ("erf_tile_init", &[("bool", "fast_and_approx", "true")]),
    ("erf_tile", &[("bool", "fast_and_approx", "true")]),
    ("mish_tile_init", &[("bool", "APPROXIMATION_MODE", "")]),
    ("mish_tile", &[("bool", "APPROXIMATION_MODE", "")]),
    ("rdiv_tile", &[("RoundingMode", "rounding_mode", "RoundingMode::None")]),
    ("typecast_tile_init", &[("uint32_t", "IN_DTYPE", ""), ("uint32_t", "OUT_DTYPE", "")]),
    ("typecast_tile", &[("uint32_t", "IN_DTYPE", ""), ("uint32_t", "OUT_DTYPE", "")]),
    (
        "exp_tile_init",
        &[
            ("bool", "approx", "false"),
            ("uint32_t", "scale", "0x3F800000"),
            ("InputClamping", "input_clamping", "InputClamping::ClampToNegative"),
        ],
    ),
    (
        "exp_tile",
        &[
            ("bool", "approx", "false"),
            ("bool", "scale_en", "false"),
            ("InputClamping", "input_clamping", "InputClamping::ClampToNegative"),
            ("int", "iterations", "8"),
        ],
    ),
    ("where_tile", FORMAT),
    ("addcmul_tile", FORMAT),
    ("addcdiv_tile", FORMAT),
    ("lerp_tile", FORMAT),
    ("mac_tile", FORMAT),
    ("mac_tile_init", FORMAT),
    ("snake_beta_tile", FORMAT),
    ("logical_not_tile", FORMAT),
    ("bitwise_and_tile", FORMAT),
    ("bitwise_or_tile", FORMAT),
    ("bitwise_xor_tile", FORMAT),
    ("left_shift_tile", FORMAT),
    ("right_shift_tile", FORMAT),
    ("fill_tile_int", FORMAT),
    ("add_int_tile", FORMAT),
    ("sub_int_tile", FORMAT),
    ("rsub_int_tile", FORMAT),
    ("mul_int_tile", FORMAT),
    ("mul_int_tile_init", FORMAT),
    ("eq_int_tile", FORMAT),
    ("ne_int_tile", FORMAT),
    ("lt_int_tile", FORMAT),
    ("gt_int_tile", FORMAT),
    ("le_int_tile", FORMAT),
    ("ge_int_tile", FORMAT),
    ("eq_int_tile_init", FORMAT),
    ("ne_int_tile_init", FORMAT),
    ("lt_int_tile_init", FORMAT),
    ("gt_int_tile_init", FORMAT),
    ("le_int_tile_init", FORMAT),
    ("ge_int_tile_init", FORMAT),
    ("bitwise_and_binary_tile", FORMAT),
    ("bitwise_or_binary_tile", FORMAT),
    ("bitwise_xor_binary_tile", FORMAT),
    ("binary_left_shift_tile", FORMAT),
    ("binary_right_shift_tile", FORMAT),
    ("binary_logical_right_shift_tile", FORMAT),
];

/// One function: what it is called with, and what it does for which template arguments.
struct Function {
    header: &'static str,
    name: &'static str,
    parameters: Vec<String>,
    /// Those without a default.
    required: usize,
    /// Template arguments, and the statement.
    cases: Vec<(Vec<&'static str>, String)>,
}

/// The headers of all operations but those that are written by hand.
pub(super) fn op_headers(written: impl Fn(&str) -> bool) -> Vec<(&'static str, String)> {
    let mut functions: Vec<Function> = Vec::new();
    for op in UnaryOp::ALL {
        let row = op.row();
        let (init, call) = row.words.split_at(row.init_words);
        if op.prepared() == op {
            let (parameters, values) = words(init.len());
            let body = format!("ttl_host::table->sfpu_unary_init(ttl_host::unary_{}, {values}, at);", row.method);
            add(&mut functions, row.header, row.init, parameters, body);
        }
        let (parameters, values) = words(call.len());
        let body = format!("ttl_host::table->sfpu_unary(ttl_host::unary_{}, idst, {values}, at);", row.method);
        let extra = row.extra.map(parameter).into_iter().collect();
        add(&mut functions, row.header, row.call, [registers(&["idst"]), extra, parameters].concat(), body);
    }
    for op in BinaryOp::ALL {
        let row = op.row();
        if op.prepared() == op {
            let body = format!("ttl_host::table->sfpu_binary_init(ttl_host::binary_{}, at);", row.method);
            add(&mut functions, row.header, row.init, vec![], body);
        }
        let out = if row.adjacent { "idst0" } else { "odst" };
        let body = format!("ttl_host::table->sfpu_binary(ttl_host::binary_{}, idst0, idst1, {out}, at);", row.method);
        let mut parameters = registers(&["idst0", "idst1"]);
        parameters.extend(registers(if row.adjacent { &[] } else { &["odst"] }));
        add(&mut functions, row.header, row.call, parameters, body);
    }
    for op in TernaryOp::ALL {
        let row = op.row();
        let body = format!("ttl_host::table->sfpu_ternary_init(ttl_host::ternary_{}, at);", row.method);
        add(&mut functions, row.header, row.init, vec![], body);
        let (parameters, values) = words(row.words.len());
        let body = format!(
            "ttl_host::table->sfpu_ternary(ttl_host::ternary_{}, idst0, idst1, idst2, odst, {values}, at);",
            row.method
        );
        let registers = registers(&["idst0", "idst1", "idst2", "odst"]);
        add(&mut functions, row.header, row.call, [registers, parameters].concat(), body);
    }
    let mut headers: Vec<(&'static str, String)> = Vec::new();
    for function in functions.iter().filter(|f| !written(f.header)) {
        let at = headers.iter().position(|(name, _)| *name == function.header).unwrap_or_else(|| {
            headers.push((
                function.header,
                "// Generated from the simulator's table of operations.\n#pragma once\n\n#include \"ttl/operations.h\"\n\nnamespace ckernel {\n"
                    .to_owned(),
            ));
            headers.len() - 1
        });
        headers[at].1.push_str(&print(function));
    }
    // What a header has beside the operations of the table.
    const MORE: [(&str, &str); 1] = [("api/compute/compute_kernel_api.h", "ttl/sfpu_reduce.h")];
    for (name, text) in &mut headers {
        text.push_str("}  // namespace ckernel\n");
        for (_, more) in MORE.iter().filter(|(header, _)| header == name) {
            text.push_str(&format!("\n#include \"{more}\"\n"));
        }
    }
    headers
}

/// The parameter that takes an enumerator.
fn parameter(value: &str) -> String {
    format!("{} option", value.split("::").next().unwrap_or(value))
}

fn registers(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("uint32_t {name}")).collect()
}

/// Parameters for the words of a call, and the words for the simulator.
fn words(count: usize) -> (Vec<String>, String) {
    let names: Vec<String> = (0..crate::ops::MAX_WORDS)
        .map(|i| if i < count { format!("static_cast<uint32_t>(param{i})") } else { "0".to_owned() })
        .collect();
    ((0..count).map(|i| format!("uint32_t param{i}")).collect(), names.join(", "))
}

/// Adds a case to the function `text`, `name<arguments>`.
fn add(functions: &mut Vec<Function>, header: &'static str, text: &'static str, parameters: Vec<String>, body: String) {
    let (name, arguments) = match text.split_once('<') {
        Some((name, rest)) => (name, rest.trim_end_matches('>').split(',').map(str::trim).collect()),
        None => (text, vec![]),
    };
    let at = functions.iter().position(|f| f.name == name).unwrap_or_else(|| {
        let required = parameters.len();
        functions.push(Function { header, name, parameters: parameters.clone(), required, cases: vec![] });
        functions.len() - 1
    });
    // A function whose operations take different words takes those of the longest; the rest do not look at them.
    let function = &mut functions[at];
    function.required = function.required.min(parameters.len());
    if parameters.len() > function.parameters.len() {
        function.parameters = parameters;
    }
    function.cases.push((arguments, body));
}

fn print(function: &Function) -> String {
    let name = function.name;
    let declare = |(i, p): (usize, &String)| match i < function.required {
        true => p.clone(),
        false if p.starts_with("VectorMode") => format!("{p} = VectorMode::RC"),
        false => format!("{p} = 0"),
    };
    let mut parameters = function.parameters.iter().enumerate().map(declare).collect::<Vec<String>>().join(", ");
    if !parameters.is_empty() {
        parameters.push_str(", ");
    }
    // The one function that takes a format as an argument.
    let mut guard = String::new();
    if name == "mask_tile" {
        parameters.push_str("DataFormat data_format = DataFormat::Float16_b, ");
        guard = format!(
            "if (data_format == DataFormat::Int32) {{ ttl_host::table->fail(\"`{name}` of Int32 is not provided by ttl's simulator\", at); }} "
        );
    }
    let Some((_, template)) = TEMPLATES.iter().find(|(known, _)| *known == name) else {
        let body = function.cases.first().map_or("", |(_, body)| body);
        return format!("inline void {name}({parameters}TTL_AT) {{ {guard}{body} }}\n");
    };
    let declared: Vec<String> = template
        .iter()
        .map(
            |(ty, name, default)| {
                if default.is_empty() { format!("{ty} {name}") } else { format!("{ty} {name} = {default}") }
            },
        )
        .collect();
    let mut text = format!("template <{}>\ninline void {name}({parameters}TTL_AT) {{\n", declared.join(", "));
    let conditions: Vec<String> = function.cases.iter().map(|(arguments, _)| condition(template, arguments)).collect();
    let _ = writeln!(
        text,
        "    static_assert({}, \"{name}: not simulated with these template arguments\");",
        conditions.join(" || ")
    );
    for (condition, (_, body)) in conditions.iter().zip(&function.cases) {
        let _ = writeln!(text, "    if constexpr ({condition}) {{ {body} }}");
    }
    text + "}\n"
}

fn condition(template: &[(&str, &str, &str)], arguments: &[&str]) -> String {
    let equal: Vec<String> = template
        .iter()
        .enumerate()
        .filter(|(_, (_, name, _))| *name != "is_fp32_dest_acc_en")
        .map(|(i, (_, name, default))| {
            let argument = arguments.get(i).unwrap_or(default);
            format!("{name} == {}", argument.replace("{dst}", "ttl_host::register_format"))
        })
        .collect();
    format!("({})", equal.join(" && "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name with template arguments must be declared, or its header would not compile.
    #[test]
    fn arguments_have_parameters() {
        let unary = UnaryOp::ALL.iter().flat_map(|op| [op.row().init, op.row().call]);
        let binary = BinaryOp::ALL.iter().flat_map(|op| [op.row().init, op.row().call]);
        let ternary = TernaryOp::ALL.iter().flat_map(|op| [op.row().init, op.row().call]);
        for text in unary.chain(binary).chain(ternary) {
            let (name, arguments) = text.split_once('<').unwrap_or((text, ""));
            let declared = TEMPLATES.iter().find(|(known, _)| *known == name).map_or(0, |(_, p)| p.len());
            let given = if arguments.is_empty() { 0 } else { arguments.split(',').count() };
            assert!(given <= declared, "{text}");
        }
    }
}
