//! One simulated chip: its memories, the host's access to them, and running programs.

use std::collections::BTreeMap;
use std::fmt;

use super::cb::Cb;
use super::core::{CoreState, Spares};
use super::dice::Dice;
use super::error::{ErrorKind, SimError};
use super::launch::{Launch, RunOptions, RunReport, Schedule};
use super::memory::{AllL1, Dram, L1, L1View};
use super::noc::Endpoints;
use super::sched::{self, Shared};
use super::thread;
use super::timeline::Recorder;
use crate::arch::{Arch, Core};

/// One chip. Memory takes up room only where it was used; it keeps its contents from run to run.
pub struct Machine {
    arch: Arch,
    /// None before the first use.
    l1: Option<L1>,
    /// By core index: something may have been written to its L1.
    l1_used: Vec<bool>,
    dram: Dram,
    spares: Spares,
    /// Size of the spare stacks.
    stack_bytes: usize,
}

impl Machine {
    pub fn new(arch: Arch) -> Machine {
        Machine {
            arch,
            l1: None,
            l1_used: vec![false; arch.cores() as usize],
            dram: Dram::new(arch.dram_banks, arch.dram_bank_size),
            spares: Spares::default(),
            stack_bytes: 0,
        }
    }

    pub fn arch(&self) -> &Arch {
        &self.arch
    }

    pub fn write_dram(&mut self, bank: u32, addr: u64, bytes: &[u8]) -> Result<(), SimError> {
        self.check_dram(bank, addr, bytes.len())?;
        self.dram.write(bank, addr, bytes);
        Ok(())
    }

    pub fn read_dram(&self, bank: u32, addr: u64, out: &mut [u8]) -> Result<(), SimError> {
        self.check_dram(bank, addr, out.len())?;
        self.dram.read(bank, addr, out);
        Ok(())
    }

    pub fn write_l1(&mut self, core: Core, addr: u32, bytes: &[u8]) -> Result<(), SimError> {
        self.check_l1(core, addr, bytes.len())?;
        let index = self.arch.core_index(core);
        self.l1_used[index] = true;
        self.l1().view(index).bytes_mut(addr, bytes.len()).copy_from_slice(bytes);
        Ok(())
    }

    pub fn read_l1(&self, core: Core, addr: u32, out: &mut [u8]) -> Result<(), SimError> {
        self.check_l1(core, addr, out.len())?;
        let index = self.arch.core_index(core);
        match self.l1.as_ref().and_then(|l1| l1.bytes(index, addr as usize, out.len())) {
            Some(bytes) => out.copy_from_slice(bytes),
            None => out.fill(0),
        }
        Ok(())
    }

    /// The L1 of a core, if it was ever used.
    pub(super) fn l1_of(&self, core: Core) -> Option<&[u8]> {
        let index = self.arch.core_index(core);
        let l1 = self.l1.as_ref().filter(|_| self.l1_used[index])?;
        l1.bytes(index, 0, self.arch.l1_size as usize)
    }

    pub(super) fn dram_chunks(&self, bank: u32) -> usize {
        self.dram.chunks(bank)
    }

    pub(super) fn dram_chunk(&self, bank: u32, chunk: usize) -> (u64, Option<&[u8]>) {
        self.dram.chunk(bank, chunk)
    }

    /// Runs a program to its end. After an error the memories are as the failed run left them.
    pub fn run(&mut self, launch: &Launch<'_>, options: &RunOptions) -> Result<RunReport, SimError> {
        launch.check(&self.arch)?;
        thread::install_panic_hook();
        if self.stack_bytes != options.stack_bytes {
            self.spares.stacks.clear();
            self.stack_bytes = options.stack_bytes;
        }
        let shared = Shared {
            arch: self.arch,
            endpoints: Endpoints::new(&self.arch),
            low_regions: self.low_regions(launch),
            takes_part: self.takes_part(launch),
            tensors: launch.tensors.clone(),
            pipes: launch.pipes.clone(),
            options: options.clone(),
        };
        if let Some(progress) = &options.progress {
            progress.start(launch.threads.len());
        }
        let views: Vec<L1View> = (0..self.arch.cores() as usize).map(|i| self.l1().view(i)).collect();
        let cores = self.cores(launch, &views, options);
        let on = launch.threads.iter().map(|t| t.core).chain(launch.semaphores.iter().map(|s| s.core));
        on.for_each(|core| self.l1_used[self.arch.core_index(core)] = true);
        let l1 = AllL1 { views, used: &mut self.l1_used };
        sched::run(&shared, launch, cores, l1, &mut self.dram, &mut self.spares)
    }

    /// The cores that have threads, in order of their index.
    fn cores(&mut self, launch: &Launch<'_>, views: &[L1View], options: &RunOptions) -> Vec<CoreState> {
        let mut cores = BTreeMap::new();
        for t in &launch.threads {
            let index = self.arch.core_index(t.core);
            let mut dice = options.schedule.seed().map(|seed| Dice::new(seed, index as u64));
            let slowness = match (options.schedule, &mut dice) {
                (Schedule::Uneven(_), Some(dice)) => [1, 1, 1, 1, 1, 1, 1, 4, 16, 64][dice.below(10) as usize],
                _ => 1,
            };
            let core = cores.entry(index).or_insert_with(|| {
                let l1 = views[index].duplicate();
                let recorder = options.timeline.as_ref().map(|timeline| Box::new(Recorder::new(timeline)));
                CoreState { slowness, recorder, ..CoreState::new(t.core, index as u32, l1, dice, &mut self.spares) }
            });
            core.add_thread(t, self.arch.kind, options.numerics, &mut self.spares);
        }
        for cb in &launch.cbs {
            if let Some(core) = cores.get_mut(&self.arch.core_index(cb.core)) {
                core.cbs.add(Cb::new(cb));
            }
        }
        for sem in &launch.semaphores {
            let index = self.arch.core_index(sem.core);
            views[index].duplicate().set_word(sem.addr, sem.init);
            if let Some(core) = cores.get_mut(&index) {
                core.semaphores.push((sem.id, sem.addr, sem.name.clone()));
            }
        }
        cores.into_values().collect()
    }

    fn takes_part(&self, launch: &Launch<'_>) -> Vec<bool> {
        let mut on = vec![false; self.arch.cores() as usize];
        launch.threads.iter().for_each(|t| on[self.arch.core_index(t.core)] = true);
        on
    }

    fn low_regions(&self, launch: &Launch<'_>) -> Vec<Vec<(u32, u32)>> {
        let mut regions = vec![Vec::new(); self.arch.cores() as usize];
        for sem in launch.semaphores.iter().filter(|s| s.addr < self.arch.l1_base) {
            regions[self.arch.core_index(sem.core)].push((sem.addr, sem.addr + 4));
        }
        regions
    }

    fn l1(&mut self) -> &mut L1 {
        let arch = &self.arch;
        self.l1.get_or_insert_with(|| L1::new(arch.cores() as usize, arch.l1_size as usize))
    }

    fn check_dram(&self, bank: u32, addr: u64, len: usize) -> Result<(), SimError> {
        if self.dram.contains(bank, addr, len as u64) {
            return Ok(());
        }
        let message = format!("host access of {len} bytes at {addr:#x} of DRAM bank {bank}");
        let numbers =
            format!("{} has {} banks of {:#x} bytes", self.arch.name(), self.arch.dram_banks, self.arch.dram_bank_size);
        let help = "use the address of a tensor, and stay within its bytes";
        Err(SimError::new(ErrorKind::HostAccess, message).numbers(numbers).help(help))
    }

    fn check_l1(&self, core: Core, addr: u32, len: usize) -> Result<(), SimError> {
        if self.arch.contains(core) && (addr as usize).saturating_add(len) <= self.arch.l1_size as usize {
            return Ok(());
        }
        let message = format!("host access of {len} bytes at {addr:#x} of the L1 of {core}");
        let (x, y, size) = (self.arch.grid_x, self.arch.grid_y, self.arch.l1_size);
        Err(SimError::new(ErrorKind::HostAccess, message)
            .numbers(format!("{} has {x} x {y} cores with {size:#x} bytes of L1", self.arch.name()))
            .help("use the address of a tensor or buffer, and stay within its bytes"))
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Machine({})", self.arch.name())
    }
}
