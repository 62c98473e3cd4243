//! Ids: what a declaration asks for, else the smallest that is free on its cores. Declarations on disjoint cores may share one.

use crate::cores::CoreSet;
use crate::site::Site;

use super::super::error::{ProblemKind, ProgramError};

/// A declaration that gets an id.
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    /// The one it asks for.
    pub(super) id: Option<u32>,
    pub(super) cores: &'a CoreSet,
    pub(super) site: Site,
}

/// What is numbered.
pub(super) struct Kind {
    pub(super) what: &'static str,
    pub(super) problem: ProblemKind,
    /// Ids of a core.
    pub(super) limit: u32,
    /// Where that is the limit: ` on Blackhole`, or nothing.
    pub(super) on: String,
}

impl Kind {
    /// Ids by index, or `None` and errors. `full` says why none is left for a declaration, and what to do, from the ids so far.
    pub(super) fn assign(
        &self,
        wanted: &[Wanted<'_>],
        errors: &mut Vec<ProgramError>,
        full: impl Fn(&[Option<u32>], usize) -> (String, &'static str),
    ) -> Option<Vec<u32>> {
        let before = errors.len();
        self.check(wanted, errors);
        let mut ids: Vec<Option<u32>> = wanted.iter().map(|w| w.id).collect();
        for (i, w) in wanted.iter().enumerate() {
            if ids[i].is_some() {
                continue;
            }
            let taken =
                |id: u32| ids.iter().zip(wanted).any(|(other, of)| *other == Some(id) && of.cores.overlaps(w.cores));
            ids[i] = (0..self.limit).find(|&id| !taken(id));
            if ids[i].is_none() {
                let (note, help) = full(&ids, i);
                let message = format!("no id is left for {} `{}` on {}", self.what, w.name, w.cores);
                errors.push(ProgramError::new(self.problem, message).at(w.site, "declared here").note(note).help(help));
            }
        }
        (errors.len() == before).then(|| ids.into_iter().flatten().collect())
    }

    /// Ids that are asked for exist, and no core has one twice.
    fn check(&self, wanted: &[Wanted<'_>], errors: &mut Vec<ProgramError>) {
        let what = self.what;
        let help = "leave the id out; a free one is chosen";
        for (i, w) in wanted.iter().enumerate() {
            let Some(id) = w.id else { continue };
            if id >= self.limit {
                let most = self.limit.saturating_sub(1);
                let message = format!("{what} `{}` has id {id}, the largest{} is {most}", w.name, self.on);
                errors.push(ProgramError::new(self.problem, message).at(w.site, "declared here").help(help));
            }
            for other in wanted[..i].iter().filter(|o| o.id == Some(id)) {
                let both = w.cores.intersection(other.cores);
                if !both.is_empty() {
                    let message = format!("{what}s `{}` and `{}` both have id {id} on {both}", other.name, w.name);
                    errors.push(
                        ProgramError::new(self.problem, message)
                            .at(w.site, format!("`{}`", w.name))
                            .at(other.site, format!("`{}`", other.name))
                            .help("leave the ids out; free ones are chosen"),
                    );
                }
            }
        }
    }
}
