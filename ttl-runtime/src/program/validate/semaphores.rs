//! Ids and addresses of semaphores.

use super::super::checked::{CheckedSemaphore, semaphore_address};
use super::super::decl::{DeviceInfo, Program, SemId};
use super::super::error::{ProblemKind, ProgramError};

/// Ids by index, or `None` and errors. Semaphores on disjoint cores may share an id.
pub(super) fn assign_ids<K>(
    program: &Program<K>,
    device: &DeviceInfo,
    errors: &mut Vec<ProgramError>,
) -> Option<Vec<u32>> {
    let limit = device.arch.semaphores;
    let semaphores = &program.semaphores;
    let before = errors.len();
    let mut ids: Vec<Option<u32>> = semaphores.iter().map(|s| s.id).collect();
    for (i, s) in semaphores.iter().enumerate() {
        let Some(id) = s.id else { continue };
        if id >= limit {
            errors.push(
                ProgramError::new(
                    ProblemKind::Semaphore,
                    format!("semaphore `{}` has id {id}, the largest is {}", s.name, limit - 1),
                )
                .at(s.site, "declared here")
                .help("leave the id out; a free one is chosen"),
            );
        }
        for other in semaphores[..i].iter().filter(|o| o.id == Some(id)) {
            let both = s.cores.intersection(&other.cores);
            if !both.is_empty() {
                errors.push(
                    ProgramError::new(
                        ProblemKind::Semaphore,
                        format!("semaphores `{}` and `{}` both have id {id} on {both}", other.name, s.name),
                    )
                    .at(s.site, format!("`{}`", s.name))
                    .at(other.site, format!("`{}`", other.name))
                    .help("leave the ids out; free ones are chosen"),
                );
            }
        }
    }
    for i in 0..semaphores.len() {
        if ids[i].is_some() {
            continue;
        }
        let s = &semaphores[i];
        let taken =
            |id: u32| (0..semaphores.len()).any(|j| ids[j] == Some(id) && semaphores[j].cores.overlaps(&s.cores));
        ids[i] = (0..limit).find(|&id| !taken(id));
        if ids[i].is_none() {
            errors.push(
                ProgramError::new(
                    ProblemKind::Semaphore,
                    format!("no id is left for semaphore `{}` on {}", s.name, s.cores),
                )
                .at(s.site, "declared here")
                .note(format!("a core has {limit} semaphores; {}", users(program, &ids, i)))
                .help("use fewer semaphores, or one of them for several purposes; routes of one pipe share its two"),
            );
        }
    }
    (errors.len() == before).then(|| ids.into_iter().flatten().collect())
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
