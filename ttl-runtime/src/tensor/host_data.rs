//! The elements of host tensors: floats and integers, each as itself.

use half::bf16;

use super::error::TensorError;
use super::format::DataFormat;

/// The elements of a [`HostTensor`](super::HostTensor). Block floats are f32 here.
#[derive(Clone, PartialEq, Debug)]
pub enum HostData {
    /// f32.
    F32(Vec<f32>),
    /// bf16.
    Bf16(Vec<bf16>),
    /// u32.
    U32(Vec<u32>),
    /// i32.
    I32(Vec<i32>),
    /// u16.
    U16(Vec<u16>),
    /// u8.
    U8(Vec<u8>),
}

/// The same expression for the elements of every kind.
macro_rules! each_data {
    ($data:expr, $v:ident => $e:expr) => {
        match $data {
            HostData::F32($v) => $e,
            HostData::Bf16($v) => $e,
            HostData::U32($v) => $e,
            HostData::I32($v) => $e,
            HostData::U16($v) => $e,
            HostData::U8($v) => $e,
        }
    };
}
pub(super) use each_data;

/// An element of a host tensor.
pub(super) trait HostElement: Copy + Default + 'static {
    /// Exact.
    fn to_f64(self) -> f64;
    /// Floats to nearest, ties to even; integers are cut off towards zero and saturate.
    fn from_f64(value: f64) -> Self;
}

macro_rules! host_elements {
    ($($t:ty => $kind:ident: $from:expr;)*) => {$(
        impl HostElement for $t {
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            fn from_f64(value: f64) -> $t {
                let from: fn(f64) -> $t = $from;
                from(value)
            }
        }

        impl From<Vec<$t>> for HostData {
            fn from(v: Vec<$t>) -> HostData {
                HostData::$kind(v)
            }
        }
    )*};
}

host_elements! {
    f32 => F32: |v| v as f32;
    bf16 => Bf16: bf16::from_f64;
    u32 => U32: |v| v as u32;
    i32 => I32: |v| v as i32;
    u16 => U16: |v| v as u16;
    u8 => U8: |v| v as u8;
}

impl HostData {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        each_data!(self, v => v.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their format.
    pub const fn format(&self) -> DataFormat {
        match self {
            HostData::F32(_) => DataFormat::F32,
            HostData::Bf16(_) => DataFormat::Bf16,
            HostData::U32(_) => DataFormat::U32,
            HostData::I32(_) => DataFormat::I32,
            HostData::U16(_) => DataFormat::U16,
            HostData::U8(_) => DataFormat::U8,
        }
    }

    /// `n` zeros of the kind that holds elements of a format.
    pub fn zeros(format: DataFormat, n: usize) -> HostData {
        match format {
            DataFormat::F32 | DataFormat::Bfp8B | DataFormat::Bfp4B => HostData::F32(vec![0.0; n]),
            DataFormat::Bf16 => HostData::Bf16(vec![bf16::ZERO; n]),
            DataFormat::U32 => HostData::U32(vec![0; n]),
            DataFormat::I32 => HostData::I32(vec![0; n]),
            DataFormat::U16 => HostData::U16(vec![0; n]),
            DataFormat::U8 => HostData::U8(vec![0; n]),
        }
    }

    /// An element, exact.
    pub fn get_f64(&self, index: usize) -> Option<f64> {
        each_data!(self, v => v.get(index).map(|&x| x.to_f64()))
    }

    /// An element, rounded to nearest where it is an integer of more than 24 bits.
    pub fn get_f32(&self, index: usize) -> Option<f32> {
        self.get_f64(index).map(|v| v as f32)
    }

    /// An integer element.
    pub fn get_integer(&self, index: usize) -> Option<i64> {
        match self {
            HostData::F32(_) | HostData::Bf16(_) => None,
            HostData::U32(v) => v.get(index).map(|&x| x.into()),
            HostData::I32(v) => v.get(index).map(|&x| x.into()),
            HostData::U16(v) => v.get(index).map(|&x| x.into()),
            HostData::U8(v) => v.get(index).map(|&x| x.into()),
        }
    }

    /// All elements, exact.
    pub fn to_f64_vec(&self) -> Vec<f64> {
        each_data!(self, v => v.iter().map(|&x| x.to_f64()).collect())
    }

    /// The elements as another kind, converted as [`HostTensor::to_format`](super::HostTensor::to_format) says.
    pub(super) fn converted(&self, format: DataFormat) -> HostData {
        fn all<S: HostElement, D: HostElement>(v: &[S]) -> Vec<D> {
            v.iter().map(|&x| D::from_f64(x.to_f64())).collect()
        }
        // NaN payloads survive between floats: `as` and `half` keep them quiet.
        match (self, format) {
            (HostData::F32(v), DataFormat::F32 | DataFormat::Bfp8B | DataFormat::Bfp4B) => HostData::F32(v.clone()),
            (HostData::F32(v), DataFormat::Bf16) => HostData::Bf16(v.iter().map(|&x| bf16::from_f32(x)).collect()),
            (same, _) if same.format() == format => same.clone(),
            (data, DataFormat::F32 | DataFormat::Bfp8B | DataFormat::Bfp4B) => {
                HostData::F32(each_data!(data, v => all(v)))
            }
            (data, DataFormat::Bf16) => HostData::Bf16(each_data!(data, v => all(v))),
            (data, DataFormat::U32) => HostData::U32(each_data!(data, v => all(v))),
            (data, DataFormat::I32) => HostData::I32(each_data!(data, v => all(v))),
            (data, DataFormat::U16) => HostData::U16(each_data!(data, v => all(v))),
            (data, DataFormat::U8) => HostData::U8(each_data!(data, v => all(v))),
        }
    }

    /// The elements as a device tensor of `format` takes them: floats are rounded, integers must fit, and neither becomes the other
    /// unasked.
    pub(super) fn stored_as(&self, format: DataFormat) -> Result<HostData, TensorError> {
        let from = self.format();
        if from.is_integer() != format.is_integer() {
            return Err(TensorError::Conversion { from, to: format });
        }
        let out = self.converted(format);
        if format.is_integer() && from != format {
            let changed = (0..self.len()).find(|&i| self.get_integer(i) != out.get_integer(i));
            if let Some((index, value)) = changed.and_then(|i| Some((i, self.get_integer(i)?))) {
                return Err(TensorError::OutOfRange { index, value, to: format });
            }
        }
        Ok(out)
    }
}
