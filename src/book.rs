//! The book: a tutorial from the first kernel to multicast, a page per concept, and tables.
//!
//! Tutorial:
//! [1. The first kernel](first_kernel),
//! [2. Blocks](blocks),
//! [3. Several cores](several_cores),
//! [4. A matrix product](matmul),
//! [5. Multicast](multicast),
//! [6. When it does not work](debugging),
//! [7. Reading the generated C++](generated_cpp),
//! [8. Towards a card](on_the_card),
//! [9. Kernels that are there](kernels).
//!
//! Concepts:
//! [circular buffers](circular_buffers),
//! [tile registers and precision](tile_registers),
//! [data movement](data_movement),
//! [tensors],
//! [semaphores and pipes](synchronisation),
//! [programs],
//! [the simulated chip](simulator),
//! [kernels written in C++](foreign),
//! [what device code can be](language).
//!
//! Tables:
//! [coming from TT-Metalium](from_metalium),
//! [coming from TT-Lang](from_tt_lang),
//! [operations],
//! [calls one to one](calls),
//! [limits of the chips](limits),
//! [errors],
//! [all messages](messages),
//! [what device code does not have](refusals).

macro_rules! pages {
    ($($page:ident)*) => {
        $(
            #[doc = include_str!(concat!("../docs/book/", stringify!($page), ".md"))]
            pub mod $page {}
        )*
    };
}

/// What device code can be: types, functions, parameters, statements.
#[doc = include_str!("../docs/language.md")]
pub mod language {}

pages! {
    first_kernel blocks several_cores matmul multicast debugging generated_cpp on_the_card kernels
    circular_buffers tile_registers data_movement tensors synchronisation programs simulator foreign
    from_metalium from_tt_lang operations calls limits errors messages refusals
}
