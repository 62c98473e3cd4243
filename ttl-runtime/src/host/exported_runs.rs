//! Every program that a test runs on both engines, written out with what its tensors hold before and after, to be run on a real device and compared
//! there. `TTL_EXPORT_RUNS=DIR` asks for it; `.ci/real_runs` does all of it.

use super::checked_program::CheckedProgram;
use super::device::Device;
use super::error::Result;
use crate::program::export::{TensorExport, Tolerance};
use crate::tensor::HostTensor;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A program that is about to run.
pub(super) struct Export {
    dir: PathBuf,
    /// Contents of its tensors, and their bytes.
    before: Vec<(HostTensor, Vec<u8>)>,
}

impl Export {
    /// `None` if nobody asked.
    pub(super) fn before(device: &Device, program: &CheckedProgram) -> Result<Option<Export>> {
        let Some(dir) = std::env::var_os("TTL_EXPORT_RUNS") else { return Ok(None) };
        let before = program.checked().tensors().iter().map(|t| Ok((device.contents(t)?, device.pages(t)?)));
        let before = before.collect::<Result<_>>()?;
        Ok(Some(Export { dir: PathBuf::from(dir), before }))
    }

    /// Writes the program to `DIR/TEST FILE/TEST-CHIP-NUMBER`. One that changes no tensor leaves nothing to compare.
    pub(super) fn after(self, device: &Device, program: &CheckedProgram) -> Result<()> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let mut tensors = vec![];
        for (tensor, (before, bytes)) in program.checked().tensors().iter().zip(self.before) {
            let changed = device.pages(tensor)? != bytes;
            let expect = if changed { Some(device.contents(tensor)?) } else { None };
            tensors.push(TensorExport { id: tensor.id, contents: Some(before), expect, output: false });
        }
        if tensors.iter().all(|t| t.expect.is_none()) {
            return Ok(());
        }
        let file = std::env::current_exe().unwrap_or_default();
        let file = file.file_stem().unwrap_or_default().to_string_lossy();
        let file = file.rsplit_once('-').map_or(&*file, |(name, _)| name);
        let test = std::thread::current().name().unwrap_or("main").replace("::", ".");
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir: &Path = &self.dir.join(file).join(format!("{test}-{}-{number}", device.arch().name()));
        program.export_tensors(dir, &tensors, Tolerance { max_abs: Some(0.0), ..Tolerance::default() })?;
        Ok(())
    }
}
