//! Programs as files: the C++ of the kernels, and a description of the whole program with its tensors.

use super::checked_program::CheckedProgram;
use super::device::Device;
use super::error::{Error, Result};
use super::program::Body;
use crate::codegen::{Lines, Source};
use crate::program::export::{self, KernelSource, TensorExport, Tolerance};
use crate::tensor::{HostTensor, TensorRef};
use std::path::{Path, PathBuf};

impl CheckedProgram {
    /// Writes the C++ of every kernel to a directory and returns the file names.
    pub fn emit(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        let io = |path: &Path| {
            let context = format!("cannot write {}", path.display());
            move |source| Error::Io { context, source }
        };
        std::fs::create_dir_all(dir).map_err(io(dir))?;
        let mut files = vec![];
        for Source { file_name, text, .. } in self.sources(Lines::Comments)? {
            let path = dir.join(file_name);
            std::fs::write(&path, text).map_err(io(&path))?;
            files.push(path);
        }
        Ok(files)
    }

    /// Writes everything that is needed to run the program elsewhere: the C++ of every kernel, the tensors as `.npy` files, and `program.json`.
    /// `results` are the tensors that the program writes, with the contents they should have; the contents of all others are taken from
    /// the device. Returns the path of `program.json`.
    pub fn export(
        &self,
        device: &Device,
        dir: &Path,
        results: &[(&TensorRef, &HostTensor)],
        tolerance: Tolerance,
    ) -> Result<PathBuf> {
        let mut tensors = vec![];
        for tensor in self.checked().tensors() {
            let result = results.iter().find(|(t, _)| t.id == tensor.id);
            tensors.push(match result {
                Some((_, expect)) => TensorExport::output(tensor.id, Some((*expect).clone())),
                None => TensorExport::input(tensor.id, device.contents(tensor)?),
            });
        }
        self.export_tensors(dir, &tensors, tolerance)
    }

    pub(super) fn export_tensors(&self, dir: &Path, tensors: &[TensorExport], tolerance: Tolerance) -> Result<PathBuf> {
        let mut sources = vec![];
        let kernels = self.checked().kernels().iter().zip(self.prepared.iter());
        for (source, (kernel, body)) in self.sources(Lines::Directives)?.into_iter().zip(kernels) {
            sources.push(match body {
                Body::Foreign(foreign) => {
                    foreign.exported(kernel.foreign.as_ref().map_or("", |f| f.prelude.as_str()))?
                }
                Body::Rust(_) => KernelSource::Text(source.text),
            });
        }
        Ok(export::write(dir, self.checked(), &sources, tensors, tolerance)?)
    }
}
