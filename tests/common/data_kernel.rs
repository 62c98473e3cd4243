//! A kernel with structs, an enum with fields, a method, arrays, `match` and assertions.

use ttl::prelude::*;

#[ttl::device]
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

#[ttl::device]
#[derive(Clone, Copy)]
pub(crate) enum Order {
    Forward,
    Strided { step: u32 },
    Listed([u32; 4]),
}

#[ttl::device]
impl Share {
    fn tile(&self, order: &Order, i: u32) -> u32 {
        let offset = match order {
            Order::Forward => i,
            Order::Strided { step } => i * step % self.count,
            Order::Listed(pages) => pages[(i & 3) as usize],
        };
        self.first + offset
    }
}

#[ttl::kernel(writer)]
pub(crate) fn copy(
    noc: Noc,
    x: TensorAccessor<f32>,
    y: TensorAccessor<f32>,
    out: CbOut<f32>,
    input: CbIn<f32>,
    share: Share,
    #[ttl(common)] order: Order,
) {
    let mut seen = [0u32; 16];
    assert!(share.count <= 16, "{} pages", share.count);
    for i in 0..share.count {
        let page = share.tile(&order, i);
        noc.read_page(&x, page, &mut out.reserve_back(1)).wait();
        let tile = input.wait_front(1);
        noc.write_page(&y, page, &tile).flushed();
        seen[i as usize] = page;
    }
    for page in seen {
        if matches!(page, 100.. | 50) {
            ttl::print!("page {}", page);
        }
    }
}
