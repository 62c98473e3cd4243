//! One kernel to build, and the C++ file made of its text and its constants.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::error::CppError;
use crate::arch::{Arch, ArchKind, ComputeConfig, MathFidelity};
use crate::tensor::format::DataFormat;

/// What a kernel is compiled for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KernelKind {
    /// `noc` is the kernel's `noc_index`.
    DataMovement { noc: u8 },
    /// The settings are constants in C++ (`MATH_FIDELITY`, `APPROX`, `DST_ACCUM_MODE`, `DST_SYNC_MODE`).
    Compute(ComputeConfig),
}

/// A kernel as TT-Metalium gets it: source text, compile-time arguments, defines.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CppSource {
    /// Names the kernel in messages, the lines of a text without `#line`, and its file in the cache.
    pub name: String,
    /// What messages call the file, if not by the name.
    pub file: Option<String>,
    /// C++ that comes before the kernel's own text, and is none of its lines.
    pub prelude: String,
    /// C++ with `void kernel_main()`.
    pub text: String,
    pub kind: KernelKind,
    pub arch: ArchKind,
    pub compile_args: Vec<u32>,
    pub named_args: Vec<(String, u32)>,
    /// Names (also `NAME(parameters)`) and values.
    pub defines: Vec<(String, String)>,
    /// Folders of headers, for a kernel that somebody wrote by hand; the first is that of the kernel.
    pub include_dirs: Vec<PathBuf>,
    /// Somebody wrote it by hand: it may call what is not simulated, and a message says so.
    pub foreign: bool,
    /// Formats of circular buffers: `constexpr` uses of `get_tile_size` need them.
    pub cb_formats: Vec<(u32, DataFormat)>,
}

impl CppSource {
    pub fn new(name: impl Into<String>, text: impl Into<String>, kind: KernelKind, arch: ArchKind) -> CppSource {
        CppSource {
            name: name.into(),
            file: None,
            prelude: String::new(),
            include_dirs: Vec::new(),
            foreign: false,
            text: text.into(),
            kind,
            arch,
            compile_args: Vec::new(),
            named_args: Vec::new(),
            defines: Vec::new(),
            cb_formats: Vec::new(),
        }
    }

    /// The whole C++ file.
    pub(super) fn translation_unit(&self) -> Result<String, CppError> {
        let mut out = String::with_capacity(self.text.len() + 2048);
        out.push_str(
            "// A kernel for the simulated chip, written by ttl: constants, prologue, then the kernel's own text.\n",
        );
        let define = |out: &mut String, name: &str, value: &str| writeln!(out, "#define {name} {value}");
        self.constants(&mut out, define)
            .map_err(|message| CppError::Constant { kernel: self.name.clone(), message })?;
        out.push_str("#include \"ttl/kernel.h\"\n");
        if let KernelKind::DataMovement { .. } = self.kind {
            // TT-Metalium includes it before the kernel, too.
            out.push_str("#include \"api/dataflow/dataflow_api.h\"\n");
        }
        // Only now, so that a define cannot disturb the headers.
        for (name, value) in &self.defines {
            let _ = define(&mut out, name, value);
        }
        out.push_str(&self.prelude);
        let _ = writeln!(out, "#line 1 {}", string_literal(self.file.as_deref().unwrap_or(&self.name)));
        out.push_str(&self.text);
        if !self.text.ends_with('\n') {
            out.push('\n');
        }
        Ok(out)
    }

    fn constants(
        &self,
        out: &mut String,
        define: impl Fn(&mut String, &str, &str) -> std::fmt::Result,
    ) -> Result<(), String> {
        let mut put = |name: &str, value: &str| {
            let _ = define(out, name, value);
        };
        let arch = match self.arch {
            ArchKind::Blackhole => Arch::blackhole(),
            ArchKind::Wormhole => Arch::wormhole(),
        };
        put(&format!("ARCH_{}", arch.name().to_uppercase()), "");
        put("KERNEL_BUILD", "");
        put("NOC_MAX_BURST_SIZE", &arch.noc_max_burst.to_string());
        put("NUM_DRAM_BANKS", &arch.dram_banks.to_string());
        match &self.kind {
            KernelKind::DataMovement { noc } => {
                if *noc > 1 {
                    return Err(format!("NoC {noc} does not exist; the chip has NoC 0 and 1"));
                }
                put("NOC_INDEX", &noc.to_string());
            }
            KernelKind::Compute(config) => {
                put("TTL_COMPUTE_KERNEL", "");
                let fidelity = match config.fidelity {
                    MathFidelity::LoFi => "LoFi",
                    MathFidelity::HiFi2 => "HiFi2",
                    MathFidelity::HiFi3 => "HiFi3",
                    MathFidelity::HiFi4 => "HiFi4",
                };
                put("TTL_MATH_FIDELITY", fidelity);
                put("TTL_APPROX", if config.approx { "true" } else { "false" });
                put("TTL_DST_ACCUM_MODE", if config.fp32_dest_acc { "true" } else { "false" });
                put("TTL_DST_SYNC_FULL", if config.dst_full_sync { "true" } else { "false" });
            }
        }
        let args: Vec<String> = self.compile_args.iter().map(|a| format!("{a}u")).collect();
        put("TTL_COMPILE_TIME_ARG_COUNT", &args.len().to_string());
        put("KERNEL_COMPILE_TIME_ARGS", &args.join(", "));
        if !self.named_args.is_empty() {
            let named: Vec<String> =
                self.named_args.iter().map(|(n, v)| format!("{{{}, {v}u}}", string_literal(n))).collect();
            put("KERNEL_COMPILE_TIME_ARG_MAP", &named.join(", "));
        }
        let mut formats = [None; 64];
        for &(cb, format) in &self.cb_formats {
            let slot = formats.get_mut(cb as usize).ok_or_else(|| format!("circular buffer id {cb} does not exist"))?;
            *slot = Some(format);
        }
        let row = |f: fn(DataFormat) -> u32, none: u32| {
            let words: Vec<String> = formats.iter().map(|s| s.map_or(none, f).to_string()).collect();
            words.join(", ")
        };
        put("TTL_CB_TILE_SIZES", &row(DataFormat::tile_bytes, 0));
        put("TTL_CB_DATA_FORMATS", &row(DataFormat::metalium_value, 255));
        for (name, value) in &self.defines {
            check_define(name, value)?;
        }
        Ok(())
    }
}

/// A define must stay on its line and start with an identifier.
fn check_define(name: &str, value: &str) -> Result<(), String> {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || name.contains(['\n', '\r']) {
        return Err(format!("`{}` is no name for a define", name.escape_debug()));
    }
    if value.contains(['\n', '\r']) || value.ends_with('\\') {
        return Err(format!("the define {name} has a value of several lines: `{}`", value.escape_debug()));
    }
    Ok(())
}

/// As a C++ string literal.
fn string_literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for b in text.bytes() {
        match b {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(b));
            }
            b' '..=b'~' => out.push(char::from(b)),
            // Three octal digits end the escape whatever follows.
            _ => {
                let _ = write!(out, "\\{b:03o}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_literals_are_escaped() {
        assert_eq!(string_literal("a\"b\\c\n1é"), "\"a\\\"b\\\\c\\0121\\303\\251\"");
    }

    #[test]
    fn defines_are_checked() {
        assert!(check_define("OP(i)", "exp_tile(i)").is_ok());
        assert!(check_define("1X", "").is_err());
        assert!(check_define("X\n#error", "").is_err());
        assert!(check_define("X", "a\nb").is_err());
        assert!(check_define("X", "a\\").is_err());
    }
}
