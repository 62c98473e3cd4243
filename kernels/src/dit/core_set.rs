//! The four sets of compute cores that share the columns of an operation.
//!
//! With B banks there are 12B compute cores and Q = 4B heads. Compute core `c = Q*row + 4*bank + col` reads the weights of bank
//! `(c mod Q) / 4`: twelve cores a bank, three rows of four. The functions are device functions: kernels call the same ones.

use super::error::{MegakernelError, Result};

/// Which compute cores take part in an operation.
#[ttl::device]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoreSet {
    /// Every compute core: 96 of the full machine.
    All,
    /// The first row, one core per head: 32.
    First,
    /// Every second core: 48.
    Even,
    /// One core per bank: 8.
    Leads,
}

#[ttl::device]
impl CoreSet {
    /// Whether compute core `c` takes part.
    pub fn participates(self, banks: u32, c: u32) -> bool {
        match self {
            CoreSet::All => true,
            CoreSet::First => c < 4 * banks,
            CoreSet::Even => c & 1 == 0,
            CoreSet::Leads => c < 4 * banks && c & 3 == 0,
        }
    }

    /// Which slice of the columns a member computes.
    pub fn slot(self, c: u32) -> u32 {
        match self {
            CoreSet::Even => c / 2,
            CoreSet::Leads => c / 4,
            _ => c,
        }
    }

    /// Which of the members of its bank a member is: the order of their slices in the bank.
    pub fn rank(self, banks: u32, c: u32) -> u32 {
        match self {
            CoreSet::All => rank12(banks, c),
            CoreSet::First => c % 4,
            CoreSet::Even => 2 * (c / (4 * banks)) + c % 4 / 2,
            CoreSet::Leads => 0,
        }
    }

    /// The member of a bank with rank `r`.
    pub fn member(self, banks: u32, bank: u32, r: u32) -> u32 {
        match self {
            CoreSet::All => 4 * banks * (r / 4) + 4 * bank + r % 4,
            CoreSet::First => 4 * bank + r,
            CoreSet::Even => 4 * banks * (r / 2) + 4 * bank + 2 * (r % 2),
            CoreSet::Leads => 4 * bank,
        }
    }

    /// Members per bank.
    pub fn per_bank(self) -> u32 {
        match self {
            CoreSet::All => 12,
            CoreSet::First => 4,
            CoreSet::Even => 6,
            CoreSet::Leads => 1,
        }
    }

    /// Members.
    pub fn cores(self, banks: u32) -> u32 {
        self.per_bank() * banks
    }
}

/// The bank whose weights compute core `c` uses.
#[ttl::device]
pub fn group_of(banks: u32, c: u32) -> u32 {
    c % (4 * banks) / 4
}

/// Which of the twelve cores of its bank a compute core is: its credit word, and the order of the relay.
#[ttl::device]
pub fn rank12(banks: u32, c: u32) -> u32 {
    4 * (c / (4 * banks)) + c % 4
}

/// The tile row of the residual stream that compute core `c` keeps.
#[ttl::device]
pub fn row_of_core(banks: u32, c: u32) -> u32 {
    c / (6 * banks)
}

impl CoreSet {
    /// Every set.
    pub const SETS: [CoreSet; 4] = [CoreSet::All, CoreSet::First, CoreSet::Even, CoreSet::Leads];

    /// The name of the set, which counts its members at full size.
    pub const fn label(self) -> &'static str {
        match self {
            CoreSet::All => "all96",
            CoreSet::First => "first32",
            CoreSet::Even => "even48",
            CoreSet::Leads => "leads8",
        }
    }

    /// The set with a label.
    pub fn from_label(label: &str) -> Result<CoreSet> {
        CoreSet::SETS
            .into_iter()
            .find(|set| set.label() == label)
            .ok_or_else(|| MegakernelError::UnknownCoreSet { name: label.to_owned() })
    }

    fn check(self, banks: u32, c: u32) -> Result<()> {
        if c < 12 * banks && self.participates(banks, c) {
            Ok(())
        } else {
            Err(MegakernelError::NotInSet { core: c, set: self.label(), cores: 12 * banks })
        }
    }

    /// [`CoreSet::slot`] of a core that must be a member.
    pub fn slot_of(self, banks: u32, c: u32) -> Result<u32> {
        self.check(banks, c)?;
        Ok(self.slot(c))
    }

    /// [`CoreSet::rank`] of a core that must be a member.
    pub fn rank_of(self, banks: u32, c: u32) -> Result<u32> {
        self.check(banks, c)?;
        Ok(self.rank(banks, c))
    }

    /// [`CoreSet::member`] of a bank and a rank that must exist.
    pub fn member_core(self, banks: u32, bank: u32, r: u32) -> Result<u32> {
        if bank >= banks || r >= self.per_bank() {
            return Err(MegakernelError::NoMember {
                set: self.label(),
                bank,
                rank: r,
                banks,
                per_bank: self.per_bank(),
            });
        }
        Ok(self.member(banks, bank, r))
    }

    /// The members in the order of their slots.
    pub fn members(self, banks: u32) -> impl Iterator<Item = u32> {
        (0..12 * banks).filter(move |&c| self.participates(banks, c))
    }
}
