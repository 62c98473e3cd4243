//! What an upload puts beside the weight stream, for the full program: tables, and zeros in the place of what is bound later.

use crate::rig::{Net, options};
use std::collections::BTreeMap;
use ttl::prelude::*;
use ttl_kernels::dit::bindings::{AllowPlaceholders, Masks};
use ttl_kernels::dit::io::{Io, IoList, IoName};
use ttl_kernels::dit::k1::DitMegakernel;
use ttl_kernels::dit::knobs::Variant;
use ttl_kernels::dit::{KeySet, ReaderMode, StreamDtype};

fn uploaded() -> (Net, DitMegakernel) {
    let net = Net::new(1, 4, StreamDtype::Bf16, ReaderMode::Direct);
    let mut mk = net.builder(options(Schedule::RoundRobin)).build().expect("it is allowed");
    mk.upload(&net.pack).expect("it fits");
    (net, mk)
}

fn ones(device: &mut Device, name: &str, shape: &[usize]) -> Tensor<bf16> {
    let host = HostTensor::from_fn(shape, |_| 1.0).expect("a shape");
    device.upload(name, &host).expect("it fits")
}

fn keys_and_values(net: &Net, mk: &mut DitMegakernel) -> BTreeMap<u32, [Tensor<bf16>; 2]> {
    let shapes = net.cfg.cross_blocks().filter_map(|blk| net.layout.kv_shape(blk).map(|shape| (blk, shape)));
    let shapes: Vec<_> = shapes.collect();
    let device = mk.device_mut();
    shapes.into_iter().map(|(blk, shape)| (blk, ["k", "v"].map(|name| ones(device, name, &shape)))).collect()
}

fn text_masks(net: &Net, mk: &mut DitMegakernel, value: f32) -> Masks<Tensor<bf16>> {
    let rows = net.cfg.m_pad() as usize;
    let mut mask = |set| {
        net.layout.l_pad_of(set).map(|columns| {
            let host = HostTensor::from_fn([1, 1, rows, columns as usize], |_| value).expect("a shape");
            mk.device_mut().upload("mask", &host).expect("it fits")
        })
    };
    Masks { text: mask(KeySet::Text), image: mask(KeySet::Image), all: mask(KeySet::All), own: None }
}

/// Inventory 117.
#[test]
fn item_117_tensors_of_an_upload() {
    let (net, mk) = uploaded();
    let (cfg, layout) = (&net.cfg, &net.layout);
    // Everything of the full program that is neither the stream nor made for a launch.
    let of_launches = [IoName::XRep, IoName::ARep, IoName::ArenaStream].map(Io::Named);
    let list = IoList::k4(layout, Variant::Block, false);
    let mut expected: Vec<Io> = list.as_slice().iter().copied().filter(|io| !of_launches.contains(io)).collect();
    expected.sort();
    assert_eq!(mk.io_names(), expected);

    let shape = |io| mk.io(io).expect("it is there").shape().to_vec();
    let rows = cfg.m_pad() as usize;
    for blk in cfg.cross_blocks() {
        let expected = layout.kv_shape(blk).expect("a cross block").to_vec();
        assert_eq!((shape(Io::K(blk)), shape(Io::V(blk))), (expected.clone(), expected), "block {blk}");
    }
    for set in cfg.key_sets() {
        let columns = layout.l_pad_of(set).expect("a key set of the layout") as usize;
        assert_eq!(shape(Io::Named(IoName::mask(set))), [1, 1, rows, columns], "{}", set.name());
    }
    let contents = |io| mk.device().download(mk.io(io).expect("it is there")).expect("it is there");
    for io in expected.iter().copied().filter(|io| matches!(io, Io::K(_) | Io::V(_))) {
        assert!(contents(io).to_f32_vec().iter().all(|&v| v == 0.0), "{io}");
    }
    let tables = &net.pack.tables;
    for (name, table) in [
        (IoName::BiasRows, &tables.bias_rows),
        (IoName::AdalnRows, &tables.adaln_rows),
        (IoName::B2Step, &tables.b2_step),
        (IoName::B3PosRows, &tables.b3_pos_rows),
        (IoName::SelfMask, &tables.self_mask),
    ] {
        assert_eq!(contents(Io::Named(name)).to_f32_vec(), table.to_f32_vec(), "{}", name.name());
    }
}

/// Inventory 117, 122, 135 to 137: what is bound takes the place of zeros, which are freed; an upload begins anew.
#[test]
fn bindings_replace_zeros() {
    let (net, mut mk) = uploaded();
    let nothing = AllowPlaceholders::default();
    let message = mk.bound().check_launch(&net.layout, nothing).expect_err("nothing is bound").to_string();
    assert!(message.contains("K/V") || message.contains("kv"), "{message}");

    let kv = keys_and_values(&net, &mut mk);
    let placeholder = mk.io(Io::K(0)).expect("zeros").clone();
    let mut lacks = kv.clone();
    lacks.pop_last();
    let refused = mk.bind_kv(lacks).expect_err("a block is missing").to_string();
    assert!(refused.contains('2'), "{refused}");
    assert!(mk.device().download(&placeholder).is_ok(), "a refusal binds none");

    mk.bind_kv(kv.clone()).expect("all cross blocks");
    assert!(mk.device().download(&placeholder).is_err(), "freed when it was replaced");
    let keys = mk.device().download(mk.io(Io::K(0)).expect("bound")).expect("it is there");
    assert!(keys.to_f32_vec().iter().all(|&v| v == 1.0));
    assert!(mk.bound().check_launch(&net.layout, nothing).is_err(), "masks are not bound");
    let masks = text_masks(&net, &mut mk, -1.0);
    mk.bind_masks(masks).expect("the layout's masks");
    mk.bound().check_launch(&net.layout, nothing).expect("all is bound");

    // Bound again: what was bound before stays the caller's.
    let again = keys_and_values(&net, &mut mk);
    mk.bind_kv(again).expect("all cross blocks");
    let [first, _] = &kv[&0];
    assert!(mk.device().download(first).is_ok());

    // K1 runs beside them; a new upload forgets them.
    let x = net.input(ttl_kernels::dit::k1::Launch::chain(0, 1, 1));
    mk.run_chain(&x, 0, 1, 1).expect("it runs");
    mk.upload(&net.pack).expect("it fits");
    assert!(mk.bound().check_launch(&net.layout, nothing).is_err());
    let keys = mk.device().download(mk.io(Io::K(0)).expect("zeros")).expect("it is there");
    assert!(keys.to_f32_vec().iter().all(|&v| v == 0.0));
    assert!(mk.device().download(first).is_ok());
}

/// Inventory 130, 138 to 140: the tensors of the whole loop keep their addresses; taps add one; freeing them is no mistake when they are not there.
#[test]
fn tensors_of_the_whole_loop() {
    let (net, mut mk) = uploaded();
    let cfg = &net.cfg;
    let noise = HostTensor::from_fn([1, cfg.horizon as usize, cfg.a_max as usize], |i| i as f32).expect("a shape");
    let state = HostTensor::from_fn([cfg.width() as usize], |i| i as f32).expect("a shape");
    let refused = mk.set_steps4_inputs(&noise, &state).expect_err("nothing is there").to_string();
    assert!(refused.contains("call allocate_steps4_io() first"), "{refused}");

    let first = mk.allocate_steps4_io(false).expect("it fits").clone();
    assert!(first.velocity_out.is_none());
    mk.set_steps4_inputs(&noise, &state).expect("the right shapes");
    let again = mk.allocate_steps4_io(false).expect("they are there").clone();
    assert_eq!(
        (again.x_t.handle().id, again.x_t.handle().address),
        (first.x_t.handle().id, first.x_t.handle().address)
    );
    let x_t = mk.device().download(&again.x_t).expect("it is there");
    let expected = ttl_kernels::dit::bindings::place_noise(cfg, &noise).expect("the right shape");
    assert_eq!(x_t.to_f32_vec(), expected.to_f32_vec());
    let short = HostTensor::zeros([cfg.width() as usize - 1], DataFormat::F32).expect("a shape");
    let refused = mk.set_steps4_inputs(&noise, &short).expect_err("too few").to_string();
    assert!(refused.contains(&(cfg.width() - 1).to_string()), "{refused}");

    let taps = mk.allocate_steps4_io(true).expect("it fits").clone();
    let velocity = taps.velocity_out.as_ref().expect("taps");
    assert_eq!(velocity.shape(), [4 * 64, cfg.a_pad() as usize]);
    assert!(mk.device().download(&first.x_t).is_err(), "freed");
    // A launch of the matmul-only program beside them.
    let x = net.input(ttl_kernels::dit::k1::Launch::chain(0, 1, 1));
    assert!(!mk.run_chain_timed(&x, 0, 1, 1).expect("it runs").is_zero());
    mk.release_steps4_io().expect("they are there");
    mk.release_steps4_io().expect("nothing to do");
    assert!(mk.device().download(velocity).is_err(), "freed");
}
