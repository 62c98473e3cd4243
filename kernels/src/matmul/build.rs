//! Puts the kernels of a plan on its cores.

use super::compute::{in_blocks, in_registers};
use super::movers::{read, write};
use super::plan::{Layout, Plan};
use super::sizes::{Blocks, Extent, Work};
use super::{Activation, Operands, k_split, multicast};
use crate::split::split;
use ttl::prelude::*;

/// Names the constant that kernels know an activation by.
macro_rules! for_activation {
    ($of:expr, $act:ident => $body:expr) => {
        match $of {
            Activation::None => for_activation!(@ NONE, $act, $body),
            Activation::Relu => for_activation!(@ RELU, $act, $body),
            Activation::Gelu => for_activation!(@ GELU, $act, $body),
            Activation::GeluTanh => for_activation!(@ GELU_TANH, $act, $body),
            Activation::Silu => for_activation!(@ SILU, $act, $body),
            Activation::Sigmoid => for_activation!(@ SIGMOID, $act, $body),
            Activation::Tanh => for_activation!(@ TANH, $act, $body),
        }
    };
    (@ $name:ident, $act:ident, $body:expr) => {{
        const $act: u32 = $crate::matmul::compute::$name;
        $body
    }};
}

pub(super) use for_activation;

/// Both ends of a buffer.
pub(super) type Ends<T> = (Producer<T>, Consumer<T>);

/// A program while its kernels are added, and the buffers that all strategies have.
pub(super) struct Build<'t, B> {
    pub(super) program: Program,
    pub(super) config: ComputeConfig,
    pub(super) operands: &'t Operands<'t, B>,
    pub(super) blocks: Blocks,
    pub(super) extent: Extent,
    pub(super) work: PerCore<Work>,
    pub(super) a: Ends<bf16>,
    pub(super) b: Ends<B>,
    /// Without a bias the buffer of `a` stands in its place: the kernels without bias leave it alone.
    pub(super) bias: Ends<bf16>,
    pub(super) c: Ends<bf16>,
    /// Sums of the blocks that do not fit the tile registers.
    pub(super) sums: Option<Ends<f32>>,
}

impl<'t, B: Element> Build<'t, B> {
    pub(super) fn new(
        operands: &'t Operands<'t, B>,
        config: ComputeConfig,
        plan: &Plan,
        work: impl Fn(Core) -> Work + Send + Sync + 'static,
    ) -> Build<'t, B> {
        let Plan { blocks, extent, cores, .. } = plan.clone();
        let mut program = Program::new("matmul");
        let pages = plan.pages();
        let a = program.circular_buffer::<bf16>("a", &cores, pages.a);
        let b = program.circular_buffer::<B>("b", &cores, pages.b);
        let bias = match pages.bias {
            0 => a.clone(),
            pages => program.circular_buffer::<bf16>("bias", &cores, pages),
        };
        let c = program.circular_buffer::<bf16>("c", &cores, pages.c);
        let sums = (pages.sums > 0).then(|| program.circular_buffer::<f32>("sums", &cores, pages.sums));
        Build { program, config, operands, blocks, extent, work: per_core(work), a, b, bias, c, sums }
    }

    pub(super) fn bias_tensor(&self) -> &'t Tensor<bf16> {
        self.operands.bias.unwrap_or(self.operands.a)
    }

    /// The compute kernel of cores that have the whole sums: all but those of a chain.
    pub(super) fn compute<const BIAS: bool>(&mut self, cores: &CoreSet) {
        let c = self.c.0.clone();
        for_activation!(self.operands.activation, ACT => match self.sums.clone() {
            Some(_) => self.blocks_on::<bf16, BIAS, false, ACT>(cores, None, c),
            None => {
                let kernel = in_registers::<B, BIAS, ACT> {
                    a: self.a.1.clone(),
                    b: self.b.1.clone(),
                    bias: self.bias.1.clone(),
                    c,
                    blocks: self.blocks,
                    extent: self.extent,
                    work: self.work.clone(),
                };
                self.program.compute(cores, self.config.clone(), kernel);
            }
        });
    }

    /// [`in_blocks`](fn@in_blocks); with `GATHER` it adds what comes in `gathered`.
    pub(super) fn blocks_on<C: Element, const BIAS: bool, const GATHER: bool, const ACT: u32>(
        &mut self,
        cores: &CoreSet,
        gathered: Option<&Consumer<f32>>,
        c: Producer<C>,
    ) {
        let Some(sums) = self.sums.clone() else { return };
        let gathered = gathered.unwrap_or(&sums.1).clone();
        let kernel = in_blocks::<B, C, BIAS, GATHER, ACT> {
            a: self.a.1.clone(),
            b: self.b.1.clone(),
            bias: self.bias.1.clone(),
            sums_out: sums.0,
            sums: sums.1.clone(),
            gathered: gathered.clone(),
            c,
            blocks: self.blocks,
            extent: self.extent,
            work: self.work.clone(),
        };
        if self.config.fp32_dest_acc {
            // Sums come back into the registers at full precision.
            self.program.compute_with_full_precision(cores, self.config.clone(), &[&sums.1, &gathered], kernel);
        } else {
            self.program.compute(cores, self.config.clone(), kernel);
        }
    }

    pub(super) fn read_on<const BIAS: bool>(&mut self, cores: &CoreSet) {
        let kernel = read::<B, BIAS> {
            a: self.operands.a.accessor(),
            b: self.operands.b.accessor(),
            bias: self.bias_tensor().accessor(),
            a_out: self.a.0.clone(),
            b_out: self.b.0.clone(),
            bias_out: self.bias.0.clone(),
            blocks: self.blocks,
            extent: self.extent,
            work: self.work.clone(),
        };
        self.program.kernel(cores, kernel);
    }

    pub(super) fn write_on(&mut self, cores: &CoreSet) {
        let kernel = write::<bf16> {
            c: self.operands.c.accessor(),
            c_in: self.c.1.clone(),
            blocks: self.blocks,
            extent: self.extent,
            work: self.work.clone(),
        };
        self.program.kernel(cores, kernel);
    }
}

/// The program of a plan.
pub(super) fn build<B: Element>(operands: &Operands<'_, B>, config: ComputeConfig, plan: &Plan) -> Program {
    match operands.bias {
        Some(_) => strategy::<B, true>(operands, config, plan),
        None => strategy::<B, false>(operands, config, plan),
    }
}

fn strategy<B: Element, const BIAS: bool>(operands: &Operands<'_, B>, config: ComputeConfig, plan: &Plan) -> Program {
    match plan.layout {
        Layout::Unicast => unicast::<B, BIAS>(operands, config, plan),
        Layout::Multicast { cores, rows, columns } => {
            multicast::build::<B, BIAS>(operands, config, plan, cores, [rows, columns])
        }
        Layout::KSplit { parts } => k_split::build::<B, BIAS>(operands, config, plan, parts),
    }
}

/// Every core reads what its blocks need.
fn unicast<B: Element, const BIAS: bool>(operands: &Operands<'_, B>, config: ComputeConfig, plan: &Plan) -> Program {
    let [rows, columns, steps] = plan.counts();
    let shares = split(rows * columns, &plan.cores);
    let mut build = Build::new(operands, config, plan, move |core| {
        let share = shares.share(core);
        Work { first: share.first, count: share.count, columns, row: 0, column: 0, first_step: 0, steps }
    });
    build.read_on::<BIAS>(&plan.cores);
    build.compute::<BIAS>(&plan.cores);
    build.write_on(&plan.cores);
    build.program
}
