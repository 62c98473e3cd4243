//! Pages: buffers that lie on a tensor's shards, and tensors whose pages must fit those of a buffer.

use crate::tensor::MemoryConfig;

use super::super::decl::{ArgValue, CbDecl, DeviceInfo, Program};
use super::super::error::{ProblemKind, ProgramError};
use super::count;

pub(super) fn check<K>(program: &Program<K>, device: &DeviceInfo, errors: &mut Vec<ProgramError>) {
    for cb in &program.cbs {
        on_shards(cb, device, errors);
    }
    transfers(program, device, errors);
}

/// A buffer on a tensor: the tensor lies in shards in the L1 of the buffer's cores, and the buffer fits a shard.
fn on_shards(cb: &CbDecl, device: &DeviceInfo, errors: &mut Vec<ProgramError>) {
    let Some(tensor) = &cb.tensor else { return };
    let problem = |message: String, help: &str| {
        ProgramError::new(ProblemKind::Tensor, message).at(cb.site, "declared here").help(help)
    };
    let (name, title) = (&cb.name, &tensor.name);
    if tensor.device != device.device {
        errors.push(problem(
            format!("circular buffer `{name}` lies on tensor `{title}`, which is on another device"),
            "make the tensor on the device that runs the program",
        ));
        return;
    }
    let MemoryConfig::Sharded(shards) = tensor.spec.memory() else {
        errors.push(
            problem(
                format!("circular buffer `{name}` lies on tensor `{title}`, which is not sharded in L1"),
                "give the tensor a `MemoryConfig::Sharded`, or use a buffer of its own and read the tensor into it",
            )
            .note(format!("the tensor is in {}", tensor.spec.memory())),
        );
        return;
    };
    let missing = cb.cores.difference(&shards.cores);
    if !missing.is_empty() {
        errors.push(
            problem(
                format!("circular buffer `{name}` is on {missing}, where tensor `{title}` has no shard"),
                "declare the buffer on cores of the tensor only",
            )
            .note(format!("the tensor's shards are on {}", shards.cores)),
        );
    }
    if cb.format != tensor.spec.format() {
        errors.push(problem(
            format!("circular buffer `{name}` holds {}, tensor `{title}` under it {}", cb.format, tensor.spec.format()),
            "declare the buffer with the element type of the tensor",
        ));
    }
    let size = u64::from(cb.pages) * u64::from(cb.page_size);
    // Shards that do not fit the chip are reported with the tensor.
    if let Ok(room) = tensor.spec.bytes_per_bank(&device.arch)
        && size > room
    {
        errors.push(
            problem(
                format!("circular buffer `{name}` has {size} bytes, a shard of tensor `{title}` under it {room}"),
                "use as many pages as a shard has, or fewer",
            )
            .note(format!("{} of {} bytes", count(cb.pages, "page"), cb.page_size)),
        );
    }
}

/// Whole pages are transferred with their alignment, so a page of the buffer must hold that much.
fn transfers<K>(program: &Program<K>, device: &DeviceInfo, errors: &mut Vec<ProgramError>) {
    for kernel in &program.kernels {
        for &(tensor_arg, cb_arg) in &kernel.transfers {
            let (Some(tensor_arg), Some(cb_arg)) = (kernel.args.get(tensor_arg), kernel.args.get(cb_arg)) else {
                continue;
            };
            let (ArgValue::Tensor { tensor, .. }, ArgValue::Cb { cb, .. }) = (&tensor_arg.value, &cb_arg.value) else {
                continue;
            };
            let Some(cb) = program.cb_of(*cb) else { continue };
            let page = tensor.spec.aligned_page_size(&device.arch);
            if page <= cb.page_size {
                continue;
            }
            errors.push(
                ProgramError::new(
                    ProblemKind::CbPages,
                    format!(
                        "kernel `{}` moves pages of tensor `{}` through circular buffer `{}`, whose pages are smaller",
                        kernel.name, tensor.name, cb.name
                    ),
                )
                .at(kernel.site, format!("`{}` and `{}`", tensor_arg.name, cb_arg.name))
                .at(cb.site, format!("pages of {} bytes", cb.page_size))
                .note(format!("a page of the tensor has {} bytes, with its alignment {page}", tensor.spec.page_size()))
                .help("declare the buffer with larger pages, `circular_buffer_of_rows` for rows"),
            );
        }
    }
}
