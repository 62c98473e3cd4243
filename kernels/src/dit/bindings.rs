//! What comes from outside with every call: hoisted keys and values, masks, noise and state.

use std::collections::{BTreeMap, BTreeSet};

use super::arena::ArenaLayout;
use super::config::{DitConfig, KeySet};
use super::error::{MegakernelError, Result};
use super::io::{Io, IoName, check_tile_pages, mask_presence};
use super::matrix::Matrix;
use ttl::prelude::{DataFormat, HostTensor};
use ttl::runtime::tensor::TensorSpec;

/// The per-call masks of a layout, and perhaps another self mask.
#[derive(Clone, PartialEq, Debug)]
pub struct Masks<T> {
    /// Of the text tokens.
    pub text: Option<T>,
    /// Of the image tokens.
    pub image: Option<T>,
    /// Of all tokens.
    pub all: Option<T>,
    /// Replaces the constant one.
    pub own: Option<T>,
}

impl<T> Default for Masks<T> {
    fn default() -> Masks<T> {
        Masks { text: None, image: None, all: None, own: None }
    }
}

impl<T> Masks<T> {
    /// The one of a key set.
    pub const fn get(&self, set: KeySet) -> Option<&T> {
        match set {
            KeySet::All => self.all.as_ref(),
            KeySet::Text => self.text.as_ref(),
            KeySet::Image => self.image.as_ref(),
        }
    }
}

/// Refuses keys and values that the kernels of a layout would misread: every cross block, no other, the right shape, format and pages.
pub fn check_kv(layout: &ArenaLayout, kv: &BTreeMap<u32, [TensorSpec; 2]>) -> Result<()> {
    if let Some(blk) = layout.cfg().cross_blocks().find(|blk| !kv.contains_key(blk)) {
        return Err(MegakernelError::KvLacks { blk });
    }
    let extra: Vec<u32> =
        kv.keys().copied().filter(|&blk| layout.kv_shape(blk).is_none() || blk >= layout.cfg().n_blocks).collect();
    if !extra.is_empty() {
        return Err(MegakernelError::KvExtra { blocks: extra });
    }
    for (&blk, specs) in kv {
        let expected = layout.kv_shape(blk).map(Vec::from).unwrap_or_default();
        for (which, spec) in ["K", "V"].into_iter().zip(specs) {
            if spec.shape() != expected {
                return Err(MegakernelError::KvShape { blk, which, expected, got: spec.shape().to_vec() });
            }
            if spec.format() != DataFormat::Bf16 {
                let (expected, got) = (DataFormat::Bf16, spec.format());
                return Err(MegakernelError::KvDtype { blk, which, expected, got });
            }
            check_tile_pages(if which == "K" { "kv_k" } else { "kv_v" }, spec)?;
        }
    }
    Ok(())
}

/// Refuses masks that the kernels of a layout would misread.
pub fn check_masks(layout: &ArenaLayout, masks: &Masks<TensorSpec>) -> Result<()> {
    let rows = layout.cfg().m_pad() as usize;
    let check = |set: &'static str, spec: &TensorSpec, columns: u32| {
        let expected = vec![1, 1, rows, columns as usize];
        if spec.shape() != expected {
            return Err(MegakernelError::MaskShape { set, expected, got: spec.shape().to_vec() });
        }
        if spec.format() != DataFormat::Bf16 {
            let (expected, got) = (DataFormat::Bf16, spec.format());
            return Err(MegakernelError::Dtype { what: format!("mask '{set}'"), expected, got });
        }
        check_tile_pages("mask", spec)
    };
    for set in [KeySet::Text, KeySet::Image, KeySet::All] {
        match (layout.l_pad_of(set), masks.get(set)) {
            (Some(l_pad), Some(spec)) => check(set.name(), spec, l_pad)?,
            (Some(_), None) => return Err(MegakernelError::MaskMissing { set: set.name() }),
            (None, Some(_)) => return Err(MegakernelError::MaskExtra { set: set.name() }),
            (None, None) => {}
        }
    }
    match &masks.own {
        Some(spec) => check("self", spec, layout.cfg().m_pad()),
        None => Ok(()),
    }
}

/// What is bound. An upload makes placeholders and forgets everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bound {
    uploaded: bool,
    kv: BTreeSet<u32>,
    masks: BTreeSet<KeySet>,
    own_mask: bool,
}

/// Launches that may read placeholders: for timing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AllowPlaceholders {
    /// Keys and values.
    pub kv: bool,
    /// Masks.
    pub masks: bool,
}

impl Bound {
    /// The arena is on the device; what was bound before counts no more.
    pub fn upload(&mut self) {
        *self = Bound { uploaded: true, ..Bound::default() };
    }

    /// Whether the tensor that a binding replaces is a placeholder, to be freed: it was never bound.
    pub fn bind_kv(&mut self, blk: u32) -> bool {
        self.kv.insert(blk)
    }

    /// A mask is bound; whether none was before.
    pub fn bind_mask(&mut self, set: KeySet) -> bool {
        self.masks.insert(set)
    }

    /// The same of the mask of self blocks, which is no placeholder but the upload's.
    pub fn bind_own_mask(&mut self) -> bool {
        !std::mem::replace(&mut self.own_mask, true)
    }

    /// Whether a tensor of a program was bound: it belongs to whoever did.
    pub fn is_bound(&self, io: Io) -> bool {
        match io {
            Io::K(blk) | Io::V(blk) => self.kv.contains(&blk),
            Io::Named(IoName::SelfMask) => self.own_mask,
            Io::Named(name) => self.masks.iter().any(|&set| IoName::mask(set) == name),
            _ => false,
        }
    }

    /// An error unless the arena is on the device.
    pub fn check_uploaded(&self) -> Result<()> {
        if self.uploaded { Ok(()) } else { Err(MegakernelError::NotUploaded) }
    }

    /// Refuses a launch that would read placeholders. The image mask may stay one.
    pub fn check_launch(&self, layout: &ArenaLayout, allow: AllowPlaceholders) -> Result<()> {
        self.check_uploaded()?;
        let blocks: Vec<u32> = layout.cfg().cross_blocks().filter(|blk| !self.kv.contains(blk)).collect();
        if !allow.kv && !blocks.is_empty() {
            return Err(MegakernelError::KvUnbound { blocks });
        }
        let present = mask_presence(layout);
        let unbound = [(present.text, KeySet::Text), (present.all, KeySet::All)].into_iter();
        let masks: Vec<&str> =
            unbound.filter(|(present, set)| *present && !self.masks.contains(set)).map(|(_, set)| set.name()).collect();
        if !allow.masks && !masks.is_empty() {
            return Err(MegakernelError::MasksUnbound { masks });
        }
        Ok(())
    }
}

/// Noise [1, H, A_max] as x_t [64, a_pad]: on the rows of the actions, zeros elsewhere; f32.
pub fn place_noise(cfg: &DitConfig, noise: &HostTensor) -> Result<HostTensor> {
    let expected = vec![1, cfg.horizon as usize, cfg.a_max as usize];
    if noise.shape() != expected {
        return Err(MegakernelError::NoiseShape { expected, got: noise.shape().to_vec() });
    }
    let mut x = Matrix::zeros(cfg.m_pad() as usize, cfg.a_pad() as usize);
    x.place(cfg.action_rows().start as usize, 0, &Matrix::from_host(noise)?);
    x.to_host()
}

/// Actions [1, H, A_max] out of [64, a_pad]: the inverse of [`place_noise`].
pub fn take_actions(cfg: &DitConfig, x: &Matrix) -> Result<HostTensor> {
    let rows = cfg.action_rows();
    let actions = x.part(rows.start as usize..rows.end as usize, 0..cfg.a_max as usize);
    Ok(actions.to_host()?.reshape([1, cfg.horizon as usize, cfg.a_max as usize])?)
}

/// State features as one row [1, width], bf16.
pub fn place_state(cfg: &DitConfig, state: &HostTensor) -> Result<HostTensor> {
    let expected = cfg.width() as usize;
    if state.len() != expected {
        return Err(MegakernelError::StateLength { expected, got: state.len() });
    }
    Ok(state.clone().reshape([1, expected])?.to_format(DataFormat::Bf16))
}
