//! Formats of the circular buffers that the locals of each function stand for.

use super::{PassError, Target};
use crate::ir::{ExprKind, FnId, LocalId, Module, ParamKind, StmtKind, Ty, visit};
use crate::site::Site;
use crate::tensor::format::DataFormat;
use std::collections::HashMap;

/// What the unpacker or packer is configured for: two buffers with equal values need no reconfiguration in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TileFormat {
    pub format: DataFormat,
    /// f32 tiles that go to the tile registers unrounded.
    pub to_dest: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Buffers {
    /// By function and local; absent: false.
    to_dest: HashMap<(u32, LocalId), bool>,
}

impl Buffers {
    pub fn of(module: &Module, target: &Target<'_>) -> Result<Buffers, PassError> {
        let mut buffers = Buffers::default();
        if target.config.unpack_to_dest_fp32.is_empty() || module.fns.is_empty() {
            return Ok(buffers);
        }
        let entry = module.fns.len() as u32 - 1;
        let cbs = module.params.iter().filter(|p| p.kind == ParamKind::Cb);
        for (param, id) in cbs.zip(target.cb_ids) {
            let direct = target.config.unpack_to_dest_fp32.contains(id);
            let f32s = format_of(&param.ty) == Some(DataFormat::F32);
            buffers.to_dest.insert((entry, param.local), direct && f32s);
        }
        // Callers stand after their callees.
        for at in (0..module.fns.len()).rev() {
            buffers.propagate(module, at as u32)?;
        }
        Ok(buffers)
    }

    fn propagate(&mut self, module: &Module, at: u32) -> Result<(), PassError> {
        let f = module.function(FnId(at));
        let mut known: Vec<(u32, LocalId, bool, u32)> = Vec::new();
        visit::each_stmt(&f.body, &mut |stmt| {
            if let StmtKind::Let { local, init: Some(init) } = &stmt.kind
                && let ExprKind::Local(from) = init.kind
                && let Some(&direct) = self.to_dest.get(&(at, from))
            {
                self.to_dest.insert((at, *local), direct);
            }
            visit::stmt_calls(stmt, &mut |call| {
                let callee = call.callee;
                let params = &module.function(callee).params;
                for (param, arg) in params.iter().zip(call.args) {
                    if let ExprKind::Local(from) = arg.kind
                        && format_of(&arg.ty) == Some(DataFormat::F32)
                    {
                        let direct = self.to_dest.get(&(at, from)).copied().unwrap_or(false);
                        known.push((callee.0, *param, direct, stmt.line));
                    }
                }
            });
        });
        for (callee, param, direct, line) in known {
            let before = self.to_dest.insert((callee, param), direct);
            if before.is_some_and(|b| b != direct) {
                let called = module.function(FnId(callee));
                return Err(PassError::MixedPrecision {
                    site: Site { file: f.file, line, column: 0 },
                    function: called.name.clone(),
                    parameter: called.local(param).name.clone(),
                });
            }
        }
        Ok(())
    }

    /// The format of the tiles in the buffer that `local` of function `at` stands for.
    pub fn tile_format(&self, module: &Module, at: u32, local: LocalId) -> Option<TileFormat> {
        let format = format_of(&module.function(FnId(at)).local(local).ty)?;
        Some(TileFormat { format, to_dest: self.to_dest.get(&(at, local)).copied().unwrap_or(false) })
    }
}

/// Format of a circular-buffer end or guard, or of a reference to one.
pub fn format_of(ty: &Ty) -> Option<DataFormat> {
    match ty.peeled() {
        Ty::CbIn(f) | Ty::CbOut(f) | Ty::Front(f) | Ty::Reserved(f) => Some(*f),
        _ => None,
    }
}
