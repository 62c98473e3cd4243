//! The program: kernels on the cores of a [`CoreMap`], with buffers on the tensors that stay in L1.

use super::activations::activations;
use super::hub::{hub_gather, hub_share};
use super::maths::{OUT_TILES, maths};
use super::plan::{Constants, Run};
use super::relay::{relay_forward, relay_read};
use super::weights::{BIAS_TILES, weights, weights_relay};
use crate::dit::config::ReaderMode;
use crate::dit::core_map::CoreMap;
use crate::dit::core_set::group_of;
use std::sync::Arc;
use ttl::prelude::*;

/// A core without work in this program: what is multicast reaches it as well.
#[ttl::kernel(reader)]
pub fn idle(_noc: Noc) {}

/// The tensors of a launch.
#[derive(Clone, Debug)]
pub struct Tensors<W> {
    /// The weights.
    pub arena: Tensor<W>,
    /// A row of biases for each operation.
    pub bias_rows: Tensor<bf16>,
    /// On every core of the grid.
    pub a_rep: Tensor<bf16>,
    /// On the compute cores: the input, the weight ring, the output.
    pub x_rep: Tensor<bf16>,
    /// The weight rings.
    pub w_ring: Tensor<W>,
    /// The results.
    pub mm_out: Tensor<bf16>,
    /// A page of words on every core.
    pub sync: Tensor<u32>,
}

/// The matmul-only program.
pub fn program<W: Element>(
    map: &CoreMap,
    table: &[u32],
    run: Run,
    tensors: &Tensors<W>,
    reader_mode: ReaderMode,
    constants: Constants,
) -> Program {
    let banks = map.banks();
    let compute = map.compute_set();
    let everywhere: ttl::prelude::CoreSet = map.all().into();
    let with_hub = compute.union(&map.hub().into());
    let table = table.to_vec();
    let index = {
        let cores: Arc<[Core]> = map.compute().into();
        move || {
            let cores = cores.clone();
            per_core(move |core| cores.iter().position(|&c| c == core).unwrap_or_default() as u32)
        }
    };

    let mut p = Program::new("dit_k1");
    let (x_out, x_in) = p.circular_buffer_on(&tensors.x_rep);
    let (a_out, a_in) = p.circular_buffer_on_cores(&tensors.a_rep, &compute);
    let (w_out, w_in) = p.circular_buffer_on(&tensors.w_ring);
    let (mm_out, mm_in) = p.circular_buffer_on(&tensors.mm_out);
    let (bias_out, bias_in) = p.circular_buffer::<bf16>("bias", &compute, 2 * BIAS_TILES);
    let (zeros_out, zeros_in) = p.circular_buffer::<bf16>("zeros", &compute, 1);
    let (ff1_out, ff1_in) = p.circular_buffer::<bf16>("ff1", &compute, OUT_TILES);

    let [g0, g1, f0, f1] = ["g0", "g1", "f0", "f1"].map(|name| p.semaphore(name, &with_hub, 0));
    let [r0, r1] = ["r0", "r1"].map(|name| p.semaphore(name, &everywhere, 0));
    let go = p.semaphore("go", map.hub(), 0);

    match reader_mode {
        ReaderMode::Direct => p.kernel(
            &compute,
            weights::<W> {
                arena: tensors.arena.accessor(),
                bias_rows: tensors.bias_rows.accessor(),
                w: w_out,
                bias: bias_out,
                zeros: zeros_out,
                table: table.clone(),
                run,
                constants,
                index: index(),
            },
        ),
        ReaderMode::Relay => {
            let (relay_out, relay_in) =
                p.circular_buffer::<W>("relay", map.reader_set(), constants.relay_pages * banks);
            let readers: Arc<[Core]> = map.readers().into();
            let bank = || {
                let readers = readers.clone();
                per_core(move |core| readers.iter().position(|&c| c == core).unwrap_or_default() as u32)
            };
            let compute_cores: Arc<[Core]> = map.compute().into();
            let reader = {
                let readers = readers.clone();
                per_core(move |core| {
                    let c = compute_cores.iter().position(|&c| c == core).unwrap_or_default();
                    readers[group_of(banks, c as u32) as usize]
                })
            };
            p.kernel(
                &compute,
                weights_relay::<W> {
                    bias_rows: tensors.bias_rows.accessor(),
                    sync: tensors.sync.accessor(),
                    w: w_out,
                    bias: bias_out,
                    zeros: zeros_out,
                    reader,
                    table: table.clone(),
                    run,
                    constants,
                    index: index(),
                },
            );
            p.kernel(
                map.reader_set(),
                relay_read::<W> {
                    arena: tensors.arena.accessor(),
                    relay: relay_out,
                    table: table.clone(),
                    run,
                    constants,
                    bank: bank(),
                },
            );
            p.kernel(
                map.reader_set(),
                relay_forward::<W> {
                    relay: relay_in,
                    w_ring: tensors.w_ring.accessor(),
                    sync: tensors.sync.accessor(),
                    cores: map.compute().to_vec(),
                    table: table.clone(),
                    run,
                    constants,
                    bank: bank(),
                },
            );
        }
    }

    let config = ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() };
    p.compute(
        &compute,
        config,
        maths::<W> {
            x_in,
            a_in,
            w_in,
            bias_in,
            zeros_in,
            ff1_out,
            mm_out,
            table: table.clone(),
            run,
            constants,
            index: index(),
        },
    );
    p.kernel(
        &compute,
        activations {
            x: x_out,
            a: a_out,
            ff1: ff1_in,
            mm: mm_in,
            g0,
            g1,
            f0,
            f1,
            r0,
            r1,
            hub: map.hub().into(),
            table: table.clone(),
            run,
            constants,
            index: index(),
        },
    );

    p.kernel(
        map.hub(),
        hub_gather {
            a: tensors.a_rep.accessor(),
            g0,
            g1,
            f0,
            f1,
            r0,
            go,
            everyone: map.all().into(),
            table,
            run,
            constants,
        },
    );
    p.kernel(map.hub(), hub_share { a: tensors.a_rep.accessor(), r1, go, everyone: map.all().into(), run, constants });

    let mut without_work: Vec<Core> = map.spares().to_vec();
    if reader_mode == ReaderMode::Direct {
        without_work.extend(map.readers());
    }
    if !without_work.is_empty() {
        p.kernel(without_work.into_iter().collect::<ttl::prelude::CoreSet>(), idle {});
    }
    p
}
