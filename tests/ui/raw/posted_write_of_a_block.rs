use ttl::prelude::*;

#[ttl::kernel(writer)]
fn wrong(noc: Noc, y: TensorAccessor<bf16>, input: CbIn<bf16>) {
    let tile = input.wait_front(1);
    noc.noc_async_write_page_posted(&y, 0, tile.get_read_ptr());
    noc.writes_flushed();
}

fn main() {}
