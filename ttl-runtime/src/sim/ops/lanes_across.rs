//! Operations of the vector unit across the rows and columns of a register.

use super::{SfpuInit, Step, Stop};
use crate::ops::TileCall;
use crate::sim::error::ErrorKind;
use crate::sim::math;
use crate::sim::registers::Phase;
use crate::sim::thread::Cx;
use crate::site::Site;

impl Cx<'_> {
    /// Sums down the columns; those of another tile than the first go on from where the tile before ended.
    pub(super) fn cumsum(&mut self, dst: u32, first: bool, site: Site) -> Step<()> {
        let call = TileCall::Cumsum;
        self.register_in_place(call, dst, site)?;
        let unit = self.unit(call.name(), site)?;
        let running = if first { None } else { unit.running.take() };
        if !first && running.is_none() {
            let message = format!("`{}` goes on from a tile before it, and there is none", call.name());
            let error = self.error(ErrorKind::Registers, message, site);
            return Err(Stop::Fail(error.help(
                "the first tile of a column has `first` true; between the tiles of a column no other operation of the vector unit may run",
            )));
        }
        unit.running = Some(math::cumsum(&unit.math, running.as_ref(), &mut unit.tiles[dst as usize]));
        self.core.counters.sfpu_tiles += 1;
        Ok(())
    }

    pub(super) fn sfpu_reduce(&mut self, call: TileCall, dst: u32, site: Site) -> Step<()> {
        let TileCall::SfpuReduce(pool, dim) = call else { return Ok(()) };
        self.register_in_place(call, dst, site)?;
        let unit = self.unit(call.name(), site)?;
        math::sfpu_reduce(&unit.math, pool, dim, &mut unit.tiles[dst as usize]);
        self.core.counters.sfpu_tiles += 1;
        Ok(())
    }

    fn register_in_place(&mut self, call: TileCall, dst: u32, site: Site) -> Step<()> {
        let name = call.name();
        self.in_phase(name, Phase::Acquired, site)?;
        self.register(name, dst, site)?;
        self.sfpu_is(name, SfpuInit::Call(call.prepared()), site)?;
        self.is_written(name, dst, site)
    }
}
