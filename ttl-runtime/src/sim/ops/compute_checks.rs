//! What tile operations check, and how their operands are unpacked.

use super::{FpuInit, SfpuInit, Step, Stop};
use crate::ops::TileCall;
use crate::sim::error::ErrorKind;
use crate::sim::launch::Processor;
use crate::sim::math;
use crate::sim::registers::{ComputeUnit, Configured, Phase};
use crate::sim::thread::Cx;
use crate::site::Site;

impl Cx<'_> {
    /// The compute unit of this thread; an error in other kernels.
    #[inline]
    pub(super) fn unit(&mut self, call: &str, site: Site) -> Step<&mut ComputeUnit> {
        if self.core.threads[self.me].processor != Processor::Compute || self.core.compute.is_none() {
            let error = self.error(ErrorKind::Role, format!("`{call}` in a data-movement kernel"), site);
            return Err(Stop::Fail(error.help("tile registers and tile maths belong to compute kernels")));
        }
        match &mut self.core.compute {
            Some(unit) => Ok(unit),
            None => unreachable!("checked above"),
        }
    }

    /// As `unit`, after `compute_kernel_hw_startup`.
    #[inline]
    pub(super) fn started(&mut self, call: &str, site: Site) -> Step<&mut ComputeUnit> {
        if self.unit(call, site)?.startup.is_none() {
            let message = format!("`{call}` before `compute_kernel_hw_startup`");
            let error = self.error(ErrorKind::Init, message, site);
            return Err(Stop::Fail(
                error.help("a compute kernel calls `compute_kernel_hw_startup` once, before anything else"),
            ));
        }
        self.unit(call, site)
    }

    /// The registers must be in the phase that the call needs.
    #[inline]
    pub(super) fn in_phase(&mut self, call: &str, phase: Phase, site: Site) -> Step<&mut ComputeUnit> {
        let now = self.started(call, site)?.phase;
        if now != phase {
            return Err(self.wrong_phase(call, now, site));
        }
        self.unit(call, site)
    }

    #[cold]
    fn wrong_phase(&mut self, call: &str, now: Phase, site: Site) -> Stop {
        let (state, next) = now.describe();
        let message = format!("`{call}` is not possible here: the tile registers are {state}");
        let error = self.error(ErrorKind::Registers, message, site);
        let before = self.core.compute.as_ref().map_or(Site::UNKNOWN, |u| u.phase_site);
        let error = if before == Site::UNKNOWN { error } else { error.label(before, format!("{state} since here")) };
        Stop::Fail(error.help(format!(
            "the order is acquire, tile operations, commit, wait, pack, release; the next of these calls must be `{next}`"
        )))
    }

    #[inline]
    pub(super) fn register(&mut self, call: &str, dst: u32, site: Site) -> Step<()> {
        let tiles = self.unit(call, site)?.tiles.len();
        if (dst as usize) < tiles { Ok(()) } else { Err(self.no_register(call, dst, tiles, site)) }
    }

    #[cold]
    fn no_register(&mut self, call: &str, dst: u32, tiles: usize, site: Site) -> Stop {
        let message = format!("`{call}`: tile register {dst} does not exist; this kernel has {tiles}");
        let error = self.error(ErrorKind::Registers, message, site);
        let (wide, full) =
            self.core.compute.as_ref().map_or((false, false), |u| (u.config.fp32_dest_acc, u.config.dst_full_sync));
        let numbers = format!(
            "32-bit registers (fp32_dest_acc): {wide}, full sync: {full}; 8 registers with neither, 32 bits halve, full sync doubles"
        );
        Stop::Fail(error.numbers(numbers).help("use fewer registers in a section; they count from 0"))
    }

    /// L1 address of a tile at the front of a circular buffer.
    #[inline]
    pub(super) fn front_tile(&mut self, call: &str, cb: u32, tile: u32, site: Site) -> Step<(usize, u32)> {
        let cb = self.cb(call, cb, site)?;
        self.consumer(call, cb, site)?;
        let c = &self.core.cbs.list[cb];
        if tile >= c.waited {
            let message = format!("`{call}` uses tile {tile} of {}, with {} waited for", c.title(), c.waited);
            let error = self.error(ErrorKind::CircularBuffer, message, site);
            return Err(Stop::Fail(error.help(format!("call `cb_wait_front({}, {})` before", c.id, tile + 1))));
        }
        if c.read_page + tile >= c.num_pages {
            return Err(self.tile_past_end(call, cb, c.read_page, tile, site));
        }
        self.tile_fits(call, cb, site)?;
        let c = &self.core.cbs.list[cb];
        Ok((cb, c.read_ptr() + tile * c.page_size))
    }

    /// L1 address of a page reserved at the back of a circular buffer.
    #[inline]
    pub(super) fn back_tile(&mut self, call: &str, cb: usize, tile: u32, site: Site) -> Step<u32> {
        self.producer(call, cb, site)?;
        let c = &self.core.cbs.list[cb];
        if tile >= c.reserved {
            let message = format!("`{call}` writes page {tile} of {}, with {} reserved", c.title(), c.reserved);
            let error = self.error(ErrorKind::CircularBuffer, message, site);
            return Err(Stop::Fail(error.help(format!("call `cb_reserve_back({}, {})` before", c.id, tile + 1))));
        }
        if c.write_page + tile >= c.num_pages {
            return Err(self.tile_past_end(call, cb, c.write_page, tile, site));
        }
        self.tile_fits(call, cb, site)?;
        let c = &self.core.cbs.list[cb];
        let addr = c.write_ptr() + tile * c.page_size;
        self.destroys_nothing(cb, addr, c.format.tile_bytes(), site)?;
        Ok(addr)
    }

    /// Blocks are waited for and reserved without a turn of the ring in them, so no kernel gets here.
    #[cold]
    pub(super) fn tile_past_end(&self, call: &str, cb: usize, page: u32, tile: u32, site: Site) -> Stop {
        let c = &self.core.cbs.list[cb];
        let message = format!("internal error: `{call}`: tile {tile} lies behind the end of {}", c.title());
        let error = self.error(ErrorKind::CircularBuffer, message, site);
        Stop::Fail(error.numbers(format!("the pointer is at page {page} of {}", c.num_pages)))
    }

    #[inline]
    fn tile_fits(&self, call: &str, cb: usize, site: Site) -> Step<()> {
        let c = &self.core.cbs.list[cb];
        if c.page_size >= c.format.tile_bytes() {
            return Ok(());
        }
        let message = format!(
            "`{call}`: pages of {} have {} bytes, a {} tile {}",
            c.title(),
            c.page_size,
            c.format,
            c.format.tile_bytes()
        );
        let error = self.error(ErrorKind::CircularBuffer, message, site);
        Err(Stop::Fail(error.help("give the buffer pages of a tile or more; compute kernels see whole tiles")))
    }

    /// A unit must be configured for the format of the buffer.
    #[inline]
    pub(super) fn format_is(
        &self,
        call: &str,
        unit: &str,
        configured: Configured,
        cb: usize,
        reconfig: &str,
        site: Site,
    ) -> Step<()> {
        let c = &self.core.cbs.list[cb];
        if configured.format == c.format {
            return Ok(());
        }
        let message =
            format!("`{call}`: {} is {}, but {unit} is configured for {}", c.title(), c.format, configured.format);
        let error = self.error(ErrorKind::Init, message, site).label(configured.site, "configured here");
        Err(Stop::Fail(error.help(format!("call `{reconfig}` for `{}` before", c.name))))
    }

    /// Tile registers must be wide enough for the format of the buffer.
    #[inline]
    pub(super) fn format_fits(&mut self, call: &str, cb: usize, site: Site) -> Step<()> {
        let format = self.core.cbs.list[cb].format;
        let wide = self.unit(call, site)?.math.fp32_dest;
        if format.fits_registers(wide) { Ok(()) } else { Err(self.too_narrow(call, cb, site)) }
    }

    #[cold]
    fn too_narrow(&self, call: &str, cb: usize, site: Site) -> Stop {
        let c = &self.core.cbs.list[cb];
        let message = format!("`{call}`: {} is {}, which 16-bit tile registers cannot hold", c.title(), c.format);
        let error = self.error(ErrorKind::Registers, message, site);
        Stop::Fail(error.help("set `fp32_dest_acc` in the kernel's `ComputeConfig`"))
    }

    /// The matrix unit computes with floats only.
    #[cold]
    fn no_integers(&self, call: &str, cb: usize, site: Site) -> Stop {
        let c = &self.core.cbs.list[cb];
        let message = format!("`{call}`: {} is {}, and the matrix unit computes with floats only", c.title(), c.format);
        let error = self.error(ErrorKind::Init, message, site);
        Stop::Fail(error.help("copy the tiles to registers and use an integer operation of the vector unit"))
    }

    /// The matrix unit's init must be the one of this operation. Operands may be other buffers of the same formats.
    #[inline]
    pub(super) fn fpu_is(&mut self, call: &str, want: FpuInit, site: Site) -> Step<()> {
        let Some((have, init_site)) = self.unit(call, site)?.fpu else {
            let error = self.error(ErrorKind::Init, format!("`{call}` without an init"), site);
            return Err(Stop::Fail(error.help(format!("call `{}` before", want.call()))));
        };
        if have == want || self.same_init(have, want) {
            self.unit(call, site)?.computed = true;
            return Ok(());
        }
        let what = if have.call() == want.call() {
            format!("`{call}`: the `{}` in force is for other operands", have.call())
        } else {
            format!("`{call}` needs `{}`, but `{}` is in force", want.call(), have.call())
        };
        let error = self.error(ErrorKind::Init, what, site).label(init_site, "the last init was here");
        Err(Stop::Fail(
            error
                .numbers(format!("in force: {have:?}; needed: {want:?}"))
                .help("each init replaces the one before; repeat it"),
        ))
    }

    /// The same operation and options; operands with the same formats.
    fn same_init(&self, have: FpuInit, want: FpuInit) -> bool {
        use FpuInit::*;
        let options = match (have, want) {
            (Copy { .. }, Copy { .. }) | (Mul { .. }, Mul { .. }) => true,
            (Add { acc: a, .. }, Add { acc: b, .. }) | (Sub { acc: a, .. }, Sub { acc: b, .. }) => a == b,
            (Matmul { transpose: a, .. }, Matmul { transpose: b, .. }) => a == b,
            (MatmulBlock { transpose: a, ct, rt, kt, .. }, MatmulBlock { transpose: b, ct: c, rt: r, kt: k, .. }) => {
                (a, ct, rt, kt) == (b, c, r, k)
            }
            (Reuse { op: a, dest: x, .. }, Reuse { op: b, dest: y, .. }) => (a, x) == (b, y),
            (Call { call: a, .. }, Call { call: b, .. }) => a == b,
            (Tilize { block: a, .. }, Tilize { block: b, .. }) => a == b,
            (Untilize { block: a, full: x, .. }, Untilize { block: b, full: y, .. }) => (a, x) == (b, y),
            _ => false,
        };
        let format = |id: Option<u32>| id.and_then(|id| self.core.cbs.find(id)).map(|cb| self.core.cbs.list[cb].format);
        let ((a, b), (x, y)) = (have.operands(), want.operands());
        options && format(a) == format(x) && format(b) == format(y)
    }

    #[inline]
    pub(super) fn sfpu_is(&mut self, call: &str, want: SfpuInit, site: Site) -> Step<()> {
        let unit = self.unit(call, site)?;
        if want != SfpuInit::Call(TileCall::Cumsum) {
            unit.running = None;
        }
        let have = unit.sfpu;
        match have {
            Some((have, _)) if have.serves(want) => Ok(()),
            Some((have, init_site)) => {
                let message = format!("`{call}` needs `{}`, but `{}` is in force", want.call(), have.call());
                let error = self.error(ErrorKind::Init, message, site).label(init_site, "the last init was here");
                Err(Stop::Fail(error.help("each init of the vector unit replaces the one before; repeat it")))
            }
            None => {
                let error = self.error(ErrorKind::Init, format!("`{call}` without an init"), site);
                Err(Stop::Fail(error.help(format!("call `{}` before", want.call()))))
            }
        }
    }

    /// Operations of 32-bit integers and some others move 32 bits, of which 16-bit registers make something else.
    #[inline]
    pub(super) fn register_width(&mut self, call: &str, needs_32_bits: bool, site: Site) -> Step<()> {
        if !needs_32_bits || self.unit(call, site)?.math.fp32_dest {
            return Ok(());
        }
        let error = self.error(ErrorKind::Registers, format!("`{call}` needs tile registers of 32 bits"), site);
        Err(Stop::Fail(error.help("set `fp32_dest_acc` in the compute configuration")))
    }

    /// The vector unit cannot read registers that nothing was written to.
    #[inline]
    pub(super) fn is_written(&mut self, call: &str, dst: u32, site: Site) -> Step<()> {
        let unit = self.unit(call, site)?;
        if unit.is_written(dst) {
            return Ok(());
        }
        let acquired = unit.phase_site;
        let message = format!("`{call}` reads tile register {dst}, which was not written since it was acquired");
        let error = self.error(ErrorKind::Registers, message, site).label(acquired, "acquired here");
        Err(Stop::Fail(error.help("the vector unit sees undefined values there; copy or compute a tile into it first")))
    }

    /// Everything about a matrix-unit operation with operands in SrcA and SrcB but the arithmetic: unpacks them.
    pub(super) fn fpu_operands(
        &mut self,
        call: &str,
        init: FpuInit,
        a: Option<(u32, u32)>,
        b: Option<(u32, u32)>,
        dst: u32,
        site: Site,
    ) -> Step<()> {
        self.in_phase(call, Phase::Acquired, site)?;
        self.register(call, dst, site)?;
        self.fpu_is(call, init, site)?;
        if let Some((cb, tile)) = a {
            self.unpack(call, cb, tile, true, site)?;
        }
        if let Some((cb, tile)) = b {
            self.unpack(call, cb, tile, false, site)?;
        }
        Ok(())
    }

    pub(super) fn unpack(&mut self, call: &str, cb: u32, tile: u32, to_a: bool, site: Site) -> Step<()> {
        let (cb, addr) = self.front_tile(call, cb, tile, site)?;
        let unit = self.unit(call, site)?;
        let configured = if to_a { unit.src_a } else { unit.src_b };
        let (name, reconfig) =
            if to_a { ("SrcA", "reconfig_data_format_srca") } else { ("SrcB", "reconfig_data_format_srcb") };
        self.format_is(call, name, configured, cb, reconfig, site)?;
        if self.core.cbs.list[cb].format.is_integer() {
            return Err(self.no_integers(call, cb, site));
        }
        let core = &mut *self.core;
        let format = core.cbs.list[cb].format;
        if let Some(unit) = &mut core.compute {
            let bytes = core.l1.bytes(addr, format.tile_bytes() as usize);
            let into = if to_a { &mut unit.a } else { &mut unit.b };
            math::unpack_src(&unit.math, format, bytes, into);
        }
        Ok(())
    }
}
