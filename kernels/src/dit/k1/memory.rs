//! What of the megakernel lies in the device's memory: weights and tables in DRAM, what the full program binds, what stays in L1.

use crate::dit::arena::{ArenaLayout, ArenaPart};
use crate::dit::bindings::{Bound, Masks, check_kv, check_masks};
use crate::dit::budget::a_rep_columns;
use crate::dit::config::{DitConfig, KeySet, StreamDtype};
use crate::dit::consts::{M_ROWS, TILE};
use crate::dit::core_map::CoreMap;
use crate::dit::error::{MegakernelError, Result};
use crate::dit::io::{Io, IoName, check_row_pages, check_tile_pages};
use crate::dit::pack::ArenaPack;
use std::collections::BTreeMap;
use ttl::prelude::*;

/// Tensors in L1 between launches.
#[derive(Clone, Debug)]
pub(super) struct Residents<W> {
    pub(super) a_rep: Tensor<bf16>,
    /// Of the matmul-only program alone.
    pub(super) extras: Option<Extras<W>>,
}

/// Tensors in L1 of the matmul-only program: a page of words on every core; the weight ring and the output of every compute core.
#[derive(Clone, Debug)]
pub(super) struct Extras<W> {
    pub(super) sync: Tensor<u32>,
    pub(super) w_ring: Tensor<W>,
    pub(super) mm_out: Tensor<bf16>,
}

/// What depends on the format of the stream.
#[derive(Debug)]
pub(super) struct OfFormat<W> {
    pub(super) stream: Option<Tensor<W>>,
    pub(super) residents: Option<Residents<W>>,
}

impl<W> Default for OfFormat<W> {
    fn default() -> OfFormat<W> {
        OfFormat { stream: None, residents: None }
    }
}

#[derive(Debug)]
pub(super) enum Memory {
    Bf16(OfFormat<bf16>),
    Bfp8B(OfFormat<bfp8_b>),
}

/// The same expression for the tensors of either format, with the element type as `$w`.
macro_rules! with_memory {
    ($memory:expr, $of:ident, $w:ident => $e:expr) => {
        match $memory {
            Memory::Bf16($of) => {
                type $w = bf16;
                $e
            }
            Memory::Bfp8B($of) => {
                type $w = bfp8_b;
                $e
            }
        }
    };
}
pub(super) use with_memory;

impl Memory {
    pub(super) fn new(dtype: StreamDtype) -> Memory {
        match dtype {
            StreamDtype::Bf16 => Memory::Bf16(OfFormat::default()),
            StreamDtype::Bfp8B => Memory::Bfp8B(OfFormat::default()),
        }
    }

    pub(super) fn has_stream(&self) -> bool {
        with_memory!(self, of, W => {
            let of: &OfFormat<W> = of;
            of.stream.is_some()
        })
    }

    pub(super) fn upload_stream(&mut self, device: &mut Device, layout: &ArenaLayout, pack: &ArenaPack) -> Result<()> {
        with_memory!(self, of, W => {
            of.stream = Some(upload_arena::<W>(device, layout, pack, ArenaPart::Stream, "arena_stream")?);
        });
        Ok(())
    }

    pub(super) fn free_stream(&mut self, device: &mut Device) -> Result<()> {
        with_memory!(self, of, W => {
            let stream: Option<Tensor<W>> = of.stream.take();
            if let Some(stream) = stream {
                device.free(stream)?;
            }
        });
        Ok(())
    }

    /// What stays in L1, as far as it is missing: a_rep, and the tensors of K1 if asked for.
    pub(super) fn make_residents(
        &mut self,
        device: &mut Device,
        cfg: &DitConfig,
        map: &CoreMap,
        ring_pages: u32,
        extras: bool,
    ) -> Result<()> {
        with_memory!(self, of, W => {
            if of.residents.is_none() {
                of.residents = Some(Residents { a_rep: make_a_rep(device, cfg, map)?, extras: None });
            }
            if let Some(residents) = &mut of.residents && residents.extras.is_none() && extras {
                residents.extras = Some(make_extras::<W>(device, map, ring_pages)?);
            }
        });
        Ok(())
    }

    pub(super) fn free_residents(&mut self, device: &mut Device) -> Result<()> {
        with_memory!(self, of, W => {
            let residents: Option<Residents<W>> = of.residents.take();
            if let Some(Residents { a_rep, extras }) = residents {
                if let Some(Extras { sync, w_ring, mm_out }) = extras {
                    device.free(mm_out)?;
                    device.free(w_ring)?;
                    device.free(sync)?;
                }
                device.free(a_rep)?;
            }
        });
        Ok(())
    }

    pub(super) fn a_rep(&self) -> Result<&Tensor<bf16>> {
        with_memory!(self, of, W => {
            let residents: &Option<Residents<W>> = &of.residents;
            residents.as_ref().map(|r| &r.a_rep).ok_or(MegakernelError::NotUploaded)
        })
    }

    pub(super) fn mm_out(&self) -> Result<&Tensor<bf16>> {
        with_memory!(self, of, W => {
            let residents: &Option<Residents<W>> = &of.residents;
            let extras = residents.as_ref().and_then(|r| r.extras.as_ref());
            extras.map(|e| &e.mm_out).ok_or(MegakernelError::NotUploaded)
        })
    }

    pub(super) fn sync(&self) -> Option<&Tensor<u32>> {
        with_memory!(self, of, W => {
            let residents: &Option<Residents<W>> = &of.residents;
            residents.as_ref().and_then(|r| r.extras.as_ref()).map(|e| &e.sync)
        })
    }
}

/// Tables, masks, keys and values in DRAM, by their places in a program, and which of them were bound. The matmul-only program reads the rows of
/// biases alone; the full program reads all of them.
#[derive(Debug, Default)]
pub(super) struct Tables {
    tensors: BTreeMap<Io, Tensor<bf16>>,
    pub(super) bound: Bound,
}

impl Tables {
    /// The tables of a pack, and zeros in the place of masks, keys and values: nothing is bound yet.
    pub(super) fn upload(&mut self, device: &mut Device, layout: &ArenaLayout, pack: &ArenaPack) -> Result<()> {
        let tables = &pack.tables;
        let put =
            |io: IoName, tensor: Tensor<bf16>, all: &mut BTreeMap<Io, Tensor<bf16>>| all.insert(Io::Named(io), tensor);
        let all = &mut self.tensors;
        put(IoName::ArenaSmall, upload_arena::<bf16>(device, layout, pack, ArenaPart::Small, "arena_small")?, all);
        put(IoName::BiasRows, upload_rows(device, "bias_rows", &tables.bias_rows)?, all);
        put(IoName::AdalnRows, upload_rows(device, "adaln_rows", &tables.adaln_rows)?, all);
        put(IoName::B2Step, upload_rows(device, "b2_step", &tables.b2_step)?, all);
        put(IoName::B3PosRows, upload_tiles(device, "b3_pos_rows", &tables.b3_pos_rows)?, all);
        if let Some(tokens) = &tables.future_tokens {
            put(IoName::FutureTokens, upload_rows(device, "future_tokens", tokens)?, all);
        }
        put(IoName::SelfMask, upload_tiles(device, "self_mask", &tables.self_mask)?, all);
        let rows = layout.cfg().m_pad() as usize;
        for set in [KeySet::Text, KeySet::Image, KeySet::All] {
            if let Some(columns) = layout.l_pad_of(set) {
                let name = IoName::mask(set);
                put(name, device.zeros(name.name(), &[1, 1, rows, columns as usize])?, all);
            }
        }
        for blk in layout.cfg().cross_blocks() {
            for io in [Io::K(blk), Io::V(blk)] {
                if let Some(shape) = layout.kv_shape(blk) {
                    all.insert(io, device.zeros(&io.to_string(), &shape)?);
                }
            }
        }
        self.bound.upload();
        Ok(())
    }

    pub(super) fn get(&self, io: Io) -> Result<&Tensor<bf16>> {
        self.tensors.get(&io).ok_or(MegakernelError::NotUploaded)
    }

    pub(super) fn list(&self) -> Vec<Io> {
        self.tensors.keys().copied().collect()
    }

    /// Takes keys and values in the place of those before. All of them or, on an error, none. A placeholder is freed; what the caller bound before is
    /// the caller's.
    pub(super) fn bind_kv(
        &mut self,
        device: &mut Device,
        layout: &ArenaLayout,
        kv: BTreeMap<u32, [Tensor<bf16>; 2]>,
    ) -> Result<()> {
        self.bound.check_uploaded()?;
        let specs = kv.iter().map(|(&blk, tensors)| (blk, [tensors[0].spec().clone(), tensors[1].spec().clone()]));
        check_kv(layout, &specs.collect())?;
        for (blk, [k, v]) in kv {
            let placeholder = self.bound.bind_kv(blk);
            for (io, tensor) in [(Io::K(blk), k), (Io::V(blk), v)] {
                self.replace(device, io, tensor, placeholder)?;
            }
        }
        Ok(())
    }

    /// Takes masks in the place of those before, as [`Tables::bind_kv`] does.
    pub(super) fn bind_masks(
        &mut self,
        device: &mut Device,
        layout: &ArenaLayout,
        masks: Masks<Tensor<bf16>>,
    ) -> Result<()> {
        self.bound.check_uploaded()?;
        let spec = |mask: &Option<Tensor<bf16>>| mask.as_ref().map(|mask| mask.spec().clone());
        let Masks { text, image, all, own } = &masks;
        check_masks(layout, &Masks { text: spec(text), image: spec(image), all: spec(all), own: spec(own) })?;
        let Masks { text, image, all, own } = masks;
        for (set, mask) in [(KeySet::Text, text), (KeySet::Image, image), (KeySet::All, all)] {
            if let Some(mask) = mask {
                let placeholder = self.bound.bind_mask(set);
                self.replace(device, Io::Named(IoName::mask(set)), mask, placeholder)?;
            }
        }
        if let Some(own) = own {
            let placeholder = self.bound.bind_own_mask();
            self.replace(device, Io::Named(IoName::SelfMask), own, placeholder)?;
        }
        Ok(())
    }

    fn replace(&mut self, device: &mut Device, io: Io, tensor: Tensor<bf16>, ours: bool) -> Result<()> {
        let before = self.tensors.insert(io, tensor);
        match before {
            Some(before) if ours => Ok(device.free(before)?),
            _ => Ok(()),
        }
    }

    /// Frees what an upload made; what the caller bound is the caller's.
    pub(super) fn free(&mut self, device: &mut Device) -> Result<()> {
        let bound = std::mem::take(&mut self.bound);
        for (io, tensor) in std::mem::take(&mut self.tensors) {
            if !bound.is_bound(io) {
                device.free(tensor)?;
            }
        }
        Ok(())
    }
}

/// A part of the arena as one row of tiles; every bank has a shard.
fn upload_arena<W: Element>(
    device: &mut Device,
    layout: &ArenaLayout,
    pack: &ArenaPack,
    part: ArenaPart,
    name: &str,
) -> Result<Tensor<W>> {
    let banks = layout.cfg().banks;
    let columns = layout.tiles_per_bank(part) as u32 * TILE;
    let memory = MemoryConfig::DramSharded(ShardSpec::width_over_banks([TILE, columns], banks));
    let bytes: Vec<&[u8]> = (0..banks).map(|bank| pack.bank(part, bank)).collect();
    Ok(device.upload_packed(name, &[TILE as usize, (columns * banks) as usize], memory, &bytes)?)
}

/// A table whose pages are its rows.
fn upload_rows(device: &mut Device, name: &'static str, rows: &HostTensor) -> Result<Tensor<bf16>> {
    let tensor = device.upload_row_major::<bf16>(name, rows, MemoryConfig::Dram)?;
    check_row_pages(name, tensor.spec())?;
    Ok(tensor)
}

/// A table whose pages are its tiles.
fn upload_tiles(device: &mut Device, name: &'static str, table: &HostTensor) -> Result<Tensor<bf16>> {
    let tensor = device.upload(name, table)?;
    check_tile_pages(name, tensor.spec())?;
    Ok(tensor)
}

fn make_a_rep(device: &mut Device, cfg: &DitConfig, map: &CoreMap) -> Result<Tensor<bf16>> {
    let columns = a_rep_columns(cfg);
    let shards = ShardSpec::height([M_ROWS, columns], map.all());
    let shape = [(M_ROWS * map.n_cores()) as usize, columns as usize];
    Ok(device.zeros_in("a_rep", &shape, MemoryConfig::Sharded(shards))?)
}

fn make_extras<W: Element>(device: &mut Device, map: &CoreMap, ring_pages: u32) -> Result<Extras<W>> {
    let compute = map.compute_set();
    let (all, n) = (map.n_cores(), map.n_compute());
    let sync = ShardSpec::height([TILE, TILE], map.all());
    let sync = device.zeros_in("sync", &[(TILE * all) as usize, TILE as usize], MemoryConfig::Sharded(sync))?;
    let columns = ring_pages * map.banks() * TILE;
    let ring = ShardSpec::width([TILE, columns], &compute);
    let w_ring = device.zeros_in("w_ring", &[TILE as usize, (columns * n) as usize], MemoryConfig::Sharded(ring))?;
    let out = ShardSpec::height([M_ROWS, 2 * TILE], &compute);
    let shape = [(M_ROWS * n) as usize, 2 * TILE as usize];
    let mm_out = device.zeros_in("mm_out", &shape, MemoryConfig::Sharded(out))?;
    Ok(Extras { sync, w_ring, mm_out })
}
