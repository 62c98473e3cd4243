//! Arrays on the host, row-major, and their way to tiles and back.

use half::bf16;

use super::block_float;
use super::error::TensorError;
use super::format::{DataFormat, TILE_DIM, TILE_ELEMENTS};
use super::host_data::{HostData, HostElement, each_data};
use super::layout::TileShape;
use super::random::Random;

/// An array on the host: a shape with at least one element, and as many elements, row-major.
#[derive(Clone, PartialEq, Debug)]
pub struct HostTensor {
    shape: Vec<usize>,
    data: HostData,
}

impl HostTensor {
    /// From row-major elements.
    pub fn from_vec(shape: impl Into<Vec<usize>>, data: impl Into<HostData>) -> Result<HostTensor, TensorError> {
        let (shape, data) = (shape.into(), data.into());
        let expected = TileShape::new(&shape)?.elements();
        if data.len() != expected {
            return Err(TensorError::DataLength { shape, expected, got: data.len() });
        }
        Ok(HostTensor { shape, data })
    }

    /// f32 elements from a function of the row-major index.
    pub fn from_fn(shape: impl Into<Vec<usize>>, f: impl FnMut(usize) -> f32) -> Result<HostTensor, TensorError> {
        let shape = shape.into();
        let elements = TileShape::new(&shape)?.elements();
        Ok(HostTensor { shape, data: HostData::F32((0..elements).map(f).collect()) })
    }

    /// Zeros. An error where the shape is none: no dimension, one of 0 elements, or more elements than can be counted.
    pub fn zeros(shape: impl Into<Vec<usize>>, format: DataFormat) -> Result<HostTensor, TensorError> {
        let shape = shape.into();
        let elements = TileShape::new(&shape)?.elements();
        let data = HostData::zeros(format, elements);
        Ok(HostTensor { shape, data })
    }

    /// f32 elements, uniform in `low..high`, from the stream of [`Random::uniform`].
    pub fn uniform(shape: impl Into<Vec<usize>>, low: f32, high: f32, seed: u64) -> Result<HostTensor, TensorError> {
        let mut random = Random::new(seed);
        HostTensor::from_fn(shape, |_| random.uniform(low, high))
    }

    /// f32 elements of mean 0 and variance 1, from the stream of [`Random::normal`].
    pub fn normal(shape: impl Into<Vec<usize>>, seed: u64) -> Result<HostTensor, TensorError> {
        let mut random = Random::new(seed);
        HostTensor::from_fn(shape, |_| random.normal())
    }

    /// Integers, uniform in `low..=high`, which must fit the format; the same values for every format that can hold them.
    pub fn integers(
        shape: impl Into<Vec<usize>>,
        format: DataFormat,
        low: i64,
        high: i64,
        seed: u64,
    ) -> Result<HostTensor, TensorError> {
        let tensor = HostTensor::zeros(shape, format)?;
        let mut random = Random::new(seed);
        let mut draw = || random.integer(low, high);
        macro_rules! fill {
            ($v:expr) => {{
                let fits =
                    |value: i64| value.try_into().map_err(|_| TensorError::OutOfRange { index: 0, value, to: format });
                let n = $v.len();
                // With both ends everything in between fits.
                if n > 0 {
                    $v[0] = fits(low)?;
                    $v[0] = fits(high)?;
                }
                $v.iter_mut().for_each(|x| *x = draw() as _);
            }};
        }
        let mut data = tensor.data;
        match &mut data {
            HostData::U32(v) => fill!(v),
            HostData::I32(v) => fill!(v),
            HostData::U16(v) => fill!(v),
            HostData::U8(v) => fill!(v),
            HostData::F32(_) | HostData::Bf16(_) => {
                return Err(TensorError::Conversion { from: DataFormat::I32, to: format });
            }
        }
        Ok(HostTensor { shape: tensor.shape, data })
    }

    /// The lengths of its dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its elements, row-major.
    pub fn data(&self) -> &HostData {
        &self.data
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Never true: a tensor has at least one element.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The format of its elements.
    pub fn format(&self) -> DataFormat {
        self.data.format()
    }

    /// One element by its row-major index; an integer of more than 24 bits is rounded: see [`HostTensor::get_integer`].
    pub fn get(&self, index: usize) -> Option<f32> {
        self.data.get_f32(index)
    }

    /// One element, exact, if the elements are integers.
    pub fn get_integer(&self, index: usize) -> Option<i64> {
        self.data.get_integer(index)
    }

    /// The elements as f32, which is exact but for integers of more than 24 bits.
    pub fn to_f32_vec(&self) -> Vec<f32> {
        match &self.data {
            HostData::F32(v) => v.clone(),
            HostData::Bf16(v) => v.iter().map(|x| x.to_f32()).collect(),
            integers => integers.to_f64_vec().into_iter().map(|v| v as f32).collect(),
        }
    }

    /// The elements as f64, which is exact.
    pub fn to_f64_vec(&self) -> Vec<f64> {
        self.data.to_f64_vec()
    }

    /// The same elements in another format. To floats they are rounded to nearest, ties to even; to integers they are cut off towards
    /// zero and saturate, and NaN becomes 0. For a block float the result is f32 with the values that its tiles can hold.
    pub fn to_format(&self, format: DataFormat) -> HostTensor {
        let converted = HostTensor { shape: self.shape.clone(), data: self.data.converted(format) };
        if !format.is_block_float() {
            return converted;
        }
        let tiles = converted.to_tiles(format);
        // Floats become block floats without error, and the tiles are of this shape.
        tiles.and_then(|t| HostTensor::from_tiles(&*self.shape, format, &t)).unwrap_or(converted)
    }

    /// The same elements in another shape.
    pub fn reshape(self, shape: impl Into<Vec<usize>>) -> Result<HostTensor, TensorError> {
        HostTensor::from_vec(shape, self.data)
    }

    /// With its last two dimensions (a 1-D shape: as one row) padded to whole tiles by a value, in the tensor's own format.
    pub fn padded_to_tiles(&self, value: f32) -> Result<HostTensor, TensorError> {
        let tiles = TileShape::new(&self.shape)?;
        let (rows, cols) = (tiles.tile_rows() * TILE_DIM as usize, tiles.tile_cols() * TILE_DIM as usize);
        let mut shape = self.shape.clone();
        if shape.len() == 1 {
            shape.insert(0, 1);
        }
        let from = shape.len() - 2;
        shape[from..].copy_from_slice(&[rows, cols]);
        fn pad<T: HostElement>(data: &[T], tiles: TileShape, rows: usize, cols: usize, value: f32) -> Vec<T> {
            let mut out = vec![T::from_f64(value.into()); tiles.batch * rows * cols];
            for (i, row) in data.chunks_exact(tiles.cols).enumerate() {
                let at = (i / tiles.rows * rows + i % tiles.rows) * cols;
                out[at..at + row.len()].copy_from_slice(row);
            }
            out
        }
        let data = each_data!(&self.data, v => HostData::from(pad(v, tiles, rows, cols, value)));
        Ok(HostTensor { shape, data })
    }

    /// The bytes of this tensor as device tiles of `format`, page after page, padded with zeros. Floats are rounded to the format; integers
    /// must fit it; between floats and integers the conversion must be asked for ([`HostTensor::to_format`]).
    pub fn to_tiles(&self, format: DataFormat) -> Result<Vec<u8>, TensorError> {
        let shape = TileShape::new(&self.shape)?;
        let data = self.data.stored_as(format)?;
        if !format.is_block_float() {
            return Ok(each_data!(&data, v => shape.tilize(v, |x| x.to_le_bytes())));
        }
        let HostData::F32(values) = data else {
            return Err(TensorError::Conversion { from: data.format(), to: format });
        };
        let ordered = shape.in_tile_order(&values);
        let bytes = format.tile_bytes() as usize;
        let mut out = vec![0; shape.tiles() * bytes];
        for (elements, tile) in ordered.chunks_exact(TILE_ELEMENTS).zip(out.chunks_exact_mut(bytes)) {
            block_float::pack_tile(format, elements, tile);
        }
        Ok(out)
    }

    /// The inverse of [`HostTensor::to_tiles`]; the result has the tiles' format, or f32 for block floats.
    pub fn from_tiles(
        shape: impl Into<Vec<usize>>,
        format: DataFormat,
        bytes: &[u8],
    ) -> Result<HostTensor, TensorError> {
        let shape = shape.into();
        let tiles = TileShape::new(&shape)?;
        let expected = tiles.tiles() * format.tile_bytes() as usize;
        if bytes.len() != expected {
            return Err(TensorError::ByteLength { shape, format, pages: "tiles", expected, got: bytes.len() });
        }
        let data = match format {
            DataFormat::F32 => HostData::F32(tiles.untilize(bytes, f32::from_le_bytes)),
            DataFormat::Bf16 => HostData::Bf16(tiles.untilize(bytes, bf16::from_le_bytes)),
            DataFormat::U32 => HostData::U32(tiles.untilize(bytes, u32::from_le_bytes)),
            DataFormat::I32 => HostData::I32(tiles.untilize(bytes, i32::from_le_bytes)),
            DataFormat::U16 => HostData::U16(tiles.untilize(bytes, u16::from_le_bytes)),
            DataFormat::U8 => HostData::U8(tiles.untilize(bytes, u8::from_le_bytes)),
            DataFormat::Bfp8B | DataFormat::Bfp4B => {
                let mut ordered = vec![0u8; tiles.tiles() * TILE_ELEMENTS * 4];
                let mut elements = [0f32; TILE_ELEMENTS];
                let pages = bytes.chunks_exact(format.tile_bytes() as usize);
                for (tile, out) in pages.zip(ordered.chunks_exact_mut(TILE_ELEMENTS * 4)) {
                    block_float::unpack_tile(format, tile, &mut elements);
                    for (value, out) in elements.iter().zip(out.chunks_exact_mut(4)) {
                        out.copy_from_slice(&value.to_le_bytes());
                    }
                }
                HostData::F32(tiles.untilize(&ordered, f32::from_le_bytes))
            }
        };
        Ok(HostTensor { shape, data })
    }

    /// The bytes of this tensor row by row, as the pages of a row-major device tensor hold them. Conversions are those of
    /// [`HostTensor::to_tiles`]; block floats have no rows.
    pub fn to_rows(&self, format: DataFormat) -> Result<Vec<u8>, TensorError> {
        if format.is_block_float() {
            return Err(TensorError::NoRows { format });
        }
        let data = self.data.stored_as(format)?;
        Ok(each_data!(&data, v => v.iter().flat_map(|x| x.to_le_bytes()).collect()))
    }

    /// The inverse of [`HostTensor::to_rows`].
    pub fn from_rows(
        shape: impl Into<Vec<usize>>,
        format: DataFormat,
        bytes: &[u8],
    ) -> Result<HostTensor, TensorError> {
        let shape = shape.into();
        let elements = TileShape::new(&shape)?.elements();
        let width = format.element_bytes().ok_or(TensorError::NoRows { format })? as usize;
        if bytes.len() != elements * width {
            let (expected, got) = (elements * width, bytes.len());
            return Err(TensorError::ByteLength { shape, format, pages: "rows", expected, got });
        }
        let data = match format {
            DataFormat::F32 => HostData::F32(decode(bytes, f32::from_le_bytes)),
            DataFormat::Bf16 => HostData::Bf16(decode(bytes, bf16::from_le_bytes)),
            DataFormat::U32 => HostData::U32(decode(bytes, u32::from_le_bytes)),
            DataFormat::I32 => HostData::I32(decode(bytes, i32::from_le_bytes)),
            DataFormat::U16 => HostData::U16(decode(bytes, u16::from_le_bytes)),
            DataFormat::U8 => HostData::U8(decode(bytes, u8::from_le_bytes)),
            DataFormat::Bfp8B | DataFormat::Bfp4B => return Err(TensorError::NoRows { format }),
        };
        Ok(HostTensor { shape, data })
    }
}

/// Little-endian elements.
fn decode<D, const B: usize>(bytes: &[u8], value_of: impl Fn([u8; B]) -> D) -> Vec<D> {
    bytes
        .chunks_exact(B)
        .map(|chunk| {
            let mut element = [0; B];
            element.copy_from_slice(chunk);
            value_of(element)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f32_rounds_to_bf16_to_nearest_even() {
        let cases = [
            (1.0f32, 0x3F80u16),
            (f32::from_bits(0x3F80_8000), 0x3F80), // a tie, down to even
            (f32::from_bits(0x3F81_8000), 0x3F82), // a tie, up to even
            (f32::from_bits(0x3F80_8001), 0x3F81),
            (f32::from_bits(0x3F80_7FFF), 0x3F80),
            (f32::MAX, 0x7F80),
            (f32::NEG_INFINITY, 0xFF80),
            (-0.0, 0x8000),
            (f32::from_bits(1), 0x0000),
        ];
        for (value, bits) in cases {
            let t = HostTensor::from_vec([1], vec![value]).unwrap().to_format(DataFormat::Bf16);
            assert_eq!(*t.data(), HostData::Bf16(vec![bf16::from_bits(bits)]), "{value:e}");
        }
        let nan = HostTensor::from_vec([1], vec![f32::from_bits(0x7F80_0001)]).unwrap();
        assert!(nan.to_format(DataFormat::Bf16).get(0).unwrap().is_nan());
    }

    #[test]
    fn tiles_hold_zero_in_the_padding() {
        let t = HostTensor::from_vec([2, 3], vec![1.0f32; 6]).unwrap();
        let bytes = t.to_tiles(DataFormat::Bf16).unwrap();
        assert_eq!(bytes.len(), 2048);
        let words: Vec<u16> = bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        assert_eq!(words.iter().filter(|&&w| w == 0x3F80).count(), 6);
        assert_eq!(words.iter().filter(|&&w| w == 0).count(), 1018);
        assert_eq!((words[0], words[2], words[3], words[16]), (0x3F80, 0x3F80, 0, 0x3F80));
    }

    #[test]
    fn tiles_and_rows_come_back() {
        let integers = HostTensor::integers([3, 50, 70], DataFormat::I32, i32::MIN.into(), i32::MAX.into(), 9).unwrap();
        for format in DataFormat::ALL {
            let t = if format.is_integer() { integers.clone() } else { HostTensor::normal([3, 50, 70], 7).unwrap() };
            let t = t.to_format(format);
            let bytes = t.to_tiles(format).unwrap();
            assert_eq!(HostTensor::from_tiles([3, 50, 70], format, &bytes).unwrap(), t, "{format}");
            if let Some(width) = format.element_bytes() {
                let rows = t.to_rows(format).unwrap();
                assert_eq!(rows.len(), t.len() * width as usize);
                assert_eq!(HostTensor::from_rows([3, 50, 70], format, &rows).unwrap(), t);
            } else {
                assert_eq!(t.to_rows(format), Err(TensorError::NoRows { format }));
            }
        }
        // bf16 is exact in f32.
        let t = HostTensor::normal([40], 8).unwrap().to_format(DataFormat::Bf16);
        let bytes = t.to_tiles(DataFormat::F32).unwrap();
        let back = HostTensor::from_tiles([40], DataFormat::F32, &bytes).unwrap();
        assert_eq!(back.to_format(DataFormat::Bf16), t);
    }

    #[test]
    fn wrong_sizes_are_refused() {
        let e = HostTensor::from_vec([2, 3], vec![0.0f32; 5]).unwrap_err();
        assert_eq!(
            e.to_string(),
            "5 elements for a tensor of shape [2, 3], which has 6\n  = help: give one for each element, or another shape"
        );
        let e = HostTensor::from_tiles([2, 3], DataFormat::F32, &[0; 10]).unwrap_err();
        assert_eq!(
            e.to_string(),
            "10 bytes for a tensor of shape [2, 3] in f32 tiles, which takes 4096\n  = help: give all pages, with their padding"
        );
        let e = HostTensor::zeros([4, 0], DataFormat::F32).unwrap_err();
        assert_eq!(
            e.to_string(),
            "the tensor is empty: shape [4, 0] has a dimension of 0\n  = help: every dimension must be at least 1"
        );
        let t = HostTensor::zeros([4, 3], DataFormat::Bf16).unwrap();
        assert!(t.clone().reshape([12]).is_ok());
        assert!(t.reshape([13]).is_err());
    }

    #[test]
    fn padding_of_choice() {
        let t = HostTensor::from_vec([2, 1, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let padded = t.padded_to_tiles(-7.5).unwrap();
        assert_eq!(padded.shape(), [2, 32, 32]);
        let at = |i: usize| padded.get(i).unwrap();
        assert_eq!((at(0), at(2), at(3), at(32), at(1024), at(1026), at(1027)), (1.0, 3.0, -7.5, -7.5, 4.0, 6.0, -7.5));
        let line = HostTensor::from_vec([40], vec![9u8; 40]).unwrap().padded_to_tiles(1.0).unwrap();
        assert_eq!((line.shape(), line.get_integer(39), line.get_integer(40)), (&[32, 64][..], Some(9), Some(1)));
    }

    #[test]
    fn integers_stay_exact() {
        let values = vec![0u32, 1, 16_777_217, u32::MAX];
        let t = HostTensor::from_vec([4], values.clone()).unwrap();
        let back = HostTensor::from_tiles([4], DataFormat::U32, &t.to_tiles(DataFormat::U32).unwrap()).unwrap();
        assert_eq!(*back.data(), HostData::U32(values));
        assert_eq!((t.get_integer(2), t.get_integer(3)), (Some(16_777_217), Some(4_294_967_295)));
        assert_eq!(HostTensor::from_vec([2], vec![-1i32, 7]).unwrap().get_integer(0), Some(-1));
        assert_eq!(HostTensor::zeros([2], DataFormat::F32).unwrap().get_integer(0), None);
        let all = HostTensor::integers([64, 64], DataFormat::U16, 5, 9, 1).unwrap();
        assert!((0..all.len()).all(|i| (5..=9).contains(&all.get_integer(i).unwrap())));
        assert!([5, 9].iter().all(|v| (0..all.len()).any(|i| all.get_integer(i) == Some(*v))));
    }

    #[test]
    fn conversions_that_lose_the_meaning_are_refused() {
        let e = HostTensor::zeros([4], DataFormat::F32).unwrap().to_tiles(DataFormat::I32).unwrap_err();
        assert_eq!(
            e.to_string(),
            "f32 elements for a tensor of i32\n  = help: convert them first, `to_format(DataFormat::I32)` cuts off towards zero and saturates"
        );
        let e = HostTensor::zeros([4], DataFormat::U8).unwrap().to_tiles(DataFormat::Bfp8B).unwrap_err();
        assert_eq!(
            e.to_string(),
            "u8 elements for a tensor of bfp8_b\n  = help: convert them first, `to_format(DataFormat::F32)` rounds to nearest"
        );
        let wide = HostTensor::from_vec([3], vec![1i32, 65_535, -2]).unwrap();
        let e = wide.to_tiles(DataFormat::U16).unwrap_err();
        assert_eq!(
            e.to_string(),
            "element 2 is -2, which u16 cannot hold\n  = help: use a wider format, or `to_format(DataFormat::U16)`, which saturates"
        );
        assert_eq!(*wide.to_format(DataFormat::U8).data(), HostData::U8(vec![1, 255, 0]));
        let narrow = HostTensor::from_vec([2], vec![1u8, 200]).unwrap();
        assert!(narrow.to_tiles(DataFormat::I32).is_ok());
        assert!(HostTensor::integers([4], DataFormat::U8, 0, 256, 1).is_err());
        let floats = HostTensor::from_vec([3], vec![1.9f32, -3.0, f32::NAN]).unwrap();
        assert_eq!(*floats.to_format(DataFormat::I32).data(), HostData::I32(vec![1, -3, 0]));
    }

    #[test]
    fn block_floats_round_in_rows_of_a_face() {
        // 1.0 and 1/256 share a row of 16 only in the first half.
        let mut values = vec![0.00390625f32; 32];
        values[0] = 1.0;
        let t = HostTensor::from_vec([32], values).unwrap().to_format(DataFormat::Bfp8B);
        assert_eq!(t.format(), DataFormat::F32);
        assert_eq!((t.get(0), t.get(1), t.get(15), t.get(16)), (Some(1.0), Some(0.0), Some(0.0), Some(0.00390625)));
    }

    #[test]
    fn seeds_give_the_same_numbers() {
        let a = HostTensor::uniform([10, 10], -2.0, 3.0, 5).unwrap();
        assert_eq!(a, HostTensor::uniform([10, 10], -2.0, 3.0, 5).unwrap());
        assert_ne!(a, HostTensor::uniform([10, 10], -2.0, 3.0, 6).unwrap());
        assert!(a.to_f32_vec().iter().all(|v| (-2.0..3.0).contains(v)));
    }
}
