//! Structs that group the parameters of a kernel. There is no such value in C++: each member is a parameter and a local of its own.

use super::Ty;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroupTy {
    pub name: String,
    /// In the order of the struct.
    pub fields: Vec<(String, Ty)>,
}

impl Ty {
    pub fn group(name: &str, fields: Vec<(&str, Ty)>) -> Ty {
        let fields = fields.into_iter().map(|(name, ty)| (name.to_string(), ty)).collect();
        Ty::Group(Arc::new(GroupTy { name: name.to_string(), fields }))
    }
}
