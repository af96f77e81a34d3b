//! A log-structured engine as its drive sees it: levels of segments, each level larger than the one before
//! it and rewritten as often as it is larger (leveled compaction, O'Neil et al., The Log-Structured
//! Merge-Tree, 1996). Which keys a segment has does not matter to a drive; when it is written and when
//! it is dropped does.
//!
//! Every level fills one segment at a time, in order. Writes of all levels interleave as chance has it: one
//! to the first level for every `fanout` to each of the others. A segment that is full joins its level; if
//! that has all that it may, the oldest one was merged away, and is discarded. New segments come from
//! those that were discarded, the longest ago first, whichever level they were of.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use super::source::Space;
use super::{Location, Pattern, PatternError};
use crate::ParseError;
use crate::request::{Op, Request};
use crate::seed::{Random, derive};
use crate::units::Bytes;

const LEVELS: std::ops::RangeInclusive<u32> = 2..=8;
const FANOUT: std::ops::RangeInclusive<u32> = 2..=64;
/// The most segments: what is kept of each takes a few bytes.
const SEGMENTS_MAX: u64 = 1 << 20;
/// A discard is of a whole segment.
const SEGMENT_BYTES_MAX: u64 = 1 << 30;

/// The levels of a log-structured engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// How many, 2 to 8.
    pub count: u32,
    /// How many times as large as the one before it each level is, 2 to 64; the last one has the rest of the
    /// space.
    pub fanout: u32,
    /// What is written in order, and discarded as one: at most 1 GiB, a multiple of `bs`.
    pub segment: Bytes,
}

impl Levels {
    /// The fewest segments of a space: all levels but for the last grow as they should, and each has one
    /// that is being filled.
    fn segments_min(self) -> u64 {
        self.sizes_but_last().sum::<u64>() + 1 + u64::from(self.count)
    }

    fn sizes_but_last(self) -> impl Iterator<Item = u64> {
        (0..self.count - 1).map(move |level| u64::from(self.fanout).pow(level))
    }

    /// Segments of each level, of so many in all: the sizes of levels are as `fanout` has it, as far as the
    /// rounding to whole segments lets them.
    fn sizes(self, segments: u64) -> Vec<u64> {
        let room = segments - u64::from(self.count);
        let all: u64 = (0..self.count).map(|level| u64::from(self.fanout).pow(level)).sum();
        let first = (room / all).max(1);
        let mut sizes: Vec<u64> = self.sizes_but_last().map(|size| size * first).collect();
        sizes.push(room - sizes.iter().sum::<u64>());
        sizes
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.count, self.fanout, self.segment)
    }
}

impl FromStr for Levels {
    type Err = ParseError;

    /// `COUNT:FANOUT:SEGMENT`.
    fn from_str(text: &str) -> Result<Levels, ParseError> {
        let allowed = "2 to 8 levels, a fanout of 2 to 64 and a segment up to 1GiB, such as 4:8:4MiB";
        let wrong = || ParseError::invalid(text, "no levels", allowed);
        let mut words = text.split(':');
        let mut number = |range: std::ops::RangeInclusive<u32>| {
            words.next()?.parse().ok().filter(|number| range.contains(number))
        };
        let (count, fanout) = (number(LEVELS).ok_or_else(wrong)?, number(FANOUT).ok_or_else(wrong)?);
        let segment: Bytes = words.next().ok_or_else(wrong)?.parse().map_err(|_| wrong())?;
        let is_sound = (1..=SEGMENT_BYTES_MAX).contains(&segment.0) && words.next().is_none();
        if is_sound { Ok(Levels { count, fanout, segment }) } else { Err(wrong()) }
    }
}

impl Pattern {
    pub(super) fn check_levels(&self) -> Result<(), PatternError> {
        let Location::Levels(levels) = self.location else { return Ok(()) };
        let fail = |key: &str, problem: String| Err(PatternError::new(key, problem));
        if self.rw.op() != Op::Write || self.mix.is_some() {
            let rw = self.rw_word().unwrap_or("a mix");
            return fail("random", format!("levels are written and discarded; not {rw}, write rw=randwrite"));
        }
        let bs = self.bs.0.max(1);
        if !levels.segment.0.is_multiple_of(bs) {
            let near = Bytes((levels.segment.0 / bs).max(1) * bs);
            return fail("random", format!("segments of {} are not whole IOs; write {near}", levels.segment));
        }
        if self.size.0 == 0 {
            return Ok(());
        }
        let segments = self.job_space(0).size_bytes / levels.segment.0;
        if segments < levels.segments_min() {
            let (size, min) = (self.job_space(0).size_bytes, levels.segments_min());
            let problem =
                format!("{} have {segments} of the {min} segments needed; use smaller ones", Bytes(size));
            return fail("random", problem);
        }
        if segments > SEGMENTS_MAX {
            return fail(
                "random",
                format!("{segments} segments are more than {SEGMENTS_MAX}; use larger ones"),
            );
        }
        Ok(())
    }
}

/// One of the levels at work.
#[derive(Clone, Debug)]
struct Level {
    /// Segments that it may have besides the one that is being filled.
    size: u64,
    /// The oldest first.
    full: VecDeque<u32>,
    /// What is being filled, and slots of it that are.
    open: Option<(u32, u64)>,
}

/// The engine at work. Whatever it does, no more segments are used than there are: a level that has one too
/// many gives one back before it opens another.
#[derive(Clone, Debug)]
pub(super) struct LevelsWalk {
    levels: Vec<Level>,
    free: VecDeque<u32>,
    /// To be discarded next.
    dropped: Option<u32>,
    fanout: u64,
    segment_bytes: u64,
    has_handles: bool,
    random: Random,
}

impl LevelsWalk {
    pub(super) fn new(levels: Levels, space: Space, has_handles: bool, seed: u64) -> LevelsWalk {
        let segments = space.size_bytes / levels.segment.0;
        let level = |size: u64| Level { size, full: VecDeque::with_capacity(size as usize + 1), open: None };
        LevelsWalk {
            levels: levels.sizes(segments).into_iter().map(level).collect(),
            free: (0..segments as u32).collect(),
            dropped: None,
            fanout: levels.fanout.into(),
            segment_bytes: levels.segment.0,
            has_handles,
            random: Random::new(derive(seed, 0)),
        }
    }

    /// What comes next, with addresses from 0 on: a write like `template`, or a discard.
    #[inline]
    pub(super) fn next(&mut self, template: Request) -> Request {
        if let Some(segment) = self.dropped.take() {
            self.free.push_back(segment);
            let (offset_bytes, length_bytes) =
                (u64::from(segment) * self.segment_bytes, self.segment_bytes as u32);
            return Request { op: Op::Trim, offset_bytes, length_bytes, ..template };
        }
        let others = self.levels.len() as u64 - 1;
        let turn = self.random.below(1 + others * self.fanout);
        let number = turn.div_ceil(self.fanout) as usize;
        let level = &mut self.levels[number];
        let (segment, slot) = match level.open {
            Some(open) => open,
            None => (self.free.pop_front().expect("levels leave a segment for each of them"), 0),
        };
        let bs = u64::from(template.length_bytes);
        let behind = slot + 1;
        level.open = (behind * bs < self.segment_bytes).then_some((segment, behind));
        if level.open.is_none() {
            level.full.push_back(segment);
            if level.full.len() as u64 > level.size {
                self.dropped = level.full.pop_front();
            }
        }
        let placement = if self.has_handles { number as u16 } else { 0 };
        Request { offset_bytes: u64::from(segment) * self.segment_bytes + slot * bs, placement, ..template }
    }
}
