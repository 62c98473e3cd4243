//! Ids and addresses of semaphores.

use super::super::checked::{CheckedSemaphore, semaphore_address};
use super::super::decl::{DeviceInfo, Program, SemId};
use super::super::error::{ProblemKind, ProgramError};
use super::ids::{Kind, Wanted};

/// Ids by index, or `None` and errors. Semaphores on disjoint cores may share an id.
pub(super) fn assign_ids<K>(
    program: &Program<K>,
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Option<Vec<u32>> {
    let wanted: Vec<Wanted<'_>> =
        program.semaphores.iter().map(|s| Wanted { name: &s.name, id: s.id, cores: &s.cores, site: s.site }).collect();
    let limit = device.arch.semaphores;
    let kind = Kind { what: "semaphore", problem: ProblemKind::Semaphore, limit, on: String::new() };
    kind.assign(&wanted, errors, |ids, i| {
        (
            format!("a core has {limit} semaphores; {}", users(program, ids, i)),
            "use fewer semaphores, or one of them for several purposes; routes of one pipe share its two",
        )
    })
}

/// Who has the semaphores of the core where none is left for number `i`.
fn users<K>(program: &Program<K>, ids: &[Option<u32>], i: usize) -> String {
    let semaphores = &program.semaphores;
    let on = |core, j: usize| j != i && ids[j].is_some() && semaphores[j].cores.contains(core);
    let taken = |core| (0..semaphores.len()).filter(|&j| on(core, j)).count();
    let Some(core) = semaphores[i].cores.iter().max_by_key(|&core| taken(core)) else { return String::new() };
    let names: Vec<String> =
        (0..semaphores.len()).filter(|&j| on(core, j)).map(|j| format!("`{}`", semaphores[j].name)).collect();
    format!("{core} has {}", names.join(", "))
}

pub(super) fn resolve<K>(program: &Program<K>, ids: &[u32], device: &DeviceInfo) -> Vec<CheckedSemaphore> {
    program
        .semaphores
        .iter()
        .zip(0u32..)
        .zip(ids)
        .map(|((s, index), &id)| CheckedSemaphore {
            semaphore: SemId { program: program.id, index },
            name: s.name.clone(),
            cores: s.cores.clone(),
            id,
            address: semaphore_address(&device.arch, id),
            init: s.init,
            site: s.site,
        })
        .collect()
}
