//! The buffers that the compiler adds to kernels, as buffers of the program.

use super::error::Result;
use super::program::{Body, KernelCode};
use crate::arch::ComputeConfig;
use crate::ir::Module;
use crate::ir::passes::{Target, buffers::Buffers, sums, temps};
use crate::program::{self, Arg, ArgValue, CbDecl, CbEnd, CbId, Role};
use crate::temps::TempKey;
use std::sync::Arc;

/// The buffers of one kernel with their ids.
pub(super) type Temps = Arc<[(TempKey, u32)]>;

/// Adds what each compute kernel needs to its module, its arguments and the program. Returns the buffers of each kernel.
pub(super) fn declare(
    program: &mut program::Program<KernelCode>,
    modules: &mut [Body<Module>],
) -> Result<Vec<Vec<(TempKey, CbId)>>> {
    let mut all = Vec::with_capacity(modules.len());
    for (at, module) in modules.iter_mut().enumerate() {
        let kernel = &program.kernels()[at];
        let (Body::Rust(module), Role::Compute) = (module, kernel.role) else {
            all.push(Vec::new());
            continue;
        };
        // The buffers have no ids yet: their numbers tell them apart as well.
        let config = ComputeConfig {
            unpack_to_dest_fp32: kernel.unpack_to_dest_fp32.iter().map(|cb| cb.index()).collect(),
            ..kernel.config.clone()
        };
        let cb_ids: Vec<u32> = kernel
            .args
            .iter()
            .filter_map(|arg| match &arg.value {
                ArgValue::Cb { cb, .. } => Some(cb.index()),
                _ => None,
            })
            .collect();
        let buffers = Buffers::of(module, &Target { config: &config, cb_ids: &cb_ids })?;
        sums::place(module, &buffers, &config)?;
        let known = module.params.len();
        let keys = temps::add(module, &buffers, &config)?;
        let (name, cores, site) = (kernel.name.clone(), kernel.cores.clone(), kernel.site);
        let mut mine = Vec::with_capacity(keys.len());
        for (key, param) in keys.into_iter().zip(&module.params[known..]) {
            let mut decl = CbDecl::new(format!("{name}.{}", param.name), cores.clone(), key.format(), key.pages());
            (decl.automatic, decl.site) = (Some(key), site);
            let cb = program.add_cb(decl);
            let value = ArgValue::Cb { cb, end: CbEnd::InOut, blocks: vec![key.pages()], element: Some(key.format()) };
            program.kernels_mut()[at].args.push(Arg::new(param.name.as_str(), value));
            mine.push((key, cb));
        }
        all.push(mine);
    }
    Ok(all)
}

/// With the ids that validation chose.
pub(super) fn resolve(checked: &program::Checked<KernelCode>, temps: &[Vec<(TempKey, CbId)>]) -> Arc<[Temps]> {
    let ids = |mine: &Vec<(TempKey, CbId)>| -> Temps {
        mine.iter().filter_map(|(key, cb)| Some((*key, checked.cb(*cb)?.id))).collect()
    };
    temps.iter().map(ids).collect()
}
