//! Finds every mistake of a program, and resolves what is left open if there is none.
//!
//! [`cores`]: grids and processors; [`buffers`]: ends, pages, formats; [`ids`]; [`place`]: L1; [`semaphores`]; [`pipes`]; [`arguments`]: their kinds, counts and words.

mod arguments;
mod buffers;
mod cores;
mod ids;
mod pages;
mod pipes;
mod place;
mod semaphores;

use std::sync::Arc;

use super::arg_layout::ArgLayout;
use super::checked::{Checked, CheckedKernel};
use super::decl::{DeviceInfo, Program};
use super::error::{ProblemKind, ProgramError, ProgramErrors};
use super::foreign::Ids;

impl<K> Program<K> {
    /// Checks the whole program against a device. All mistakes are reported together.
    pub fn validate(self, device: &DeviceInfo) -> Result<Checked<K>, ProgramErrors> {
        let mut errors = Vec::new();
        if self.kernels.is_empty() {
            let error = ProgramError::new(ProblemKind::NoKernel, "the program has no kernel");
            errors.push(error.help("add at least one kernel"));
        }
        cores::check(&self, device, &mut errors);
        buffers::check(&self, device, &mut errors);
        pages::check(&self, device, &mut errors);
        pipes::check(&self, &mut errors);
        let cb_ids = buffers::assign_ids(&self, device, &mut errors);
        let sem_ids = semaphores::assign_ids(&self, device, &mut errors);
        let layouts: Vec<ArgLayout> = self.kernels.iter().map(|kernel| kernel.layout()).collect();
        let values = arguments::check(&self, &layouts, device, &mut errors);
        if let (Some(cb_ids), Some(sem_ids), true) = (cb_ids, sem_ids, errors.is_empty()) {
            match place::place(&self, &cb_ids, device) {
                Ok((cbs, l1)) => {
                    let semaphores = semaphores::resolve(&self, &sem_ids, device);
                    let ids = Ids { cb: &cb_ids, semaphore: &sem_ids, arch: &device.arch };
                    let words = arguments::resolve(&self, &layouts, &values, &ids);
                    let tensors = arguments::tensors(&self);
                    let kernels = self
                        .kernels
                        .into_iter()
                        .zip(layouts)
                        .zip(words)
                        .map(|((kernel, layout), words)| {
                            let mut config = kernel.config;
                            config.unpack_to_dest_fp32 =
                                kernel.unpack_to_dest_fp32.iter().map(|cb| cb_ids[cb.index as usize]).collect();
                            CheckedKernel {
                                name: kernel.name,
                                role: kernel.role,
                                cores: kernel.cores,
                                config: Arc::new(config),
                                args: kernel.args,
                                layout,
                                foreign: words.foreign,
                                compile_args: words.compile.into(),
                                accessor_offsets: words.accessor_offsets,
                                common_args: words.common.into(),
                                runtime_args: words.runtime,
                                site: kernel.site,
                                code: kernel.code,
                            }
                        })
                        .collect();
                    return Ok(Checked {
                        name: self.name,
                        arch: device.arch,
                        device: device.device,
                        cbs,
                        semaphores,
                        pipes: self.pipes,
                        kernels,
                        tensors,
                        l1,
                    });
                }
                Err(error) => errors.push(error),
            }
        }
        Err(ProgramErrors { program: self.name, errors })
    }
}

/// `1 page`, `2 pages`.
fn count(n: impl Into<u64>, one: &str) -> String {
    let n = n.into();
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
