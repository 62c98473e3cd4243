//! C++ kernels: building them, and running them on the simulated chip.

mod building;
mod chip;
mod debugging;
mod mistakes;
mod running;
