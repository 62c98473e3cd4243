//! Compute kernels that Rust accepts and C++ could not follow.

use ttl::prelude::*;

#[ttl::device]
fn sums(out: &mut Reserved<bf16>, x: &Front<bf16>) {
    out.store(x.sum_row());
}

refusals! {
    tiles: compute (c: Compute, x: CbIn<bf16>, w: CbIn<bf16>, y: CbOut<bf16>, n: u32, first: bool) {
        sum_without_a_store {
            let mut sum = c.zeros(1, 1);
            sum += x.wait_front(1).block(1, 1).matmul(w.wait_front(1).block(1, 1));
            y.reserve_back(1).push_back();
        } => "this accumulator is never stored", "store it into a reserved block: `y.reserve_back(n).store(acc)`";
        registers_without_a_commit {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            let mut regs = c.acquire();
            regs.copy_tile(&x, 0, 0);
            y.reserve_back(1).push_back();
        } => "tile registers are acquired here and never committed", "call `.commit()` and pack the results";
        two_sections {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            let mut out = y.reserve_back(1);
            let mut regs = c.acquire();
            let mut more = c.acquire();
            regs.copy_tile(&x, 0, 0);
            more.copy_tile(&x, 0, 0);
            regs.commit().pack_tile(0, &mut out);
            more.commit().pack_tile(0, &mut out);
        } => "the tile registers are taken here while those of a section before are still computed",
            "commit, pack and release the section first";
        a_store_in_a_section {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            let mut regs = c.acquire();
            regs.copy_tile(&x, 0, 0);
            let mut packing = regs.commit();
            y.reserve_back(1).store(&x);
            packing.pack_tile(0, &mut y.reserve_back(1));
        } => "the tile registers are taken here while those of a section before are still packed",
            "commit, pack and release the section first";
        register_that_no_chip_has {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            let mut regs = c.acquire();
            regs.copy_tile(&x, 0, 16);
            regs.commit().pack_tile(0, &mut y.reserve_back(1));
        } => "tile register 16 does not exist", "there are at most 16, from 0 to 15";
        stored_on_one_path {
            let sum = x.wait_front(1) + w.wait_front(1);
            if first {
                y.reserve_back(1).store(sum);
            } else {
                y.reserve_back(1).push_back();
            }
        } => "this guard is released on one path only", "push or pop it on every path";
        chosen_tiles {
            let x = x.wait_front(1);
            let w = w.wait_front(1);
            let tiles = if first { &x } else { &w };
            y.reserve_back(1).store(tiles);
        } => "a branch of `if` gives a guard, which C++ cannot choose", "use the value inside the branches";
        width_at_run_time {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            c.pack_untilize_block(&x, n, &mut y.reserve_back(1));
        } => "a number of tiles of `pack_untilize_block` is not known to the compiler",
            "it is a template argument in C++: write a number, a constant or a const generic";
        store_of_unknown_size {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            sums(&mut y.reserve_back(1), &x);
        } => "the number of tiles to store is not known here", "wait for the operands or reserve the result in this function";
        narrow_registers {
            let x = x.wait_front(1);
            let w = w.wait_front(1);
            y.reserve_back(1).store((&x).nextafter(&w));
        } => "`nextafter` needs 32-bit registers", "set `fp32_dest_acc` in the compute configuration";
        part_of_unknown_size {
            let x = x.wait_front(n);
            let w = w.wait_front(n);
            y.reserve_back(1).store((&x + &w).sum_row());
        } => "this expression needs an intermediate buffer, whose size is not known when the program is checked",
            "make the sizes of its blocks constants or const generics";
        mean_of_unknown_size {
            let x = x.wait_front(n);
            w.wait_front(1).pop_front();
            y.reserve_back(1).store(x.mean_row());
        } => "the mean of a block whose size is not known when the program is checked",
            "make its sizes constants or const generics, or multiply the sum by 1 / n";
        sum_of_unknown_size {
            let x = x.wait_front(n);
            let w = w.wait_front(1);
            let mut sum = c.zeros(1, n);
            sum += &x;
            y.reserve_back(1).store((&w).exp());
            y.reserve_back(n).store(sum);
        } => "this accumulator cannot stay in the tile registers, which are needed until it is stored, and its size is not known when the program is checked",
            "make its sizes constants or const generics; then it is kept in L1";
        part_without_a_size {
            let x = x.wait_front(1);
            w.wait_front(1).pop_front();
            y.reserve_back(1).store(x.block(1, 1).bcast_rows().sum_row());
        } => "the number of rows of an intermediate block is not known", "combine the broadcast vector with a block first";
    }
}

/// As much as can be told apart: floats, and integers of 32 bits.
#[ttl::kernel(compute)]
fn of_two_kinds(_: Compute, x: CbIn<f32>, w: CbIn<i32>, y: CbOut<f32>) {
    y.reserve_back(1).store(x.wait_front(1) * w.wait_front(1));
}

#[ttl::kernel(compute)]
fn integers(_: Compute, x: CbIn<f32>, w: CbIn<i32>, y: CbOut<f32>) {
    let x = x.wait_front(1);
    let w = w.wait_front(1);
    y.reserve_back(1).store((&x).to_i32().to_f32());
}

#[ttl::kernel(compute)]
fn reduced(_: Compute, x: CbIn<f32>, w: CbIn<i32>, y: CbOut<f32>) {
    w.wait_front(1).pop_front();
    y.reserve_back(1).store(x.wait_front(1).sum_row());
}

#[ttl::device]
fn pack_both(regs: &mut PackRegs, y: &mut Reserved<f32>, z: &mut Reserved<bf16>) {
    regs.pack_tile(0, y);
    regs.pack_tile(0, z);
}

#[ttl::kernel(compute)]
fn packs_in_a_function(c: Compute, x: CbIn<f32>, w: CbIn<i32>, y: CbOut<f32>, z: CbOut<bf16>) {
    let x = x.wait_front(2);
    w.wait_front(1).pop_front();
    let mut y = y.reserve_back(1);
    let mut z = z.reserve_back(1);
    let mut regs = c.acquire();
    regs.reduce_sum_row(&x, &x, 0, 1, 0);
    let mut packing = regs.commit();
    pack_both(&mut packing, &mut y, &mut z);
}

#[ttl::kernel(reader)]
fn fill(_: Noc, x: CbOut<f32>, w: CbOut<i32>) {
    x.reserve_back(1).push_back();
    w.reserve_back(1).push_back();
}

#[ttl::kernel(writer)]
fn drain(_: Noc, y: CbIn<f32>) {
    y.wait_front(1).pop_front();
}

#[ttl::kernel(writer)]
fn drain_both(_: Noc, y: CbIn<f32>, z: CbIn<bf16>) {
    y.wait_front(1).pop_front();
    z.wait_front(1).pop_front();
}

type Ends = (Consumer<f32>, Consumer<i32>, Producer<f32>);

/// What `validate` says; `full`: the tiles of `x` go to the registers with all their bits.
fn of_kinds<K: ttl::rt::Kernel>(wide: bool, full: bool, kernel: impl FnOnce(Ends) -> K) -> String {
    let core = crate::harness::CORE;
    let device = Device::open().expect("a simulated device");
    let mut program = Program::new(K::NAME);
    let (x_out, x) = program.circular_buffer::<f32>("x", core, 2);
    let (w_out, w) = program.circular_buffer::<i32>("w", core, 2);
    let (y, y_in) = program.circular_buffer::<f32>("y", core, 2);
    let config = ComputeConfig { fp32_dest_acc: wide, ..ComputeConfig::default() };
    let all: &[&Consumer<f32>] = if full { &[&x.clone()] } else { &[] };
    program.compute_with_full_precision(core, config, all, kernel((x, w, y)));
    program.kernel(core, fill { x: x_out, w: w_out });
    program.kernel(core, drain { y: y_in });
    program.validate(&device).expect_err("the kernel cannot be written in C++").to_string()
}

#[test]
fn kinds_of_tiles() {
    let cases = [
        (
            of_kinds(true, false, |(x, w, y)| of_two_kinds { x, w, y }),
            "`mul` of tiles of floats and of i32, and both must hold the same",
            "convert one with `to_f32`, `to_i32` or `to_u32`",
        ),
        (
            of_kinds(false, false, |(x, w, y)| integers { x, w, y }),
            "tiles of i32 need 32-bit registers",
            "set `fp32_dest_acc` in the compute configuration",
        ),
        (
            of_kinds(true, true, |(x, w, y)| reduced { x, w, y }),
            "an f32 buffer whose tiles go to the tile registers at full precision is broadcast, reduced, transposed or multiplied as a matrix",
            "leave it out of `compute_with_full_precision`",
        ),
    ];
    for (error, message, help) in cases {
        crate::harness::assert_refused(message, error, message, help, "tests/semantics/refused_tiles.rs");
    }
}

#[test]
fn two_formats_are_packed_where_the_reduction_is() {
    let core = crate::harness::CORE;
    let device = Device::open().expect("a simulated device");
    let mut program = Program::new("packs");
    let (x_out, x) = program.circular_buffer::<f32>("x", core, 2);
    let (w_out, w) = program.circular_buffer::<i32>("w", core, 2);
    let (y, y_in) = program.circular_buffer::<f32>("y", core, 2);
    let (z, z_in) = program.circular_buffer::<bf16>("z", core, 2);
    program.compute(
        core,
        ComputeConfig { fp32_dest_acc: true, ..ComputeConfig::default() },
        packs_in_a_function { x, w, y, z },
    );
    program.kernel(core, fill { x: x_out, w: w_out });
    program.kernel(core, drain_both { y: y_in, z: z_in });
    let error = program.validate(&device).expect_err("the mask of the reduction").to_string();
    crate::harness::assert_refused(
        "pack_both",
        error,
        "`pack_both` packs to a buffer, in a kernel that packs to several formats, while the packer is set up for a reduction",
        "pack in the kernel itself, or keep to one format",
        "tests/semantics/refused_tiles.rs",
    );
}
