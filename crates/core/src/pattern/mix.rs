//! Two baseline patterns in one stream: whose turn it is, and where each goes.

use super::{Pattern, Rw};
use crate::ParseError;

/// A second baseline pattern in the same stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// The second pattern.
    pub rw: Rw,
    /// Which IOs are of the second, and where.
    pub turns: Turns,
}

/// Which IOs of a mix are of the second pattern, and which space each uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// So many IOs of the first for each one of the second, at least 1, in exact order (Ratio in paper 001,
    /// table 1). The first uses the lower half of the target space, the second the upper half.
    Ratio(u32),
    /// Each IO is of the second with this probability in percent, 0 to 100 (fio's `rwmixwrite`); where both
    /// have a rate ([`Rate::Each`](crate::Rate)), the one that is due first has its turn. Both use the whole
    /// space: random ones draw from the same addresses, sequential ones keep a position each.
    Chance(u8),
    /// Each IO of the first is followed by one of the second at its address (fio's `trimwrite`).
    SameAddress,
}

impl Mix {
    /// `ratio` IOs of the first, then one of `rw`.
    pub fn ratio(rw: Rw, ratio: u32) -> Mix {
        Mix { rw, turns: Turns::Ratio(ratio) }
    }

    /// Each IO is of `rw` with a probability of `percent`.
    pub fn chance(rw: Rw, percent: u8) -> Mix {
        Mix { rw, turns: Turns::Chance(percent) }
    }

    /// The share of the IOs that is of the second pattern, unless rates decide.
    pub(super) fn share(self) -> f64 {
        match self.turns {
            Turns::Ratio(ratio) => 1.0 / (f64::from(ratio) + 1.0),
            Turns::Chance(percent) => f64::from(percent) / 100.0,
            Turns::SameAddress => 0.5,
        }
    }
}

/// What fio has one word for: a first pattern, the second and how they take turns. A chance is the default
/// of `rwmixwrite`.
const WORDS: [(&str, Rw, Mix); 4] = [
    ("rw", Rw::Read, Mix { rw: Rw::Write, turns: Turns::Chance(50) }),
    ("randrw", Rw::RandRead, Mix { rw: Rw::RandWrite, turns: Turns::Chance(50) }),
    ("trimwrite", Rw::Trim, Mix { rw: Rw::Write, turns: Turns::SameAddress }),
    ("randtrimwrite", Rw::RandTrim, Mix { rw: Rw::RandWrite, turns: Turns::SameAddress }),
];

/// All words of [`of_word`].
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, ..)| *word)
}

/// The mix that fio has one word for.
fn of_word(text: &str) -> Option<(Rw, Mix)> {
    let text = if text == "readwrite" { "rw" } else { text };
    WORDS.iter().find(|(word, ..)| *word == text).map(|(_, rw, mix)| (*rw, *mix))
}

impl Pattern {
    /// fio's word for what its IOs do, a mix included; none for a mix that fio has no word for.
    pub fn rw_word(&self) -> Option<&'static str> {
        match self.mix {
            None => Some(self.rw.name()),
            Some(_) => self.mixed_word(),
        }
    }

    /// fio's word for its mix, if there is one.
    pub(super) fn mixed_word(&self) -> Option<&'static str> {
        let mix = self.mix?;
        let is_same = |turns: Turns| std::mem::discriminant(&turns) == std::mem::discriminant(&mix.turns);
        let found = WORDS.iter().find(|(_, rw, of)| *rw == self.rw && of.rw == mix.rw && is_same(of.turns));
        found.map(|(word, ..)| *word)
    }

    /// uFLIP's letters of the pattern, or of both patterns of a mix: `SR`, `RR/RW`.
    pub fn short_name(&self) -> String {
        let first = self.rw.short_name();
        self.mix.map_or(first.into(), |mix| format!("{first}/{}", mix.rw.short_name()))
    }

    /// The percentage of reads, where a word of fio leaves it open.
    pub(super) fn percent_read(&self) -> Option<u8> {
        match self.mix?.turns {
            Turns::Chance(writes) if self.mixed_word().is_some() => Some(100 - writes),
            _ => None,
        }
    }
}

/// Sets what the IOs do. What another word of fio mixed in goes with that word; a mix of its own stays.
pub(super) fn set_rw(p: &mut Pattern, text: &str) -> Result<(), ParseError> {
    if p.mixed_word().is_some() {
        p.mix = None;
    }
    match of_word(text) {
        Some((rw, mix)) => (p.rw, p.mix) = (rw, Some(mix)),
        None => p.rw = text.parse()?,
    }
    Ok(())
}

pub(super) fn percent(text: &str) -> Result<u8, ParseError> {
    let number = text.strip_suffix('%').unwrap_or(text).parse().ok().filter(|percent| *percent <= 100);
    number.ok_or_else(|| {
        ParseError::invalid(text, "not a percentage", "a whole number of 0 to 100, such as 70")
    })
}

pub(super) fn set_reads(p: &mut Pattern, reads: u8) -> Result<(), ParseError> {
    match &mut p.mix {
        Some(Mix { turns: Turns::Chance(writes), .. }) => {
            *writes = 100 - reads;
            Ok(())
        }
        _ => {
            let rw = p.rw_word().unwrap_or("a mix");
            Err(ParseError::invalid(rw, "no pattern of reads and writes by chance", "rw=rw or rw=randrw"))
        }
    }
}

pub(super) fn set_mix(p: &mut Pattern, text: &str) -> Result<(), ParseError> {
    if let Some(word) = p.mixed_word() {
        return Err(ParseError::invalid(
            word,
            "a mix itself",
            "rw=read, write, randread or randwrite with a mix",
        ));
    }
    let way_out = "RW:RATIO or RW:SHARE%, such as randwrite:4 or randtrim:20%";
    let (rw, turns) = text.split_once(':').ok_or_else(|| ParseError::invalid(text, "not a mix", way_out))?;
    let rw = rw.parse()?;
    p.mix = Some(match turns.ends_with('%') {
        true => Mix::chance(rw, percent(turns)?),
        false => Mix::ratio(rw, ratio(turns)?),
    });
    Ok(())
}

fn ratio(text: &str) -> Result<u32, ParseError> {
    text.trim().parse().map_err(|_| ParseError::invalid(text, "not a ratio", "a whole number of 1 or more"))
}
