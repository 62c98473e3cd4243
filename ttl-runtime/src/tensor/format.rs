//! The data formats of tiles, and the Rust element types that stand for them. One table.

use std::fmt;

/// Side of a tile, and the elements of one.
pub const TILE_DIM: u32 = 32;
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
}

impl DataFormat {
    pub const ALL: [DataFormat; 2] = [DataFormat::Bf16, DataFormat::F32];

    /// Bytes of a 32x32 tile.
    pub const fn tile_bytes(self) -> u32 {
        match self {
            DataFormat::Bf16 => 2048,
            DataFormat::F32 => 4096,
        }
    }

    /// Bytes of one element in row-major layout.
    pub const fn element_bytes(self) -> u32 {
        self.tile_bytes() / TILE_ELEMENTS as u32
    }

    /// The name in ttl, and in program specifications.
    pub const fn name(self) -> &'static str {
        match self {
            DataFormat::Bf16 => "bf16",
            DataFormat::F32 => "f32",
        }
    }

    /// The enumerator of `tt::DataFormat`.
    pub const fn metalium_name(self) -> &'static str {
        match self {
            DataFormat::Bf16 => "Float16_b",
            DataFormat::F32 => "Float32",
        }
    }

    /// The value of the enumerator of `tt::DataFormat`.
    pub const fn metalium_value(self) -> u32 {
        match self {
            DataFormat::Bf16 => 5,
            DataFormat::F32 => 0,
        }
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

mod sealed {
    pub trait Sealed {}
    impl Sealed for half::bf16 {}
    impl Sealed for f32 {}
}

/// A Rust type that stands for a data format: `CbIn<bf16>`, `Tensor<f32>`.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    const FORMAT: DataFormat;
}

impl Element for half::bf16 {
    const FORMAT: DataFormat = DataFormat::Bf16;
}

impl Element for f32 {
    const FORMAT: DataFormat = DataFormat::F32;
}
