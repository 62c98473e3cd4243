//! What is known while the IR of a kernel is built. (Replaced by the macro owner's version on merge.)
use crate::ir;
use crate::site::Site;

#[derive(Clone, Debug)]
pub enum Item {
    Ty(ir::Ty),
    Fn(ir::FnId),
    Const(ir::Expr),
}

#[derive(Clone, Debug)]
pub struct LowerError {
    pub site: Site,
    pub message: String,
    pub help: String,
}

#[derive(Debug, Default)]
pub struct Cx {
    pub fns: Vec<ir::Fn>,
    pub errors: Vec<LowerError>,
}
