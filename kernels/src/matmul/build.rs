//! Puts the kernels of a plan on its cores.

use super::compute::{in_blocks, in_blocks_gathering, in_blocks_with_bias, in_registers, in_registers_with_bias};
use super::movers::{read, read_with_bias, write};
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
pub(super) struct Build<'t, A, B, C> {
    pub(super) program: Program,
    config: ComputeConfig,
    pub(super) operands: &'t Operands<'t, A, B, C>,
    pub(super) blocks: Blocks,
    pub(super) extent: Extent,
    pub(super) work: PerCore<Work>,
    pub(super) a: Ends<A>,
    pub(super) b: Ends<B>,
    pub(super) bias: Option<Ends<C>>,
    pub(super) c: Ends<C>,
    /// Sums of blocks that do not fit the tile registers.
    sums: Option<Ends<f32>>,
}

impl<'t, A: Element, B: Element, C: Element> Build<'t, A, B, C> {
    pub(super) fn new(
        operands: &'t Operands<'t, A, B, C>,
        config: ComputeConfig,
        plan: &Plan,
        work: impl Fn(Core) -> Work + Send + Sync + 'static,
    ) -> Build<'t, A, B, C> {
        let Plan { blocks, extent, .. } = *plan;
        let (mut program, pages, cores) = (Program::new("matmul"), plan.pages(), &plan.cores);
        // The bias goes into a chain at its end, the result leaves it at its beginning.
        let (first, last) = match plan.layout {
            Layout::KSplit { parts } => (plan.at(parts, 0), plan.at(parts, parts - 1)),
            _ => (cores.clone(), cores.clone()),
        };
        let a = program.circular_buffer::<A>("a", cores, pages.a);
        let b = program.circular_buffer::<B>("b", cores, pages.b);
        let bias = (pages.bias > 0).then(|| program.circular_buffer::<C>("bias", &last, pages.bias));
        let c = program.circular_buffer::<C>("c", &first, pages.c);
        let sums = (pages.sums > 0).then(|| program.circular_buffer::<f32>("sums", cores, pages.sums));
        Build { program, config, operands, blocks, extent, work: per_core(work), a, b, bias, c, sums }
    }

    /// The compute kernel of cores that have the whole sums.
    pub(super) fn compute(&mut self, cores: &CoreSet) {
        let c = self.c.0.clone();
        for_activation!(self.operands.activation, ACT => match self.sums {
            Some(_) => self.blocks_on::<C, ACT>(cores, None, c),
            None => self.registers_on::<ACT>(cores, c),
        });
    }

    fn registers_on<const ACT: u32>(&mut self, cores: &CoreSet, c: Producer<C>) {
        let (a, b) = (self.a.1.clone(), self.b.1.clone());
        let (blocks, extent, work, config) = (self.blocks, self.extent, self.work.clone(), self.config.clone());
        match self.bias.clone() {
            Some((_, bias)) => {
                let kernel = in_registers_with_bias::<A, B, C, C, ACT> { a, b, bias, c, blocks, extent, work };
                self.program.compute(cores, config, kernel);
            }
            None => self.program.compute(cores, config, in_registers::<A, B, C, ACT> { a, b, c, blocks, extent, work }),
        }
    }

    /// Cores that compute in sub-blocks, and add what comes in `gathered`; others begin with the bias.
    pub(super) fn blocks_on<To: Element, const ACT: u32>(
        &mut self,
        cores: &CoreSet,
        gathered: Option<&Consumer<f32>>,
        c: Producer<To>,
    ) {
        let Some((sums_out, sums)) = self.sums.clone() else { return };
        let (a, b) = (self.a.1.clone(), self.b.1.clone());
        let (blocks, extent, work) = (self.blocks, self.extent, self.work.clone());
        match (gathered, self.bias.clone()) {
            (Some(gathered), _) => {
                let full = [sums.clone(), gathered.clone()];
                let gathered = gathered.clone();
                let kernel =
                    in_blocks_gathering::<A, B, To, ACT> { a, b, sums_out, sums, gathered, c, blocks, extent, work };
                self.compute_on(cores, &full, kernel);
            }
            (None, Some((_, bias))) => {
                let full = [sums.clone()];
                let kernel =
                    in_blocks_with_bias::<A, B, To, C, ACT> { a, b, bias, sums_out, sums, c, blocks, extent, work };
                self.compute_on(cores, &full, kernel);
            }
            (None, None) => {
                let full = [sums.clone()];
                let kernel = in_blocks::<A, B, To, ACT> { a, b, sums_out, sums, c, blocks, extent, work };
                self.compute_on(cores, &full, kernel);
            }
        }
    }

    /// Sums come back into 32-bit registers at full precision.
    fn compute_on<K: ttl::rt::Kernel>(&mut self, cores: &CoreSet, full: &[Consumer<f32>], kernel: K) {
        let config = self.config.clone();
        if config.fp32_dest_acc {
            let full: Vec<&Consumer<f32>> = full.iter().collect();
            self.program.compute_with_full_precision(cores, config, &full, kernel);
        } else {
            self.program.compute(cores, config, kernel);
        }
    }

    /// Readers that bring both operands, and the bias if there is one.
    pub(super) fn read_on(&mut self, cores: &CoreSet) {
        let (a, b) = (self.operands.a.accessor(), self.operands.b.accessor());
        let (a_out, b_out) = (self.a.0.clone(), self.b.0.clone());
        let (blocks, extent, work) = (self.blocks, self.extent, self.work.clone());
        match self.operands.bias.zip(self.bias.clone()) {
            Some((bias, (bias_out, _))) => {
                let bias = bias.accessor();
                let kernel = read_with_bias::<A, B, C> { a, b, bias, a_out, b_out, bias_out, blocks, extent, work };
                self.program.kernel(cores, kernel);
            }
            None => self.program.kernel(cores, read::<A, B> { a, b, a_out, b_out, blocks, extent, work }),
        }
    }

    pub(super) fn write_on(&mut self, cores: &CoreSet) {
        let (c, c_in) = (self.operands.c.accessor(), self.c.1.clone());
        let (blocks, extent, work) = (self.blocks, self.extent, self.work.clone());
        self.program.kernel(cores, write::<C> { c, c_in, blocks, extent, work });
    }
}

/// The program of a plan.
pub(super) fn build<A: Element, B: Element, C: Element>(
    operands: &Operands<'_, A, B, C>,
    config: ComputeConfig,
    plan: &Plan,
) -> Program {
    match plan.layout {
        Layout::Unicast => unicast(operands, config, plan),
        Layout::Multicast { cores, rows, columns } => multicast::build(operands, config, plan, cores, [rows, columns]),
        Layout::KSplit { parts } => k_split::build(operands, config, plan, parts),
    }
}

/// Every core reads what its blocks need.
fn unicast<A: Element, B: Element, C: Element>(
    operands: &Operands<'_, A, B, C>,
    config: ComputeConfig,
    plan: &Plan,
) -> Program {
    let [rows, columns, steps] = plan.counts();
    let shares = split(rows * columns, &plan.cores);
    let mut build = Build::new(operands, config, plan, move |core| {
        let share = shares.share(core);
        Work { first: share.first, count: share.count, columns, row: 0, column: 0, first_step: 0, steps }
    });
    build.read_on(&plan.cores);
    build.compute(&plan.cores);
    build.write_on(&plan.cores);
    build.program
}
