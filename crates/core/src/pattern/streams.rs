//! Sequential streams side by side, of which chance says which one goes on: what several logs, tables or
//! tenants do to one drive (SSD-iq, PVLDB 2025).

use std::fmt;
use std::str::FromStr;

use crate::ParseError;
use crate::seed::{Random, derive};
use crate::zipf::Zipf;

/// The most streams.
const STREAMS_MAX: u32 = 4096;

/// Equal parts of the space, each used sequentially and again from its start. Which part the next IO goes to
/// is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streams {
    /// How many, 1 to 4096.
    pub count: u32,
    /// Stream k is drawn with probability proportional to `(k + 1)^-theta`; none: all are drawn alike.
    pub theta: Option<f64>,
}

impl fmt::Display for Streams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.count.fmt(f)?;
        self.theta.map_or(Ok(()), |theta| write!(f, ":{theta}"))
    }
}

impl FromStr for Streams {
    type Err = ParseError;

    /// `COUNT` or `COUNT:THETA`.
    fn from_str(text: &str) -> Result<Streams, ParseError> {
        let wrong = || ParseError::invalid(text, "no streams", "1 to 4096, with a skew such as 8 or 8:1.1");
        let (count, theta) = text.split_once(':').map_or((text, None), |(count, theta)| (count, Some(theta)));
        let count = count.parse().ok().filter(|count| (1..=STREAMS_MAX).contains(count)).ok_or_else(wrong)?;
        let theta = theta.map(|theta| theta.parse::<f64>().map_err(|_| wrong())).transpose()?;
        Ok(Streams { count, theta })
    }
}

/// The streams at work.
#[derive(Clone, Debug)]
pub(super) struct StreamWalk {
    /// The next slot of each stream, within its part.
    next: Vec<u64>,
    slots_each: u64,
    zipf: Option<Zipf>,
    random: Random,
}

impl StreamWalk {
    pub(super) fn new(streams: Streams, slots_each: u64, seed: u64) -> StreamWalk {
        StreamWalk {
            next: vec![0; streams.count as usize],
            slots_each,
            zipf: streams.theta.map(|theta| Zipf::new(streams.count.into(), theta)),
            random: Random::new(derive(seed, 0)),
        }
    }

    #[inline]
    pub(super) fn next_slot(&mut self) -> u64 {
        let StreamWalk { next, slots_each, zipf, random } = self;
        let stream = match zipf {
            Some(zipf) => zipf.draw(random),
            None => random.below(next.len() as u64),
        };
        let slot = &mut next[stream as usize];
        let at = stream * *slots_each + *slot;
        *slot = if *slot + 1 == *slots_each { 0 } else { *slot + 1 };
        at
    }
}
