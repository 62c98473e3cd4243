//! What the macros expand to, and how their skeletons become IR.
pub mod cx;
pub mod lower;
