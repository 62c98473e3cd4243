//! Cores against the grid of the device, and kernels against the processors of a core.

use crate::arch::Arch;
use crate::cores::CoreSet;
use crate::site::Site;

use super::super::decl::{DeviceInfo, Processor, Program, Role};
use super::super::error::{ProblemKind, ProgramError};

pub(super) fn check<K>(program: &Program<K>, device: &DeviceInfo, errors: &mut Vec<ProgramError>) {
    let arch = &device.arch;
    let things = program
        .cbs
        .iter()
        .map(|cb| (format!("circular buffer `{}`", cb.name), &cb.cores, cb.site))
        .chain(program.semaphores.iter().map(|s| (format!("semaphore `{}`", s.name), &s.cores, s.site)))
        .chain(program.kernels.iter().map(|k| (format!("kernel `{}`", k.name), &k.cores, k.site)));
    for (what, cores, site) in things {
        errors.extend(grid(&what, cores, site, arch));
    }
    for kernel in &program.kernels {
        if let Role::Dm { processor, noc } = kernel.role
            && (processor == Processor::Compute || noc > 1)
        {
            let message = format!("kernel `{}` cannot move data on {} with NoC {noc}", kernel.name, processor.name());
            errors.push(
                ProgramError::new(ProblemKind::BadProcessor, message)
                    .at(kernel.site, "put on its cores here")
                    .help("choose BRISC or NCRISC, and NoC 0 or 1"),
            );
        }
    }
    for (i, a) in program.kernels.iter().enumerate() {
        for b in &program.kernels[i + 1..] {
            let both = a.cores.intersection(&b.cores);
            if both.is_empty() {
                continue;
            }
            if a.role.processor() == b.role.processor() {
                errors.push(
                    ProgramError::new(
                        ProblemKind::SharedProcessor,
                        format!(
                            "kernels `{}` and `{}` both run on {} of {both}",
                            a.name,
                            b.name,
                            a.role.processor().name()
                        ),
                    )
                    .at(b.site, format!("`{}` ({})", b.name, b.role.name()))
                    .at(a.site, format!("`{}` ({})", a.name, a.role.name()))
                    .help(
                        "a core runs at most one reader, one writer and one compute kernel; use other cores or join the kernels",
                    ),
                );
            } else if let (Some(noc), Some(other)) = (a.role.noc(), b.role.noc())
                && noc == other
            {
                errors.push(
                    ProgramError::new(
                        ProblemKind::SharedNoc,
                        format!("kernels `{}` and `{}` both use NoC {noc} on {both}", a.name, b.name),
                    )
                    .at(b.site, format!("`{}`", b.name))
                    .at(a.site, format!("`{}`", a.name))
                    .help("give the two data-movement kernels of a core different NoCs"),
                );
            }
        }
    }
}

fn grid(what: &str, cores: &CoreSet, site: Site, arch: &Arch) -> Option<ProgramError> {
    if cores.is_empty() {
        return Some(
            ProgramError::new(ProblemKind::NoCores, format!("{what} has no cores"))
                .at(site, "declared here")
                .help("give it at least one core, or leave it out"),
        );
    }
    let outside: CoreSet = cores.iter().filter(|&c| !arch.contains(c)).collect();
    (!outside.is_empty()).then(|| {
        ProgramError::new(ProblemKind::OutsideGrid, format!("{what} is on {outside}, outside the grid of the device"))
            .at(site, "declared here")
            .note(format!(
                "{} has {} x {} cores: (0,0)-({},{})",
                arch.name(),
                arch.grid_x,
                arch.grid_y,
                arch.grid_x - 1,
                arch.grid_y - 1
            ))
            .help("take the grid from the device instead of fixing it")
    })
}
