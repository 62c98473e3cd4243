//! Places in source files as C++ passes them, and as [`Site`].
//!
//! # Unsafe code
//!
//! A [`Place`] comes from `__builtin_FILE()` in a loaded kernel: a string literal there, which lives as long as the process, since
//! kernels are never unloaded (`load.rs`). So a pointer seen once always means the same text and can be a key.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_char};
use std::sync::{Mutex, PoisonError};

use crate::site::Site;

/// File and line of a call, from C++.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    file: *const c_char,
    line: u32,
}

impl Place {
    #[inline]
    pub(super) fn site(self) -> Site {
        Site { file: file_name(self.file), line: self.line, column: 0 }
    }
}

/// Recently used names, by pointer. Must be a power of two.
const RECENT: usize = 16;

thread_local! {
    static NAMES: [Cell<(usize, &'static str)>; RECENT] = const { [const { Cell::new((0, "")) }; RECENT] };
}

#[inline]
fn file_name(file: *const c_char) -> &'static str {
    let key = file as usize;
    NAMES.with(|names| {
        let slot = &names[(key >> 4 ^ key >> 9) % RECENT];
        let (known, name) = slot.get();
        if known == key && key != 0 {
            return name;
        }
        let name = look_up(file);
        slot.set((key, name));
        name
    })
}

#[cold]
fn look_up(file: *const c_char) -> &'static str {
    /// By pointer, and all texts: two kernels with the same text share it.
    type Known = (HashMap<usize, &'static str>, HashSet<&'static str>);
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    if file.is_null() {
        return Site::UNKNOWN.file;
    }
    let mut guard = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let (pointers, texts) = guard.get_or_insert_with(Default::default);
    if let Some(name) = pointers.get(&(file as usize)) {
        return name;
    }
    // SAFETY: a string literal of a loaded kernel, see the module docs.
    let text = unsafe { CStr::from_ptr(file) }.to_string_lossy();
    let name = match texts.get(&*text) {
        Some(name) => name,
        None => {
            let name: &'static str = Box::leak(text.into_owned().into_boxed_str());
            texts.insert(name);
            name
        }
    };
    pointers.insert(file as usize, name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_one_name() {
        let (a, b) = (c"src/kernel.rs", c"src/kernel.rs".to_owned());
        let a = Place { file: a.as_ptr(), line: 7 }.site();
        // Lives to the end of the process, as a literal of a kernel does.
        let b = Place { file: Box::leak(b.into_boxed_c_str()).as_ptr(), line: 7 }.site();
        assert_eq!(a.to_string(), "src/kernel.rs:7");
        assert!(std::ptr::eq(a.file, b.file));
        assert_eq!(Place { file: std::ptr::null(), line: 0 }.site().file, "<unknown>");
    }
}
