//! Skeleton and items to typed IR.

use crate::ir;
use crate::rt::cx::{Cx, Item};
use crate::site::Site;

/// Builds the IR of one function from what the macro saw (`skeleton`) and what rustc inferred (`items`, by slot).
///
/// Only the signature and the types of locals for now; the body is empty.
pub fn lower(
    cx: &mut Cx,
    skeleton: &'static [u8],
    items: Vec<Item>,
    file: &'static str,
    generics: Vec<String>,
) -> ir::Fn {
    let mut out = ir::Fn {
        name: String::new(),
        generics,
        file,
        line: 0,
        locals: Vec::new(),
        params: Vec::new(),
        ret: ir::Ty::Unit,
        body: Vec::new(),
    };
    let def = match ttl_skeleton::Def::decode(skeleton) {
        Ok(def) => def,
        Err(e) => {
            let site = Site {
                file,
                ..Site::UNKNOWN
            };
            cx.error(
                site,
                format!("the code that the ttl macro made cannot be read: {e}"),
                "use the same version of ttl and of its macros",
            );
            return out;
        }
    };
    let ty = |slot: ttl_skeleton::Slot| match items.get(slot as usize) {
        Some(Item::Ty(ty)) => ty.clone(),
        _ => ir::Ty::Unit,
    };
    out.name = def.name;
    out.line = def.line;
    out.params = (0..def.params).map(ir::LocalId).collect();
    out.ret = def.ret.map_or(ir::Ty::Unit, ty);
    out.locals = def
        .locals
        .iter()
        .map(|l| ir::Local {
            name: l.name.clone(),
            ty: ty(l.slot),
            mutable: l.mutable,
        })
        .collect();
    out
}
