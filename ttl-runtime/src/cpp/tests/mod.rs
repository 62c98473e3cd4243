//! C++ kernels: building, and running on the simulated chip.

mod building;
