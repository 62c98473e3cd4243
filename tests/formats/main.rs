//! The element types of tensors and circular buffers: moved between all kinds of memory and through the compute engine, on both engines.

mod compute;
mod movement;
mod padding;
mod refused;
mod rows;
mod shards;
mod shared;

use ttl::prelude::*;

/// 4 x 3 tiles, with padding in the last row and column of tiles.
const SHAPE: [usize; 2] = [120, 90];
const PAGES: u32 = 12;

/// Random contents that use the range of the format, and that the host's own conversions keep.
fn contents(format: DataFormat) -> HostTensor {
    let integers = |low, high| HostTensor::integers(SHAPE, format, low, high, 3).expect("integers");
    match format {
        DataFormat::U32 => integers(0, u32::MAX.into()),
        DataFormat::I32 => integers(i32::MIN.into(), i32::MAX.into()),
        DataFormat::U16 => integers(0, u16::MAX.into()),
        DataFormat::U8 => integers(0, u8::MAX.into()),
        float => HostTensor::normal(SHAPE, 3).expect("floats").to_format(float),
    }
}

/// Calls a generic function with the element type of every format.
macro_rules! for_each_format {
    ($f:ident($($arg:expr),*)) => {
        $f::<bf16>($($arg),*);
        $f::<f32>($($arg),*);
        $f::<bfp8_b>($($arg),*);
        $f::<bfp4_b>($($arg),*);
        $f::<u32>($($arg),*);
        $f::<i32>($($arg),*);
        $f::<u16>($($arg),*);
        $f::<u8>($($arg),*);
    };
}
pub(crate) use for_each_format;
