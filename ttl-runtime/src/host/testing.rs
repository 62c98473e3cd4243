//! For tests of kernels: run a program natively and as generated C++, and compare every byte of memory.

use super::checked_program::CheckedProgram;
use super::device::{Device, DeviceOptions, Engine};
use super::error::{Error, Result};
use super::exported_runs::Export;
use super::program::Program;

/// Builds a program with `build` on two simulated devices, runs it natively on one and as generated C++ on the other, and compares all of
/// their L1 and DRAM. Returns what `build` returned (tensors, say) and the native device, to look at the result.
///
/// With `TTL_EXPORT_RUNS=DIR` the program is written there, too, with what its tensors hold before and after.
///
/// `build` must do the same both times. `options` say which chip, schedule and so on; its engine does not matter.
pub fn on_both_engines<T>(
    options: &DeviceOptions,
    build: impl Fn(&mut Device) -> Result<(Program, T)>,
) -> Result<(Device, T)> {
    let run = |engine| -> Result<(Device, T, CheckedProgram)> {
        let mut device = Device::with_options(DeviceOptions { engine, ..options.clone() })?;
        let (program, made) = build(&mut device)?;
        let program = program.validate(&device)?;
        let export = match engine {
            Engine::Native => Export::before(&device, &program)?,
            Engine::Cpp => None,
        };
        device.run(&program)?;
        if let Some(export) = export {
            export.after(&device, &program)?;
        }
        Ok((device, made, program))
    };
    let (native, made, program) = run(Engine::Native)?;
    let (cpp, ..) = run(Engine::Cpp)?;
    match native.first_difference(&cpp) {
        None => Ok((native, made)),
        Some(difference) => Err(Error::Other(format!(
            "program `{}`: the native run and the generated C++ leave different memory: {difference}",
            program.name()
        ))),
    }
}
