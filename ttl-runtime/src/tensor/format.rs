//! The data formats of tiles, and the Rust element types that stand for them. One table.
//!
//! | format | element type | of a tile's elements |
//! | --- | --- | --- |
//! | `bf16`, `f32` | [`half::bf16`], `f32` | floats |
//! | `bfp8_b`, `bfp4_b` | markers: there is no scalar of them | block floats: 16 neighbours of a face row share one exponent; 7 or 3 bits of magnitude and a sign each |
//! | `u32`, `i32`, `u16`, `u8` | the integers themselves | integers, two's complement |

use std::fmt;

/// Side of a tile, and the elements of one.
pub const TILE_DIM: u32 = 32;
/// Elements of a tile: 32 x 32.
pub const TILE_ELEMENTS: usize = 1024;
/// Side of a face: a tile is four 16x16 faces (top left, top right, bottom left, bottom right), each row-major.
pub const FACE_DIM: u32 = 16;

/// A data format of circular buffers and tensors (`tt::DataFormat`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataFormat {
    /// `Float16_b`: the upper half of an f32.
    Bf16,
    /// `Float32`.
    F32,
    /// `Bfp8_b`: block floats of 8 bits.
    Bfp8B,
    /// `Bfp4_b`: block floats of 4 bits.
    Bfp4B,
    /// `UInt32`.
    U32,
    /// `Int32`.
    I32,
    /// `UInt16`.
    U16,
    /// `UInt8`.
    U8,
}

/// Everything that is to be known of a format.
struct Row {
    name: &'static str,
    spec_name: &'static str,
    metalium_name: &'static str,
    metalium_value: u32,
    /// Bits of one element, without the shared exponents of block floats.
    bits: u32,
    block_float: bool,
    integer: bool,
}

const fn float(name: &'static str, metalium_name: &'static str, metalium_value: u32, bits: u32) -> Row {
    Row { name, spec_name: name, metalium_name, metalium_value, bits, block_float: false, integer: false }
}

const fn integer(name: &'static str, metalium_name: &'static str, metalium_value: u32, bits: u32) -> Row {
    Row { integer: true, ..float(name, metalium_name, metalium_value, bits) }
}

const fn block_float(
    name: &'static str,
    spec_name: &'static str,
    metalium_name: &'static str,
    metalium_value: u32,
    bits: u32,
) -> Row {
    Row { name, spec_name, metalium_name, metalium_value, bits, block_float: true, integer: false }
}

impl DataFormat {
    /// Every format.
    pub const ALL: [DataFormat; 8] = [
        DataFormat::Bf16,
        DataFormat::F32,
        DataFormat::Bfp8B,
        DataFormat::Bfp4B,
        DataFormat::U32,
        DataFormat::I32,
        DataFormat::U16,
        DataFormat::U8,
    ];

    const fn row(self) -> Row {
        match self {
            DataFormat::Bf16 => float("bf16", "Float16_b", 5, 16),
            DataFormat::F32 => float("f32", "Float32", 0, 32),
            DataFormat::Bfp8B => block_float("bfp8_b", "bf8b", "Bfp8_b", 6, 8),
            DataFormat::Bfp4B => block_float("bfp4_b", "bf4b", "Bfp4_b", 7, 4),
            DataFormat::U32 => integer("u32", "UInt32", 24, 32),
            DataFormat::I32 => integer("i32", "Int32", 8, 32),
            DataFormat::U16 => integer("u16", "UInt16", 9, 16),
            DataFormat::U8 => integer("u8", "UInt8", 30, 8),
        }
    }

    /// Bytes of a 32x32 tile.
    pub const fn tile_bytes(self) -> u32 {
        let row = self.row();
        let exponents = if row.block_float { TILE_ELEMENTS as u32 / FACE_DIM } else { 0 };
        TILE_ELEMENTS as u32 * row.bits / 8 + exponents
    }

    /// Bytes of one element in row-major layout. Block floats have no such layout.
    pub const fn element_bytes(self) -> Option<u32> {
        let row = self.row();
        if row.block_float { None } else { Some(row.bits / 8) }
    }

    /// The name in ttl.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The name in exported program specifications.
    pub const fn spec_name(self) -> &'static str {
        self.row().spec_name
    }

    /// The enumerator of `tt::DataFormat`.
    pub const fn metalium_name(self) -> &'static str {
        self.row().metalium_name
    }

    /// The value of the enumerator of `tt::DataFormat`.
    pub const fn metalium_value(self) -> u32 {
        self.row().metalium_value
    }

    /// 16 elements share an exponent.
    pub const fn is_block_float(self) -> bool {
        self.row().block_float
    }

    /// Whether elements are integers.
    pub const fn is_integer(self) -> bool {
        self.row().integer
    }

    /// The format that its values have in source and tile registers: block floats are unpacked to bf16, exactly.
    pub const fn in_registers(self) -> DataFormat {
        if self.is_block_float() { DataFormat::Bf16 } else { self }
    }

    /// Whether tile registers of 32 bits (`fp32_dest_acc`) or of 16 bits can hold its values.
    pub const fn fits_registers(self, fp32_dest: bool) -> bool {
        fp32_dest || !matches!(self, DataFormat::U32 | DataFormat::I32 | DataFormat::U8)
    }

    /// Elements of 32 bits.
    pub const fn is_32_bit(self) -> bool {
        self.row().bits == 32
    }
}

impl fmt::Display for DataFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for DataFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Stands for the format `Bfp8_b`: `Tensor<bfp8_b>`, `CbIn<bfp8_b>`. Its tiles exist on the device only: the host sees f32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(non_camel_case_types, reason = "named as TT-Metalium and the scalar types are")]
pub enum bfp8_b {}

/// Stands for the format `Bfp4_b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(non_camel_case_types, reason = "named as TT-Metalium and the scalar types are")]
pub enum bfp4_b {}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that stands for a data format: `CbIn<bf16>`, `Tensor<f32>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element type of tiles",
    label = "not an element type",
    note = "element types are `bf16`, `f32`, `bfp8_b`, `bfp4_b`, `u32`, `i32`, `u16` and `u8`"
)]
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The format of its elements.
    const FORMAT: DataFormat;
}

macro_rules! elements {
    ($($element:ty => $format:ident),* $(,)?) => {$(
        impl sealed::Sealed for $element {}

        #[diagnostic::do_not_recommend]
        impl Element for $element {
            const FORMAT: DataFormat = DataFormat::$format;
        }
    )*};
}

elements! {
    half::bf16 => Bf16,
    f32 => F32,
    bfp8_b => Bfp8B,
    bfp4_b => Bfp4B,
    u32 => U32,
    i32 => I32,
    u16 => U16,
    u8 => U8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_the_sizes_of_tt_metalium() {
        let sizes: Vec<(&str, u32, Option<u32>)> =
            DataFormat::ALL.iter().map(|f| (f.metalium_name(), f.tile_bytes(), f.element_bytes())).collect();
        let expect = [
            ("Float16_b", 2048, Some(2)),
            ("Float32", 4096, Some(4)),
            ("Bfp8_b", 1088, None),
            ("Bfp4_b", 576, None),
            ("UInt32", 4096, Some(4)),
            ("Int32", 4096, Some(4)),
            ("UInt16", 2048, Some(2)),
            ("UInt8", 1024, Some(1)),
        ];
        assert_eq!(sizes, expect);
    }

    #[test]
    fn element_types_name_their_formats() {
        assert_eq!(<bfp8_b as Element>::FORMAT, DataFormat::Bfp8B);
        assert_eq!(<u16 as Element>::FORMAT.to_string(), "u16");
        let values: std::collections::HashSet<u32> = DataFormat::ALL.iter().map(|f| f.metalium_value()).collect();
        assert_eq!(values.len(), DataFormat::ALL.len());
    }
}
