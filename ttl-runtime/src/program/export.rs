//! A checked program as a directory: one C++ file per kernel, one `.npy` file per input, and `program.json`, which describes the whole
//! program: buffers, semaphores, kernels with their cores and arguments, and tensors. Accessor words and addresses are written by name
//! (`accessor:a`, `addr:a`), because whoever runs the program allocates the tensors.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::arch::{ComputeConfig, Core, MathFidelity};
use crate::cores::CoreSet;
use crate::tensor::{
    HostTensor, MemoryConfig, NpyError, Orientation, ShardSpec, TensorId, TensorLayout, TensorRef, npy,
};

use super::arg_layout::Slot;
use super::checked::{Checked, CheckedCb, CheckedKernel};
use super::decl::{Arg, ArgValue, Processor, Role};
use super::export_foreign;

/// What an exported tensor is beside its place in memory.
#[derive(Clone, Debug)]
pub struct TensorExport {
    /// Which tensor.
    pub id: TensorId,
    /// Contents before the program runs.
    pub contents: Option<HostTensor>,
    /// Contents that the program should leave; makes the tensor an output.
    pub expect: Option<HostTensor>,
    /// An output without known contents.
    pub output: bool,
}

impl TensorExport {
    /// A tensor that the program reads, with what is in it.
    pub fn input(id: TensorId, contents: HostTensor) -> TensorExport {
        TensorExport { id, contents: Some(contents), expect: None, output: false }
    }

    /// A tensor that the program fills, with what is expected there.
    pub fn output(id: TensorId, expect: Option<HostTensor>) -> TensorExport {
        TensorExport { id, contents: None, expect, output: true }
    }
}

/// How near an output must be to what is expected.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// The least correlation.
    pub pcc: Option<f64>,
    /// The largest absolute difference.
    pub max_abs: Option<f64>,
    /// The largest relative L2 difference.
    pub rel: Option<f64>,
}

/// Why a program cannot be exported.
#[derive(Debug, Error)]
pub enum ExportError {
    #[error("{}: cannot write: {source}\n  = help: export to a folder that can be written", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Npy(#[from] NpyError),
    #[error(
        "tensor `{name}` is exported with contents of shape {got:?}, its shape is {shape:?}\n  = help: give contents of this shape"
    )]
    Shape { name: String, shape: Vec<usize>, got: Vec<usize> },
    #[error("{sources} kernel sources for {kernels} kernels")]
    Sources { sources: usize, kernels: usize },
    #[error("internal error: the program description cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The C++ of a kernel.
#[derive(Clone, Debug)]
pub enum KernelSource {
    /// Written to a file of its own in the directory.
    Text(String),
    /// A file that stays where it is, because it includes others.
    InPlace(PathBuf),
}

impl KernelSource {
    fn file(&self) -> Option<&Path> {
        match self {
            KernelSource::Text(_) => None,
            KernelSource::InPlace(path) => Some(path),
        }
    }
}

impl From<String> for KernelSource {
    fn from(text: String) -> KernelSource {
        KernelSource::Text(text)
    }
}

impl From<&str> for KernelSource {
    fn from(text: &str) -> KernelSource {
        KernelSource::Text(text.to_owned())
    }
}

/// Writes the directory (made if it is not there) and returns the path of `program.json`. `sources` holds the C++ of the kernels, in their
/// order.
pub fn write<K>(
    dir: impl AsRef<Path>,
    program: &Checked<K>,
    sources: &[KernelSource],
    tensors: &[TensorExport],
    tolerance: Tolerance,
) -> Result<PathBuf, ExportError> {
    let dir = dir.as_ref();
    if sources.len() != program.kernels().len() {
        return Err(ExportError::Sources { sources: sources.len(), kernels: program.kernels().len() });
    }
    let names = Names::new(program);
    for export in tensors {
        let Some(tensor) = program.tensors().iter().find(|t| t.id == export.id) else { continue };
        for array in [&export.contents, &export.expect].into_iter().flatten() {
            if array.shape() != tensor.spec.shape() {
                return Err(ExportError::Shape {
                    name: tensor.name.to_string(),
                    shape: tensor.spec.shape().to_vec(),
                    got: array.shape().to_vec(),
                });
            }
        }
    }
    let mut files = Files::new(dir)?;
    for (name, source) in names.kernels.iter().zip(sources) {
        if let KernelSource::Text(text) = source {
            files.text(&format!("{name}.cpp"), text)?;
        }
    }
    for (tensor, name) in program.tensors().iter().zip(&names.tensors) {
        if let Some(export) = tensors.iter().find(|t| t.id == tensor.id) {
            if let Some(array) = &export.contents {
                files.array(&format!("{name}.npy"), array)?;
            }
            if let Some(array) = &export.expect {
                files.array(&format!("{name}.expect.npy"), array)?;
            }
        }
    }
    let mut text = serde_json::to_string_pretty(&describe(program, sources, &names, tensors, tolerance))?;
    text.push('\n');
    let path = files.text("program.json", &text)?;
    files.keep();
    Ok(path)
}

/// The files written so far; all are removed again unless they are kept in the end.
struct Files<'a> {
    dir: &'a Path,
    /// The directory was made for them.
    made_dir: bool,
    written: Vec<PathBuf>,
}

impl<'a> Files<'a> {
    fn new(dir: &'a Path) -> Result<Files<'a>, ExportError> {
        let made_dir = !dir.exists();
        fs::create_dir_all(dir).map_err(|source| ExportError::Io { path: dir.to_path_buf(), source })?;
        Ok(Files { dir, made_dir, written: Vec::new() })
    }

    fn text(&mut self, name: &str, text: &str) -> Result<PathBuf, ExportError> {
        let path = self.dir.join(name);
        let failed = |source| ExportError::Io { path: path.clone(), source };
        let mut file = fs::File::create(&path).map_err(failed)?;
        // From here on there is a file, complete or not.
        self.written.push(path.clone());
        file.write_all(text.as_bytes()).map_err(failed)?;
        Ok(path)
    }

    fn array(&mut self, name: &str, array: &HostTensor) -> Result<(), ExportError> {
        let path = self.dir.join(name);
        npy::write(&path, array)?;
        self.written.push(path);
        Ok(())
    }

    fn keep(mut self) {
        self.written.clear();
        self.made_dir = false;
    }
}

impl Drop for Files<'_> {
    fn drop(&mut self) {
        // What cannot be removed stays: the error that led here is the one to report.
        for path in &self.written {
            let _ = fs::remove_file(path);
        }
        if self.made_dir {
            let _ = fs::remove_dir(self.dir);
        }
    }
}

/// Names of files and tensors, made unique.
struct Names {
    kernels: Vec<String>,
    tensors: Vec<String>,
}

impl Names {
    fn new<K>(program: &Checked<K>) -> Names {
        Names {
            kernels: unique(program.kernels().iter().map(|k| k.name.as_ref())),
            tensors: unique(program.tensors().iter().map(|t| t.name.as_ref())),
        }
    }

    fn tensor<K>(&self, program: &Checked<K>, tensor: &TensorRef) -> &str {
        let at = program.tensors().iter().position(|t| t.id == tensor.id);
        at.and_then(|i| self.tensors.get(i)).map_or("", String::as_str)
    }
}

/// Identifiers from whatever names: `a`, `a_2`.
fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    names
        .map(|name| {
            let mut base: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
            if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                base.insert(0, '_');
            }
            let mut name = base.clone();
            let mut n = 1;
            while !taken.insert(name.clone()) {
                n += 1;
                name = format!("{base}_{n}");
            }
            name
        })
        .collect()
}

fn describe<K>(
    program: &Checked<K>,
    sources: &[KernelSource],
    names: &Names,
    tensors: &[TensorExport],
    tolerance: Tolerance,
) -> Value {
    let kernels: Vec<Value> = program
        .kernels()
        .iter()
        .zip(&names.kernels)
        .zip(sources)
        .map(|((k, name), source)| kernel(program, k, name, source.file(), names))
        .collect();
    let cbs: Vec<Value> = program
        .cbs()
        .iter()
        .filter(|cb| cb.shares.is_none())
        .map(|cb| {
            let sharing = || program.cbs().iter().filter(|other| other.shares == Some(cb.cb));
            let titles: Vec<&str> = std::iter::once(cb).chain(sharing()).map(|cb| &*cb.name).collect();
            let mut out = json!({
                "id": cb.id,
                "dtype": cb.format.spec_name(),
                "page_size": cb.page_size,
                "pages": cb.pages,
                "cores": cores(&cb.cores),
                "comment": titles.join(", "),
            });
            if let Some(tensor) = &cb.tensor {
                out["tensor"] = names.tensor(program, tensor).into();
            }
            let alias =
                |cb: &CheckedCb| json!({"id": cb.id, "dtype": cb.format.spec_name(), "page_size": cb.page_size});
            let aliases: Vec<Value> = sharing().map(alias).collect();
            if !aliases.is_empty() {
                out["aliases"] = aliases.into();
            }
            out
        })
        .collect();
    let semaphores: Vec<Value> = program
        .semaphores()
        .iter()
        .map(|s| json!({"id": s.id, "init": s.init, "cores": cores(&s.cores), "comment": &*s.name}))
        .collect();
    let described: Map<String, Value> = program
        .tensors()
        .iter()
        .zip(&names.tensors)
        .map(|(t, name)| {
            let export = tensors.iter().find(|e| e.id == t.id);
            (name.clone(), tensor(t, name, export))
        })
        .collect();
    let mut out = Map::new();
    out.insert("version".into(), 1.into());
    out.insert("name".into(), (&**program.name()).into());
    out.insert("arch".into(), program.arch().name().into());
    out.insert("kernels".into(), kernels.into());
    out.insert("cbs".into(), cbs.into());
    out.insert("semaphores".into(), semaphores.into());
    out.insert("tensors".into(), described.into());
    let limits: Map<String, Value> = [("pcc", tolerance.pcc), ("max_abs", tolerance.max_abs), ("rel", tolerance.rel)]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?.into())))
        .collect();
    if !limits.is_empty() {
        out.insert("tolerance".into(), limits.into());
    }
    out.into()
}

fn kernel<K>(program: &Checked<K>, k: &CheckedKernel<K>, name: &str, file: Option<&Path>, names: &Names) -> Value {
    let tensor_of = |arg: &Arg| match &arg.value {
        ArgValue::Tensor { tensor, .. } => names.tensor(program, tensor).to_owned(),
        _ => String::new(),
    };
    let base = k.layout.accessor_base() as usize;
    let mut compile: Vec<Value> = k.compile_args.iter().take(base).map(|&w| w.into()).collect();
    let mut common: Vec<Value> = k.common_args.iter().map(|&w| w.into()).collect();
    for (arg, slot) in k.args.iter().zip(k.layout.slots()) {
        if let Slot::Tensor { common: at, .. } = *slot {
            let tensor = tensor_of(arg);
            compile.push(format!("accessor:{tensor}").into());
            if let Some(word) = common.get_mut(at as usize) {
                *word = format!("addr:{tensor}").into();
            }
        }
    }
    let mut out = Map::new();
    let kind = match k.role {
        Role::Reader => "reader",
        Role::Writer => "writer",
        Role::Compute => "compute",
        Role::Dm { .. } => "dm",
    };
    out.insert("kind".into(), kind.into());
    out.insert("name".into(), (&*k.name).into());
    out.insert("file".into(), file.map_or_else(|| format!("{name}.cpp"), |path| path.display().to_string()).into());
    out.insert("cores".into(), cores(&k.cores));
    if let Role::Dm { processor, noc } = k.role {
        out.insert("processor".into(), u32::from(processor == Processor::Ncrisc).into());
        out.insert("noc".into(), noc.into());
    }
    match &k.foreign {
        Some(foreign) => export_foreign::arguments(&mut out, k, foreign, |t| names.tensor(program, t).to_owned()),
        None => {
            out.insert("compile_args".into(), compile.into());
            out.insert("runtime_args".into(), runtime(k, |_, word| word.into()));
            out.insert("common_runtime_args".into(), common.into());
        }
    }
    if k.role == Role::Compute {
        out.insert("compute".into(), compute(&k.config));
    }
    out.into()
}

/// One list if all cores have the same words, else a list for each core.
pub(super) fn runtime<K>(k: &CheckedKernel<K>, value: impl Fn(usize, u32) -> Value) -> Value {
    let list = |words: &Vec<u32>| -> Value { words.iter().enumerate().map(|(i, &word)| value(i, word)).collect() };
    match k.runtime_args.first() {
        Some(first) if k.runtime_args.iter().any(|words| words != first) => k
            .cores
            .iter()
            .zip(&k.runtime_args)
            .map(|(Core { x, y }, words)| (format!("{x},{y}"), list(words)))
            .collect::<Map<String, Value>>()
            .into(),
        first => first.map_or_else(|| Value::Array(vec![]), list),
    }
}

fn compute(config: &ComputeConfig) -> Value {
    let fidelity = match config.fidelity {
        MathFidelity::LoFi => "lofi",
        MathFidelity::HiFi2 => "hifi2",
        MathFidelity::HiFi3 => "hifi3",
        MathFidelity::HiFi4 => "hifi4",
    };
    json!({
        "fidelity": fidelity,
        "fp32_acc": config.fp32_dest_acc,
        "approx": config.approx,
        "dst_full_sync": config.dst_full_sync,
        "bfp8_pack_precise": config.bfp8_pack_precise,
        "unpack_to_dest_fp32": config.unpack_to_dest_fp32,
    })
}

fn list<'a>(cores: impl Iterator<Item = &'a Core>) -> Value {
    cores.map(|c| json!([c.x, c.y])).collect::<Vec<_>>().into()
}

fn cores(set: &CoreSet) -> Value {
    match set.as_rectangle() {
        Some(r) => json!({"x": [r.first().x, r.last().x], "y": [r.first().y, r.last().y]}),
        None => list(set.as_slice().iter()),
    }
}

fn tensor(t: &TensorRef, name: &str, export: Option<&TensorExport>) -> Value {
    let mut out = Map::new();
    out.insert("shape".into(), t.spec.shape().to_vec().into());
    out.insert("dtype".into(), t.spec.format().spec_name().into());
    let layout = match t.spec.layout() {
        TensorLayout::Tile => "tile",
        TensorLayout::RowMajor => "row",
    };
    out.insert("layout".into(), layout.into());
    out.insert("memory".into(), memory(t.spec.memory()));
    if let Some(export) = export {
        if export.contents.is_some() {
            out.insert("file".into(), format!("{name}.npy").into());
        }
        if export.expect.is_some() {
            out.insert("expect".into(), format!("{name}.expect.npy").into());
        }
        if export.output || export.expect.is_some() {
            out.insert("out".into(), format!("{name}.out.npy").into());
        }
    }
    out.into()
}

fn memory(memory: &MemoryConfig) -> Value {
    match memory {
        MemoryConfig::Dram => "dram".into(),
        MemoryConfig::L1 => "l1".into(),
        MemoryConfig::Sharded(shards) => json!({"l1_sharded": sharded(shards)}),
        // The verification rig has no such tensors and says so.
        MemoryConfig::DramSharded(shards) => json!({"dram_sharded": sharded(shards)}),
    }
}

fn sharded(ShardSpec { layout, shape, cores: set, orientation }: &ShardSpec) -> Value {
    // Shards go to a list of cores in its order.
    let place = match (set.as_rectangle(), orientation) {
        (None, Orientation::Col) => {
            let mut by_column = set.as_slice().to_vec();
            by_column.sort_by_key(|c| (c.x, c.y));
            list(by_column.iter())
        }
        _ => cores(set),
    };
    json!({
        "layout": layout.name(),
        "shape": shape,
        "cores": place,
        "orientation": match orientation { Orientation::Row => "row", Orientation::Col => "col" },
    })
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
