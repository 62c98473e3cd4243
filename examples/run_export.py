#!/usr/bin/env python3
"""Runs a program that ttl exported through TT-Metalium, on a card or a simulated one, and compares what it leaves.

    pip install ttnn numpy
    python examples/run_export.py DIR

DIR is what `--export DIR` of the examples or `CheckedProgram::export` wrote. Every entry of its `program.json` has the fields of one of
TT-Metalium's descriptors; this file is the loop over them. A simulated card instead of a real one is chosen as ever, by
TT_METAL_SIMULATOR and TT_METAL_SLOW_DISPATCH_MODE=1. Exit status: 0 equal within the program's tolerance, 1 not.
"""
import json
import os
import sys

import numpy as np
import ttnn

FORMATS = {"bf16": ttnn.bfloat16, "f32": ttnn.float32, "u32": ttnn.uint32, "i32": ttnn.int32, "u16": ttnn.uint16, "u8": ttnn.uint8,
           "bf8b": ttnn.bfloat8_b, "bf4b": ttnn.bfloat4_b}
ELEMENTS = {"f32": np.float32, "u32": np.uint32, "i32": np.int32, "u16": np.uint16, "u8": np.uint8}
FIDELITY = {"lofi": ttnn.MathFidelity.LoFi, "hifi2": ttnn.MathFidelity.HiFi2, "hifi3": ttnn.MathFidelity.HiFi3,
            "hifi4": ttnn.MathFidelity.HiFi4}
SHARDING = {"height": ttnn.TensorMemoryLayout.HEIGHT_SHARDED, "width": ttnn.TensorMemoryLayout.WIDTH_SHARDED,
            "block": ttnn.TensorMemoryLayout.BLOCK_SHARDED}


def cores(of):
    """Cores as a set of ranges, and one by one."""
    if isinstance(of, dict):
        (left, right), (top, bottom) = of["x"], of["y"]
        ranges = [((left, top), (right, bottom))]
        each = [(x, y) for y in range(top, bottom + 1) for x in range(left, right + 1)]
    else:
        each = [tuple(core) for core in of]
        ranges = [(core, core) for core in each]
    coord = lambda core: ttnn.CoreCoord(*core)
    return ttnn.CoreRangeSet([ttnn.CoreRange(coord(a), coord(b)) for a, b in ranges]), each


def memory(of):
    if of == "dram":
        return ttnn.DRAM_MEMORY_CONFIG
    if of == "l1":
        return ttnn.L1_MEMORY_CONFIG
    (kind, shards), = of.items()
    where = {"l1_sharded": ttnn.BufferType.L1, "dram_sharded": ttnn.BufferType.DRAM}[kind]
    way = ttnn.ShardOrientation.COL_MAJOR if shards["orientation"] == "col" else ttnn.ShardOrientation.ROW_MAJOR
    return ttnn.MemoryConfig(SHARDING[shards["layout"]], where, ttnn.ShardSpec(cores(shards["cores"])[0], list(shards["shape"]), way))


def bf16_bits(values):
    """Round to nearest, ties to even. bf16 travels as bits: numpy has no such type."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def upload(device, folder, t):
    dtype = t["dtype"]
    layout = ttnn.ROW_MAJOR_LAYOUT if t["layout"] == "row" else ttnn.TILE_LAYOUT
    kept_as = ttnn.uint16 if dtype == "bf16" else FORMATS[dtype]
    if "file" not in t:
        return ttnn.allocate_tensor_on_device(ttnn.Shape(list(t["shape"])), kept_as, layout, device, memory(t["memory"]))
    values = np.load(os.path.join(folder, t["file"])).reshape(t["shape"])
    values = bf16_bits(values) if dtype == "bf16" else np.ascontiguousarray(values, ELEMENTS.get(dtype, np.float32))
    return ttnn.Tensor(values, data_type=kept_as, layout=layout).to(device, memory(t["memory"]))


def download(tensor, t):
    values = np.asarray(tensor.cpu().to_numpy())
    return (values.astype(np.uint32) << 16).view(np.float32) if t["dtype"] == "bf16" else values


def words(values, tensors):
    """Arguments: numbers, and what only whoever allocates the tensors knows."""
    out = []
    for value in values:
        kind, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
        if kind == "addr":
            out.append(tensors[name].buffer_address())
        elif kind == "accessor":
            out += [int(word) for word in ttnn.TensorAccessorArgs(tensors[name]).get_compile_time_args()]
        else:
            out.append(int(value) & 0xFFFFFFFF)
    return out


def settings(k):
    if k["kind"] == "reader":
        return ttnn.ReaderConfigDescriptor()
    if k["kind"] == "writer":
        return ttnn.WriterConfigDescriptor()
    if k["kind"] == "dm":
        processors = [ttnn.DataMovementProcessor.RISCV_0, ttnn.DataMovementProcessor.RISCV_1]
        return ttnn.DataMovementConfigDescriptor(processor=processors[k["processor"]], noc=[ttnn.NOC.NOC_0, ttnn.NOC.NOC_1][k["noc"]])
    c = k["compute"]
    config = ttnn.ComputeConfigDescriptor(math_fidelity=FIDELITY[c["fidelity"]], math_approx_mode=c["approx"],
                                          fp32_dest_acc_en=c["fp32_acc"], dst_full_sync_en=c["dst_full_sync"])
    config.bfp8_pack_precise = c["bfp8_pack_precise"]
    if c["unpack_to_dest_fp32"]:
        mode = ttnn._ttnn.program_descriptor.UnpackToDestMode
        whole = set(c["unpack_to_dest_fp32"])
        config.unpack_to_dest_mode = [mode.UnpackToDestFp32 if i in whole else mode.Default for i in range(64)]
    return config


def kernel(folder, k, tensors):
    where, each = cores(k["cores"])
    runtime = ttnn.RuntimeArgs()
    for x, y in each:
        given = k["runtime_args"]
        runtime[x][y] = words(given.get(f"{x},{y}", given.get("*", [])) if isinstance(given, dict) else given, tensors)
    return ttnn.KernelDescriptor(
        kernel_source=os.path.join(folder, k["file"]), source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH, core_ranges=where,
        compile_time_args=words(k["compile_args"], tensors),
        named_compile_time_args=[(name, words([v], tensors)[0]) for name, v in k.get("named_compile_args", {}).items()],
        defines=[(name, str(text)) for name, text in k.get("defines", {}).items()],
        runtime_args=runtime, common_runtime_args=words(k["common_runtime_args"], tensors), config=settings(k))


def buffer(cb, tensors):
    formats = [ttnn.CBFormatDescriptor(buffer_index=c["id"], data_format=FORMATS[c["dtype"]], page_size=c["page_size"])
               for c in [cb, *cb.get("aliases", [])]]
    size = cb["pages"] * cb["page_size"]
    if "tensor" not in cb:
        return ttnn.CBDescriptor(total_size=size, core_ranges=cores(cb["cores"])[0], format_descriptors=formats)
    on = ttnn.cb_descriptor_from_sharded_tensor(cb["id"], tensors[cb["tensor"]], total_size=size, core_ranges=cores(cb["cores"])[0])
    on.format_descriptors = formats
    return on


def compare(name, got, want, limits):
    got, want = got.astype(np.float64).ravel(), want.astype(np.float64).ravel()
    difference = float(np.abs(got - want).max())
    relative = float(np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30))
    same = want.std() == 0 or got.std() == 0
    correlation = float(np.array_equal(got, want)) if same else float(np.corrcoef(got, want)[0, 1])
    ok = difference <= limits.get("max_abs", np.inf) and relative <= limits.get("rel", np.inf) and correlation >= limits.get("pcc", -1)
    print(f"{name}: {int((got == want).sum())} of {got.size} elements equal, largest difference {difference:.3g}, {'ok' if ok else 'WRONG'}")
    return ok


def main(folder):
    folder = os.path.abspath(folder)
    with open(os.path.join(folder, "program.json"), encoding="utf-8") as file:
        p = json.load(file)
    device = ttnn.open_device(device_id=0)
    try:
        tensors = {name: upload(device, folder, t) for name, t in p["tensors"].items()}
        program = ttnn.ProgramDescriptor(
            kernels=[kernel(folder, k, tensors) for k in p["kernels"]],
            semaphores=[ttnn.SemaphoreDescriptor(id=s["id"], core_ranges=cores(s["cores"])[0], initial_value=s["init"]) for s in p["semaphores"]],
            cbs=[buffer(cb, tensors) for cb in p["cbs"]])
        outputs = [name for name, t in p["tensors"].items() if "expect" in t or "out" in t]
        order = [name for name in tensors if name not in outputs] + outputs       # generic_op wants outputs last
        ttnn.generic_op([tensors[name] for name in order], program)
        ok = True
        for name in outputs:
            t = p["tensors"][name]
            got = download(tensors[name], t)
            np.save(os.path.join(folder, f"{name}.out.npy"), got)
            if "expect" in t:
                ok &= compare(name, got, np.load(os.path.join(folder, t["expect"])), p.get("tolerance", {}))
    finally:
        ttnn.close_device(device)
    return 0 if ok else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
