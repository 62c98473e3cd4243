//! Parameters of operations, and the words of the C++ calls that are made from them.

/// A scalar parameter of a method, with the value that tests use.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(non_camel_case_types)] // the rows of the table name Rust's types
pub enum Param {
    f32(&'static str, f32),
    i32(&'static str, i32),
    u32(&'static str, u32),
}

impl Param {
    pub const fn name(self) -> &'static str {
        match self {
            Param::f32(name, _) | Param::i32(name, _) | Param::u32(name, _) => name,
        }
    }

    pub fn example(self) -> f64 {
        match self {
            Param::f32(_, x) => f64::from(x),
            Param::i32(_, x) => f64::from(x),
            Param::u32(_, x) => f64::from(x),
        }
    }

    /// The example's bits.
    pub const fn example_bits(self) -> u32 {
        match self {
            Param::f32(_, x) => x.to_bits(),
            Param::i32(_, x) => x as u32,
            Param::u32(_, x) => x,
        }
    }
}

pub(crate) const fn name_of_type(param: Param) -> &'static str {
    match param {
        Param::f32(..) => "f32",
        Param::i32(..) => "i32",
        Param::u32(..) => "u32",
    }
}

/// The most words that a call takes.
pub const MAX_WORDS: usize = 3;

/// How a word of a C++ call is made from the parameters of the method, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// The parameter's 32 bits.
    Bits(usize),
    /// Of `1 / parameter`.
    Reciprocal(usize),
    /// Of `1 / ln(parameter)`: computed in f64 where the parameter is known when the kernel is compiled, which it must be.
    ReciprocalLog(usize),
    /// The upper 16 bits of the f32 as bf16.
    Bf16(usize),
    Constant(u32),
}

impl Word {
    /// The word for parameters given as bits.
    pub fn of(self, params: &[u32]) -> u32 {
        let float = |n: usize| f32::from_bits(params[n]);
        match self {
            Word::Bits(n) => params[n],
            Word::Reciprocal(n) => (1.0 / float(n)).to_bits(),
            Word::ReciprocalLog(n) => ((1.0 / f64::from(float(n)).ln()) as f32).to_bits(),
            Word::Bf16(n) => params[n] >> 16,
            Word::Constant(word) => word,
        }
    }

    /// The words of a call for parameters given as bits; the rest is 0.
    pub fn all(words: &[Word], params: &[u32]) -> [u32; MAX_WORDS] {
        let mut out = [0; MAX_WORDS];
        for (to, word) in out.iter_mut().zip(words) {
            *to = word.of(params);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_made_from_parameters() {
        let params = [2.0f32.to_bits(), 7];
        assert_eq!(Word::Reciprocal(0).of(&params), 0.5f32.to_bits());
        assert_eq!(Word::all(&[Word::Bits(1), Word::Bf16(0), Word::Constant(9)], &params), [7, 0x4000, 9]);
        assert_eq!(Word::all(&[], &params), [0, 0, 0]);
    }
}
