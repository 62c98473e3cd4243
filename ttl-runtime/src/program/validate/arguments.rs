//! Arguments: what a kernel may have, how many, and their words.

use crate::arch::Core;
use crate::cores::{CoreRange, CoreSet};
use crate::tensor::TensorRef;

use super::super::arg_layout::{ArgLayout, Slot};
use super::super::decl::{Arg, ArgValue, CoreValues, DeviceInfo, KernelDecl, Program, Role, SemDecl};
use super::super::error::{ProblemKind, ProgramError};
use super::super::foreign::{Accessors, CheckedForeign, ForeignArgs, Ids};
use super::buffers::foreign;
use super::count;

/// What the checks found out and the words need.
pub(super) struct Values {
    /// For each argument of a kernel: the accessor words of a tensor; the words of all cores of a per-core value.
    kernels: Vec<Vec<Vec<u32>>>,
}

/// The words of one kernel.
pub(super) struct Words {
    pub compile: Vec<u32>,
    pub accessor_offsets: Vec<u32>,
    pub common: Vec<u32>,
    pub runtime: Vec<Vec<u32>>,
    pub foreign: Option<CheckedForeign>,
}

pub(super) fn check<K>(
    program: &Program<K>,
    layouts: &[ArgLayout],
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Values {
    let mut kernels = Vec::with_capacity(program.kernels.len());
    for (kernel, layout) in program.kernels.iter().zip(layouts) {
        let words = kernel.args.iter().map(|arg| one_argument(program, kernel, arg, device, errors)).collect();
        kernels.push(words);
        let (unique, common) = match &kernel.foreign {
            Some(foreign) => {
                foreign.check(kernel, errors);
                foreign.runtime_words()
            }
            None => (layout.runtime_words(), layout.common_words()),
        };
        let limit = device.arch.max_runtime_args;
        if unique.saturating_add(common) > limit {
            errors.push(
                ProgramError::new(
                    ProblemKind::ArgumentCount,
                    format!(
                        "kernel `{}` has {} words of runtime arguments, the largest number is {limit}",
                        kernel.name,
                        u64::from(unique) + u64::from(common)
                    ),
                )
                .at(kernel.site, "")
                .note(format!("{unique} per core and {common} common ones"))
                .help("make constants compile-time arguments, or put large tables into a tensor"),
            );
        }
    }
    Values { kernels }
}

fn one_argument<K>(
    program: &Program<K>,
    kernel: &KernelDecl<K>,
    arg: &Arg,
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Vec<u32> {
    match &arg.value {
        ArgValue::Cb { cb, .. } => {
            if program.cb_of(*cb).is_none() {
                errors.push(foreign(kernel, "circular buffer"));
            }
        }
        ArgValue::Semaphore(semaphore) => {
            match program.semaphore_of(*semaphore) {
                None => errors.push(foreign(kernel, "semaphore")),
                Some(declared) => {
                    let missing = kernel.cores.difference(&declared.cores);
                    if !missing.is_empty() && kernel.role != Role::Compute {
                        errors.push(without_semaphore(kernel, declared, &missing));
                    }
                }
            }
            if kernel.role == Role::Compute {
                errors.push(not_in_compute(kernel, arg, "semaphore"));
            }
        }
        ArgValue::Tensor { tensor, element } => {
            if kernel.role == Role::Compute {
                errors.push(not_in_compute(kernel, arg, "tensor"));
            }
            return one_tensor(kernel, arg, tensor, *element, device, errors);
        }
        ArgValue::Core(of) => {
            return places(program, kernel, arg, |core| CoreRange::single(of.get(core)), device, errors);
        }
        ArgValue::CoreTable(cores) => return core_table(program, kernel, arg, cores, device, errors),
        ArgValue::CoreRange(of) => return places(program, kernel, arg, |core| of.get(core), device, errors),
        ArgValue::CommonCore(core) => {
            return places(program, kernel, arg, |_| CoreRange::single(*core), device, errors);
        }
        ArgValue::CommonCoreRange(range) => return places(program, kernel, arg, |_| *range, device, errors),
        ArgValue::PerCore { words, values } => {
            return core_values(kernel, arg, *words, values, errors);
        }
        ArgValue::CompileTime(_) | ArgValue::Common(_) | ArgValue::Table(_) => {}
    }
    Vec::new()
}

fn without_semaphore<K>(kernel: &KernelDecl<K>, semaphore: &SemDecl, missing: &CoreSet) -> ProgramError {
    ProgramError::new(
        ProblemKind::Semaphore,
        format!("kernel `{}` has semaphore `{}`, which is not on {missing}", kernel.name, semaphore.name),
    )
    .at(kernel.site, "given here")
    .at(semaphore.site, format!("`{}` is on {}", semaphore.name, semaphore.cores))
    .help("declare the semaphore on all cores that wait for it or signal with it")
}

/// The words of the cores that a kernel sends to: each must be one where the program runs, for others may be in use.
fn places<K>(
    program: &Program<K>,
    kernel: &KernelDecl<K>,
    arg: &Arg,
    of: impl Fn(Core) -> CoreRange,
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Vec<u32> {
    if kernel.role == Role::Compute {
        errors.push(not_in_compute(kernel, arg, "core"));
        return Vec::new();
    }
    let mut out = Vec::new();
    for core in kernel.cores.iter() {
        let range = of(core);
        let strange =
            range.iter().find(|&c| !device.arch.contains(c) || !program.kernels.iter().any(|k| k.cores.contains(c)));
        if let Some(strange) = strange {
            let why = if device.arch.contains(strange) { "no kernel of the program" } else { "no core of the device" };
            errors.push(
                ProgramError::new(
                    ProblemKind::CoreValues,
                    format!(
                        "argument `{}` of kernel `{}` is {range} on {core}: there is {why} on {strange}",
                        arg.name, kernel.name
                    ),
                )
                .at(kernel.site, "given here")
                .help("kernels may only send to cores on which the program runs"),
            );
            return Vec::new();
        }
        let (first, last) = (device.arch.virtual_core(range.first()), device.arch.virtual_core(range.last()));
        match (&arg.value, kernel.role.noc()) {
            (ArgValue::Core(_) | ArgValue::CommonCore(_), _) => out.extend([first.x, first.y]),
            // NoC 1 goes to the left and up.
            (_, Some(1)) => out.extend([last.x, last.y, first.x, first.y]),
            _ => out.extend([first.x, first.y, last.x, last.y]),
        }
        if matches!(arg.value, ArgValue::CommonCore(_) | ArgValue::CommonCoreRange(_)) {
            break;
        }
    }
    out
}

/// The words of cores that a kernel picks from: each must be one where the program runs.
fn core_table<K>(
    program: &Program<K>,
    kernel: &KernelDecl<K>,
    arg: &Arg,
    cores: &[Core],
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Vec<u32> {
    if kernel.role == Role::Compute {
        errors.push(not_in_compute(kernel, arg, "core"));
        return Vec::new();
    }
    let runs = |c: Core| device.arch.contains(c) && program.kernels.iter().any(|k| k.cores.contains(c));
    if let Some(strange) = cores.iter().position(|c| !runs(*c)) {
        let core = cores[strange];
        let why = if device.arch.contains(core) { "no kernel of the program" } else { "no core of the device" };
        let message = format!(
            "entry {strange} of argument `{}` of kernel `{}` is {core}: there is {why} on it",
            arg.name, kernel.name
        );
        errors.push(
            ProgramError::new(ProblemKind::CoreValues, message)
                .at(kernel.site, "given here")
                .help("kernels may only send to cores on which the program runs"),
        );
        return Vec::new();
    }
    cores.iter().map(|c| device.arch.virtual_core(*c)).map(|c| c.x | c.y << 8).collect()
}

fn not_in_compute<K>(kernel: &KernelDecl<K>, arg: &Arg, what: &str) -> ProgramError {
    ProgramError::new(
        ProblemKind::RoleArgument,
        format!("compute kernel `{}` has a {what} argument, `{}`", kernel.name, arg.name),
    )
    .at(kernel.site, "")
    .help("compute kernels see circular buffers and scalars only: let a reader or writer use it")
}

fn one_tensor<K>(
    kernel: &KernelDecl<K>,
    arg: &Arg,
    tensor: &TensorRef,
    element: Option<crate::tensor::DataFormat>,
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Vec<u32> {
    let format = tensor.spec.format();
    if let Some(element) = element
        && element != format
    {
        errors.push(
            ProgramError::new(
                ProblemKind::Format,
                format!(
                    "parameter `{}` of kernel `{}` is a tensor of {element}, tensor `{}` has {format}",
                    arg.name, kernel.name, tensor.name
                ),
            )
            .at(kernel.site, "given here")
            .help(format!("make the tensor with {element}, or change the parameter's type")),
        );
    }
    if tensor.device != device.device {
        errors.push(
            ProgramError::new(
                ProblemKind::OtherDevice,
                format!(
                    "tensor `{}`, argument `{}` of kernel `{}`, is on another device",
                    tensor.name, arg.name, kernel.name
                ),
            )
            .at(kernel.site, "given here")
            .note(format!("the tensor is on device {}, the program runs on device {}", tensor.device, device.device))
            .help("make the tensor on the device that runs the program"),
        );
        return Vec::new();
    }
    tensor.spec.accessor_words(&device.arch).unwrap_or_else(|e| {
        let text = e.to_string();
        let (note, help) = text.split_once("\n  = help: ").unwrap_or((&text, "put it where it fits, or into DRAM"));
        errors.push(
            ProgramError::new(
                ProblemKind::Tensor,
                format!(
                    "tensor `{}`, argument `{}` of kernel `{}`, cannot be on this device",
                    tensor.name, arg.name, kernel.name
                ),
            )
            .at(kernel.site, "given here")
            .note(note)
            .help(help),
        );
        Vec::new()
    })
}

fn core_values<K>(
    kernel: &KernelDecl<K>,
    arg: &Arg,
    words: u32,
    values: &CoreValues,
    errors: &mut Vec<ProgramError>,
) -> Vec<u32> {
    let problem = |message: String, help: &str| {
        ProgramError::new(ProblemKind::CoreValues, message).at(kernel.site, "given here").help(help)
    };
    match values {
        CoreValues::List(list) => {
            let need = kernel.cores.len().saturating_mul(words as usize);
            if list.len() != need {
                let each = if words == 1 { String::new() } else { format!(" of {} each", count(words, "word")) };
                errors.push(problem(
                    format!(
                        "argument `{}` of kernel `{}` has {} for {}{each}",
                        arg.name,
                        kernel.name,
                        count(list.len() as u64, "per-core word"),
                        count(kernel.cores.len() as u64, "core")
                    ),
                    "give one value for each core of the kernel, row by row",
                ));
            }
            list.clone()
        }
        CoreValues::Of(value) => {
            let mut out = Vec::new();
            for core in kernel.cores.iter() {
                let got = value(core);
                if got.len() != words as usize {
                    errors.push(problem(
                        format!(
                            "argument `{}` of kernel `{}` has {} on {core}, its parameter takes {words}",
                            arg.name,
                            kernel.name,
                            count(got.len() as u64, "word")
                        ),
                        "give as many words on every core",
                    ));
                    break;
                }
                out.extend(got);
            }
            out
        }
    }
}

/// The words of all kernels of a program without mistakes.
pub(super) fn resolve<K>(program: &Program<K>, layouts: &[ArgLayout], values: &Values, ids: &Ids<'_>) -> Vec<Words> {
    program
        .kernels
        .iter()
        .zip(layouts)
        .zip(&values.kernels)
        .map(|((kernel, layout), values)| match &kernel.foreign {
            Some(foreign) => foreign_words(kernel, foreign, values, ids),
            None => words(kernel, layout, values, ids.cb, ids.semaphore),
        })
        .collect()
}

fn foreign_words<K>(kernel: &KernelDecl<K>, foreign: &ForeignArgs, values: &[Vec<u32>], ids: &Ids<'_>) -> Words {
    let tensors = kernel.args.iter().zip(values).filter_map(|(arg, words)| match &arg.value {
        ArgValue::Tensor { tensor, .. } => Some((tensor.clone(), words.clone())),
        _ => None,
    });
    let words = foreign.resolve(kernel, ids, &Accessors(tensors.collect()));
    Words {
        compile: words.compile,
        accessor_offsets: words.accessor_offsets,
        common: words.common,
        runtime: words.runtime,
        foreign: Some(words.checked),
    }
}

fn words<K>(kernel: &KernelDecl<K>, layout: &ArgLayout, values: &[Vec<u32>], cb_ids: &[u32], sem_ids: &[u32]) -> Words {
    let mut compile = vec![0; layout.accessor_base() as usize];
    let mut common = vec![0; layout.common_words() as usize];
    let mut runtime = vec![vec![0; layout.runtime_words() as usize]; kernel.cores.len()];
    let mut accessors: Vec<&[u32]> = Vec::new();
    let put = |into: &mut [u32], at: u32, from: &[u32]| {
        into[at as usize..at as usize + from.len()].copy_from_slice(from);
    };
    for ((arg, slot), values) in kernel.args.iter().zip(layout.slots()).zip(values) {
        match (&arg.value, *slot) {
            (ArgValue::Cb { cb, .. }, Slot::Cb { compile: at }) => {
                put(&mut compile, at, &[cb_ids[cb.index as usize]]);
            }
            (ArgValue::Semaphore(s), Slot::Semaphore { compile: at }) => {
                put(&mut compile, at, &[sem_ids[s.index as usize]]);
            }
            (ArgValue::Tensor { tensor, .. }, Slot::Tensor { common: at, .. }) => {
                put(&mut common, at, &[tensor.address]);
                accessors.push(values);
            }
            (ArgValue::CompileTime(words), Slot::CompileTime { compile: at, .. }) => {
                put(&mut compile, at, words);
            }
            (
                ArgValue::CoreTable(_) | ArgValue::CommonCore(_) | ArgValue::CommonCoreRange(_),
                Slot::Common { common: at, .. },
            ) => put(&mut common, at, values),
            (ArgValue::Common(words), Slot::Common { common: at, .. }) => {
                put(&mut common, at, words);
            }
            (
                ArgValue::PerCore { .. } | ArgValue::Core(_) | ArgValue::CoreRange(_),
                Slot::PerCore { runtime: at, words },
            ) if words > 0 => {
                for (core, value) in runtime.iter_mut().zip(values.chunks(words as usize)) {
                    put(core, at, value);
                }
            }
            // The layout was made from these arguments.
            _ => {}
        }
    }
    let counts: Vec<usize> = accessors.iter().map(|words| words.len()).collect();
    let accessor_offsets = layout.accessor_offsets(&counts);
    compile.extend(accessors.into_iter().flatten());
    Words { compile, accessor_offsets, common, runtime, foreign: None }
}

/// Every tensor once: those of kernels in the order of first use, then those under buffers.
pub(super) fn tensors<K>(program: &Program<K>) -> Vec<TensorRef> {
    let of_kernels = program.kernels.iter().flat_map(|k| &k.args).filter_map(|arg| match &arg.value {
        ArgValue::Tensor { tensor, .. } => Some(tensor),
        _ => None,
    });
    let of_buffers = program.cbs.iter().filter_map(|cb| cb.tensor.as_ref());
    let mut out: Vec<TensorRef> = Vec::new();
    for tensor in of_kernels.chain(of_buffers) {
        if !out.iter().any(|t| t.id == tensor.id) {
            out.push(tensor.clone());
        }
    }
    out
}
