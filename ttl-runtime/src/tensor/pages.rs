//! Host tensors as the pages of a device tensor, and back.

use super::error::TensorError;
use super::host::HostTensor;
use super::spec::{TensorLayout, TensorSpec};

impl TensorSpec {
    /// The bytes of all pages, one after the other, without alignment: tiles, or rows and parts of rows. Padding is zero.
    pub fn encode(&self, host: &HostTensor) -> Result<Vec<u8>, TensorError> {
        if host.shape() != self.shape() {
            return Err(TensorError::ShapeMismatch { left: host.shape().to_vec(), right: self.shape().to_vec() });
        }
        if self.layout() == TensorLayout::Tile {
            return host.to_tiles(self.format());
        }
        let rows = host.to_rows(self.format())?;
        let (row, page) = self.row_and_page();
        if row == page {
            return Ok(rows);
        }
        let mut out = vec![0; self.pages() * page];
        let per_row = row.div_ceil(page);
        for (row, pages) in rows.chunks_exact(row).zip(out.chunks_exact_mut(per_row * page)) {
            pages[..row.len()].copy_from_slice(row);
        }
        Ok(out)
    }

    /// The inverse of [`TensorSpec::encode`]; what lies in the padding is ignored.
    pub fn decode(&self, bytes: &[u8]) -> Result<HostTensor, TensorError> {
        if self.layout() == TensorLayout::Tile {
            return HostTensor::from_tiles(self.shape(), self.format(), bytes);
        }
        let (row, page) = self.row_and_page();
        if row == page {
            return HostTensor::from_rows(self.shape(), self.format(), bytes);
        }
        let expected = self.pages() * page;
        if bytes.len() != expected {
            let (shape, format) = (self.shape().to_vec(), self.format());
            return Err(TensorError::ByteLength { shape, format, pages: "parts of rows", expected, got: bytes.len() });
        }
        let rows: Vec<u8> =
            bytes.chunks_exact(row.div_ceil(page) * page).flat_map(|pages| &pages[..row]).copied().collect();
        HostTensor::from_rows(self.shape(), self.format(), &rows)
    }

    /// Bytes of a row of the last dimension, and of a page.
    fn row_and_page(&self) -> (usize, usize) {
        let width = self.format().element_bytes().unwrap_or(1) as usize;
        (self.tiles().cols * width, self.page_size() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::CoreRange;
    use crate::tensor::{DataFormat, MemoryConfig, ShardSpec};

    #[test]
    fn rows_are_cut_at_shards() {
        let host = HostTensor::integers([2, 3, 10], DataFormat::U16, 0, 65_535, 2).unwrap();
        let cores = CoreRange::grid(3, 1).unwrap();
        let whole = TensorSpec::row_major([2, 3, 10], DataFormat::U16).unwrap();
        assert_eq!((whole.pages(), whole.page_size()), (6, 20));
        let cut = whole.clone().with_memory(MemoryConfig::Sharded(ShardSpec::width([6, 4], cores)));
        assert_eq!((cut.pages(), cut.page_size()), (18, 8));
        let (rows, pages) = (whole.encode(&host).unwrap(), cut.encode(&host).unwrap());
        assert_eq!((rows.len(), pages.len()), (120, 144));
        assert_eq!((&pages[..20], &pages[20..24], &pages[24..32]), (&rows[..20], &[0; 4][..], &rows[20..28]));
        for (spec, bytes) in [(&whole, &rows), (&cut, &pages)] {
            assert_eq!(spec.decode(bytes).unwrap(), host);
            assert!(spec.decode(&bytes[1..]).is_err());
        }
        let other = HostTensor::zeros([6, 10], DataFormat::U16).unwrap();
        let e = whole.encode(&other).unwrap_err().to_string();
        assert!(e.starts_with("the shapes differ: [6, 10] and [2, 3, 10]"), "{e}");
    }

    #[test]
    fn block_floats_have_no_rows() {
        let e = TensorSpec::row_major([4, 4], DataFormat::Bfp4B).unwrap_err().to_string();
        assert_eq!(
            e,
            "bfp4_b exists in tiles only: 16 of its elements share an exponent\n  = help: leave the tensor tiled, or use bf16 rows"
        );
    }
}
