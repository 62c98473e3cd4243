//! Tile operations of the compute thread, with the checks of inits, formats and the register protocol.
//!
//! Where the chip would silently compute garbage (an init of another operation in force, a format that nobody configured, a
//! register that was not acquired), these calls are errors.

use super::{FpuInit, SfpuInit, SrcOrder, Stop, op};
use crate::ops::{BinaryOp, MAX_WORDS, TernaryOp, TileCall, UnaryOp};
use crate::sim::error::ErrorKind;
use crate::sim::math::{self, MathConfig, MatmulIn0, ReuseDest};
use crate::sim::registers::{Configured, Phase};
use crate::site::Site;
use crate::tensor::format::DataFormat;

/// `compute_kernel_hw_startup`: configures the formats; once, before everything else.
pub fn hw_startup(order: SrcOrder, in0: u32, in1: u32, out: u32, site: Site) {
    const CALL: &str = "compute_kernel_hw_startup";
    op(site, |cx| {
        if let Some(first) = cx.unit(CALL, site)?.startup {
            let error = cx
                .error(ErrorKind::Init, format!("a second call of `{CALL}`"), site)
                .label(first, "the first was here");
            return Err(Stop::Fail(
                error.help("it must be called exactly once; use `reconfig_data_format` to change formats"),
            ));
        }
        let mut formats = [in0, in1, out];
        for f in &mut formats {
            *f = cx.cb(CALL, *f, site)? as u32;
        }
        let [in0, in1, out] = formats.map(|cb| Configured { format: cx.core.cbs.list[cb as usize].format, site });
        let unit = cx.unit(CALL, site)?;
        (unit.src_a, unit.src_b) = if order == SrcOrder::Regular { (in0, in1) } else { (in1, in0) };
        unit.packer = out;
        unit.startup = Some(site);
        Ok(())
    });
}

/// Prepares the unpackers and the matrix unit for an operation.
pub fn fpu_init(init: FpuInit, site: Site) {
    op(site, |cx| {
        cx.started(init.call(), site)?;
        let (a, b) = init.operands();
        for cb in a.into_iter().chain(b) {
            cx.cb(init.call(), cb, site)?;
        }
        if let FpuInit::MatmulBlock { ct, rt, kt, .. } = init
            && (ct == 0 || rt == 0 || kt == 0)
        {
            let message = format!("`matmul_block_init` of a block of {rt} x {ct} tiles with kt {kt} is empty");
            let error = cx.error(ErrorKind::Init, message, site);
            return Err(Stop::Fail(error.help("use sizes of at least 1")));
        }
        let unit = cx.unit(init.call(), site)?;
        unit.fpu = Some((init, site));
        if let FpuInit::Call { call: TileCall::Reduce(_, dim), .. } = init {
            unit.edge_mask = Some((dim, site));
        }
        Ok(())
    });
}

/// Prepares the vector unit for an operation.
pub fn sfpu_init(init: SfpuInit, site: Site) {
    op(site, |cx| {
        let unit = cx.started(init.call(), site)?;
        unit.sfpu = Some((init, site));
        if let SfpuInit::Unary(op, words) = init
            && op.row().random
        {
            unit.generator = math::Generator::seeded(math::seed_of(op, words[0]));
        }
        Ok(())
    });
}

/// Sets the formats of SrcA and SrcB to those of circular buffers.
pub fn reconfig_data_format(srca: Option<u32>, srcb: Option<u32>, site: Site) {
    const CALL: &str = "reconfig_data_format";
    op(site, |cx| {
        cx.started(CALL, site)?;
        let mut configured = [srca, srcb].map(|_| None);
        for (slot, cb) in configured.iter_mut().zip([srca, srcb]) {
            if let Some(cb) = cb {
                let cb = cx.cb(CALL, cb, site)?;
                *slot = Some(Configured { format: cx.core.cbs.list[cb].format, site });
            }
        }
        let unit = cx.unit(CALL, site)?;
        unit.src_a = configured[0].unwrap_or(unit.src_a);
        unit.src_b = configured[1].unwrap_or(unit.src_b);
        Ok(())
    });
}

/// Sets the format of the packer to that of a circular buffer.
pub fn pack_reconfig_data_format(cb: u32, site: Site) {
    const CALL: &str = "pack_reconfig_data_format";
    op(site, |cx| {
        cx.started(CALL, site)?;
        cx.edge_mask_is_undone(CALL, site)?;
        let cb = cx.cb(CALL, cb, site)?;
        let format = cx.core.cbs.list[cb].format;
        let unit = cx.unit(CALL, site)?;
        unit.packer = Configured { format, site };
        Ok(())
    });
}

fn step(call: &str, from: Phase, to: Phase, site: Site) {
    op(site, |cx| {
        let unit = cx.in_phase(call, from, site)?;
        unit.phase = to;
        unit.phase_site = site;
        if to == Phase::Free {
            unit.written = 0;
        }
        if to == Phase::Acquired {
            (unit.computed, unit.reduced) = (false, 0);
        }
        Ok(())
    });
}

/// Takes a section of tile registers for the math side.
pub fn tile_regs_acquire(site: Site) {
    step("tile_regs_acquire", Phase::Free, Phase::Acquired, site);
}

/// Hands the section to the packer.
pub fn tile_regs_commit(site: Site) {
    step("tile_regs_commit", Phase::Acquired, Phase::Committed, site);
}

/// The packer waits for the section.
pub fn tile_regs_wait(site: Site) {
    step("tile_regs_wait", Phase::Committed, Phase::Packing, site);
}

/// Gives the section back; its contents are gone.
pub fn tile_regs_release(site: Site) {
    step("tile_regs_release", Phase::Packing, Phase::Free, site);
}

/// Copies a tile to a register.
pub fn copy_tile(cb: u32, it: u32, dst: u32, site: Site) {
    const CALL: &str = "copy_tile";
    op(site, |cx| {
        cx.in_phase(CALL, Phase::Acquired, site)?;
        cx.register(CALL, dst, site)?;
        if let Some((FpuInit::Call { call: TileCall::CopyTransposed { faces, within }, .. }, _)) =
            cx.unit(CALL, site)?.fpu
        {
            return cx.copy_transposed(cb, it, dst, faces, within, site);
        }
        cx.fpu_is(CALL, FpuInit::Copy { cb }, site)?;
        let (index, addr) = cx.front_tile(CALL, cb, it, site)?;
        let unit = cx.unit(CALL, site)?;
        let (src_a, wide) = (unit.src_a, unit.math.fp32_dest);
        cx.format_is(CALL, "SrcA", src_a, index, "reconfig_data_format_srca", site)?;
        cx.format_fits(CALL, index, site)?;
        let core = &mut *cx.core;
        let format = core.cbs.list[index].format;
        if let Some(unit) = &mut core.compute {
            let bytes = core.l1.bytes(addr, format.tile_bytes() as usize);
            unit.begin(dst, false);
            let tile = &mut unit.tiles[dst as usize];
            let direct = format == DataFormat::F32 && wide && unit.config.unpack_to_dest_fp32.contains(&cb);
            if direct {
                math::unpack_to_dest_fp32(bytes, tile);
            } else {
                math::copy_tile(&unit.math, format, bytes, tile);
            }
        }
        core.counters.fpu_tiles += 1;
        Ok(())
    });
}

#[allow(clippy::too_many_arguments)]
fn binary(call: &'static str, kind: BinaryOp, a: u32, b: u32, ia: u32, ib: u32, dst: u32, site: Site) {
    op(site, |cx| {
        let in_force = cx.unit(call, site)?.fpu.map(|f| f.0);
        // The accumulate flag is the init's; the call itself does not know it.
        let acc = match (kind, in_force) {
            (BinaryOp::Add, Some(FpuInit::Add { acc, .. })) | (BinaryOp::Sub, Some(FpuInit::Sub { acc, .. })) => acc,
            _ => false,
        };
        let want = match kind {
            BinaryOp::Add => FpuInit::Add { a, b, acc },
            BinaryOp::Sub => FpuInit::Sub { a, b, acc },
            _ => FpuInit::Mul { a, b },
        };
        cx.fpu_operands(call, want, Some((a, ia)), Some((b, ib)), dst, site)?;
        let unit = cx.unit(call, site)?;
        unit.begin(dst, acc || kind == BinaryOp::Mul);
        let tile = &mut unit.tiles[dst as usize];
        match kind {
            BinaryOp::Add => math::add_tiles(&unit.math, &unit.a, &unit.b, acc, tile),
            BinaryOp::Sub => math::sub_tiles(&unit.math, &unit.a, &unit.b, acc, tile),
            _ => math::mul_tiles(&unit.math, &unit.a, &unit.b, tile),
        }
        cx.core.counters.fpu_tiles += 1;
        Ok(())
    });
}

pub fn add_tiles(a: u32, b: u32, ia: u32, ib: u32, dst: u32, site: Site) {
    binary("add_tiles", BinaryOp::Add, a, b, ia, ib, dst, site);
}

pub fn sub_tiles(a: u32, b: u32, ia: u32, ib: u32, dst: u32, site: Site) {
    binary("sub_tiles", BinaryOp::Sub, a, b, ia, ib, dst, site);
}

/// Adds the product to the register.
pub fn mul_tiles(a: u32, b: u32, ia: u32, ib: u32, dst: u32, site: Site) {
    binary("mul_tiles", BinaryOp::Mul, a, b, ia, ib, dst, site);
}

/// Adds the matrix product of two tiles to the register.
pub fn matmul_tiles(in0: u32, in1: u32, i0: u32, i1: u32, dst: u32, site: Site) {
    const CALL: &str = "matmul_tiles";
    op(site, |cx| {
        let transpose = matches!(cx.unit(CALL, site)?.fpu, Some((FpuInit::Matmul { transpose: true, .. }, _)));
        let init = FpuInit::Matmul { in0, in1, transpose };
        cx.fpu_operands(CALL, init, Some((in1, i1)), Some((in0, i0)), dst, site)?;
        let unit = cx.unit(CALL, site)?;
        unit.begin(dst, true);
        if unit.in0.is_empty() {
            unit.in0.push(MatmulIn0::new());
        }
        unit.in0[0].set(&unit.math, &unit.b);
        unit.in1.set(&unit.math, &unit.a, transpose);
        math::matmul_step(&unit.math, &unit.in0[0], &unit.in1, &mut unit.tiles[dst as usize]);
        cx.core.counters.fpu_tiles += 1;
        Ok(())
    });
}

/// One step along K of a block of `rt` x `ct` registers, row-major from `dst`: `dst[r][c] += in0[i0 + r * kt] . in1[i1 + c]`.
#[allow(clippy::too_many_arguments)]
pub fn matmul_block(
    in0: u32,
    in1: u32,
    i0: u32,
    i1: u32,
    dst: u32,
    transpose: bool,
    ct: u32,
    rt: u32,
    kt: u32,
    site: Site,
) {
    const CALL: &str = "matmul_block";
    op(site, |cx| {
        cx.in_phase(CALL, Phase::Acquired, site)?;
        cx.fpu_is(CALL, FpuInit::MatmulBlock { in0, in1, transpose, ct, rt, kt }, site)?;
        // The init has refused empty blocks, and the registers bound the block before anything is computed.
        let last = u64::from(dst) + u64::from(rt) * u64::from(ct) - 1;
        cx.register(CALL, u32::try_from(last).unwrap_or(u32::MAX), site)?;
        for r in 0..rt as usize {
            let tile = u64::from(i0) + r as u64 * u64::from(kt);
            cx.unpack(CALL, in0, u32::try_from(tile).unwrap_or(u32::MAX), false, site)?;
            let unit = cx.unit(CALL, site)?;
            if unit.in0.len() == r {
                unit.in0.push(MatmulIn0::new());
            }
            unit.in0[r].set(&unit.math, &unit.b);
        }
        // Check every operand first: nothing may have changed when an operation fails or is repeated.
        for c in 0..ct {
            cx.front_tile(CALL, in1, i1.saturating_add(c), site)?;
        }
        for c in 0..ct {
            cx.unpack(CALL, in1, i1 + c, true, site)?;
            let unit = cx.unit(CALL, site)?;
            unit.in1.set(&unit.math, &unit.a, transpose);
            for r in 0..rt {
                let out = dst + r * ct + c;
                unit.begin(out, true);
                math::matmul_step(&unit.math, &unit.in0[r as usize], &unit.in1, &mut unit.tiles[out as usize]);
            }
        }
        cx.core.counters.fpu_tiles += u64::from(rt * ct);
        Ok(())
    });
}

/// Combines the register with a tile, the register being one operand of the matrix unit.
pub fn reuse_dest_tiles(kind: BinaryOp, dest: ReuseDest, cb: u32, it: u32, dst: u32, site: Site) {
    let call = kind.fpu().reuse_call;
    op(site, |cx| {
        let init = FpuInit::Reuse { op: kind, cb, dest };
        let operand = Some((cb, it));
        let (a, b) = if dest == ReuseDest::DestToSrcA { (None, operand) } else { (operand, None) };
        cx.fpu_operands(call, init, a, b, dst, site)?;
        let format = cx.core.cbs.list[cx.cb(call, cb, site)?].format;
        let unit = cx.unit(call, site)?;
        unit.begin(dst, true);
        let operand = if dest == ReuseDest::DestToSrcA { &unit.b } else { &unit.a };
        math::reuse_dest(&unit.math, kind, dest, format, operand, &mut unit.tiles[dst as usize]);
        cx.core.counters.fpu_tiles += 1;
        Ok(())
    });
}

/// An operation of the vector unit on a register, in place. `words` are those of the call itself. The library's polynomials are those of the generated C++:
/// the long ones with 32-bit registers.
pub fn sfpu_unary(kind: UnaryOp, dst: u32, words: [u32; MAX_WORDS], site: Site) {
    unary(kind, None, dst, words, site);
}

/// The same with the polynomials of a kernel that defines `INP_FLOAT32`, or does not.
pub fn sfpu_unary_by(kind: UnaryOp, long_polynomials: bool, dst: u32, words: [u32; MAX_WORDS], site: Site) {
    unary(kind, Some(long_polynomials), dst, words, site);
}

fn unary(kind: UnaryOp, long: Option<bool>, dst: u32, words: [u32; MAX_WORDS], site: Site) {
    let call = kind.row().call;
    op(site, |cx| {
        cx.in_phase(call, Phase::Acquired, site)?;
        cx.register(call, dst, site)?;
        cx.sfpu_is(call, SfpuInit::unary(kind, &[]), site)?;
        cx.register_width(call, kind.row().needs_32_bits(), site)?;
        if !kind.row().creates {
            cx.is_written(call, dst, site)?;
        }
        let unit = cx.unit(call, site)?;
        let mut all = words;
        if kind.row().init_words > 0
            && let Some((SfpuInit::Unary(_, init), _)) = unit.sfpu
        {
            all = init;
            all[kind.row().init_words..].copy_from_slice(&words[..MAX_WORDS - kind.row().init_words]);
        }
        let math = MathConfig { long: long.unwrap_or(unit.math.fp32_dest), ..unit.math };
        let tile = &mut unit.tiles[dst as usize];
        match kind.row().random {
            true => math::sfpu_random(&math, kind, &mut unit.generator, &all, tile),
            false => math::sfpu_unary(&math, kind, &all, tile),
        }
        unit.begin_of(dst, if kind.row().creates { &[] } else { std::slice::from_ref(&dst) });
        cx.core.counters.sfpu_tiles += 1;
        Ok(())
    });
}

/// An operation of the vector unit on two registers; `out` may be one of them. `words` are those of the call itself.
pub fn sfpu_binary(kind: BinaryOp, [d0, d1]: [u32; 2], out: u32, words: [u32; MAX_WORDS], site: Site) {
    let call = kind.row().call;
    op(site, |cx| {
        cx.in_phase(call, Phase::Acquired, site)?;
        for dst in [d0, d1, out] {
            cx.register(call, dst, site)?;
        }
        let kind = match cx.unit(call, site)?.sfpu {
            Some((SfpuInit::Binary(have, _), _)) if have != kind.prepared() => kind.after_init(have),
            _ => kind,
        };
        cx.sfpu_is(call, SfpuInit::binary(kind, &[]), site)?;
        cx.register_width(call, kind.row().needs_32_bits(), site)?;
        if kind.row().adjacent && (d1 != d0 + 1 || out != d0) {
            let message =
                format!("`{call}` of tile registers {d0} and {d1}: the second must be the one after the first");
            let error = cx.error(ErrorKind::Registers, message, site);
            return Err(Stop::Fail(error.help("the chip ignores the second index and takes the next register")));
        }
        cx.is_written(call, d0, site)?;
        cx.is_written(call, d1, site)?;
        let unit = cx.unit(call, site)?;
        let mut all = words;
        if kind.row().init_words > 0
            && let Some((SfpuInit::Binary(_, init), _)) = unit.sfpu
        {
            all = init;
            all[kind.row().init_words..].copy_from_slice(&words[..MAX_WORDS - kind.row().init_words]);
        }
        math::sfpu_binary(&unit.math, kind, &all, &mut unit.tiles, [d0 as usize, d1 as usize], out as usize);
        unit.begin_of(out, &[d0, d1]);
        cx.core.counters.sfpu_tiles += 1;
        Ok(())
    });
}

/// An operation of the vector unit on three registers; `out` may be one of them.
pub fn sfpu_ternary(kind: TernaryOp, operands: [u32; 3], out: u32, words: [u32; MAX_WORDS], site: Site) {
    let call = kind.row().call;
    op(site, |cx| {
        cx.in_phase(call, Phase::Acquired, site)?;
        for dst in operands.into_iter().chain([out]) {
            cx.register(call, dst, site)?;
        }
        cx.sfpu_is(call, SfpuInit::Ternary(kind.prepared()), site)?;
        if kind.row().fixed && (operands != [0, 1, 2] || out != 0) {
            let [a, b, c] = operands;
            let message =
                format!("`{call}` of tile registers {a}, {b} and {c} into {out}: they must be 0, 1 and 2, and 0");
            let error = cx.error(ErrorKind::Registers, message, site);
            return Err(Stop::Fail(error.help("the chip ignores the indices and takes these registers")));
        }
        for operand in operands {
            cx.is_written(call, operand, site)?;
        }
        let unit = cx.unit(call, site)?;
        math::sfpu_ternary(&unit.math, kind, &words, &mut unit.tiles, operands.map(|r| r as usize), out as usize);
        unit.begin_of(out, &operands);
        cx.core.counters.sfpu_tiles += 1;
        Ok(())
    });
}

/// Copies a register to another, unchanged.
pub fn copy_dest_values(src: u32, dst: u32, site: Site) {
    const CALL: &str = "copy_dest_values";
    op(site, |cx| {
        cx.in_phase(CALL, Phase::Acquired, site)?;
        cx.register(CALL, src, site)?;
        cx.register(CALL, dst, site)?;
        cx.sfpu_is(CALL, SfpuInit::CopyDest, site)?;
        cx.is_written(CALL, src, site)?;
        let unit = cx.unit(CALL, site)?;
        if src != dst {
            let tile = unit.tiles[src as usize].clone();
            unit.tiles[dst as usize] = tile;
        }
        unit.begin_of(dst, &[src]);
        cx.core.counters.sfpu_tiles += 1;
        Ok(())
    });
}

/// Packs a register into the next reserved page.
pub fn pack_tile(dst: u32, cb: u32, site: Site) {
    pack("pack_tile", dst, cb, None, site);
}

/// Packs a register into a reserved page by index (`pack_tile<true>`).
pub fn pack_tile_at(dst: u32, cb: u32, index: u32, site: Site) {
    pack("pack_tile<true>", dst, cb, Some(index), site);
}

fn pack(call: &str, dst: u32, cb: u32, index: Option<u32>, site: Site) {
    op(site, |cx| {
        cx.in_phase(call, Phase::Packing, site)?;
        cx.register(call, dst, site)?;
        let cb = cx.cb(call, cb, site)?;
        let page = index.unwrap_or(cx.core.cbs.list[cb].packed);
        let addr = cx.back_tile(call, cb, page, site)?;
        let packer = cx.unit(call, site)?.packer;
        cx.format_is(call, "the packer", packer, cb, "pack_reconfig_data_format", site)?;
        cx.edge_mask_is_meant(call, dst, site)?;
        cx.packs_tiles(call, site)?;
        cx.format_fits(call, cb, site)?;
        if cx.packer_works_on(call, cb, site)? {
            cx.pack_with_work(dst, cb, addr);
            if index.is_none() {
                cx.core.cbs.list[cb].packed += 1;
            }
            cx.core.counters.packed_tiles += 1;
            return Ok(());
        }
        let core = &mut *cx.core;
        let format = core.cbs.list[cb].format;
        if let Some(unit) = &mut core.compute {
            let bytes = core.l1.bytes_mut(addr, format.tile_bytes() as usize);
            // The packer reads zero where nothing was written.
            let tile = if unit.is_written(dst) { &unit.tiles[dst as usize] } else { &math::Tile::ZERO };
            math::pack(&unit.math, tile, format, bytes);
        }
        if index.is_none() {
            core.cbs.list[cb].packed += 1;
        }
        core.counters.packed_tiles += 1;
        Ok(())
    });
}
