//! What a program becomes at each stage, as files for those who look for a fault in ttl.

use super::checked_program::CheckedProgram;
use super::error::{Error, Result};
use crate::codegen::Lines;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::{Path, PathBuf};

impl CheckedProgram {
    /// Writes for each kernel its IR as it was lowered (`.ir.txt`), as the passes left it (`.prepared.txt`) and its C++ (`.cpp`). The names
    /// contain a hash of the C++: kernels of one name that differ do not overwrite each other. Returns the paths, sorted.
    ///
    /// With `TTL_DUMP=DIR` in the environment every program that is validated is dumped there.
    pub fn dump(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        let io = |path: &Path| {
            let context = format!("cannot write {}", path.display());
            move |source| Error::Io { context, source }
        };
        std::fs::create_dir_all(dir).map_err(io(dir))?;
        let mut files = vec![];
        for (source, stages) in self.sources(Lines::Comments)?.into_iter().zip(self.stages()) {
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&source.text);
            let name = source.file_name.trim_end_matches(".cpp");
            let mut texts = vec![("cpp", source.text.clone())];
            if let Some((module, prepared)) = stages {
                texts.push(("ir.txt", format!("{module:#?}\n")));
                texts.push(("prepared.txt", format!("{:#?}\n", prepared.module())));
            }
            for (ending, text) in texts {
                let path = dir.join(format!("{name}-{hash:016x}.{ending}"));
                std::fs::write(&path, text).map_err(io(&path))?;
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}
