//! Where circular buffers lie in L1.

use std::cmp::Reverse;

use crate::cores::CoreSet;

use super::super::checked::CheckedCb;
use super::super::decl::{CbEnd, CbId, DeviceInfo, Program};
use super::super::error::{ProblemKind, ProgramError};
use super::super::l1_plan::{L1Part, L1Plan, L1Use};
use super::buffers::uses;

/// Packs the buffers from the bottom of L1, each at one address on all its cores, as TT-Metalium does: in the order of declaration, at the
/// highest of the next free addresses of its cores, aligned for reads from DRAM.
pub(super) fn place<K>(
    program: &Program<K>,
    ids: &[u32],
    device: &DeviceInfo,
) -> Result<(Vec<CheckedCb>, L1Plan), ProgramError> {
    let arch = &device.arch;
    let alignment = u64::from(arch.l1_alignment.max(arch.dram_alignment));
    let mut next = vec![u64::from(arch.l1_base); arch.cores() as usize];
    let mut cbs: Vec<CheckedCb> = Vec::with_capacity(program.cbs.len());
    let mut parts = Vec::with_capacity(program.cbs.len());
    let mut cores = CoreSet::empty();
    for kernel in &program.kernels {
        cores = cores.union(&kernel.cores);
    }
    for ((index, cb), &id) in program.cbs.iter().enumerate().zip(ids) {
        let bytes = cb.bytes();
        let id_of = CbId { program: program.id, index: index as u32 };
        let owner = cbs.get(program.owner(id_of).index as usize);
        let address = match (owner, &cb.tensor) {
            (Some(owner), _) => u64::from(owner.address),
            (None, Some(tensor)) => u64::from(tensor.address),
            (None, None) => {
                let top = cb.cores.iter().map(|c| next[arch.core_index(c)]).max().unwrap_or(0);
                let address = top.next_multiple_of(alignment);
                for core in cb.cores.iter() {
                    next[arch.core_index(core)] = address + bytes;
                }
                address
            }
        };
        let uses = uses(program, index);
        let side =
            |on_side: fn(CbEnd) -> bool| uses.iter().filter(|u| on_side(u.end)).map(|u| u.kernel_index).collect();
        // Addresses past the end are reported below, so the narrowing only matters for what is not returned.
        let address = u32::try_from(address).unwrap_or(u32::MAX);
        cbs.push(CheckedCb {
            cb: id_of,
            name: cb.name.clone(),
            cores: cb.cores.clone(),
            id,
            address,
            format: cb.format,
            page_size: cb.page_size,
            pages: cb.pages,
            tensor: program.shards_under(cb).cloned(),
            shares: cb.shares,
            automatic: cb.automatic,
            producers: side(CbEnd::produces),
            consumers: side(CbEnd::consumes),
            site: cb.site,
        });
        // The tensor's memory is listed with the tensors.
        if program.shards_under(cb).is_some() {
            continue;
        }
        parts.push(L1Part {
            what: L1Use::Buffer {
                name: cb.name.clone(),
                pages: cb.pages,
                page_size: cb.page_size,
                format: cb.format.name(),
                shares: cb.shares.and_then(|of| program.cb_of(of)).map(|of| of.name.clone()),
            },
            cores: cb.cores.clone(),
            address,
            bytes,
        });
    }
    let limit = device.l1_tensors.iter().map(|t| t.address).fold(arch.l1_size, u32::min);
    parts.extend(device.l1_tensors.iter().map(|tensor| L1Part {
        what: L1Use::Tensor { name: tensor.name.clone() },
        cores: cores.clone(),
        address: tensor.address,
        bytes: u64::from(tensor.bytes),
    }));
    let plan = L1Plan::new(arch, limit, parts, &cores);
    let too_full: CoreSet = cores.iter().filter(|&c| next[arch.core_index(c)] > u64::from(limit)).collect();
    let Some(worst) = too_full.iter().min_by_key(|&c| Reverse(next[arch.core_index(c)])) else {
        return Ok((cbs, plan));
    };
    let over = next[arch.core_index(worst)] - u64::from(limit);
    let mut error = ProgramError::new(
        ProblemKind::L1,
        format!("circular buffers need {over} bytes more than there are in the L1 of {too_full}"),
    );
    let largest = program
        .cbs
        .iter()
        .filter(|cb| cb.cores.contains(worst) && cb.tensor.is_none())
        .max_by_key(|cb| u64::from(cb.pages) * u64::from(cb.page_size));
    if let Some(cb) = largest {
        error = error.at(cb.site, format!("`{}` is the largest", cb.name));
    }
    Err(error
        .note(format!("L1 of {worst}:\n{}", plan.of_core(worst)))
        .help("use fewer pages or smaller blocks, or move tensors from L1 to DRAM"))
}
