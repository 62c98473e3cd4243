//! Circular buffers: who has which end, pages, blocks, formats, ids.

use crate::cores::CoreSet;
use crate::tensor::DataFormat;

use super::super::decl::{ArgValue, CbDecl, CbEnd, DeviceInfo, KernelDecl, Program, Role};
use super::super::error::{ProblemKind, ProgramError};
use super::count;
use super::ids::{Kind, Wanted};

/// A use of a buffer by a kernel.
pub(super) struct Use<'a, K> {
    kernel: &'a KernelDecl<K>,
    pub(super) kernel_index: usize,
    parameter: &'a str,
    pub(super) end: CbEnd,
    blocks: &'a [u32],
    element: Option<DataFormat>,
}

pub(super) fn uses<K>(program: &Program<K>, index: usize) -> Vec<Use<'_, K>> {
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
    let wanted: Vec<Wanted<'_>> =
        program.cbs.iter().map(|cb| Wanted { name: &cb.name, id: cb.id, cores: &cb.cores, site: cb.site }).collect();
    let (arch, limit) = (device.arch.name(), device.arch.cb_ids);
    let kind = Kind { what: "circular buffer", problem: ProblemKind::CbId, limit, on: format!(" on {arch}") };
    kind.assign(&wanted, errors, |_, _| {
        (
            format!("a core of {arch} has {limit} circular buffers"),
            "use fewer buffers, or put kernels that do not need each other on other cores",
        )
    })
}
