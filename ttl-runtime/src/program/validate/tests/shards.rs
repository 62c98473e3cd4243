//! Circular buffers on memory that is not their own: shards of tensors, and other buffers.

use super::*;
use crate::tensor::{MemoryConfig, Orientation, ShardLayout, ShardSpec};

/// All that is wrong when buffer `a` of 2 pages on 2 cores lies on a tensor of 2 tiles a core.
fn on_shards(change: impl FnOnce(&mut CbDecl, &mut TensorRef)) -> String {
    let mut p = small();
    let shards =
        ShardSpec { layout: ShardLayout::Height, shape: [32, 64], cores: grid(2, 1), orientation: Orientation::Row };
    let mut x = tensor(7, "x", DataFormat::Bf16);
    x.spec = Arc::new((*x.spec).clone().with_memory(MemoryConfig::Sharded(shards)));
    let cb = &mut p.program.cbs[0];
    change(cb, &mut x);
    cb.tensor = Some(x);
    match p.program.validate(&device()) {
        Ok(_) => String::new(),
        Err(errors) => aligned(&errors.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n\n")),
    }
}

#[test]
fn buffers_that_are_not_their_shards() {
    assert_eq!(on_shards(|_, _| {}), "");
    assert_eq!(
        on_shards(|_, x| x.device += 1),
        "error: circular buffer `a` lies on tensor `x`, which is on another device
 --> p.rs:1:5: declared here
  = help: make the tensor on the device that runs the program"
    );
    let whole = |x: &TensorRef| {
        let mut spec = x.spec.memory().shards().expect("sharded").clone();
        (spec.shape, spec.cores) = ([64, 64], grid(1, 1));
        Arc::new((*x.spec).clone().with_memory(MemoryConfig::Sharded(spec)))
    };
    assert_eq!(
        on_shards(|_, x| x.spec = whole(x)),
        "error: circular buffer `a` is on (1,0), where tensor `x` has no shard
 --> p.rs:1:5: declared here
  = the tensor's shards are on (0,0)
  = help: declare the buffer on cores of the tensor only"
    );
    let error = on_shards(|cb, _| (cb.format, cb.page_size, cb.pages) = (DataFormat::F32, 4096, 1));
    assert!(error.contains("circular buffer `a` holds f32, tensor `x` under it bf16"), "{error}");
    assert!(error.contains("declare the buffer with the element type of the tensor"), "{error}");
    assert_eq!(
        on_shards(|cb, _| cb.pages = 3),
        "error: circular buffer `a` has 6144 bytes, a shard of tensor `x` under it 4096
 --> p.rs:1:5: declared here
  = 3 pages of 2048 bytes
  = help: use as many pages as a shard has, or fewer"
    );
}

#[test]
fn buffers_on_other_cores_than_the_one_whose_memory_they_share() {
    let mut p = small();
    p.program.cbs[1].shares = Some(p.a);
    p.program.cbs[0].cores = grid(3, 1);
    let error = aligned(&p.errors().to_string());
    assert!(error.contains("circular buffers `a` and `y` share memory and are on different cores"), "{error}");
    assert!(error.contains("declare both on the same cores"), "{error}");
}
