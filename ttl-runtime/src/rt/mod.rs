//! What the code that `#[ttl::kernel]` and `#[ttl::device]` emit stands on. Not part of the public interface.
//!
//! The macros see tokens, not types. So next to the user's function they emit a copy of its body that never runs, in which locals,
//! literals and calls are tied to [`Probe`]s; rustc infers the probes' types, and a hidden function reads them when a program is
//! built: it yields one [`Item`] per probe, which [`lower`](lower::lower) joins with the function's structure
//! ([`ttl_skeleton::Def`]) to typed IR.
//!
//! A rule for every trait used in the copy: it must never have exactly one impl that matches an integer or a float of
//! undecided type, since rustc would then pick that impl instead of the default (`i32`, `f64`), and the IR would differ from the
//! native run.

mod cx;
mod data;
mod debug;
mod items;
mod kernel;
mod konst;
pub mod lower;
mod methods;
mod operation;
mod option;
mod print_tile;
mod probe;
pub mod sizes;

pub use crate::device_api::place;
pub use crate::ir::data::VariantDecl;
pub use crate::ir::{Expr, Fn, FnId, ParamKind, Role, Ty};
pub use cx::{Cx, FnSite, Inst, Item, LowerError};
pub use data::{
    Built, Common, CompileTime, Copied, Data, Field, bind_data, get_data, no_variant, structure, variant, variant_decl,
    words_of,
};
pub use debug::{Zone, print};
pub use items::Items;
pub use kernel::{Args, Binder, Includes, Kernel, MovesData, Param, ParamDecl, Plain, RoleToken, Scalar, module, role};
pub use konst::DeviceConst;
pub use lower::lower;
pub use methods::{DeviceMethod, Method, Of, Own, Printed};
pub use operation::Operation;
pub use print_tile::{PrintedTile, print_tile, tile_numbers};
pub use probe::{
    Callable, ClosureOf, DeviceTy, Instance, Late, List, Mut, Named, Probe, Read, ReleasedOnEveryPath, Shared,
    Supported, TakesClosures, TakesThese, Val, any, any_of, carry,
};
