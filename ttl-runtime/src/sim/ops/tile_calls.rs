//! Broadcasts, reductions and transpositions of the compute thread.

use super::native::{ensure_fpu, ensure_sfpu};
use super::{FpuInit, SfpuInit, Step, Stop, op};
use crate::ops::{Bcast, BinaryOp, Pool, ReduceDim, Relu, TileCall};
use crate::sim::error::ErrorKind;
use crate::sim::math::{self, Before, ReduceFormats};
use crate::sim::registers::Phase;
use crate::sim::thread::Cx;
use crate::site::Site;
use crate::tensor::format::DataFormat;

/// `reduce_uninit`: the packer writes whole tiles again. Harmless where no reduction was prepared, as after an `if` of whose branches only one reduces.
pub fn reduce_uninit(site: Site) {
    op(site, |cx| {
        cx.started("reduce_uninit", site)?.edge_mask = None;
        Ok(())
    });
}

/// Whether the packer adds to what is in L1 (`pack_reconfig_l1_acc`).
pub fn pack_reconfig_l1_acc(on: bool, site: Site) {
    op(site, |cx| {
        cx.started("pack_reconfig_l1_acc", site)?.l1_acc = on;
        Ok(())
    });
}

/// What the packer does to each value; the threshold in bf16 bits.
pub fn pack_relu_config(relu: Relu, threshold: u32, site: Site) {
    const CALL: &str = "pack_relu_config";
    op(site, |cx| {
        cx.started(CALL, site)?;
        let Ok(bits @ 0..0x8000) = u16::try_from(threshold) else {
            let message = format!("`{CALL}`: the threshold {threshold:#x} is no positive bf16 value");
            let error = cx.error(ErrorKind::Kernel, message, site);
            return Err(Stop::Fail(error.help("give the upper 16 bits of the f32 value: `threshold.to_bits() >> 16`")));
        };
        cx.unit(CALL, site)?.relu = (relu, bits);
        Ok(())
    });
}

/// A tile call on tiles `tiles` of buffers `cbs`, the init being in force. `row` is the row that a broadcast of rows repeats, and whether running sums
/// begin.
pub fn tile_call(call: TileCall, cbs: &[u32], tiles: &[u32], dst: u32, row: u32, site: Site) {
    op(site, |cx| cx.tile_call(call, [cbs, tiles], dst, row, site));
}

/// The same for native kernels: brings its init.
pub fn tile_call_auto(call: TileCall, cbs: &[u32], tiles: &[u32], dst: u32, row: u32, site: Site) {
    if call.on_vector_unit() {
        ensure_sfpu(SfpuInit::Call(call.prepared()), site);
    } else {
        ensure_fpu(FpuInit::tile_call(call, cbs), site);
    }
    tile_call(call, cbs, tiles, dst, row, site);
}

impl Cx<'_> {
    /// Whether there is more to packing than the format; an error if the format does not go with it.
    pub(super) fn packer_works_on(&mut self, call: &str, cb: usize, site: Site) -> Step<bool> {
        let unit = self.unit(call, site)?;
        let (adds, changes) = (unit.l1_acc, unit.relu.0 != Relu::None);
        let masks = unit.edge_mask.is_some();
        let c = &self.core.cbs.list[cb];
        let float = matches!(c.format, DataFormat::F32 | DataFormat::Bf16);
        if (adds || changes) && !float {
            let what = if adds { "adds to L1" } else { "applies ReLU" };
            let message = format!("`{call}`: {} is {}, and the packer {what}", c.title(), c.format);
            let error = self.error(ErrorKind::Kernel, message, site);
            return Err(Stop::Fail(error.help("that is possible for bf16 and f32 only")));
        }
        Ok(adds || changes || masks)
    }

    pub(super) fn pack_with_work(&mut self, dst: u32, cb: usize, addr: u32) {
        let core = &mut *self.core;
        let format = core.cbs.list[cb].format;
        let Some(unit) = &mut core.compute else { return };
        let mut tile = if unit.is_written(dst) { unit.tiles[dst as usize].clone() } else { math::Tile::ZERO };
        if let Some((dim, _)) = unit.edge_mask {
            math::mask(&unit.math, dim, &mut tile);
        }
        let mut packed = [0; 4096];
        let packed = &mut packed[..format.tile_bytes() as usize];
        math::pack(&unit.math, &tile, format, packed);
        let bytes = core.l1.bytes_mut(addr, packed.len());
        math::relu(&unit.math, unit.relu.0, unit.relu.1, format, packed);
        if !unit.l1_acc || !math::accumulate_l1(format, packed, bytes) {
            bytes.copy_from_slice(packed);
        }
    }

    fn tile_call(&mut self, call: TileCall, [cbs, tiles]: [&[u32]; 2], dst: u32, row: u32, site: Site) -> Step<()> {
        let name = call.name();
        if !call.exists() {
            return Err(self.fail(ErrorKind::Kernel, format!("internal error: there is no {call:?}"), site));
        }
        let operand = |at: usize| cbs.get(at).copied().zip(tiles.get(at).copied());
        match (call, operand(0), operand(1)) {
            (TileCall::Bcast(..), Some(a), Some(b)) => self.bcast_tiles(call, a, b, dst, row, site),
            (TileCall::Reduce(..), Some(data), Some(scaler)) => self.reduce_tile(call, data, scaler, dst, site),
            (TileCall::UnaryBcast(_), Some(tile), _) => self.unary_bcast(call, tile, dst, site),
            (TileCall::Transpose, Some(tile), _) => self.transpose_tile(tile, dst, site),
            (TileCall::CopyTransposed { faces, within }, Some((cb, tile)), _) => {
                self.copy_transposed(cb, tile, dst, faces, within, site)
            }
            (TileCall::TransposeDest, ..) => self.transpose_dest(dst, site),
            (TileCall::Cumsum, ..) => self.cumsum(dst, row != 0, site),
            (TileCall::SfpuReduce(..), ..) => self.sfpu_reduce(call, dst, site),
            _ => Err(self.fail(ErrorKind::Kernel, format!("internal error: `{name}` lacks an operand"), site)),
        }
    }

    fn bcast_tiles(
        &mut self,
        call: TileCall,
        a: (u32, u32),
        b: (u32, u32),
        dst: u32,
        row: u32,
        site: Site,
    ) -> Step<()> {
        let TileCall::Bcast(op, dim) = call else { return Ok(()) };
        let name = call.name();
        if row >= 32 {
            let error = self.error(ErrorKind::Kernel, format!("`{name}`: row {row} of a tile with 32 rows"), site);
            return Err(Stop::Fail(error.help("rows count from 0 to 31")));
        }
        self.fpu_operands(name, FpuInit::tile_call(call, &[a.0, b.0]), Some(a), Some(b), dst, site)?;
        let unit = self.unit(name, site)?;
        let mut repeated = math::Tile::ZERO;
        math::broadcast(dim, row as usize, &unit.b, &mut repeated);
        unit.begin(dst, op == BinaryOp::Mul);
        let tile = &mut unit.tiles[dst as usize];
        match op {
            BinaryOp::Add => math::add_tiles(&unit.math, &unit.a, &repeated, false, tile),
            BinaryOp::Sub => math::sub_tiles(&unit.math, &unit.a, &repeated, false, tile),
            _ => math::mul_tiles(&unit.math, &unit.a, &repeated, tile),
        }
        self.core.counters.fpu_tiles += 1;
        Ok(())
    }

    fn reduce_tile(&mut self, call: TileCall, data: (u32, u32), scaler: (u32, u32), dst: u32, site: Site) -> Step<()> {
        let TileCall::Reduce(pool, dim) = call else { return Ok(()) };
        let name = call.name();
        let swapped = call.sources().a == Some(1);
        let (a, b) = if swapped { (scaler, data) } else { (data, scaler) };
        self.fpu_operands(name, FpuInit::tile_call(call, &[data.0, scaler.0]), Some(a), Some(b), dst, site)?;
        let formats =
            ReduceFormats { data: self.cb_format(name, data.0, site)?, scaler: self.cb_format(name, scaler.0, site)? };
        if pool == Pool::Max {
            self.scaler_is_one(name, scaler, site)?;
        }
        let unit = self.unit(name, site)?;
        let before = Before {
            fresh: !unit.is_written(dst),
            scratch_fresh: !unit.is_written(dst) || unit.scratch_free & 1 << dst != 0,
        };
        let scratch_free = unit.scratch_free | u32::from(dim == ReduceDim::Scalar) << dst;
        unit.begin(dst, true);
        (unit.scratch_free, unit.reduced) = (scratch_free, unit.reduced | 1 << dst);
        let (data, scaler) = if swapped { (&unit.b, &unit.a) } else { (&unit.a, &unit.b) };
        math::reduce(&unit.math, pool, dim, formats, [data, scaler], before, &mut unit.tiles[dst as usize]);
        self.core.counters.fpu_tiles += 1;
        Ok(())
    }

    /// A maximum takes only the exponent of the scaler, and only for a scaler of one is it known what comes out.
    fn scaler_is_one(&mut self, name: &str, (cb, tile): (u32, u32), site: Site) -> Step<()> {
        let unit = self.unit(name, site)?;
        let wrong =
            unit.b.0.chunks_exact(256).flat_map(|face| &face[..16]).find(|v| v.to_bits() != 1f32.to_bits()).copied();
        let Some(wrong) = wrong else { return Ok(()) };
        let cb = self.cb(name, cb, site)?;
        let title = self.core.cbs.list[cb].title();
        let message = format!("`{name}`: the scaler of a maximum is {wrong} in tile {tile} of {title}, must be 1");
        let error = self.error(ErrorKind::Kernel, message, site);
        Err(Stop::Fail(error.help("row 0 of each of the four faces must be 1.0; scale before or after")))
    }

    /// A call that takes a tile from SrcA to a register may do so: the index of its buffer, and where the tile is.
    fn src_a_tile(&mut self, call: TileCall, cb: u32, tile: u32, dst: u32, site: Site) -> Step<(usize, u32)> {
        let name = call.name();
        self.in_phase(name, Phase::Acquired, site)?;
        self.register(name, dst, site)?;
        self.fpu_is(name, FpuInit::tile_call(call, &[cb]), site)?;
        let (index, addr) = self.front_tile(name, cb, tile, site)?;
        let src_a = self.unit(name, site)?.src_a;
        self.format_is(name, "SrcA", src_a, index, "reconfig_data_format_srca", site)?;
        Ok((index, addr))
    }

    fn unary_bcast(&mut self, call: TileCall, (cb, tile): (u32, u32), dst: u32, site: Site) -> Step<()> {
        let TileCall::UnaryBcast(dim) = call else { return Ok(()) };
        let name = call.name();
        let (index, addr) = self.src_a_tile(call, cb, tile, dst, site)?;
        self.unpack(name, cb, tile, false, site)?;
        let format = self.core.cbs.list[index].format;
        if dim == Bcast::Row && format != DataFormat::F32 && self.unit(name, site)?.math.fp32_dest {
            return Err(self.broken_row_broadcast(index, site));
        }
        let core = &mut *self.core;
        if let Some(unit) = &mut core.compute {
            unit.begin(dst, false);
            let register = &mut unit.tiles[dst as usize];
            if unit.math.fp32_dest && unit.config.unpack_to_dest_fp32.contains(&cb) {
                let mut whole = math::Tile::ZERO;
                math::unpack_to_dest_fp32(core.l1.bytes(addr, format.tile_bytes() as usize), &mut whole);
                math::broadcast(dim, 0, &whole, register);
            } else {
                math::unary_bcast(dim, &unit.b, register);
            }
        }
        core.counters.fpu_tiles += 1;
        Ok(())
    }

    /// The chip writes half of each 32-bit value only.
    #[cold]
    fn broken_row_broadcast(&self, cb: usize, site: Site) -> Stop {
        let c = &self.core.cbs.list[cb];
        let message = format!(
            "`unary_bcast<BroadcastType::ROW>` of {}, which is {}, into 32-bit tile registers gives wrong values on the chip",
            c.title(),
            c.format
        );
        let error = self.error(ErrorKind::Kernel, message, site);
        Stop::Fail(error.help(
            "use 16-bit registers (fp32_dest_acc: false), an f32 buffer, or `add_tiles_bcast_rows` with a tile of zeros",
        ))
    }

    fn transpose_tile(&mut self, (cb, tile): (u32, u32), dst: u32, site: Site) -> Step<()> {
        let call = TileCall::Transpose;
        self.moved(call, cb, tile, dst, site, |cfg, direct, format, bytes, register| {
            if direct {
                math::unpack_to_dest_fp32(bytes, register);
                math::transpose(true, true, register);
            } else {
                math::transpose_tile(cfg, format, bytes, true, true, register);
            }
        })
    }

    pub(super) fn copy_transposed(
        &mut self,
        cb: u32,
        tile: u32,
        dst: u32,
        faces: bool,
        within: bool,
        site: Site,
    ) -> Step<()> {
        let call = TileCall::CopyTransposed { faces, within };
        let unit = self.unit(call.name(), site)?;
        if within && unit.math.fp32_dest && unit.config.unpack_to_dest_fp32.contains(&cb) {
            let message =
                format!("`{}` transposes within faces past the source registers, which cannot be", call.name());
            let error = self.error(ErrorKind::Kernel, message, site);
            return Err(Stop::Fail(error.help("use `transpose_tile` for a buffer in mode `unpack_to_dest_fp32`")));
        }
        self.moved(call, cb, tile, dst, site, |cfg, direct, format, bytes, register| {
            if direct {
                math::unpack_to_dest_fp32(bytes, register);
                math::transpose(faces, within, register);
            } else {
                math::copy_transposed(cfg, format, bytes, faces, within, register);
            }
        })
    }

    /// A tile that goes through SrcA, or past it, to a register.
    fn moved(
        &mut self,
        call: TileCall,
        cb: u32,
        tile: u32,
        dst: u32,
        site: Site,
        run: impl Fn(&math::MathConfig, bool, DataFormat, &[u8], &mut math::Tile),
    ) -> Step<()> {
        let (index, addr) = self.src_a_tile(call, cb, tile, dst, site)?;
        let core = &mut *self.core;
        let format = core.cbs.list[index].format;
        if let Some(unit) = &mut core.compute {
            let bytes = core.l1.bytes(addr, format.tile_bytes() as usize);
            let direct = unit.math.fp32_dest && unit.config.unpack_to_dest_fp32.contains(&cb);
            unit.begin(dst, false);
            run(&unit.math, direct, format, bytes, &mut unit.tiles[dst as usize]);
        }
        core.counters.fpu_tiles += 1;
        Ok(())
    }

    fn transpose_dest(&mut self, dst: u32, site: Site) -> Step<()> {
        let call = TileCall::TransposeDest;
        let name = call.name();
        self.in_phase(name, Phase::Acquired, site)?;
        self.register(name, dst, site)?;
        self.fpu_is(name, FpuInit::tile_call(call, &[]), site)?;
        self.is_written(name, dst, site)?;
        let unit = self.unit(name, site)?;
        unit.begin(dst, false);
        math::transpose(true, true, &mut unit.tiles[dst as usize]);
        self.core.counters.fpu_tiles += 1;
        Ok(())
    }

    fn cb_format(&mut self, name: &str, cb: u32, site: Site) -> Step<DataFormat> {
        let cb = self.cb(name, cb, site)?;
        Ok(self.core.cbs.list[cb].format)
    }

    /// The packer gets another format only when it writes whole tiles: the library asserts that.
    #[inline]
    pub(super) fn edge_mask_is_undone(&mut self, name: &str, site: Site) -> Step<()> {
        let Some((dim, init)) = self.unit(name, site)?.edge_mask else { return Ok(()) };
        let message =
            format!("`{name}` while the packer is set up for a reduction and writes only {} of a tile", dim.kept());
        let error = self.error(ErrorKind::Init, message, site).label(init, "since this `reduce_init`");
        Err(Stop::Fail(error.help("call it before `reduce_init`, or `reduce_uninit` before it")))
    }

    /// A register without a reduction would lose all but a row or a column. (To set up the matrix unit for something else in between is no mistake:
    /// the library's own kernels copy a sum back into its register and go on.)
    #[inline]
    pub(super) fn edge_mask_is_meant(&mut self, name: &str, dst: u32, site: Site) -> Step<()> {
        let unit = self.unit(name, site)?;
        match unit.edge_mask {
            Some((dim, init)) if unit.reduced & 1 << dst == 0 => {
                Err(self.edge_mask_is_left(name, dst, dim, init, site))
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn edge_mask_is_left(&self, name: &str, dst: u32, dim: ReduceDim, init: Site, site: Site) -> Stop {
        let message = format!(
            "`{name}` packs tile register {dst}, which no reduction made, while the packer writes only {} of a tile",
            dim.kept()
        );
        let error = self.error(ErrorKind::Init, message, site).label(init, "since this `reduce_init`");
        Stop::Fail(error.help("call `reduce_uninit` after the last reduction"))
    }
}
