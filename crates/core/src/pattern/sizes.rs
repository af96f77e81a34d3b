//! IOs of several sizes in one pattern (fio's `bssplit`).

use std::fmt;
use std::str::FromStr;

use crate::ParseError;
use crate::request::Op;
use crate::seed::Random;
use crate::units::Bytes;

/// Sizes of IOs, and which percentage of the IOs has each: the same for all, or those of reads, writes and
/// discards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of reads, writes and discards: sizes with whole percentages whose sum is 100.
    shares: [Vec<(Bytes, u32)>; 3],
}

/// The place of what such IOs have.
fn place(op: Op) -> usize {
    match op {
        Op::Read => 0,
        Op::Write | Op::Flush => 1,
        Op::Trim => 2,
    }
}

impl Sizes {
    /// The smallest size.
    pub fn least(&self) -> Bytes {
        self.all().min().expect("there is one at least")
    }

    /// The largest size.
    pub fn most(&self) -> Bytes {
        self.all().max().expect("there is one at least")
    }

    /// Whether reads, writes and discards do not all have the same.
    pub fn differ(&self) -> bool {
        self.shares.iter().any(|shares| *shares != self.shares[0])
    }

    /// The smallest size of such IOs.
    pub fn least_of(&self, op: Op) -> Bytes {
        self.shares(op).map(|(size, _)| size).min().expect("there is one at least")
    }

    /// The mean over such IOs, in bytes.
    pub fn mean_bytes(&self, op: Op) -> f64 {
        self.shares[place(op)].iter().map(|(size, percent)| size.0 as f64 * f64::from(*percent) / 100.0).sum()
    }

    /// Each size, in the order in which it was given.
    pub fn all(&self) -> impl Iterator<Item = Bytes> + '_ {
        self.shares.iter().flatten().map(|(size, _)| *size)
    }

    /// Each size of such IOs with its percentage.
    pub fn shares(&self, op: Op) -> impl Iterator<Item = (Bytes, u32)> + '_ {
        self.shares[place(op)].iter().copied()
    }

    /// A size of at most `room_bytes`, which the smallest is: sizes that do not fit are drawn again, as fio
    /// does.
    pub(super) fn draw(&self, op: Op, room_bytes: u64, random: &mut Random) -> u64 {
        debug_assert!(self.least_of(op).0 <= room_bytes, "no size fits");
        loop {
            let mut left = random.below(100) as u32;
            for (size, percent) in &self.shares[place(op)] {
                if left >= *percent {
                    left -= percent;
                } else if size.0 <= room_bytes {
                    return size.0;
                } else {
                    break;
                }
            }
        }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [reads, writes, trims] = &self.shares;
        let shown = if !self.differ() { 1 } else { 2 + usize::from(writes != trims) };
        for (of, shares) in [reads, writes, trims].into_iter().take(shown).enumerate() {
            f.write_str(if of > 0 { "," } else { "" })?;
            for (i, (size, percent)) in shares.iter().enumerate() {
                write!(f, "{}{size}/{percent}", if i > 0 { ":" } else { "" })?;
            }
        }
        Ok(())
    }
}

impl FromStr for Sizes {
    type Err = ParseError;

    /// `4k/60:64k/40`; sizes without a percentage share what is left of 100. Behind a `,` stand those of
    /// writes, and behind another those of discards, which are the writes' otherwise.
    fn from_str(text: &str) -> Result<Sizes, ParseError> {
        let parts: Vec<&str> = text.split(',').collect();
        let (reads, writes, trims) = match parts[..] {
            [all] => (all, all, all),
            [reads, writes] => (reads, writes, writes),
            [reads, writes, trims] => (reads, writes, trims),
            _ => return Err(invalid(text, "more than reads, writes and discards")),
        };
        Ok(Sizes { shares: [shares_of(reads)?, shares_of(writes)?, shares_of(trims)?] })
    }
}

fn invalid(text: &str, problem: &str) -> ParseError {
    ParseError::invalid(text, problem, "SIZE/PERCENT:SIZE/PERCENT, such as 4k/60:64k/40")
}

fn shares_of(text: &str) -> Result<Vec<(Bytes, u32)>, ParseError> {
    let mut shares: Vec<(Bytes, Option<u32>)> = Vec::new();
    for part in text.split(':') {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent.trim() {
            "" => None,
            number => Some(number.parse().map_err(|_| invalid(text, "no split of sizes"))?),
        };
        shares.push((size.parse()?, percent));
    }
    let given: u64 = shares.iter().filter_map(|(_, percent)| percent.map(u64::from)).sum();
    let open = shares.iter().filter(|(_, percent)| percent.is_none()).count() as u64;
    let left = 100u64.checked_sub(given).ok_or_else(|| invalid(text, "more than 100 %"))?;
    if open > 0 && !left.is_multiple_of(open) || open == 0 && left > 0 {
        return Err(invalid(text, "not 100 % together"));
    }
    let each = left.checked_div(open).unwrap_or(0) as u32;
    let shares = shares.into_iter().map(|(size, percent)| (size, percent.unwrap_or(each)));
    let shares: Vec<_> = shares.filter(|(_, percent)| *percent > 0).collect();
    if shares.iter().any(|(size, _)| size.0 == 0) {
        return Err(invalid(text, "a size of 0"));
    }
    Ok(shares)
}
