//! Compiled kernels in this process.
//!
//! # Unsafe code
//!
//! A shared object is loaded only from the cache, where it was put by our compiler run under a name that holds the hash of everything
//! it was made of. It has no constructors, and two functions: `ttl_kernel_bind`, which stores the table's address, and
//! `ttl_kernel_main`. Libraries are never unloaded: kernels' string literals are kept as names of files (`place.rs`), and a kernel
//! may be running anywhere.

use std::fmt;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::error::CppError;
use super::table::{TABLE, Table};
use crate::sim::ops;

type Main = unsafe extern "C" fn();

/// A C++ kernel, ready to run on any number of cores.
pub struct CppKernel {
    name: String,
    source_path: PathBuf,
    entry: Box<dyn Fn() + Send + Sync>,
}

impl CppKernel {
    pub(super) fn load(name: &str, object: &Path, source_path: PathBuf) -> Result<CppKernel, CppError> {
        let error = |e: libloading::Error| CppError::Load { path: object.to_owned(), message: e.to_string() };
        // SAFETY: see the module docs: our own object without constructors.
        let library = unsafe { Library::open(Some(object), RTLD_NOW | RTLD_LOCAL) }.map_err(error)?;
        // SAFETY: the prologue of every kernel defines both with these types.
        let main: Main = *unsafe { library.get::<Main>(b"ttl_kernel_main") }.map_err(error)?;
        // SAFETY: as above.
        let bind =
            *unsafe { library.get::<unsafe extern "C" fn(&'static Table)>(b"ttl_kernel_bind") }.map_err(error)?;
        // SAFETY: stores the address; no kernel of this library runs yet, or it stores the same address again.
        unsafe { bind(&TABLE) };
        std::mem::forget(library);
        let kernel = name.to_owned();
        let entry = Box::new(move || {
            // An operation would panic, and a panic cannot pass through C++.
            assert!(ops::in_kernel(), "the C++ kernel `{kernel}` was called outside of the simulated chip");
            // SAFETY: the kernel calls nothing but the functions of the table, inside a kernel thread.
            unsafe { main() }
        });
        Ok(CppKernel { name: name.to_owned(), source_path, entry })
    }

    /// The body of a kernel thread; see [`crate::sim::ThreadLaunch::entry`].
    pub fn entry(&self) -> &(dyn Fn() + Sync) {
        // Without `Send`, which the launch does not ask for.
        &*self.entry
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The C++ file that was compiled.
    pub fn source_path(&self) -> &Path {
        &self.source_path
    }
}

impl fmt::Debug for CppKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CppKernel")
            .field("name", &self.name)
            .field("source_path", &self.source_path)
            .finish_non_exhaustive()
    }
}
