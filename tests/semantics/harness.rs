//! Runs one kernel on one core, on both engines, and gives the words that it left in a tensor.

use ttl::prelude::*;
use ttl::rt::Kernel;

/// Words of a page: one tile of f32.
pub(crate) const PAGE: usize = 1024;

pub(crate) const CORE: Core = Core { x: 0, y: 0 };

/// The kernel gets both ends of a buffer of two pages, and a tensor of `pages` pages. Returns the words of the tensor.
#[track_caller]
pub(crate) fn words<K: Kernel>(
    pages: usize,
    kernel: impl Fn(Producer<f32>, Consumer<f32>, TensorArg<f32>) -> K,
) -> Vec<u32> {
    let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let result = device.zeros::<f32>("result", &[pages * 32, 32])?;
        let mut program = Program::new(K::NAME);
        let (words, done) = program.circular_buffer::<f32>("words", CORE, 2);
        program.kernel(CORE, kernel(words, done, result.accessor()));
        Ok((program, result))
    });
    let (device, result) = ran.unwrap_or_else(|e| panic!("{e}"));
    page_words(&device, &result)
}

/// As [`words`], for a kernel that also reads a tensor with `input` through a buffer of its own.
#[track_caller]
pub(crate) fn words_from<K: Kernel>(
    input: &[u32],
    pages: usize,
    kernel: impl Fn([Producer<f32>; 2], [Consumer<f32>; 2], [TensorArg<f32>; 2]) -> K,
) -> Vec<u32> {
    let ran = ttl::testing::on_both_engines(&DeviceOptions::default(), |device| {
        let source = device.upload::<f32>("input", &tiles(input)?)?;
        let result = device.zeros::<f32>("result", &[pages * 32, 32])?;
        let mut program = Program::new(K::NAME);
        let (input_out, input_in) = program.circular_buffer::<f32>("input", CORE, 1);
        let (words, done) = program.circular_buffer::<f32>("words", CORE, 2);
        let tensors = [source.accessor(), result.accessor()];
        program.kernel(CORE, kernel([input_out, words], [input_in, done], tensors));
        Ok((program, result))
    });
    let (device, result) = ran.unwrap_or_else(|e| panic!("{e}"));
    page_words(&device, &result)
}

/// A tensor whose pages have these words.
fn tiles(words: &[u32]) -> ttl::Result<HostTensor> {
    let pages = words.len().div_ceil(PAGE).max(1);
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.resize(pages * PAGE * 4, 0);
    Ok(HostTensor::from_tiles(&[pages * 32, 32], DataFormat::F32, &bytes)?)
}

/// The words of a tensor, page after page.
pub(crate) fn page_words(device: &Device, tensor: &Tensor<f32>) -> Vec<u32> {
    let bytes = device.pages(&tensor.handle()).expect("the tensor is on this device");
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Every pair of two values, one after the other.
pub(crate) fn pairs(values: &[u32]) -> Vec<u32> {
    values.iter().flat_map(|a| values.iter().flat_map(move |b| [*a, *b])).collect()
}

/// What `validate` says of a writer.
pub(crate) fn refusal<K: Kernel>(kernel: impl FnOnce(Producer<f32>, Consumer<f32>, PerCore<u32>) -> K) -> String {
    let device = Device::open().expect("a simulated device");
    let mut program = Program::new(K::NAME);
    let (words, done) = program.circular_buffer::<f32>("words", CORE, 2);
    program.kernel(CORE, kernel(words, done, 1.into()));
    program.validate(&device).expect_err("the kernel cannot be written in C++").to_string()
}

#[ttl::kernel(reader)]
fn fill(_: Noc, x: CbOut<bf16>, w: CbOut<bf16>) {
    x.reserve_back(1).push_back();
    w.reserve_back(1).push_back();
}

#[ttl::kernel(writer)]
fn drain(_: Noc, y: CbIn<bf16>) {
    y.wait_front(1).pop_front();
}

/// What `validate` says of a compute kernel with two buffers to read and one to write.
pub(crate) fn refusal_of_tiles<K: Kernel>(
    kernel: impl FnOnce(Consumer<bf16>, Consumer<bf16>, Producer<bf16>, PerCore<u32>) -> K,
) -> String {
    let device = Device::open().expect("a simulated device");
    let mut program = Program::new(K::NAME);
    let (x_out, x) = program.circular_buffer::<bf16>("x", CORE, 4);
    let (w_out, w) = program.circular_buffer::<bf16>("w", CORE, 4);
    let (y, y_in) = program.circular_buffer::<bf16>("y", CORE, 4);
    program.kernel(CORE, kernel(x, w, y, 1.into()));
    program.kernel(CORE, fill { x: x_out, w: w_out });
    program.kernel(CORE, drain { y: y_in });
    program.validate(&device).expect_err("the kernel cannot be written in C++").to_string()
}

/// One message, with a line of the file.
#[track_caller]
pub(crate) fn assert_refused(name: &str, error: String, message: &str, help: &str, file: &str) {
    assert!(error.starts_with(&format!("error: {message}")), "{name}: no `{message}` in\n{error}");
    assert!(error.contains(help), "{name}: no `{help}` in\n{error}");
    assert!(error.contains(&format!("--> {file}:")), "{name}: no place in\n{error}");
    assert_eq!(error.matches("error: ").count(), 1, "{name}: what follows from it is no mistake of its own:\n{error}");
}
