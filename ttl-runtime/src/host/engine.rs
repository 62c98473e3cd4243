//! From a checked program to the simulator's threads: natively, or through the generated C++.

use super::checked_program::CheckedProgram;
use super::error::Result;
use super::program::{Body, KernelCode};
use crate::arch::Arch;
use crate::codegen::Lines;
use crate::cpp::{self, CppKernel, CppSource, KernelKind};
use crate::program::{Checked, Processor};
use crate::rt::Args;
use crate::sim::{
    CbEnds, CbLaunch, Launch, Machine, PipeLaunch, RunOptions, RunReport, SemLaunch, TensorLaunch, ThreadLaunch,
};
use std::sync::Arc;

type Entry<'a> = Box<dyn Fn() + Sync + 'a>;

/// Runs the Rust bodies.
pub(super) fn run_native(machine: &mut Machine, program: &CheckedProgram, options: &RunOptions) -> Result<RunReport> {
    let checked = program.checked();
    let foreign = build_foreign(machine.arch(), program)?;
    let mut foreign = foreign.iter();
    let mut entries: Vec<Entry<'_>> = vec![];
    for (kernel, temps) in checked.kernels().iter().zip(program.temps.iter()) {
        let code = match &kernel.code {
            KernelCode::Rust(code) => code,
            KernelCode::Foreign(_) => {
                if let Some(built) = foreign.next() {
                    entries.push(Box::new(|| built.entry()()));
                }
                continue;
            }
        };
        entries.push(Box::new(move || {
            crate::device_api::fill_scalers(temps, code.site);
            let args =
                Args { layout: &kernel.layout, accessor_offsets: &kernel.accessor_offsets, arch: checked.arch() };
            (code.run)(&args);
            crate::device_api::drop_scalers(temps, code.site);
            crate::device_api::end_of_kernel();
        }));
    }
    let entries: Vec<&(dyn Fn() + Sync)> = entries.iter().map(|e| &**e).collect();
    Ok(machine.run(&launch(program, &entries), options)?)
}

/// Compiles the generated C++ for the host and runs it.
pub(super) fn run_cpp(machine: &mut Machine, program: &CheckedProgram, options: &RunOptions) -> Result<RunReport> {
    let kernels = build_cpp(machine.arch(), program)?;
    let entries: Vec<&(dyn Fn() + Sync)> = kernels.iter().map(|k| k.entry()).collect();
    Ok(machine.run(&launch(program, &entries), options)?)
}

pub(super) fn build_cpp(arch: &Arch, program: &CheckedProgram) -> Result<Vec<Arc<CppKernel>>> {
    let checked = program.checked();
    let sources: Vec<CppSource> = checked
        .kernels()
        .iter()
        .zip(program.prepared.iter())
        .zip(program.sources(Lines::Directives)?)
        .map(|((kernel, body), source)| {
            if let Body::Foreign(foreign) = body {
                return foreign.cpp_source(kernel, arch.kind, cb_formats(checked, &kernel.cores));
            }
            let kind = match kernel.role.noc() {
                Some(noc) => KernelKind::DataMovement { noc },
                None => KernelKind::Compute((*kernel.config).clone()),
            };
            CppSource {
                compile_args: kernel.compile_args.to_vec(),
                cb_formats: cb_formats(checked, &kernel.cores),
                ..CppSource::new(source.file_name, source.text, kind, arch.kind)
            }
        })
        .collect();
    Ok(cpp::build(&sources)?)
}

/// The foreign kernels alone, in their order: what a native run needs of C++.
pub(super) fn build_foreign(arch: &Arch, program: &CheckedProgram) -> Result<Vec<Arc<CppKernel>>> {
    let checked = program.checked();
    let sources: Vec<CppSource> = checked
        .kernels()
        .iter()
        .zip(program.prepared.iter())
        .filter_map(|(kernel, body)| match body {
            Body::Foreign(foreign) => Some(foreign.cpp_source(kernel, arch.kind, cb_formats(checked, &kernel.cores))),
            Body::Rust(_) => None,
        })
        .collect();
    if sources.is_empty() { Ok(vec![]) } else { Ok(cpp::build(&sources)?) }
}

fn cb_formats(
    checked: &Checked<KernelCode>,
    cores: &crate::cores::CoreSet,
) -> Vec<(u32, crate::tensor::format::DataFormat)> {
    checked.cbs().iter().filter(|cb| cb.cores.overlaps(cores)).map(|cb| (cb.id, cb.format)).collect()
}

fn launch<'a>(program: &CheckedProgram, entries: &[&'a (dyn Fn() + Sync)]) -> Launch<'a> {
    let checked = program.checked();
    let mut launch = Launch::default();
    let names = |of: &[usize]| of.iter().filter_map(|&k| checked.kernels().get(k)).map(|k| k.name.clone()).collect();
    for cb in checked.cbs() {
        let ends = CbEnds { producers: names(&cb.producers), consumers: names(&cb.consumers) };
        launch.cbs.extend(cb.cores.iter().map(|core| CbLaunch {
            core,
            id: cb.id,
            name: cb.name.clone(),
            addr: cb.address,
            page_size: cb.page_size,
            num_pages: cb.pages,
            format: cb.format,
            on_shard: cb.tensor.is_some(),
            ends: ends.clone(),
        }));
    }
    for s in checked.semaphores() {
        let of = |core| SemLaunch { core, id: s.id, name: s.name.clone(), addr: s.address, init: s.init };
        launch.semaphores.extend(s.cores.iter().map(of));
    }
    launch.pipes = (0..)
        .zip(checked.pipes())
        .filter_map(|(at, pipe)| {
            let (cb, ready) = (checked.buffer_of_pipe(at)?.id, checked.semaphore(pipe.ready)?.address);
            Some(PipeLaunch { name: pipe.name.clone(), senders: pipe.senders().iter().collect(), ready, cb })
        })
        .collect();
    launch.tensors = checked
        .tensors()
        .iter()
        .map(|t| TensorLaunch {
            name: t.name.clone(),
            dram: t.spec.memory().is_dram(),
            base: t.address,
            pages: t.spec.pages() as u64,
        })
        .collect();
    for ((kernel, temps), entry) in checked.kernels().iter().zip(program.temps.iter()).zip(entries) {
        for (i, core) in kernel.cores.iter().enumerate() {
            launch.threads.push(ThreadLaunch {
                core,
                processor: match kernel.role.processor() {
                    Processor::Brisc => crate::sim::Processor::Brisc,
                    Processor::Ncrisc => crate::sim::Processor::Ncrisc,
                    Processor::Compute => crate::sim::Processor::Compute,
                },
                noc: kernel.role.noc().unwrap_or(0),
                kernel: kernel.name.clone(),
                entry: *entry,
                runtime_args: kernel.runtime_args[i].clone(),
                common_args: kernel.common_args.clone(),
                compile_args: kernel.compile_args.clone(),
                config: kernel.config.clone(),
                temps: temps.clone(),
            });
        }
    }
    launch
}
