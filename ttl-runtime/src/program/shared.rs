//! Circular buffers in one memory: one has it, the others share it, each with its own format and pages. In TT-Metalium they are the buffer indices of
//! one `CircularBufferConfig`.

use std::sync::Arc;

use crate::site::Site;
use crate::tensor::{DataFormat, TensorRef};

use super::decl::{CbDecl, CbId, Program};

impl<K> Program<K> {
    /// A buffer in the memory of `with`: as many pages as fit, on the same cores. `validate` reports a buffer that is not of this program, and
    /// pages of which no whole number fits.
    #[track_caller]
    pub fn add_sharing_cb(
        &mut self,
        name: impl Into<Arc<str>>,
        format: DataFormat,
        with: CbId,
        page_size: u32,
    ) -> CbId {
        let owner = self.owner(with);
        let decl = match self.cb_of(owner) {
            Some(of) => {
                let pages = of.bytes().checked_div(u64::from(page_size)).unwrap_or(0);
                CbDecl::new(name, of.cores.clone(), format, u32::try_from(pages).unwrap_or(u32::MAX))
            }
            None => CbDecl::new(name, crate::arch::Core::new(0, 0), format, 1),
        };
        self.add_cb(CbDecl { page_size, shares: Some(owner), site: Site::caller(), ..decl })
    }

    /// The buffer that has the memory of this one.
    pub(super) fn owner(&self, cb: CbId) -> CbId {
        // A buffer shares one that was declared before, so this ends.
        match self.cb_of(cb).and_then(|decl| decl.shares) {
            Some(of) if of.index < cb.index => self.owner(of),
            _ => cb,
        }
    }

    /// The tensor whose shards are the buffer's memory, its own or that which it shares.
    pub(super) fn shards_under<'a>(&'a self, cb: &'a CbDecl) -> Option<&'a TensorRef> {
        let owner = cb.shares.and_then(|of| self.cb_of(of)).unwrap_or(cb);
        owner.tensor.as_ref()
    }
}

impl CbDecl {
    /// Of its memory on one core.
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.pages) * u64::from(self.page_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Core;

    #[test]
    fn what_shares_can_be_shared() {
        let mut program = Program::<()>::new("three");
        let core = Core::new(0, 0);
        let a = program.add_cb(CbDecl::new("a", core, DataFormat::F32, 2));
        let b = program.add_sharing_cb("b", DataFormat::Bf16, a, DataFormat::Bf16.tile_bytes());
        let c = program.add_sharing_cb("c", DataFormat::Bf16, b, 1024);
        assert_eq!(program.cbs().iter().map(|cb| cb.pages).collect::<Vec<_>>(), [2, 4, 8]);
        assert_eq!([a, b, c].map(|cb| program.owner(cb)), [a, a, a]);
    }

    #[test]
    fn of_another_program() {
        let mut other = Program::<()>::new("other");
        let a = other.add_cb(CbDecl::new("a", Core::new(0, 0), DataFormat::F32, 2));
        let mut program = Program::<()>::new("program");
        let b = program.add_sharing_cb("b", DataFormat::F32, a, 4096);
        // `validate` finds that it is none of its buffers.
        assert_eq!(program.cb_of(b).and_then(|decl| decl.shares), Some(a));
        assert!(program.cb_of(a).is_none());
    }
}
