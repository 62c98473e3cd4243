//! One test for each mistake, on its whole text.

mod arguments;
mod buffers;
mod kernels;
mod resolved;
mod shards;

use std::sync::Arc;

use super::*;
use crate::arch::Arch;
use crate::cores::{CoreRange, CoreSet};
use crate::program::{Arg, ArgValue, CbDecl, CbEnd, CbId, KernelDecl, Role};
use crate::site::Site;
use crate::tensor::{DataFormat, TensorId, TensorRef, TensorSpec};

const DEVICE: u64 = 1;

fn device() -> DeviceInfo {
    DeviceInfo::new(Arch::blackhole(), DEVICE)
}

fn grid(x: u32, y: u32) -> CoreSet {
    CoreRange::grid(x, y).unwrap().into()
}

fn at(line: u32) -> Site {
    Site { file: "p.rs", line, column: 5 }
}

fn tensor(id: u64, name: &str, format: DataFormat) -> TensorRef {
    TensorRef {
        id: TensorId(id),
        name: name.into(),
        spec: Arc::new(TensorSpec::new([64, 64], format).unwrap()),
        address: 0x1000 * (id as u32 + 1),
        device: DEVICE,
    }
}

/// A program with a reader, a compute and a writer kernel, which tests then break.
struct Copy3 {
    program: Program<&'static str>,
    a: CbId,
    y: CbId,
}

impl Copy3 {
    fn new(cores: &CoreSet) -> Copy3 {
        let mut program = Program::new("copy");
        let cb = |name: &str, line| CbDecl { site: at(line), ..CbDecl::new(name, cores, DataFormat::Bf16, 2) };
        let a = program.add_cb(cb("a", 1));
        let y = program.add_cb(cb("y", 2));
        let bf16 = DataFormat::Bf16;
        let kernel = |name: &str, role, args, line| KernelDecl {
            site: at(line),
            ..KernelDecl::new(name, role, cores, args, "code")
        };
        let src = tensor(0, "src", bf16);
        let dst = tensor(1, "dst", bf16);
        program.add_kernel(kernel(
            "read",
            Role::Reader,
            vec![
                Arg::tensor("src", &src),
                Arg::cb("out", a, CbEnd::Out),
                Arg::per_core("first", |c| 100 * c.y + c.x),
                Arg::common("count", 7),
            ],
            10,
        ));
        program.add_kernel(kernel(
            "copy",
            Role::Compute,
            vec![Arg::cb("a", a, CbEnd::In), Arg::cb("y", y, CbEnd::Out), Arg::compile_time("count", 8)],
            20,
        ));
        program.add_kernel(kernel(
            "write",
            Role::Writer,
            vec![Arg::cb("from", y, CbEnd::In), Arg::tensor("dst", &dst), Arg::tensor("src", &src)],
            30,
        ));
        Copy3 { program, a, y }
    }

    fn arg(&mut self, kernel: usize, arg: usize) -> &mut ArgValue {
        &mut self.program.kernels[kernel].args[arg].value
    }

    fn extra(&mut self, name: &str, role: Role, cores: CoreSet, args: Vec<Arg>) {
        let kernel = KernelDecl { site: at(40), ..KernelDecl::new(name, role, cores, args, "code") };
        self.program.add_kernel(kernel);
    }

    fn errors(self) -> ProgramErrors {
        self.program.validate(&device()).unwrap_err()
    }

    /// The text of the only mistake.
    fn error(self) -> String {
        let errors = self.errors();
        assert_eq!(errors.errors.len(), 1, "{errors}");
        aligned(&errors.errors[0].to_string())
    }
}

/// With the indentation of one-digit line numbers, whatever the numbers are.
fn aligned(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let rest = line.trim_start();
        match rest.get(..2) {
            Some("--" | "::") => format!(" {rest}"),
            Some("= ") => format!("  {rest}"),
            _ if line.starts_with("     ") => line[1..].to_string(),
            _ => line.to_string(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn small() -> Copy3 {
    Copy3::new(&grid(2, 1))
}
