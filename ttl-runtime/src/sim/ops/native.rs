//! Calls for the native engine only: tile operations that bring their own set-up, as the passes place it in the generated C++, and
//! checks that C++ kernels cannot make.

use std::sync::Arc;

use super::{FpuInit, ReuseDest, SfpuInit, Stop, op};
use super::{add_tiles, copy_tile, matmul_block, matmul_tiles, mul_tiles, reuse_dest_tiles, sub_tiles};
use crate::arch::ComputeConfig;
use crate::ops::{BinaryOp, MAX_WORDS, Relu, TernaryOp, TileCall, UnaryOp};
use crate::sim::error::ErrorKind;
use crate::sim::registers::Configured;
use crate::site::Site;
use crate::temps::TempKey;

/// Puts an init and the formats of its operands in force, unless they are.
pub(super) fn ensure_fpu(init: FpuInit, site: Site) {
    op(site, |cx| {
        let (a, b) = init.operands();
        let format = |id: Option<u32>| match id {
            Some(id) => Ok(Some(cx.core.cbs.list[cx.cb(init.call(), id, site)?].format)),
            None => Ok(None),
        };
        let (a, b) = (format(a)?, format(b)?);
        let unit = cx.unit(init.call(), site)?;
        unit.startup.get_or_insert(site);
        for (register, wanted) in [(&mut unit.src_a, a), (&mut unit.src_b, b)] {
            if let Some(format) = wanted
                && register.format != format
            {
                *register = Configured { format, site };
            }
        }
        if unit.fpu.map(|(have, _)| have) != Some(init) {
            unit.fpu = Some((init, site));
        }
        unit.edge_mask = match init {
            FpuInit::Call { call: TileCall::Reduce(_, dim), .. } => Some((dim, site)),
            _ => None,
        };
        Ok(())
    });
}

pub(super) fn ensure_sfpu(init: SfpuInit, site: Site) {
    op(site, |cx| {
        let unit = cx.unit(init.call(), site)?;
        unit.startup.get_or_insert(site);
        if unit.sfpu.map(|(have, _)| have) != Some(init) {
            unit.sfpu = Some((init, site));
        }
        Ok(())
    });
}

/// The registers can be acquired by a kernel whose first tile operation is still to come.
pub fn ensure_started(site: Site) {
    op(site, |cx| {
        cx.unit("tile_regs_acquire", site)?.startup.get_or_insert(site);
        Ok(())
    });
}

pub fn copy(cb: u32, tile: u32, dst: u32, site: Site) {
    ensure_fpu(FpuInit::Copy { cb }, site);
    copy_tile(cb, tile, dst, site);
}

pub fn binary_tiles(kind: BinaryOp, a: u32, b: u32, ia: u32, ib: u32, dst: u32, site: Site) {
    match kind {
        BinaryOp::Add => {
            ensure_fpu(FpuInit::Add { a, b, acc: false }, site);
            add_tiles(a, b, ia, ib, dst, site);
        }
        BinaryOp::Sub => {
            ensure_fpu(FpuInit::Sub { a, b, acc: false }, site);
            sub_tiles(a, b, ia, ib, dst, site);
        }
        _ => {
            ensure_fpu(FpuInit::Mul { a, b }, site);
            mul_tiles(a, b, ia, ib, dst, site);
        }
    }
}

/// `dst = dst op tile`, or `tile op dst` if `reversed`.
pub fn reuse_dest(kind: BinaryOp, reversed: bool, cb: u32, tile: u32, dst: u32, site: Site) {
    let dest = if reversed { ReuseDest::DestToSrcB } else { ReuseDest::DestToSrcA };
    ensure_fpu(FpuInit::Reuse { op: kind, cb, dest }, site);
    reuse_dest_tiles(kind, dest, cb, tile, dst, site);
}

/// `dst += a op b`, for `Add` and `Sub`.
pub fn binary_tiles_acc(kind: BinaryOp, [a, b]: [u32; 2], [ia, ib]: [u32; 2], dst: u32, site: Site) {
    if kind == BinaryOp::Sub {
        ensure_fpu(FpuInit::Sub { a, b, acc: true }, site);
        sub_tiles(a, b, ia, ib, dst, site);
    } else {
        ensure_fpu(FpuInit::Add { a, b, acc: true }, site);
        add_tiles(a, b, ia, ib, dst, site);
    }
}

/// `dst += a . transpose of b`.
pub fn matmul_transposed([in0, in1]: [u32; 2], [i0, i1]: [u32; 2], dst: u32, site: Site) {
    ensure_fpu(FpuInit::Matmul { in0, in1, transpose: true }, site);
    matmul_tiles(in0, in1, i0, i1, dst, site);
}

/// Rows of elements to tiles, with the set-up before and after.
pub fn tilize(cb: u32, block: u32, out: u32, site: Site) {
    ensure_fpu(FpuInit::Tilize { cb, block }, site);
    ensure_pack(out, false, site);
    super::tilize_block(cb, block, out, 0, 0, site);
    super::layout_uninit("tilize_uninit", site);
}

/// Tiles to rows of elements, with the set-up before and after.
pub fn pack_untilize(cb: u32, block: u32, out: u32, site: Site) {
    ensure_fpu(FpuInit::Untilize { cb, block, full: block }, site);
    ensure_pack(out, false, site);
    super::pack_untilize_block(cb, block, block, out, 0, site);
    super::layout_uninit("pack_untilize_uninit", site);
}

/// The same to part `column` of rows of `full` tiles.
pub fn pack_untilize_part(cb: u32, [block, full]: [u32; 2], out: u32, column: u32, site: Site) {
    ensure_fpu(FpuInit::Untilize { cb, block, full }, site);
    ensure_pack(out, false, site);
    super::pack_untilize_block(cb, block, full, out, column, site);
    super::layout_uninit("pack_untilize_uninit", site);
}

/// Registers to rows of elements, with the packer's set-up before and after.
pub fn pack_untilize_registers([block, full]: [u32; 2], out: u32, rows: u32, column: u32, site: Site) {
    ensure_pack(out, false, site);
    super::pack_untilize_dest_init(block, full, site);
    super::pack_untilize_dest(block, full, out, rows, column, site);
    super::pack_untilize_dest_uninit(site);
}

/// `pack_relu_config` in a kernel that may not have computed anything yet.
pub fn pack_relu(relu: Relu, threshold: u32, site: Site) {
    ensure_started(site);
    super::pack_relu_config(relu, threshold, site);
}

pub fn matmul(in0: u32, in1: u32, i0: u32, i1: u32, dst: u32, site: Site) {
    ensure_fpu(FpuInit::Matmul { in0, in1, transpose: false }, site);
    matmul_tiles(in0, in1, i0, i1, dst, site);
}

#[allow(clippy::too_many_arguments)]
pub fn matmul_block_auto(
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
    if ct == 0 || rt == 0 || kt == 0 {
        fail_with_help(&format!("a block of {rt} x {ct} tiles with kt {kt} is empty"), "use sizes of at least 1", site);
    }
    ensure_fpu(FpuInit::MatmulBlock { in0, in1, transpose, ct, rt, kt }, site);
    matmul_block(in0, in1, i0, i1, dst, transpose, ct, rt, kt, site);
}

/// `words` are all words of the operation, those of the init first.
pub fn unary(kind: UnaryOp, dst: u32, words: &[u32], site: Site) {
    let init = SfpuInit::unary(kind, words);
    if kind.row().random {
        super::sfpu_init(init, site);
    } else {
        ensure_sfpu(init, site);
    }
    super::sfpu_unary(kind, dst, padded(words.get(kind.row().init_words..).unwrap_or_default()), site);
}

pub fn ternary_regs(kind: TernaryOp, operands: [u32; 3], dst: u32, words: &[u32], site: Site) {
    ensure_sfpu(SfpuInit::Ternary(kind.prepared()), site);
    super::sfpu_ternary(kind, operands, dst, padded(words), site);
}

fn padded(words: &[u32]) -> [u32; MAX_WORDS] {
    std::array::from_fn(|i| words.get(i).copied().unwrap_or(0))
}

/// `words` are all words of the operation, those of the init first.
pub fn binary_regs(kind: BinaryOp, operands: [u32; 2], dst: u32, words: &[u32], site: Site) {
    ensure_sfpu(SfpuInit::binary(kind, words), site);
    super::sfpu_binary(kind, operands, dst, padded(words.get(kind.row().init_words..).unwrap_or_default()), site);
}

pub fn copy_regs(src: u32, dst: u32, site: Site) {
    ensure_sfpu(SfpuInit::CopyDest, site);
    super::copy_dest_values(src, dst, site);
}

/// Sets the packer to the format of a buffer, and whether it adds to what is in L1.
fn ensure_pack(cb: u32, adds: bool, site: Site) {
    op(site, |cx| {
        let format = cx.core.cbs.list[cx.cb("pack_tile", cb, site)?].format;
        let unit = cx.unit("pack_tile", site)?;
        // The passes undo a reduction before registers that the matrix unit has no part in.
        if !unit.computed {
            unit.edge_mask = None;
        }
        unit.startup.get_or_insert(site);
        if unit.packer.format != format {
            unit.packer = Configured { format, site };
        }
        unit.l1_acc = adds;
        Ok(())
    });
}

/// Packs a register to the next page, or to page `index`.
pub fn pack(dst: u32, cb: u32, index: Option<u32>, site: Site) {
    ensure_pack(cb, false, site);
    match index {
        None => super::pack_tile(dst, cb, site),
        Some(index) => super::pack_tile_at(dst, cb, index, site),
    }
}

/// Adds a register to page `index`.
pub fn pack_acc(dst: u32, cb: u32, index: u32, site: Site) {
    ensure_pack(cb, true, site);
    super::pack_tile_at(dst, cb, index, site);
}

/// Settings of the running compute kernel.
pub fn compute_config(site: Site) -> Arc<ComputeConfig> {
    op(site, |cx| Ok(cx.unit("store", site)?.config.clone()))
}

/// Whether a register was written since it was acquired.
pub fn is_written(dst: u32, site: Site) -> bool {
    op(site, |cx| Ok(cx.unit("store", site)?.is_written(dst)))
}

/// The id of a buffer of the compiler's.
pub fn temp(key: TempKey, site: Site) -> Option<u32> {
    op(site, |cx| Ok(cx.thread().temps.iter().find(|(k, _)| *k == key).map(|(_, id)| *id)))
}

/// The name of a circular buffer, for messages.
pub fn cb_name(cb: u32, site: Site) -> Arc<str> {
    op(site, |cx| Ok(cx.core.cbs.list[cx.cb("store", cb, site)?].name.clone()))
}

/// A page of a reserved or waited block.
#[inline]
pub fn check_index(cb: u32, index: u32, pages: u32, site: Site) {
    if index < pages {
        return;
    }
    let name = cb_name(cb, site);
    fail_with_help(
        &format!("page {index} of a block of {pages} pages of `{name}`"),
        "pages of a block count from 0; reserve or wait for more",
        site,
    );
}

/// A word of a reserved or waited block.
#[inline]
pub fn check_word(cb: u32, word: u32, pages: u32, site: Site) {
    let words = pages * (super::cb_page_size(cb, site) / 4);
    if word < words {
        return;
    }
    let name = cb_name(cb, site);
    fail_with_help(
        &format!("word {word} of a block of {pages} pages of `{name}`, which has {words} words"),
        "words count from 0 and have 4 bytes",
        site,
    );
}

/// Ends the thread with an error of the caller's own wording.
#[cold]
pub fn fail_with_help(message: &str, help: &str, site: Site) -> ! {
    loop {
        op::<()>(site, |cx| Err(Stop::Fail(cx.error(ErrorKind::Kernel, message, site).help(help))));
    }
}

/// Bytes of a reserved or waited block.
pub fn check_bytes(cb: u32, at: u32, bytes: u32, pages: u32, site: Site) {
    let size = pages * super::cb_page_size(cb, site);
    if at.checked_add(bytes).is_some_and(|end| end <= size) {
        return;
    }
    let name = cb_name(cb, site);
    fail_with_help(
        &format!("{bytes} bytes from byte {at} on of a block of {pages} pages of `{name}`, which has {size} bytes"),
        "reserve or wait for more pages, or move less",
        site,
    );
}
