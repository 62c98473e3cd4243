//! Finding the C++ compiler, and building kernels with it.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;
use std::{env, fs, thread};

use super::cache::{self, Hash};
use super::error::CppError;
use super::headers::Headers;
use super::load::CppKernel;
use super::missing;
use super::source::CppSource;

/// Warnings are those of TT-Metalium's own build (`-Wall -Werror` and the same exceptions), so that what
/// compiles here compiles there, apart from what a 32-bit compiler sees differently. Floats as the source says (no contraction), aliasing
/// as the device's pointers need it.
const FLAGS: &[&str] = &[
    "-O2",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    // GCC (12 at least) takes `0.0f - static_cast<float>(n)` for `-static_cast<float>(n)`, which is -0 for 0. Not with this.
    "-frounding-math",
    "-fno-math-errno",
    "-Wall",
    // Part of -Wall in GCC only.
    "-Wsign-compare",
    "-Werror",
    "-Wno-deprecated-declarations",
    "-Wno-unused-variable",
    "-Wno-unused-but-set-variable",
    "-Wno-unused-function",
    "-Wno-parentheses",
    "-fdiagnostics-color=never",
    // What C++ leaves undefined and the device does silently. Our own functions take the reports (include/ttl/undefined.h), so no
    // library of the sanitizer is linked.
    "-fsanitize=integer-divide-by-zero,signed-integer-overflow,shift-exponent,bounds,float-cast-overflow,unreachable,return",
    "-fno-sanitize-recover=all",
    // The kernel calls nothing but the table, and at most memcpy and the like, which the process has.
    "-nostdlib",
];
/// Generated kernels are plain C++17, the language of TT-Metalium's build. Its compiler has parts of C++20 on top, which hand-written
/// kernels use; what C++20 itself deprecates is no concern of theirs.
const GENERATED: &[&str] = &["-std=c++17"];
const FOREIGN: &[&str] = &["-std=c++20", "-Wno-volatile", "-Wno-deprecated", "-Wno-misleading-indentation"];

const LIBRARIES: &[&str] = &["-Wl,--as-needed", "-lm", "-lc"];

/// Compilers that run at the same time.
const PARALLEL: usize = 2;

/// A C++ compiler and a cache of what it made.
pub struct CppCompiler {
    /// The program, then arguments that come with it.
    command: Vec<OsString>,
    /// Path, size and time of the program: another version is another file.
    identity: String,
    cache: PathBuf,
    runs: AtomicUsize,
}

impl CppCompiler {
    /// `$CXX` (a path or name, possibly with arguments), else the first of `c++`, `g++` and `clang++`.
    pub fn find() -> Result<CppCompiler, CppError> {
        match env::var_os("CXX").filter(|v| !v.is_empty()) {
            Some(cxx) => CppCompiler::named(&cxx),
            None => ["c++", "g++", "clang++"]
                .iter()
                .find_map(|name| CppCompiler::of(vec![name.into()]))
                .ok_or_else(|| CppError::NoCompiler { tried: "c++, g++, clang++ (CXX is not set)".to_owned() }),
        }
    }

    /// The compiler that `$CXX` would mean: a path or name, possibly with arguments.
    pub fn named(cxx: &OsStr) -> Result<CppCompiler, CppError> {
        let words = match cxx.to_str() {
            Some(text) => text.split_whitespace().map(OsString::from).collect(),
            None => vec![cxx.to_owned()],
        };
        CppCompiler::of(words).ok_or_else(|| CppError::NoCompiler { tried: cxx.display().to_string() })
    }

    /// `None` if the program of the command does not exist.
    fn of(command: Vec<OsString>) -> Option<CppCompiler> {
        let path = on_path(Path::new(command.first()?))?;
        let path = fs::canonicalize(&path).unwrap_or(path);
        let meta = fs::metadata(&path).ok()?;
        let time = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_nanos());
        let identity = format!("{} {} {time} {command:?}", path.display(), meta.len());
        Some(CppCompiler { command, identity, cache: cache::default_dir(), runs: AtomicUsize::new(0) })
    }

    /// Uses another folder for compiled kernels.
    #[must_use]
    pub fn with_cache(mut self, dir: impl Into<PathBuf>) -> CppCompiler {
        self.cache = dir.into();
        self
    }

    /// How often this value has started the compiler.
    pub fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    /// Compiles and loads kernels, several at a time; what was compiled before, by any process, comes from the cache. The order of
    /// the result is that of `kernels`. If several kernels do not compile, the first one's error is reported.
    pub fn build(&self, kernels: &[CppSource]) -> Result<Vec<Arc<CppKernel>>, CppError> {
        let include = self.install_headers()?;
        let units = kernels.iter().map(|k| Unit::new(self, k, &include)).collect::<Result<Vec<_>, _>>()?;
        // Equal kernels are compiled once; a file that is there already is not compiled at all.
        let mut todo: Vec<&Unit<'_>> = Vec::new();
        for unit in &units {
            let known = todo.iter().any(|u| u.hash.value() == unit.hash.value());
            if !known && !unit.is_loaded() && !unit.object.is_file() {
                todo.push(unit);
            }
        }
        self.compile_all(&todo, &include)?;
        units.iter().map(Unit::load).collect()
    }

    fn compile_all(&self, todo: &[&Unit<'_>], include: &Path) -> Result<(), CppError> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut failed = Vec::new();
            while let Some(unit) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.compile(unit, include) {
                    failed.push((unit.position(todo), error));
                }
            }
            failed
        };
        let mut failed = thread::scope(|scope| {
            let others: Vec<_> = (1..PARALLEL.min(todo.len())).map(|_| scope.spawn(work)).collect();
            let mut failed = work();
            for other in others {
                match other.join() {
                    Ok(more) => failed.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            failed
        });
        failed.sort_by_key(|(position, _)| *position);
        failed.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }

    fn compile(&self, unit: &Unit<'_>, include: &Path) -> Result<(), CppError> {
        cache::write(&unit.source_path, &unit.text)?;
        let temp = cache::temporary(&unit.object);
        let mut command = self.command(unit.kernel, include)?;
        command.arg(&unit.source_path).arg("-o").arg(&temp).args(LIBRARIES);
        self.runs.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = run(unit.kernel, &unit.source_path, &mut command) {
            let _ = fs::remove_file(&temp);
            return Err(error);
        }
        cache::publish(&temp, &unit.object)
    }

    /// The compiler with everything but the files.
    fn command(&self, kernel: &CppSource, include: &Path) -> Result<Command, CppError> {
        let (program, own) = self.command.split_first().ok_or_else(|| CppError::NoCompiler { tried: String::new() })?;
        let mut command = Command::new(program);
        command.args(own).args(language(kernel)).args(FLAGS).arg("-I").arg(include);
        for (i, dir) in kernel.include_dirs.iter().enumerate() {
            // Headers beside the kernel are for `#include "x.h"` only, as if the kernel was compiled where it is.
            command.arg(if i == 0 { "-iquote" } else { "-I" }).arg(dir);
        }
        Ok(command)
    }

    /// The text of a kernel with all its own headers, by which it is known in the cache: those may change.
    fn with_headers(&self, kernel: &CppSource, text: &str, include: &Path) -> Result<String, CppError> {
        let path = cache::temporary(&self.cache.join("preprocess.cpp"));
        cache::write(&path, text)?;
        let mut command = self.command(kernel, include)?;
        command.arg("-E").arg("-P").arg(&path);
        let result = run(kernel, &path, &mut command);
        let _ = fs::remove_file(&path);
        Ok(String::from_utf8_lossy(&result?.stdout).into_owned())
    }

    /// The folder of the headers.
    fn install_headers(&self) -> Result<PathBuf, CppError> {
        let headers = Headers::get();
        fs::create_dir_all(&self.cache).map_err(CppError::io(&self.cache))?;
        let dir = self.cache.join(format!("include-{}", headers.hash().hex()));
        cache::folder(&dir, headers.files())?;
        Ok(dir)
    }
}

impl fmt::Debug for CppCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CppCompiler")
            .field("command", &self.command)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

fn language(kernel: &CppSource) -> &'static [&'static str] {
    if kernel.foreign { FOREIGN } else { GENERATED }
}

/// Runs the compiler on a kernel.
fn run(kernel: &CppSource, source_path: &Path, command: &mut Command) -> Result<Output, CppError> {
    let output = command.output().map_err(CppError::io(Path::new(command.get_program())))?;
    if output.status.success() {
        return Ok(output);
    }
    let mut messages = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    if messages.is_empty() {
        messages = format!("the compiler said nothing and ended with {}", output.status);
    }
    Err(CppError::Compile {
        kernel: kernel.name.clone(),
        missing: if kernel.foreign { missing::find(&messages) } else { Vec::new() },
        messages,
        source_path: source_path.to_owned(),
        command: format!("{command:?}").replace('"', ""),
    })
}

/// One file to compile.
struct Unit<'a> {
    kernel: &'a CppSource,
    text: String,
    hash: Hash,
    source_path: PathBuf,
    object: PathBuf,
}

/// The hash of everything a kernel is made of, and its file.
type Key = (u128, PathBuf);

/// Kernels of this process.
static LOADED: Mutex<Option<HashMap<Key, Arc<CppKernel>>>> = Mutex::new(None);

impl<'a> Unit<'a> {
    fn new(compiler: &CppCompiler, kernel: &'a CppSource, include: &Path) -> Result<Unit<'a>, CppError> {
        let text = kernel.translation_unit()?;
        let whole = if kernel.include_dirs.is_empty() {
            String::new()
        } else {
            compiler.with_headers(kernel, &text, include)?
        };
        let mut hash =
            Headers::get().hash().add(compiler.identity.as_bytes()).add(text.as_bytes()).add(whole.as_bytes());
        for flag in language(kernel).iter().chain(FLAGS).chain(LIBRARIES) {
            hash = hash.add(flag.as_bytes());
        }
        let stem: String =
            kernel.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(40).collect();
        let file = format!("{stem}-{}", hash.hex());
        let at = |extension: &str| compiler.cache.join(format!("{file}.{extension}"));
        Ok(Unit { kernel, text, hash, source_path: at("cpp"), object: at("so") })
    }

    fn position(&self, all: &[&Unit<'_>]) -> usize {
        all.iter().position(|u| u.hash.value() == self.hash.value()).unwrap_or(0)
    }

    fn key(&self) -> Key {
        (self.hash.value(), self.object.clone())
    }

    fn is_loaded(&self) -> bool {
        let guard = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        guard.as_ref().is_some_and(|known| known.contains_key(&self.key()))
    }

    fn load(&self) -> Result<Arc<CppKernel>, CppError> {
        let mut guard = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = guard.get_or_insert_with(HashMap::new);
        if let Some(kernel) = known.get(&self.key()) {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(CppKernel::load(&self.kernel.name, &self.object, self.source_path.clone())?);
        known.insert(self.key(), kernel.clone());
        Ok(kernel)
    }
}

/// The file that a command's name means.
fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    let dirs = env::var_os("PATH")?;
    env::split_paths(&dirs).map(|dir| dir.join(program)).find(|path| path.is_file())
}
