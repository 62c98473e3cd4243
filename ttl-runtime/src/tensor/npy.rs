//! `.npy` files: f16, f32 and f64 in (as f32), f32 out; integers in and out as themselves.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use half::f16;
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder};
use thiserror::Error;

use super::error::TensorError;
use super::host::HostTensor;
use super::host_data::{HostData, each_data};
use super::layout::TileShape;

/// What can be wrong with a file.
#[derive(Debug, Error)]
pub enum NpyError {
    #[error("{}: {action} the file: {source}", .path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("{}: this is no .npy file\n  = help: write one with numpy.save", .path.display())]
    NotNpy { path: PathBuf },
    #[error("{}: the header of the .npy file is broken: {reason}\n  = help: write it again with numpy.save", .path.display())]
    Header { path: PathBuf, reason: String },
    #[error("{}: the file is cut off: shape {shape:?} of {dtype} takes {expected} bytes, {got} are there\n  = help: write it again with numpy.save", .path.display())]
    Truncated { path: PathBuf, shape: Vec<usize>, dtype: String, expected: usize, got: usize },
    #[error("{}: {extra} bytes follow the array of shape {shape:?}\n  = help: write one array a file with numpy.save", .path.display())]
    TrailingBytes { path: PathBuf, shape: Vec<usize>, extra: usize },
    #[error("{}: the array is in Fortran order\n  = help: save numpy.ascontiguousarray(a)", .path.display())]
    FortranOrder { path: PathBuf },
    #[error("{}: element type {dtype} is not supported\n  = help: save a.astype(numpy.float32); other floats, integers and bool work too", .path.display())]
    DataType { path: PathBuf, dtype: String },
    #[error("{}: the {dtype} array has values from {low} to {high}, which neither i32 nor u32 holds\n  = help: save smaller numbers, or floats", .path.display())]
    Integers { path: PathBuf, dtype: String, low: i128, high: i128 },
    #[error("{}: the array has shape {got:?}, {expected:?} is needed\n  = help: save a.reshape(..) or a part of it", .path.display())]
    Shape { path: PathBuf, expected: Vec<usize>, got: Vec<usize> },
    #[error("{}: {source}", .path.display())]
    Tensor { path: PathBuf, source: TensorError },
}

/// Reads an array: floats as f32; unsigned integers of 8, 16 and 32 bits and bool as themselves, all others as i32, or u32 where i32 does
/// not hold them.
pub fn read(path: impl AsRef<Path>) -> Result<HostTensor, NpyError> {
    let path = path.as_ref();
    let bytes =
        fs::read(path).map_err(|source| NpyError::Io { path: path.to_path_buf(), action: "cannot read", source })?;
    parse(path, &bytes)
}

/// Reads an array that must have this shape.
pub fn read_shape(path: impl AsRef<Path>, shape: &[usize]) -> Result<HostTensor, NpyError> {
    let path = path.as_ref();
    let tensor = read(path)?;
    if tensor.shape() != shape {
        return Err(NpyError::Shape {
            path: path.to_path_buf(),
            expected: shape.to_vec(),
            got: tensor.shape().to_vec(),
        });
    }
    Ok(tensor)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<HostTensor, NpyError> {
    let owned = || path.to_path_buf();
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err(NpyError::NotNpy { path: owned() });
    }
    let broken = |reason: String| NpyError::Header { path: owned(), reason };
    inspect_header(bytes).map_err(|reason| broken(reason.to_owned()))?;
    let mut rest = bytes;
    let header = NpyHeader::from_reader(&mut rest).map_err(|e| broken(e.to_string()))?;
    let shape: Vec<usize> = header.shape().iter().map(|&n| n as usize).collect();
    let unsupported = |dtype: String| NpyError::DataType { path: owned(), dtype };
    let (kind, size, big, dtype) = match header.dtype() {
        DType::Plain(t) => {
            let (kind, name) = match (t.type_char(), t.size_field()) {
                (TypeChar::Float, 2 | 4 | 8) => (Kind::Float, "float"),
                (TypeChar::Uint, 1 | 2 | 4 | 8) => (Kind::Unsigned, "uint"),
                (TypeChar::Int, 1 | 2 | 4 | 8) => (Kind::Signed, "int"),
                (TypeChar::Bool, 1) => (Kind::Unsigned, "bool"),
                _ => return Err(unsupported(t.to_string())),
            };
            let size = t.size_field() as usize;
            (kind, size, t.endianness() == Endianness::Big, format!("{name}{}", 8 * size))
        }
        other => return Err(unsupported(other.descr())),
    };
    if header.order() == Order::Fortran && shape.iter().filter(|&&n| n > 1).count() > 1 {
        return Err(NpyError::FortranOrder { path: owned() });
    }
    let elements = TileShape::new(&shape).map_err(|source| NpyError::Tensor { path: owned(), source })?.elements();
    let expected = elements * size;
    if rest.len() < expected {
        return Err(NpyError::Truncated { path: owned(), shape, dtype, expected, got: rest.len() });
    }
    if rest.len() > expected {
        return Err(NpyError::TrailingBytes { path: owned(), shape, extra: rest.len() - expected });
    }
    let data = match (kind, size) {
        (Kind::Float, 2) => HostData::F32(convert(rest, big, |b| f16::from_le_bytes(b).to_f32())),
        (Kind::Float, 4) => HostData::F32(convert(rest, big, f32::from_le_bytes)),
        (Kind::Float, _) => HostData::F32(convert(rest, big, |b| f64::from_le_bytes(b) as f32)),
        (Kind::Unsigned, 1) => HostData::U8(rest.to_vec()),
        (Kind::Unsigned, 2) => HostData::U16(convert(rest, big, u16::from_le_bytes)),
        (Kind::Unsigned, 4) => HostData::U32(convert(rest, big, u32::from_le_bytes)),
        (Kind::Signed, 1) => HostData::I32(convert(rest, big, |b| i8::from_le_bytes(b).into())),
        (Kind::Signed, 2) => HostData::I32(convert(rest, big, |b| i16::from_le_bytes(b).into())),
        (Kind::Signed, 4) => HostData::I32(convert(rest, big, i32::from_le_bytes)),
        (Kind::Signed, _) => wide(path, &dtype, convert(rest, big, |b| i64::from_le_bytes(b).into()))?,
        (Kind::Unsigned, _) => wide(path, &dtype, convert(rest, big, |b| u64::from_le_bytes(b).into()))?,
    };
    HostTensor::from_vec(shape, data).map_err(|source| NpyError::Tensor { path: owned(), source })
}

#[derive(Clone, Copy)]
enum Kind {
    Float,
    Unsigned,
    Signed,
}

/// 64-bit integers as 32-bit ones.
fn wide(path: &Path, dtype: &str, values: Vec<i128>) -> Result<HostData, NpyError> {
    let (low, high) = (values.iter().copied().min().unwrap_or(0), values.iter().copied().max().unwrap_or(0));
    if i32::try_from(low).is_ok() && i32::try_from(high).is_ok() {
        Ok(HostData::I32(values.into_iter().map(|v| v as i32).collect()))
    } else if u32::try_from(low).is_ok() && u32::try_from(high).is_ok() {
        Ok(HostData::U32(values.into_iter().map(|v| v as u32).collect()))
    } else {
        Err(NpyError::Integers { path: path.to_path_buf(), dtype: dtype.to_owned(), low, high })
    }
}

/// Refuses headers on which the reader below would overflow, recurse without end or ask for gigabytes.
fn inspect_header(bytes: &[u8]) -> Result<(), &'static str> {
    const CUT_OFF: &str = "it is cut off";
    let version = *bytes.get(6).ok_or(CUT_OFF)?;
    let word = |range: std::ops::Range<usize>| {
        let le = bytes.get(range).ok_or(CUT_OFF)?;
        Ok(le.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b)))
    };
    let (length, start) = if version == 1 { (word(8..10)?, 10) } else { (word(8..12)?, 12) };
    let text = bytes.get(start..).and_then(|b| b.get(..length)).ok_or(CUT_OFF)?;
    const MOST_BRACKETS: usize = 64;
    if text.iter().filter(|b| matches!(b, b'(' | b'[' | b'{')).count() > MOST_BRACKETS {
        return Err("it is nested too deeply");
    }
    let text = String::from_utf8_lossy(text);
    if let Some((_, after)) = text.split_once("shape") {
        let inside = after.split_once('(').and_then(|(_, t)| t.split_once(')')).map_or("", |t| t.0);
        let product = inside.split(',').filter(|n| !n.trim().is_empty()).try_fold(1u64, |p, n| {
            // What is no number is left to the reader.
            p.checked_mul(n.trim().parse::<u64>().unwrap_or(1).max(1))
        });
        if product.is_none() {
            return Err("its shape has more elements than any memory");
        }
    }
    Ok(())
}

fn convert<T, const B: usize>(bytes: &[u8], big: bool, value: impl Fn([u8; B]) -> T) -> Vec<T> {
    bytes
        .chunks_exact(B)
        .map(|chunk| {
            let mut element = [0u8; B];
            element.copy_from_slice(chunk);
            if big {
                element.reverse();
            }
            value(element)
        })
        .collect()
}

/// Writes an array, bf16 as f32, which is exact. The file appears complete or not at all.
pub fn write(path: impl AsRef<Path>, tensor: &HostTensor) -> Result<(), NpyError> {
    let path = path.as_ref();
    let failed =
        |action: &'static str| move |source: io::Error| NpyError::Io { path: path.to_path_buf(), action, source };
    let bytes = encode(tensor).map_err(failed("cannot encode"))?;
    let name = path.file_name().ok_or_else(|| failed("cannot write")(io::ErrorKind::InvalidFilename.into()))?;
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(&bytes))
        .map_err(failed("cannot write"))
        .and_then(|()| fs::rename(&temporary, path).map_err(failed("cannot write")));
    if written.is_err() {
        // Nothing may be left behind; that the file is not there is what is wanted.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn encode(tensor: &HostTensor) -> io::Result<Vec<u8>> {
    let name = match tensor.data() {
        HostData::F32(_) | HostData::Bf16(_) => "<f4",
        HostData::U32(_) => "<u4",
        HostData::I32(_) => "<i4",
        HostData::U16(_) => "<u2",
        HostData::U8(_) => "|u1",
    };
    let dtype: TypeStr = name.parse().map_err(|_| io::Error::other("npyz does not know its own type name"))?;
    let shape: Vec<u64> = tensor.shape().iter().map(|&n| n as u64).collect();
    let mut out = Vec::with_capacity(128 + 4 * tensor.len());
    npyz::WriteOptions::new_header_only()
        .dtype(DType::Plain(dtype))
        .shape(&shape)
        .writer(&mut out)
        .write_header_only()?;
    match tensor.data() {
        HostData::Bf16(v) => out.extend(v.iter().flat_map(|x| x.to_f32().to_le_bytes())),
        data => each_data!(data, v => out.extend(v.iter().flat_map(|x| x.to_le_bytes()))),
    }
    Ok(out)
}

#[cfg(test)]
#[path = "npy_tests.rs"]
mod tests;
