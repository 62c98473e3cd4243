//! Published weights: safetensors files, read tensor by tensor.
//!
//! ```
//! use ttl::prelude::HostTensor;
//! use ttl_kernels::checkpoint::Checkpoint;
//!
//! # fn main() -> ttl::Result<()> {
//! let weight = HostTensor::from_vec([2, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let checkpoint = Checkpoint::from_tensors([("up.weight".to_owned(), weight)].into()); // or `Checkpoint::open` of files
//! assert_eq!(checkpoint.get("up.weight", "the layer")?.shape(), [2, 3]);
//! let error = checkpoint.get("up.bias", "the layer").unwrap_err();
//! assert_eq!(error.to_string(), "no tensor up.bias in the checkpoint, needed for the layer");
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use half::{bf16, f16};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use thiserror::Error;
use ttl::prelude::HostTensor;
use ttl::runtime::tensor::TensorError;

/// Why a checkpoint, or a tensor of it, cannot be read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file system's refusal.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the file system said.
        source: std::io::Error,
    },
    /// A file that is not what the format says.
    #[error("safetensors: {what}")]
    Safetensors {
        /// The file, and what is wrong in it.
        what: String,
    },
    /// No tensor has the name.
    #[error("no tensor {tensor} in the checkpoint, needed for {name}")]
    Lacks {
        /// Who asked for it.
        name: String,
        /// The name that is not there.
        tensor: String,
    },
    /// Elements of another type than weights have.
    #[error("{name}: {dtype} elements cannot be read as weights; there are F32, BF16 and F16")]
    Dtype {
        /// The tensor.
        name: String,
        /// Its elements, as the format calls them.
        dtype: String,
    },
    /// The first dimension has no such entry.
    #[error("{name} has the shape {shape:?}, and no entry {index} in the first of at least two dimensions")]
    Entry {
        /// The tensor.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The entry that was asked for.
        index: u32,
    },
    /// A shape that no tensor can have.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

impl From<CheckpointError> for ttl::Error {
    fn from(error: CheckpointError) -> ttl::Error {
        ttl::Error::Other(error.to_string())
    }
}

type Result<T> = std::result::Result<T, CheckpointError>;

/// A header larger than this is no header: the format's own limit.
const MAX_HEADER: u64 = 100_000_000;

/// The tensors of some files, or tensors in memory.
#[derive(Debug, Default)]
pub struct Checkpoint {
    files: Vec<PathBuf>,
    tensors: BTreeMap<String, Entry>,
}

#[derive(Debug)]
enum Entry {
    /// The file, where its data begin, and where in them the tensor lies.
    InFile(usize, u64, TensorInfo),
    InMemory(HostTensor),
}

impl Checkpoint {
    /// Opens files of one checkpoint and reads what they hold; the data stay where they are.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Checkpoint> {
        let mut checkpoint = Checkpoint::default();
        for path in paths {
            checkpoint.add_file(path.as_ref())?;
        }
        Ok(checkpoint)
    }

    /// Tensors in memory, by name.
    pub fn from_tensors(tensors: BTreeMap<String, HostTensor>) -> Checkpoint {
        let tensors = tensors.into_iter().map(|(name, tensor)| (name, Entry::InMemory(tensor))).collect();
        Checkpoint { files: Vec::new(), tensors }
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let text = || path.display().to_string();
        let io = |source| CheckpointError::File { path: text(), source };
        let broken = |what: String| CheckpointError::Safetensors { what: format!("{}: {what}", path.display()) };
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(io)?;
        let size = u64::from_le_bytes(size);
        if size > MAX_HEADER || size > length.saturating_sub(8) {
            return Err(broken(format!("a header of {size} bytes in a file of {length}")));
        }
        let mut header = vec![0; size as usize];
        file.read_exact(&mut header).map_err(io)?;
        let metadata: Metadata = serde_json::from_slice(&header).map_err(|e| broken(format!("the header: {e}")))?;
        let data = 8 + size;
        if data + metadata.data_len() as u64 != length {
            let end = data + metadata.data_len() as u64;
            return Err(broken(format!("the header speaks of {end} bytes, the file has {length}")));
        }
        for (name, info) in metadata.tensors() {
            if self.tensors.contains_key(&name) {
                return Err(broken(format!("{name} is in another file as well")));
            }
            self.tensors.insert(name, Entry::InFile(self.files.len(), data, info.clone()));
        }
        self.files.push(path.to_owned());
        Ok(())
    }

    /// The names that are there.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// Whether there is a tensor of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// A tensor, f32. `needed_for` is what the message names if it is missing.
    pub fn get(&self, name: &str, needed_for: &str) -> Result<HostTensor> {
        self.read(name, needed_for, None)
    }

    /// One entry of the first dimension, f32: the weights of one embodiment.
    pub fn get_entry(&self, name: &str, needed_for: &str, index: u32) -> Result<HostTensor> {
        self.read(name, needed_for, Some(index))
    }

    fn read(&self, name: &str, needed_for: &str, index: Option<u32>) -> Result<HostTensor> {
        let lacks = || CheckpointError::Lacks { name: needed_for.to_owned(), tensor: name.to_owned() };
        let entry = self.tensors.get(name).ok_or_else(lacks)?;
        let shape: &[usize] = match entry {
            Entry::InFile(_, _, info) => &info.shape,
            Entry::InMemory(tensor) => tensor.shape(),
        };
        // Which elements, and in which shape.
        let elements: usize = shape.iter().product();
        let (first, count, shape) = match (index, shape) {
            (None, _) => (0, elements, shape.to_vec()),
            (Some(index), [entries, rest @ ..]) if (index as usize) < *entries && !rest.is_empty() => {
                let each = elements / entries;
                (index as usize * each, each, rest.to_vec())
            }
            (Some(index), _) => {
                return Err(CheckpointError::Entry { name: name.to_owned(), shape: shape.to_vec(), index });
            }
        };
        let values = match entry {
            Entry::InMemory(tensor) => tensor.to_f32_vec()[first..first + count].to_vec(),
            Entry::InFile(file, data, info) => self.read_values(name, *file, *data, info, first, count)?,
        };
        Ok(HostTensor::from_vec(shape, values)?)
    }

    fn read_values(
        &self,
        name: &str,
        file: usize,
        data: u64,
        info: &TensorInfo,
        first: usize,
        count: usize,
    ) -> Result<Vec<f32>> {
        let path = &self.files[file];
        let io = |source| CheckpointError::File { path: path.display().to_string(), source };
        let width = match info.dtype {
            Dtype::F32 => 4,
            Dtype::BF16 | Dtype::F16 => 2,
            other => {
                return Err(CheckpointError::Dtype { name: name.to_owned(), dtype: format!("{other:?}") });
            }
        };
        let (begin, end) = info.data_offsets;
        if end < begin || (end - begin) < (first + count) * width {
            let what = format!("{}: {name} has {} bytes for a shape of {:?}", path.display(), end - begin, info.shape);
            return Err(CheckpointError::Safetensors { what });
        }
        let mut file = File::open(path).map_err(io)?;
        file.seek(SeekFrom::Start(data + (begin + first * width) as u64)).map_err(io)?;
        let mut bytes = vec![0; count * width];
        file.read_exact(&mut bytes).map_err(io)?;
        let pairs = bytes.chunks_exact(2).map(|b| [b[0], b[1]]);
        Ok(match info.dtype {
            Dtype::F32 => bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
            Dtype::BF16 => pairs.map(|b| bf16::from_le_bytes(b).to_f32()).collect(),
            _ => pairs.map(|b| f16::from_le_bytes(b).to_f32()).collect(),
        })
    }
}
