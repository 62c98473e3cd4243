//! Text against the file that holds it. `TTL_UPDATE_GOLDEN=1` writes the files: read the difference.

use std::path::Path;
use ttl::runtime::codegen::Source;

/// `text` is what `file` of `tests/golden` has.
#[track_caller]
pub(crate) fn same(file: impl AsRef<Path>, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if std::env::var_os("TTL_UPDATE_GOLDEN").is_some_and(|v| v == "1") {
        let folder = path.parent().expect("a file in a folder");
        std::fs::create_dir_all(folder).expect("a directory");
        std::fs::write(&path, text).expect("written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == golden, "{}: it changed; TTL_UPDATE_GOLDEN=1 accepts it:\n{text}", path.display());
}

/// The C++ of some kernels is what a folder of `tests/golden` has.
#[track_caller]
pub(crate) fn sources(folder: &str, sources: &[Source]) {
    for source in sources {
        same(Path::new(folder).join(&source.file_name), &source.text);
    }
}
