//! The offsets table: what kernels know of the arena. 11 words, then 4 per block; it travels as common runtime arguments.

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

pub const HEADER_WORDS: u32 = 11;
pub const WORDS_PER_BLOCK: u32 = 4;

/// What stands in the first word.
pub const LAYOUT_VERSION: u32 = 1;

// Indices of header words.
pub const H_LAYOUT_VERSION: u32 = 0;
pub const H_N_BLOCKS: u32 = 1;
pub const H_ADALN_ROWS_PER_STEP: u32 = 2;
/// The offset of the first tail operation; the others follow in their order.
pub const H_OFF_TAIL: u32 = 3;
pub const H_TAIL_BIAS_ROW_BASE: u32 = 9;
pub const H_ADALN_OUT_ROW: u32 = 10;

// Indices within the words of a block.
pub const B_OFF_FIRST_OP: u32 = 0;
pub const B_BIAS_ROW_BASE: u32 = 1;
pub const B_ADALN_ROW: u32 = 2;
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

#[ttl::device]
pub fn flags_cross(flags: u32) -> bool {
    flags & 1 == 1
}

#[ttl::device]
pub fn flags_key_set(flags: u32) -> u32 {
    flags >> 1 & 3
}

#[ttl::device]
pub fn flags_l_pad(flags: u32) -> u32 {
    (flags >> 16) * 32
}
