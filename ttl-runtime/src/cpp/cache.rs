//! The folder of compiled kernels. Its contents depend on nothing but their names, so it can be deleted at any time and shared by
//! processes: files appear under their final name only when complete.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, io};

use super::error::CppError;

/// Where compiled kernels are kept, unless [`super::CppCompiler::with_cache`] says otherwise.
pub(super) fn default_dir() -> PathBuf {
    let var = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = var("TTL_CACHE_DIR") {
        return dir;
    }
    if let Some(dir) = var("XDG_CACHE_HOME") {
        return dir.join("ttl");
    }
    match var("HOME") {
        Some(home) => home.join(".cache").join("ttl"),
        None => env::temp_dir().join("ttl-cache"),
    }
}

/// A name in `dir` that nobody else uses, ending as `path` does.
pub(super) fn temporary(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{}-{n}-{name}", std::process::id()))
}

/// Writes a file so that it is there completely or not at all.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CppError> {
    let temp = temporary(path);
    fs::write(&temp, text).map_err(CppError::io(&temp))?;
    publish(&temp, path)
}

/// Gives a finished file its final name. Another process may have done the same: the contents are equal then.
pub(super) fn publish(temp: &Path, path: &Path) -> Result<(), CppError> {
    fs::rename(temp, path).map_err(|e| {
        let _ = fs::remove_file(temp);
        CppError::io(path)(e)
    })
}

/// Makes a folder with files in it, once: the folder appears when everything is in it.
pub(super) fn folder<'a>(dir: &Path, files: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), CppError> {
    if dir.is_dir() {
        return Ok(());
    }
    let temp = temporary(dir);
    for (name, text) in files {
        let path = temp.join(name);
        let parent = path.parent().unwrap_or(&temp);
        fs::create_dir_all(parent).map_err(CppError::io(parent))?;
        fs::write(&path, text).map_err(CppError::io(&path))?;
    }
    match fs::rename(&temp, dir) {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = fs::remove_dir_all(&temp);
            let lost_race =
                dir.is_dir() && matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists);
            if lost_race { Ok(()) } else { Err(CppError::io(dir)(error)) }
        }
    }
}

/// A 128-bit FNV-1a hash: stable between versions of Rust, and long enough that no two kernels ever share a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u128);

impl Hash {
    pub(super) const fn new() -> Hash {
        Hash(0x6c62272e07bb014262b821756295c58d)
    }

    /// Adds bytes, and their number, so that ("ab", "c") differs from ("a", "bc").
    #[must_use]
    pub(super) fn add(mut self, bytes: &[u8]) -> Hash {
        for &b in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u128::from(b)).wrapping_mul(0x0000000001000000000000000000013B);
        }
        self
    }

    pub(super) const fn value(self) -> u128 {
        self.0
    }

    pub(super) fn hex(self) -> String {
        format!("{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_keep_the_borders_of_their_parts() {
        let h = Hash::new();
        assert_ne!(h.add(b"ab").add(b"c").value(), h.add(b"a").add(b"bc").value());
        assert_eq!(h.add(b"kernel").hex(), h.add(b"kernel").hex());
    }

    #[test]
    fn temporary_names_differ_and_keep_the_ending() {
        let (a, b) = (temporary(Path::new("/c/x.so")), temporary(Path::new("/c/x.so")));
        assert_ne!(a, b);
        assert_eq!((a.parent(), a.extension()), (Some(Path::new("/c")), Some("so".as_ref())));
    }
}
