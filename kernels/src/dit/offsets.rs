//! The offsets table: what kernels know of the arena. 11 words, then 4 per block; it travels as common runtime arguments.

use super::error::{MegakernelError, Result};

/// Words of the header, in order.
pub const HEADER: [&str; 11] = [
    "layout_version",
    "n_blocks",
    "adaln_rows_per_step",
    "off_proj_out_2",
    "off_dec_W1",
    "off_dec_W2",
    "off_enc_W1",
    "off_enc_W2a",
    "off_enc_W3",
    "tail_bias_row_base",
    "adaln_out_row",
];
/// Words of a block, in order.
pub const BLOCK: [&str; 4] = ["off_first_op", "bias_row_base", "adaln_row", "flags"];

/// Words of the header.
pub const HEADER_WORDS: u32 = 11;
/// Words of a block.
pub const WORDS_PER_BLOCK: u32 = 4;

/// What stands in the first word.
pub const LAYOUT_VERSION: u32 = 1;

// Indices of header words.
/// The version of the layout.
pub const H_LAYOUT_VERSION: u32 = 0;
/// Blocks of the network.
pub const H_N_BLOCKS: u32 = 1;
/// Rows of scales and shifts of a step.
pub const H_ADALN_ROWS_PER_STEP: u32 = 2;
/// The offset of the first tail operation; the others follow in their order.
pub const H_OFF_TAIL: u32 = 3;
/// The first row of biases of the tail.
pub const H_TAIL_BIAS_ROW_BASE: u32 = 9;
/// The row of scale and shift of the output head.
pub const H_ADALN_OUT_ROW: u32 = 10;

// Indices within the words of a block.
/// The offset of the block's first operation in each bank.
pub const B_OFF_FIRST_OP: u32 = 0;
/// The first row of biases of the block.
pub const B_BIAS_ROW_BASE: u32 = 1;
/// The row of scale and shift of the block, in each step.
pub const B_ADALN_ROW: u32 = 2;
/// What [`block_flags`] makes.
pub const B_FLAGS: u32 = 3;

/// Words of the table of a network.
#[ttl::device]
pub fn table_words(n_blocks: u32) -> u32 {
    HEADER_WORDS + WORDS_PER_BLOCK * n_blocks
}

/// The index of a word of a block.
#[ttl::device]
pub fn block_word(blk: u32, word: u32) -> u32 {
    HEADER_WORDS + WORDS_PER_BLOCK * blk + word
}

/// The flags of a block: whether it attends to the vision-language tokens, to which of them (0 all, 1 text, 2 image), and how many tiles of
/// keys there are.
#[ttl::device]
pub fn block_flags(cross: bool, key_set: u32, l_pad: u32) -> u32 {
    cross as u32 | key_set << 1 | (l_pad / 32) << 16
}

/// Whether the block attends to the vision-language tokens.
#[ttl::device]
pub fn flags_cross(flags: u32) -> bool {
    flags & 1 == 1
}

/// The key set: 0 all, 1 text, 2 image.
#[ttl::device]
pub fn flags_key_set(flags: u32) -> u32 {
    flags >> 1 & 3
}

/// Keys, padded.
#[ttl::device]
pub fn flags_l_pad(flags: u32) -> u32 {
    (flags >> 16) * 32
}

/// The table itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OffsetsTable {
    /// [`HEADER`].
    pub header: Vec<u32>,
    /// [`BLOCK`], for each block.
    pub blocks: Vec<Vec<u32>>,
}

impl OffsetsTable {
    /// The words as the kernels read them, if they are what the kernels expect.
    pub fn words(&self) -> Result<Vec<u32>> {
        let block = self.blocks.iter().map(Vec::len).find(|&n| n != BLOCK.len()).unwrap_or(BLOCK.len());
        if (self.header.len(), block) != (HEADER.len(), BLOCK.len()) {
            return Err(MegakernelError::OffsetsWords { header: self.header.len(), block });
        }
        let n_blocks = self.header[H_N_BLOCKS as usize];
        let words: Vec<u32> = self.header.iter().chain(self.blocks.iter().flatten()).copied().collect();
        let expected = table_words(n_blocks) as usize;
        if words.len() != expected {
            return Err(MegakernelError::OffsetsLength { got: words.len(), n_blocks, expected });
        }
        Ok(words)
    }

    /// The words' names, in the same order.
    pub fn names(&self) -> Vec<String> {
        let block = |blk: usize| BLOCK.iter().map(move |word| format!("block{blk}_{word}"));
        HEADER.iter().map(|&word| word.to_owned()).chain((0..self.blocks.len()).flat_map(block)).collect()
    }
}
