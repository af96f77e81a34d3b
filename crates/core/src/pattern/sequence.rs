//! Addresses in an order that is written out (fio's `random_distribution=sequence`).

use std::fmt;
use std::str::FromStr;

use crate::ParseError;

/// The most slots of a sequence, as in fio.
const SLOTS_MAX: usize = 64;

/// Slots in the order in which they are used, again and again. A strided one moves on by its own length after
/// each cycle, up to the first slot that the space has not; then it begins again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Those behind `length` are 0.
    slots: [u32; SLOTS_MAX],
    length: u8,
    is_strided: bool,
}

impl Sequence {
    /// A sequence of these slots.
    ///
    /// # Errors
    /// There are none or more than 64.
    pub fn new(slots: &[u32], is_strided: bool) -> Result<Sequence, ParseError> {
        if slots.is_empty() || slots.len() > SLOTS_MAX {
            return Err(no_sequence(&format!("{} slots", slots.len())));
        }
        let mut sequence = Sequence { slots: [0; SLOTS_MAX], length: slots.len() as u8, is_strided };
        sequence.slots[..slots.len()].copy_from_slice(slots);
        Ok(sequence)
    }

    /// Its slots.
    pub fn slots(&self) -> &[u32] {
        &self.slots[..usize::from(self.length)]
    }

    /// Whether each cycle is further on than the one before it.
    pub fn is_strided(&self) -> bool {
        self.is_strided
    }

    /// Slots that its first cycle needs.
    pub fn slots_needed(&self) -> u64 {
        self.slots().iter().max().map_or(0, |most| u64::from(*most) + 1)
    }

    /// The slot of the IO with this number.
    #[inline]
    pub(super) fn at(&self, index: u64) -> u64 {
        let length = u64::from(self.length);
        let first = if self.is_strided { index / length * length } else { 0 };
        first + u64::from(self.slots[(index % length) as usize])
    }

    /// IOs before the first whose slot is not among so many; none if each is.
    pub fn ios_within(&self, slots: u64) -> Option<u64> {
        let length = u64::from(self.length);
        let needed = self.slots_needed();
        if !self.is_strided && needed <= slots {
            return None;
        }
        // Cycles that are whole, and what fits of the next.
        let cycles = slots.checked_sub(needed).map_or(0, |room| room / length + 1);
        let mut within = (cycles * length..).take_while(|index| self.at(*index) < slots);
        Some(cycles * length + within.by_ref().count() as u64)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, slot) in self.slots().iter().enumerate() {
            write!(f, "{}{slot}", if place > 0 { "," } else { "" })?;
        }
        f.write_str(if self.is_strided { ":strided" } else { "" })
    }
}

impl FromStr for Sequence {
    type Err = ParseError;

    /// `2,0,1` or `2,0,1:strided`.
    fn from_str(text: &str) -> Result<Sequence, ParseError> {
        let (slots, is_strided) = text.strip_suffix(":strided").map_or((text, false), |slots| (slots, true));
        let slots = slots.split(',').map(|slot| slot.trim().parse().ok()).collect::<Option<Vec<u32>>>();
        Sequence::new(&slots.ok_or_else(|| no_sequence(text))?, is_strided)
    }
}

fn no_sequence(text: &str) -> ParseError {
    ParseError::invalid(text, "not a sequence", "1 to 64 numbers of slots, such as 2,0,1 or 2,0,1:strided")
}
