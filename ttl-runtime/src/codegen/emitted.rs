//! The names that generated C++ may have in it: `docs/api-coverage.md` is held against them.

use super::metalium_0_81 as api;
use crate::ir::call;
use crate::ops::{BinaryOp, TILE_METHODS, TernaryOp, UnaryOp};
use std::collections::BTreeSet;

/// Every function of the kernel API that the tables of the C++ writer name.
pub fn emitted_names() -> BTreeSet<String> {
    let mut texts: Vec<String> = api::RESERVED.iter().map(|name| (*name).to_owned()).collect();
    texts.extend([api::READ_PAGE, api::WRITE_PAGE, api::NEXT_ACCESSOR, api::PAGE_SIZE].map(str::to_owned));
    texts.extend(call::rows().map(|row| row.cpp.to_owned()));
    for (_, tile) in TILE_METHODS {
        texts.extend([tile.call(false), tile.init(false)]);
        texts.extend(tile.undo().map(str::to_owned));
    }
    for op in UnaryOp::ALL {
        texts.extend([op.row().init, op.row().call].map(str::to_owned));
    }
    for op in BinaryOp::ALL {
        texts.extend([op.row().init, op.row().call].map(str::to_owned));
    }
    for op in BinaryOp::FPU {
        let row = op.fpu();
        texts.extend([row.init, row.call, row.reuse_init, row.reuse_call].map(str::to_owned));
    }
    for op in TernaryOp::ALL {
        texts.extend([op.row().init, op.row().call].map(str::to_owned));
    }
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    texts.iter().flat_map(|text| text.split(move |c| !name(c))).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of a column of the table, by header.
    fn column(page: &str, at: usize) -> Vec<(&str, &str)> {
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        rows.flat_map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let header = cells.get(1).copied().unwrap_or_default();
            let names = cells.get(at).copied().unwrap_or_default().split('`').skip(1).step_by(2);
            names.map(move |name| (header, name)).collect::<Vec<_>>()
        })
        .collect()
    }

    #[test]
    fn the_page_of_calls_is_true() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/api-coverage.md");
        let page = std::fs::read_to_string(path).expect("the page");
        let emitted = emitted_names();
        let (have, others) = (column(&page, 2), column(&page, 3));
        assert!(have.len() > 450 && others.len() > 200, "{} and {} calls", have.len(), others.len());
        for (header, name) in have {
            assert!(
                emitted.contains(name),
                "{header}: no kernel can have `{name}` in its C++; `.ci/api_coverage` writes the page anew"
            );
        }
        for (header, name) in others {
            assert!(!emitted.contains(name), "{header}: `{name}` is emitted; `.ci/api_coverage` writes the page anew");
        }
    }
}
