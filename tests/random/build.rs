//! Writes random kernels from a seed: `TTL_RANDOM_SEED`, or always the same.

mod generate {
    pub(crate) mod blocks;
    pub(crate) mod data;
    pub(crate) mod dice;
    pub(crate) mod expr;
    pub(crate) mod function;
    pub(crate) mod kernel;
    pub(crate) mod scope;
    pub(crate) mod sections;
    pub(crate) mod shaped;
    pub(crate) mod stmt;
    pub(crate) mod types;
}

use generate::dice::Dice;
use generate::{blocks, kernel, sections, shaped};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

const SEED: u64 = 0x7e57;
const KERNELS: usize = 16;
const BLOCK_KERNELS: usize = 48;
const SHAPED_KERNELS: usize = 32;
const SECTION_KERNELS: usize = 24;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=TTL_RANDOM_SEED");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=generate");
    let seed = match env::var("TTL_RANDOM_SEED") {
        Ok(text) => text.parse().map_err(|e| io::Error::other(format!("TTL_RANDOM_SEED is `{text}`: {e}")))?,
        Err(_) => SEED,
    };
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let out = Path::new(&out);
    let mut modules = String::new();
    let mut tests = String::new();
    for number in 0..KERNELS {
        let name = format!("kernel_{number:02}");
        let path = out.join(format!("{name}.rs"));
        let mut dice = Dice::new(seed ^ (number as u64) << 32);
        let (text, functions) = kernel::write(&name, &mut dice);
        fs::write(&path, text)?;
        let path = path.display().to_string();
        let _ = writeln!(modules, "#[path = {path:?}]\nmod {name};");
        let _ = writeln!(tests, "random!({name}, {path:?}, {functions:?});");
    }
    for number in 0..BLOCK_KERNELS {
        let name = format!("blocks_{number:02}");
        let path = out.join(format!("{name}.rs"));
        let mut dice = Dice::new(seed ^ (0xb10c << 16 | number as u64) << 24);
        fs::write(&path, blocks::write(&name, &mut dice))?;
        let path = path.display().to_string();
        let _ = writeln!(modules, "#[path = {path:?}]\nmod {name};");
        let _ = writeln!(tests, "random_blocks!({name}, {path:?});");
    }
    for number in 0..SHAPED_KERNELS {
        let name = format!("shaped_{number:02}");
        let path = out.join(format!("{name}.rs"));
        let mut dice = Dice::new(seed ^ (0x54a9 << 16 | number as u64) << 24);
        fs::write(&path, shaped::write(&name, &mut dice))?;
        let path = path.display().to_string();
        let _ = writeln!(modules, "#[path = {path:?}]\nmod {name};");
        let _ = writeln!(tests, "random_shaped!({name}, {path:?});");
    }
    for number in 0..SECTION_KERNELS {
        let name = format!("sections_{number:02}");
        let path = out.join(format!("{name}.rs"));
        let mut dice = Dice::new(seed ^ (0x5ec7 << 16 | number as u64) << 24);
        fs::write(&path, sections::write(&name, &mut dice))?;
        let path = path.display().to_string();
        let _ = writeln!(modules, "#[path = {path:?}]\nmod {name};");
        let _ = writeln!(tests, "random_sections!({name}, {path:?});");
    }
    fs::write(out.join("all.rs"), format!("const SEED: u64 = {seed};\n\n{modules}\n{tests}"))
}
