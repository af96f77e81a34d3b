//! Uniformly distributed addresses: no locality at all, the worst case of every cache and the best understood
//! one of every collector.

use flashscope_core::{Flags, Op};

use super::{Generator, Key, Settings, Workload};
use crate::error::TraceError;
use crate::model::Emit;
use crate::settings::key;

/// The registry's line.
pub(crate) const GENERATOR: Generator = Generator {
    name: "uniform",
    paper: "",
    about: "reads and writes at uniformly random blocks",
    keys: KEYS,
    make: |settings| Ok(Box::new(Random::new(settings, |_, _| Ok(Law::Uniform))?)),
};

pub(super) const IOS: Key = key("ios", "100000", "requests");
pub(super) const BS: Key = key("bs", "4KiB", "size of a request, and unit of addresses");
pub(super) const WRITES: Key = key("writes", "100%", "share of writes; the others are reads");
pub(super) const RATE: Key = key("rate", "5000", "requests a second, arriving as a Poisson process");

const KEYS: &[Key] = &[IOS, BS, WRITES, RATE];

/// How addresses are drawn.
pub(super) enum Law {
    /// All alike.
    Uniform,
    /// By rank after Zipf; a permutation says which block has which rank.
    Zipf(flashscope_core::zipf::Zipf, flashscope_core::permutation::Permutation),
    /// So many blocks at the start, and the share of requests that go there.
    HotCold { hot_blocks: u64, hot_share: f64 },
}

/// Requests of one size at blocks drawn after a law.
pub(super) struct Random {
    law: Law,
    blocks: u64,
    block_bytes: u64,
    writes: f64,
    gap_ns: u64,
    left: u64,
}

impl Random {
    /// With the keys of [`IOS`], [`BS`], [`WRITES`] and [`RATE`]; `law` is told the number of blocks.
    pub(super) fn new(
        settings: &Settings,
        law: impl Fn(&Settings, u64) -> Result<Law, TraceError>,
    ) -> Result<Random, TraceError> {
        let block_bytes = settings.request_bytes("bs")?;
        settings.at_least(2 * block_bytes)?;
        let blocks = settings.size_bytes / block_bytes;
        Ok(Random {
            law: law(settings, blocks)?,
            blocks,
            block_bytes,
            writes: settings.share("writes")?,
            gap_ns: settings.gap_ns("rate")?,
            left: settings.number("ios")?,
        })
    }
}

impl Workload for Random {
    fn step(&mut self, emit: &mut Emit) -> bool {
        let block = match &self.law {
            Law::Uniform => emit.random.below(self.blocks),
            Law::Zipf(zipf, places) => places.at(zipf.draw(&mut emit.random)),
            Law::HotCold { hot_blocks, hot_share } => match emit.random.unit() < *hot_share {
                true => emit.random.below(*hot_blocks),
                false => hot_blocks + emit.random.below(self.blocks - hot_blocks),
            },
        };
        let op = if emit.chance(self.writes) { Op::Write } else { Op::Read };
        emit.issue(op, block * self.block_bytes, self.block_bytes, Flags::NONE);
        emit.pass_about(self.gap_ns);
        self.left -= 1;
        self.left > 0
    }
}
