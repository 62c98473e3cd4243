//! Common runtime words: addresses, step, offsets table, then ours, then coordinates.

use super::arena::ArenaLayout;
use super::core_map::noc_word;
use super::error::{MegakernelError, Result};
use super::io::{IoList, RowBytes};
use super::knobs::DebugKnob;
use super::op::{K1Mode, Op};
use ttl::prelude::Core;

/// Common runtime words that a kernel can have.
pub const MAX_COMMON_RT_ARGS: usize = 341;

macro_rules! words {
    ($(#[$doc:meta])* $struct:ident, $names:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct $struct {
            $($(#[$field_doc])* #[doc = concat!("The word `", stringify!($field), "`.")] pub $field: u64,)*
        }

        /// The names of the words, in order.
        pub const $names: &[&str] = &[$(stringify!($field)),*];

        impl $struct {
            fn values(&self) -> Vec<u64> {
                vec![$(self.$field,)*]
            }
        }
    };
}

words! {
    /// Our words of the matmul-only program.
    K1Words, MK_RT {
        mode,
        single_op,
        blk_first,
        n_blk,
        n_iters,
        /// Tiles of x on each core.
        x_tiles,
        addr_sync,
        addr_w_ring,
        addr_mm_out,
        bias_row_bytes,
        /// Whether the result is dropped before the next iteration.
        pop_mm,
    }
}

words! {
    /// Our words of the full program.
    K4Words, MK4_RT {
        blk_first,
        n_blk,
        bias_row_bytes,
        adaln_row_bytes,
        state_row_bytes,
        b2_row_bytes,
        future_row_bytes,
        debug,
    }
}

impl K1Words {
    /// One operation, `n_iters` times; with more than once, results are dropped until the last.
    pub fn single(layout: &ArenaLayout, blk: u32, op: Op, n_iters: u32) -> Result<K1Words> {
        let x_tiles = 2 * layout.op(blk, op)?.k_tiles;
        let mut words = K1Words::of(layout, K1Mode::Single, blk, 1, n_iters)?;
        words.single_op = u64::from(op.index());
        words.x_tiles = u64::from(x_tiles);
        words.pop_mm = u64::from(n_iters > 1);
        Ok(words)
    }

    /// The chain of some blocks.
    pub fn chain(layout: &ArenaLayout, blk: u32, n_blk: u32, n_iters: u32) -> Result<K1Words> {
        K1Words::of(layout, K1Mode::Chain, blk, n_blk, n_iters)
    }

    /// The weight stream of some blocks: nobody takes results.
    pub fn stream(layout: &ArenaLayout, blk: u32, n_blk: u32, n_iters: u32) -> Result<K1Words> {
        Ok(K1Words { pop_mm: 1, ..K1Words::of(layout, K1Mode::Stream, blk, n_blk, n_iters)? })
    }

    fn of(layout: &ArenaLayout, mode: K1Mode, blk: u32, n_blk: u32, n_iters: u32) -> Result<K1Words> {
        layout.cfg().check_blocks(blk, n_blk)?;
        if n_iters == 0 {
            return Err(MegakernelError::NoIterations);
        }
        Ok(K1Words {
            mode: mode as u64,
            blk_first: u64::from(blk),
            n_blk: u64::from(n_blk),
            n_iters: u64::from(n_iters),
            x_tiles: u64::from(2 * layout.cfg().width() / super::consts::TILE),
            bias_row_bytes: u64::from(RowBytes::of(layout).bias),
            ..K1Words::default()
        })
    }
}

impl K4Words {
    /// Of a launch of some blocks.
    pub fn of(layout: &ArenaLayout, blk: u32, n_blk: u32, debug: DebugKnob) -> Result<K4Words> {
        layout.cfg().check_blocks(blk, n_blk)?;
        let rows = RowBytes::of(layout);
        Ok(K4Words {
            blk_first: u64::from(blk),
            n_blk: u64::from(n_blk),
            bias_row_bytes: u64::from(rows.bias),
            adaln_row_bytes: u64::from(rows.adaln),
            state_row_bytes: u64::from(rows.state),
            b2_row_bytes: u64::from(rows.b2),
            future_row_bytes: u64::from(rows.future),
            debug: debug as u64,
        })
    }
}

/// Common runtime words with their names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommonArgs {
    words: Vec<u32>,
    names: Vec<String>,
    rt_base: usize,
}

impl CommonArgs {
    /// What comes first in every program: the addresses of the tensors, the step, the offsets table.
    fn start(layout: &ArenaLayout, io: &IoList, addresses: &[u64], step: u32) -> Result<CommonArgs> {
        if addresses.len() != io.len() {
            let (got, expected) = (addresses.len(), io.len());
            return Err(MegakernelError::Coordinates { what: "addresses of io tensors", got, expected });
        }
        layout.cfg().check_step(step)?;
        let mut args = CommonArgs::default();
        for (io, &address) in io.as_slice().iter().zip(addresses) {
            args.push(format!("addr_{io}"), address)?;
        }
        args.push("step_index".to_owned(), u64::from(step))?;
        let table = layout.offsets_table();
        for (name, word) in table.names().into_iter().zip(table.words()?) {
            args.push(name, u64::from(word))?;
        }
        args.rt_base = args.words.len();
        Ok(args)
    }

    /// Of the matmul-only program. Coordinates are those of the NoC, readers by bank, compute cores by index.
    pub fn k1(
        layout: &ArenaLayout,
        addresses: &[u64],
        words: &K1Words,
        readers: &[Core],
        compute: &[Core],
    ) -> Result<CommonArgs> {
        let mut args = CommonArgs::start(layout, &IoList::k1(), addresses, 0)?;
        args.table(MK_RT, &words.values())?;
        args.coordinates("reader", readers, layout.cfg().banks)?;
        args.coordinates("compute", compute, layout.cfg().compute_cores())?;
        args.check()
    }

    /// Of the full program.
    pub fn k4(
        layout: &ArenaLayout,
        io: &IoList,
        addresses: &[u64],
        step: u32,
        words: &K4Words,
        compute: &[Core],
    ) -> Result<CommonArgs> {
        let mut args = CommonArgs::start(layout, io, addresses, step)?;
        args.table(MK4_RT, &words.values())?;
        args.coordinates("compute", compute, layout.cfg().compute_cores())?;
        args.check()
    }

    /// The words, as the device gets them.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of our first word: `mk_rt_base`.
    pub const fn rt_base(&self) -> usize {
        self.rt_base
    }

    fn push(&mut self, name: String, value: u64) -> Result<()> {
        let word = u32::try_from(value).map_err(|_| MegakernelError::RuntimeArg { name: name.clone(), value })?;
        self.words.push(word);
        self.names.push(name);
        Ok(())
    }

    fn table(&mut self, names: &[&str], values: &[u64]) -> Result<()> {
        names.iter().zip(values).try_for_each(|(name, &value)| self.push((*name).to_owned(), value))
    }

    fn coordinates(&mut self, what: &'static str, cores: &[Core], expected: u32) -> Result<()> {
        if cores.len() != expected as usize {
            return Err(MegakernelError::Coordinates { what, got: cores.len(), expected: expected as usize });
        }
        for (i, &core) in cores.iter().enumerate() {
            self.push(format!("{what}_xy[{i}]"), u64::from(noc_word(core)?))?;
        }
        Ok(())
    }

    fn check(self) -> Result<CommonArgs> {
        check_count(self.words.len())?;
        Ok(self)
    }
}

/// Refuses more common runtime words than a kernel can have.
pub const fn check_count(count: usize) -> Result<()> {
    if count > MAX_COMMON_RT_ARGS {
        return Err(MegakernelError::RuntimeArgs { count, max: MAX_COMMON_RT_ARGS });
    }
    Ok(())
}
