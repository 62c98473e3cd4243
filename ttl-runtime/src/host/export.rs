//! Programs as files: the C++ of the kernels, and a description of the whole program.

use super::device::Device;
use super::error::{Error, Result};
use super::program::CheckedProgram;
use crate::codegen::Source;
use crate::program::export::{self, TensorFile};
use crate::tensor::HostTensor;
use std::path::{Path, PathBuf};

/// What an export wrote.
#[derive(Clone, Debug)]
pub struct ExportReport {
    pub program: PathBuf,
}

pub(super) fn write_sources(dir: &Path, sources: &[Source]) -> Result<Vec<PathBuf>> {
    let io = |path: &Path| {
        let context = format!("cannot write {}", path.display());
        move |source| Error::Io { context, source }
    };
    std::fs::create_dir_all(dir).map_err(io(dir))?;
    let mut files = vec![];
    for source in sources {
        let path = dir.join(&source.file_name);
        std::fs::write(&path, &source.text).map_err(io(&path))?;
        files.push(path);
    }
    Ok(files)
}
