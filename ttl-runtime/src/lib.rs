//! The runtime of ttl: what kernels call, the typed kernel IR, the C++ writer, programs, tensors and the simulated chip.
//!
//! Dependencies point one way (see the module docs): `arch`, `site` and `tensor::format` stand at the bottom; `ir` knows no
//! device; `codegen` and `sim` do not know each other; `program` knows neither; `launch` joins them behind one `Device`.

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
pub mod tensor;
