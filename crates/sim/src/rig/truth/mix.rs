//! The truth about two patterns in one stream: what each would cost alone, in turn.

use flashscope_core::{Bytes, Mix, Pattern, Turns};

use super::{Level, Truth};
use crate::rig::service::READ_STREAMS;
use crate::rig::spec::RigSpec;

impl RigSpec {
    pub(super) fn mixed_truth(&self, pattern: &Pattern) -> Option<Truth> {
        let mix = pattern.mix?;
        // By chance or at one address, what one pattern costs depends on what the other did there.
        let Turns::Ratio(in_turns) = mix.turns else { return None };
        let half_bytes = Bytes(pattern.size.0 / 2);
        let first = Pattern { mix: None, size: half_bytes, ..pattern.clone() };
        let upper = Bytes(pattern.offset.0 + half_bytes.0);
        let second =
            Pattern { bs: pattern.bs, shift: pattern.shift, ..Pattern::baseline(mix.rw, upper, half_bytes) };
        if !self.mixes_independently(pattern, mix, in_turns) {
            return None;
        }
        let (a, b) = (self.plain_truth(&first)?, self.plain_truth(&second)?);
        let ratio = f64::from(in_turns);
        let mean_ns = (ratio * a.mean_ns? + b.mean_ns?) / (ratio + 1.0);
        let ratio = u64::from(in_turns);
        let of_first = a.startup_ios / ratio * (ratio + 1) + a.startup_ios % ratio;
        let startup_ios = of_first.max(b.startup_ios * (ratio + 1));
        let startup_bytes = startup_ios * pattern.bs.0;
        let regimes = vec![Level { from_ios: startup_ios, from_bytes: startup_bytes, mean_ns }];
        Some(Truth { mean_ns: Some(mean_ns), startup_ios, startup_bytes, period_ios: None, regimes })
    }

    /// Whether neither pattern changes what the other costs.
    fn mixes_independently(&self, pattern: &Pattern, mix: Mix, ratio: u32) -> bool {
        let alone = pattern.numjobs * pattern.iodepth == 1 && pattern.thinktime.0 == 0;
        let (first_writes, second_writes) = (pattern.rw.is_write(), mix.rw.is_write());
        let linger = self.lingering.is_some() && first_writes != second_writes;
        let level = self.regimes.is_some() && (first_writes || second_writes);
        // Of two patterns of one direction, one must be random, and it must not crowd out the other's stream.
        let limit = if first_writes { self.streams.limit } else { READ_STREAMS };
        let crowd = first_writes == second_writes
            && (pattern.rw.is_random() == mix.rw.is_random()
                || pattern.rw.is_random() && ratio >= limit
                || limit < 2
                || first_writes && self.locality.is_some_and(|l| l.area.0 * 4 > pattern.size.0));
        alone && !linger && !level && !crowd
    }
}
