//! The runtime of ttl: what kernels call, the typed kernel IR, the C++ writer, programs, tensors and the simulated chip.
//!
//! Dependencies point one way, from the bottom of this table up:
//!
//! | | |
//! |---|---|
//! | [`host`] | devices, typed programs, engines: where the pieces meet |
//! | [`device_api`] | what kernels call; natively it runs on `sim` |
//! | [`cpp`] | compiles and loads C++ kernels, which call `sim` |
//! | [`sim`] | the simulated chip |
//! | [`codegen`] | IR to C++; knows no device |
//! | [`rt`] | what the macros expand to; skeletons to IR |
//! | [`program`] | programs as data, validated; knows no kernel code |
//! | [`ir`] | the typed kernel IR, its verifier and passes |
//! | [`tensor`] | formats, tile layout, tensors in device memory, `.npy` |
//! | [`ops`], [`temps`], [`cores`], [`arch`], [`snippet`], [`site`] | tables and base types |
//!
//! `codegen` and `sim` do not know each other; `program` knows neither. A card's backend will be another `host::Backend`.

pub mod arch;
pub mod codegen;
pub mod cores;
pub mod cpp;
pub mod device_api;
pub mod host;
pub mod ir;
pub mod ops;
pub mod program;
pub mod rt;
pub mod sim;
pub mod site;
pub mod snippet;
pub mod temps;
pub mod tensor;
