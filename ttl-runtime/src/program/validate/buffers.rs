//! Circular buffers: who has which end, pages, blocks, formats, ids, and their place in L1.

use std::cmp::Reverse;

use crate::cores::CoreSet;
use crate::tensor::DataFormat;

use super::super::checked::CheckedCb;
use super::super::decl::{ArgValue, CbDecl, CbEnd, CbId, DeviceInfo, KernelDecl, Program, Role};
use super::super::error::{ProblemKind, ProgramError};
use super::super::l1_plan::{L1Part, L1Plan, L1Use};
use super::count;

/// A use of a buffer by a kernel.
struct Use<'a, K> {
    kernel: &'a KernelDecl<K>,
    kernel_index: usize,
    parameter: &'a str,
    end: CbEnd,
    blocks: &'a [u32],
    element: Option<DataFormat>,
}

fn uses<K>(program: &Program<K>, index: usize) -> Vec<Use<'_, K>> {
    let mut out = Vec::new();
    for (kernel_index, kernel) in program.kernels.iter().enumerate() {
        for arg in &kernel.args {
            if let ArgValue::Cb { cb, end, blocks, element } = &arg.value
                && cb.program == program.id
                && cb.index as usize == index
            {
                out.push(Use { kernel, kernel_index, parameter: &arg.name, end: *end, blocks, element: *element });
            }
        }
    }
    out
}

pub(super) fn check<K>(program: &Program<K>, device: &DeviceInfo, errors: &mut Vec<ProgramError>) {
    for (index, cb) in program.cbs.iter().enumerate() {
        let uses = uses(program, index);
        pages(cb, device, errors);
        shared(program, cb, errors);
        ends(cb, program.shards_under(cb).is_some(), &uses, errors);
        for u in &uses {
            one_use(cb, u, errors);
        }
    }
    for kernel in &program.kernels {
        fp32_unpack(program, kernel, errors);
    }
}

fn pages(cb: &CbDecl, device: &DeviceInfo, errors: &mut Vec<ProgramError>) {
    let name = &cb.name;
    let problem = |message: String, help: &str| {
        ProgramError::new(ProblemKind::CbPages, message).at(cb.site, "declared here").help(help)
    };
    if cb.pages == 0 {
        errors.push(problem(
            format!("circular buffer `{name}` has 0 pages"),
            "give it at least as many pages as a block has; twice as many lets both ends work at the same time",
        ));
    }
    if cb.pages > device.arch.cb_max_pages {
        errors.push(problem(
            format!(
                "circular buffer `{name}` has {} pages, the largest count is {}",
                cb.pages, device.arch.cb_max_pages
            ),
            "use fewer or larger pages",
        ));
    }
    if cb.page_size == 0 || !cb.page_size.is_multiple_of(16) {
        errors.push(problem(
            format!("circular buffer `{name}` has pages of {} bytes, which is not a multiple of 16", cb.page_size),
            &format!("round the page size up; a tile of {} has {} bytes", cb.format, cb.format.tile_bytes()),
        ));
    }
}

/// A buffer in the memory of another: of this program, on the same cores, a whole number of pages.
fn shared<K>(program: &Program<K>, cb: &CbDecl, errors: &mut Vec<ProgramError>) {
    let Some(of) = cb.shares else { return };
    let name = &cb.name;
    let problem = |message: String| ProgramError::new(ProblemKind::CbShared, message).at(cb.site, "declared here");
    let Some(owner) = program.cb_of(of) else {
        let error = problem(format!("circular buffer `{name}` shares the memory of a buffer of another program"));
        errors.push(error.help("share with a buffer of this program"));
        return;
    };
    let of = &owner.name;
    if cb.cores != owner.cores {
        errors.push(
            problem(format!("circular buffers `{of}` and `{name}` share memory and are on different cores"))
                .at(owner.site, format!("`{of}` on {}", owner.cores))
                .note(format!("`{name}` is on {}", cb.cores))
                .help("declare both on the same cores"),
        );
    }
    // A page of 0 bytes is reported with the pages.
    if cb.page_size > 0 && (cb.bytes() != owner.bytes() || cb.pages == 0) {
        let (page, bytes) = (u64::from(cb.page_size), owner.bytes());
        let error = problem(format!(
            "circular buffer `{name}` shares the {bytes} bytes of `{of}`, which are no whole number of its pages of {page} bytes"
        ))
        .at(owner.site, format!("`{of}`: {} of {} bytes", count(owner.pages, "page"), owner.page_size));
        let own = u64::from(owner.page_size).max(1);
        let step = page / gcd(page, own);
        let fitting = bytes.div_ceil(own).next_multiple_of(step.max(1));
        errors.push(error.help(format!(
            "give `{of}` {}: {} of `{name}`",
            count(fitting, "page"),
            count(fitting * own / page, "page")
        )));
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Exactly one producer and one consumer on every core of the buffer.
fn ends<K>(cb: &CbDecl, on_shards: bool, uses: &[Use<'_, K>], errors: &mut Vec<ProgramError>) {
    let name = &cb.name;
    if uses.is_empty() {
        errors.push(
            ProgramError::new(ProblemKind::CbEnds, format!("no kernel uses circular buffer `{name}`"))
                .at(cb.site, "declared here")
                .help("give its ends to two kernels, or leave the buffer out"),
        );
        return;
    }
    type OnSide = fn(CbEnd) -> bool;
    let sides: [(_, _, OnSide); 2] =
        [("producer", "pushes to", CbEnd::produces), ("consumer", "pops from", CbEnd::consumes)];
    for (side, verb, on_side) in sides {
        let mine: Vec<&Use<'_, K>> = uses.iter().filter(|u| on_side(u.end)).collect();
        // Who looks at the tensor after the program needs no consumer.
        if side == "consumer" && on_shards && mine.is_empty() {
            continue;
        }
        let without: CoreSet = cb.cores.iter().filter(|&c| !mine.iter().any(|u| u.kernel.cores.contains(c))).collect();
        if !without.is_empty() {
            let mut error =
                ProgramError::new(ProblemKind::CbEnds, format!("circular buffer `{name}` has no {side} on {without}"))
                    .at(cb.site, format!("{} on {}", count(cb.pages, "page"), cb.cores));
            for u in uses {
                let text = format!("`{}` of kernel `{}` on {}", u.parameter, u.kernel.name, u.kernel.cores);
                error = error.at(u.kernel.site, text);
            }
            let end = if side == "producer" { "output" } else { "input" };
            let help = if on_shards && side == "producer" {
                "a kernel on each core must give the shard to its consumer: `reserve_back` all its pages and `push_back` once".to_owned()
            } else {
                format!(
                    "a kernel on each core of the buffer must have its {end} end; or declare the buffer on fewer cores"
                )
            };
            errors.push(error.help(help));
        }
        for (i, a) in mine.iter().enumerate() {
            for b in &mine[i + 1..] {
                let both = a.kernel.cores.intersection(&b.kernel.cores).intersection(&cb.cores);
                if both.is_empty() {
                    continue;
                }
                errors.push(
                    ProgramError::new(
                        ProblemKind::CbEnds,
                        format!("circular buffer `{name}` has two {side}s on {both}"),
                    )
                    .at(b.kernel.site, format!("`{}` of kernel `{}` {verb} it", b.parameter, b.kernel.name))
                    .at(a.kernel.site, format!("`{}` of kernel `{}` {verb} it", a.parameter, a.kernel.name))
                    .at(cb.site, "the buffer")
                    .help("use one buffer for each pair of kernels"),
                );
            }
        }
    }
}

fn one_use<K>(cb: &CbDecl, u: &Use<'_, K>, errors: &mut Vec<ProgramError>) {
    let (name, parameter, kernel) = (&cb.name, u.parameter, &u.kernel.name);
    let outside = u.kernel.cores.difference(&cb.cores);
    if !outside.is_empty() {
        errors.push(
            ProgramError::new(
                ProblemKind::CbCores,
                format!("kernel `{kernel}` uses circular buffer `{name}` on {outside}, where there is none"),
            )
            .at(u.kernel.site, format!("kernel on {}", u.kernel.cores))
            .at(cb.site, format!("buffer on {}", cb.cores))
            .help("declare the buffer on all cores of the kernel"),
        );
    }
    if let Some(element) = u.element
        && element != cb.format
    {
        errors.push(
            ProgramError::new(
                ProblemKind::Format,
                format!(
                    "parameter `{parameter}` of kernel `{kernel}` is a buffer of {element}, circular buffer `{name}` holds {}",
                    cb.format
                ),
            )
            .at(u.kernel.site, "given here")
            .at(cb.site, format!("declared with {}", cb.format))
            .help(format!("declare the buffer with {element}, or change the parameter's type")),
        );
    }
    if u.kernel.role == Role::Compute && cb.page_size < cb.format.tile_bytes() && cb.page_size > 0 {
        errors.push(
            ProgramError::new(
                ProblemKind::CbPages,
                format!(
                    "circular buffer `{name}` has pages smaller than a tile, and compute kernel `{kernel}` uses it"
                ),
            )
            .at(cb.site, format!("pages of {} bytes", cb.page_size))
            .at(u.kernel.site, "used here")
            .note(format!("a tile of {} has {} bytes", cb.format, cb.format.tile_bytes()))
            .help("leave the page size out; it is a tile then"),
        );
    }
    if u.kernel.role == Role::Compute && !cb.format.fits_registers(u.kernel.config.fp32_dest_acc) {
        errors.push(
            ProgramError::new(
                ProblemKind::Config,
                format!(
                    "compute kernel `{kernel}` uses circular buffer `{name}` of {}, which 16-bit tile registers cannot hold",
                    cb.format
                ),
            )
            .at(u.kernel.site, format!("`{parameter}`, without `fp32_dest_acc`"))
            .at(cb.site, format!("declared with {}", cb.format))
            .help("set `fp32_dest_acc: true` in the kernel's `ComputeConfig` (`Program::compute`)"),
        );
    }
    for &block in u.blocks {
        let problem = |message: String, help: String| {
            ProgramError::new(ProblemKind::CbBlocks, message)
                .at(cb.site, count(cb.pages, "page"))
                .at(u.kernel.site, format!("`{parameter}` of kernel `{kernel}`: blocks of {}", count(block, "page")))
                .help(help)
        };
        let side = if u.end.produces() { "reserves" } else { "waits for" };
        if block > cb.pages {
            errors.push(problem(
                format!(
                    "kernel `{kernel}` {side} {} of circular buffer `{name}`, which has {}",
                    count(block, "page"),
                    cb.pages
                ),
                format!("give it {} pages, or {} to let both ends work at the same time", block, u64::from(block) * 2),
            ));
        } else if u.blocks.len() == 1 && block > 0 && !cb.pages.is_multiple_of(block) {
            errors.push(problem(
                format!(
                    "circular buffer `{name}` has {}, which is no multiple of the {block} that kernel `{kernel}` {side} at a time",
                    count(cb.pages, "page")
                ),
                format!(
                    "a block must not wrap around; give it {} or {} pages",
                    cb.pages / block * block,
                    cb.pages.next_multiple_of(block)
                ),
            ));
        }
    }
}

fn fp32_unpack<K>(program: &Program<K>, kernel: &KernelDecl<K>, errors: &mut Vec<ProgramError>) {
    for id in &kernel.unpack_to_dest_fp32 {
        let Some(cb) = program.cb_of(*id) else {
            errors.push(foreign(kernel, "circular buffer"));
            continue;
        };
        if cb.format != DataFormat::F32 || !kernel.config.fp32_dest_acc {
            errors.push(
                ProgramError::new(
                    ProblemKind::Config,
                    format!(
                        "kernel `{}` unpacks circular buffer `{}` at full precision, which needs f32 tiles and 32-bit tile registers",
                        kernel.name, cb.name
                    ),
                )
                .at(kernel.site, "")
                .note(format!(
                    "the buffer holds {}, `fp32_dest_acc` is {}",
                    cb.format, kernel.config.fp32_dest_acc
                ))
                .help("set `fp32_dest_acc`, and use f32 buffers only"),
            );
        }
    }
}

/// A kernel has something of another program.
pub(super) fn foreign<K>(kernel: &KernelDecl<K>, what: &str) -> ProgramError {
    ProgramError::new(ProblemKind::Foreign, format!("kernel `{}` uses a {what} of another program", kernel.name))
        .at(kernel.site, "")
        .help(format!("declare the {what} in this program"))
}

/// Ids by index, or `None` and errors. Buffers on disjoint cores may share an id.
pub(super) fn assign_ids<K>(
    program: &Program<K>,
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Option<Vec<u32>> {
    let limit = device.arch.cb_ids;
    let cbs = &program.cbs;
    let before = errors.len();
    let mut ids: Vec<Option<u32>> = cbs.iter().map(|cb| cb.id).collect();
    for (i, cb) in cbs.iter().enumerate() {
        let Some(id) = cb.id else { continue };
        if id >= limit {
            errors.push(
                ProgramError::new(
                    ProblemKind::CbId,
                    format!(
                        "circular buffer `{}` has id {id}, the largest on {} is {}",
                        cb.name,
                        device.arch.name(),
                        limit - 1
                    ),
                )
                .at(cb.site, "declared here")
                .help("leave the id out; a free one is chosen"),
            );
        }
        for other in cbs[..i].iter().filter(|o| o.id == Some(id)) {
            let both = cb.cores.intersection(&other.cores);
            if !both.is_empty() {
                errors.push(
                    ProgramError::new(
                        ProblemKind::CbId,
                        format!("circular buffers `{}` and `{}` both have id {id} on {both}", other.name, cb.name),
                    )
                    .at(cb.site, format!("`{}`", cb.name))
                    .at(other.site, format!("`{}`", other.name))
                    .help("leave the ids out; free ones are chosen"),
                );
            }
        }
    }
    for i in 0..cbs.len() {
        if ids[i].is_some() {
            continue;
        }
        let taken = |id: u32| (0..cbs.len()).any(|j| ids[j] == Some(id) && cbs[j].cores.overlaps(&cbs[i].cores));
        ids[i] = (0..limit).find(|&id| !taken(id));
        if ids[i].is_none() {
            errors.push(
                ProgramError::new(
                    ProblemKind::CbId,
                    format!("no id is left for circular buffer `{}` on {}", cbs[i].name, cbs[i].cores),
                )
                .at(cbs[i].site, "declared here")
                .note(format!("a core of {} has {limit} circular buffers", device.arch.name()))
                .help("use fewer buffers, or put kernels that do not need each other on other cores"),
            );
        }
    }
    (errors.len() == before).then(|| ids.into_iter().flatten().collect())
}

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
