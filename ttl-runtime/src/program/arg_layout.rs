//! Where the words of a kernel's parameters stand among its arguments. The one definition: the C++ writer, the native engine and the host all
//! ask an [`ArgLayout`].
//!
//! * compile-time arguments: the ids of circular buffers, the ids of semaphores, the compile-time scalars, and last the accessor words of
//!   the tensors, each group in the order of the parameters. How many words an accessor takes depends on the tensor, so generated code
//!   chains them from [`ArgLayout::accessor_base`] on, and the host computes the same offsets with [`ArgLayout::accessor_offsets`];
//! * unique runtime arguments (per core): the per-core scalars in the order of the parameters;
//! * common runtime arguments: the base addresses of the tensors, then the common scalars, in the order of the parameters.

/// How the value of a parameter reaches the kernel. Scalars may have several words (a struct of scalars).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ParamKind {
    Cb,
    Semaphore,
    Tensor,
    CompileTime { words: u32 },
    Common { words: u32 },
    PerCore { words: u32 },
}

/// Where the words of one parameter are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// Index of the id among the compile-time arguments.
    Cb {
        compile: u32,
    },
    Semaphore {
        compile: u32,
    },
    /// Index of the base address among the common runtime arguments, and which of the chained accessors it is.
    Tensor {
        common: u32,
        accessor: u32,
    },
    /// Index of the first word among the compile-time arguments.
    CompileTime {
        compile: u32,
        words: u32,
    },
    /// Index of the first word among the common runtime arguments.
    Common {
        common: u32,
        words: u32,
    },
    /// Index of the first word among the unique runtime arguments.
    PerCore {
        runtime: u32,
        words: u32,
    },
}

/// The places of all parameters of a kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ArgLayout {
    slots: Vec<Slot>,
    accessor_base: u32,
    accessors: u32,
    common_words: u32,
    runtime_words: u32,
}

impl ArgLayout {
    pub fn new(params: impl IntoIterator<Item = ParamKind>) -> ArgLayout {
        let params: Vec<ParamKind> = params.into_iter().collect();
        let words = |select: fn(&ParamKind) -> u32| params.iter().map(select).sum::<u32>();
        let cbs = words(|p| u32::from(matches!(p, ParamKind::Cb)));
        let semaphores = words(|p| u32::from(matches!(p, ParamKind::Semaphore)));
        let tensors = words(|p| u32::from(matches!(p, ParamKind::Tensor)));
        let (mut cb, mut semaphore, mut compile) = (0, cbs, cbs + semaphores);
        let (mut accessor, mut common, mut runtime) = (0, tensors, 0);
        fn take(next: &mut u32, words: u32) -> u32 {
            let at = *next;
            *next = next.saturating_add(words);
            at
        }
        let slots = params
            .iter()
            .map(|&param| match param {
                ParamKind::Cb => Slot::Cb { compile: take(&mut cb, 1) },
                ParamKind::Semaphore => Slot::Semaphore { compile: take(&mut semaphore, 1) },
                ParamKind::Tensor => {
                    let accessor = take(&mut accessor, 1);
                    Slot::Tensor { common: accessor, accessor }
                }
                ParamKind::CompileTime { words } => Slot::CompileTime { compile: take(&mut compile, words), words },
                ParamKind::Common { words } => Slot::Common { common: take(&mut common, words), words },
                ParamKind::PerCore { words } => Slot::PerCore { runtime: take(&mut runtime, words), words },
            })
            .collect();
        ArgLayout { slots, accessor_base: compile, accessors: tensors, common_words: common, runtime_words: runtime }
    }

    /// One slot for each parameter, in their order.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Index of the first accessor word among the compile-time arguments: the number of all other compile-time words.
    pub const fn accessor_base(&self) -> u32 {
        self.accessor_base
    }

    /// How many accessors follow each other.
    pub const fn accessors(&self) -> u32 {
        self.accessors
    }

    /// Words of common runtime arguments.
    pub const fn common_words(&self) -> u32 {
        self.common_words
    }

    /// Words of unique runtime arguments of each core.
    pub const fn runtime_words(&self) -> u32 {
        self.runtime_words
    }

    /// Where each accessor's words begin, from the number of words that each takes.
    pub fn accessor_offsets(&self, words: &[usize]) -> Vec<u32> {
        words
            .iter()
            .scan(self.accessor_base, |next, &words| {
                let at = *next;
                *next += words as u32;
                Some(at)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_each_other() {
        let layout = ArgLayout::new([
            ParamKind::Tensor,
            ParamKind::CompileTime { words: 2 },
            ParamKind::Cb,
            ParamKind::PerCore { words: 1 },
            ParamKind::Common { words: 3 },
            ParamKind::Semaphore,
            ParamKind::Tensor,
            ParamKind::PerCore { words: 2 },
            ParamKind::Cb,
            ParamKind::CompileTime { words: 1 },
            ParamKind::Common { words: 1 },
        ]);
        assert_eq!(
            layout.slots(),
            [
                Slot::Tensor { common: 0, accessor: 0 },
                Slot::CompileTime { compile: 3, words: 2 },
                Slot::Cb { compile: 0 },
                Slot::PerCore { runtime: 0, words: 1 },
                Slot::Common { common: 2, words: 3 },
                Slot::Semaphore { compile: 2 },
                Slot::Tensor { common: 1, accessor: 1 },
                Slot::PerCore { runtime: 1, words: 2 },
                Slot::Cb { compile: 1 },
                Slot::CompileTime { compile: 5, words: 1 },
                Slot::Common { common: 5, words: 1 },
            ]
        );
        assert_eq!((layout.accessor_base(), layout.accessors()), (6, 2));
        assert_eq!((layout.common_words(), layout.runtime_words()), (6, 3));
        assert_eq!(layout.accessor_offsets(&[2, 8]), [6, 8]);
        assert_eq!(layout.accessor_offsets(&[8, 2]), [6, 14]);
    }

    #[test]
    fn no_parameters() {
        let layout = ArgLayout::new([]);
        assert_eq!(layout, ArgLayout::default());
        assert!(layout.accessor_offsets(&[]).is_empty());
    }
}
