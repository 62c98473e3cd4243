//! Arrays on the host, row-major, and their way to tiles and back.

use half::bf16;

use super::error::TensorError;
use super::format::DataFormat;
use super::layout::TileShape;
use super::random::Random;

/// The elements of a [`HostTensor`].
#[derive(Clone, PartialEq, Debug)]
pub enum HostData {
    F32(Vec<f32>),
    Bf16(Vec<bf16>),
}

impl HostData {
    pub fn len(&self) -> usize {
        match self {
            HostData::F32(v) => v.len(),
            HostData::Bf16(v) => v.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub const fn format(&self) -> DataFormat {
        match self {
            HostData::F32(_) => DataFormat::F32,
            HostData::Bf16(_) => DataFormat::Bf16,
        }
    }
}

impl From<Vec<f32>> for HostData {
    fn from(v: Vec<f32>) -> HostData {
        HostData::F32(v)
    }
}

impl From<Vec<bf16>> for HostData {
    fn from(v: Vec<bf16>) -> HostData {
        HostData::Bf16(v)
    }
}

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

    pub fn zeros(shape: impl Into<Vec<usize>>, format: DataFormat) -> Result<HostTensor, TensorError> {
        let shape = shape.into();
        let elements = TileShape::new(&shape)?.elements();
        let data = match format {
            DataFormat::F32 => HostData::F32(vec![0.0; elements]),
            DataFormat::Bf16 => HostData::Bf16(vec![bf16::ZERO; elements]),
        };
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

    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub fn data(&self) -> &HostData {
        &self.data
    }

    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Never true: a tensor has at least one element.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    pub fn format(&self) -> DataFormat {
        self.data.format()
    }

    /// One element by its row-major index.
    pub fn get(&self, index: usize) -> Option<f32> {
        match &self.data {
            HostData::F32(v) => v.get(index).copied(),
            HostData::Bf16(v) => v.get(index).map(|x| x.to_f32()),
        }
    }

    /// The elements as f32, which is exact.
    pub fn to_f32_vec(&self) -> Vec<f32> {
        match &self.data {
            HostData::F32(v) => v.clone(),
            HostData::Bf16(v) => v.iter().map(|x| x.to_f32()).collect(),
        }
    }

    /// The same elements in another format; f32 to bf16 rounds to nearest, ties to even.
    pub fn to_format(&self, format: DataFormat) -> HostTensor {
        let data = match (&self.data, format) {
            (HostData::F32(v), DataFormat::Bf16) => HostData::Bf16(v.iter().map(|&x| bf16::from_f32(x)).collect()),
            (HostData::Bf16(v), DataFormat::F32) => HostData::F32(v.iter().map(|x| x.to_f32()).collect()),
            (same, _) => same.clone(),
        };
        HostTensor { shape: self.shape.clone(), data }
    }

    /// The same elements in another shape.
    pub fn reshape(self, shape: impl Into<Vec<usize>>) -> Result<HostTensor, TensorError> {
        HostTensor::from_vec(shape, self.data)
    }

    /// The bytes of this tensor as device tiles of `format`, page after page, padded with zeros.
    pub fn to_tiles(&self, format: DataFormat) -> Result<Vec<u8>, TensorError> {
        let shape = TileShape::new(&self.shape)?;
        Ok(match (&self.data, format) {
            (HostData::F32(v), DataFormat::F32) => shape.tilize(v, f32::to_le_bytes),
            (HostData::F32(v), DataFormat::Bf16) => shape.tilize(v, |x| bf16::from_f32(x).to_le_bytes()),
            (HostData::Bf16(v), DataFormat::Bf16) => shape.tilize(v, bf16::to_le_bytes),
            (HostData::Bf16(v), DataFormat::F32) => shape.tilize(v, |x| x.to_f32().to_le_bytes()),
        })
    }

    /// The inverse of [`HostTensor::to_tiles`]; the result has the tiles' format.
    pub fn from_tiles(
        shape: impl Into<Vec<usize>>,
        format: DataFormat,
        bytes: &[u8],
    ) -> Result<HostTensor, TensorError> {
        let shape = shape.into();
        let tiles = TileShape::new(&shape)?;
        let expected = tiles.tiles() * format.tile_bytes() as usize;
        if bytes.len() != expected {
            return Err(TensorError::ByteLength { shape, format, expected, got: bytes.len() });
        }
        let data = match format {
            DataFormat::F32 => HostData::F32(tiles.untilize(bytes, f32::from_le_bytes)),
            DataFormat::Bf16 => HostData::Bf16(tiles.untilize(bytes, bf16::from_le_bytes)),
        };
        Ok(HostTensor { shape, data })
    }
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
    fn tiles_come_back() {
        for format in DataFormat::ALL {
            let t = HostTensor::normal([3, 50, 70], 7).unwrap().to_format(format);
            let bytes = t.to_tiles(format).unwrap();
            assert_eq!(HostTensor::from_tiles([3, 50, 70], format, &bytes).unwrap(), t);
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
        assert_eq!(e.to_string(), "5 elements for a tensor of shape [2, 3], which has 6");
        let e = HostTensor::from_tiles([2, 3], DataFormat::F32, &[0; 10]).unwrap_err();
        assert_eq!(e.to_string(), "10 bytes for a tensor of shape [2, 3] in f32 tiles, which takes 4096");
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
    fn seeds_give_the_same_numbers() {
        let a = HostTensor::uniform([10, 10], -2.0, 3.0, 5).unwrap();
        assert_eq!(a, HostTensor::uniform([10, 10], -2.0, 3.0, 5).unwrap());
        assert_ne!(a, HostTensor::uniform([10, 10], -2.0, 3.0, 6).unwrap());
        assert!(a.to_f32_vec().iter().all(|v| (-2.0..3.0).contains(v)));
    }
}
