//! The mission's inventory of behaviours, items 1 to 39: each test names its number. `docs/inventory.md` says for each item what holds here
//! and where ours differs by design.

mod kernels;
mod language;
mod products;
mod types;

/// Every item has a test of its number and a row on the page, and the page has no others.
#[test]
fn every_item_has_its_test_and_its_row() {
    let sources = [
        include_str!("kernels.rs"),
        include_str!("language.rs"),
        include_str!("products.rs"),
        include_str!("types.rs"),
    ];
    let page = include_str!("../../docs/inventory.md");
    for item in 1..=39 {
        let test = format!("#[test]\nfn item_{item:02}_");
        assert_eq!(sources.iter().map(|s| s.matches(&test).count()).sum::<usize>(), 1, "tests of item {item}");
        assert_eq!(page.matches(&format!("\n| {item} ")).count(), 1, "rows of item {item}");
    }
    let rows = page.lines().filter(|l| l.starts_with("| ") && l[2..].starts_with(char::is_numeric)).count();
    assert_eq!(rows, 39);
}
