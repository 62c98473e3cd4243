//! Checks on the model, and facts for the expansion.

pub(crate) mod calls;
pub(crate) mod flow;
pub(crate) mod scope;
pub(crate) mod shapes;
pub(crate) mod sizes;
