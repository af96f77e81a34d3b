//! The largest queue depth at which enough IOs are fast enough (fio's `latency_target`): the depth is doubled
//! until they are not, and bisected from there.

use flashscope_core::{Nanos, Record};

use crate::journal::Recording;

/// What is asked of response times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyTarget {
    /// IOs that take no longer are fast enough.
    pub latency: Nanos,
    /// The share of the IOs that must be, more than 0 to 1.
    pub share: f64,
    /// How long each queue depth is tried.
    pub window: Nanos,
}

impl LatencyTarget {
    /// Whether a window meets it. One without IOs does not.
    pub fn is_met(&self, seen: &WithinTarget) -> bool {
        // As exact as percentages are: 999 of 1,000 are 99.9 %.
        seen.ios > 0 && (seen.ios - seen.within) as f64 <= (1.0 - self.share) * seen.ios as f64 + 1e-6
    }
}

/// Counts the IOs of a window; one that fails is not fast enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithinTarget {
    latency: Nanos,
    /// All of them.
    pub ios: u64,
    /// Those that were fast enough.
    pub within: u64,
}

impl WithinTarget {
    /// Nothing seen yet.
    pub fn new(target: &LatencyTarget) -> WithinTarget {
        WithinTarget { latency: target.latency, ios: 0, within: 0 }
    }

    /// The share of the IOs that was fast enough.
    pub fn share(&self) -> f64 {
        self.within as f64 / self.ios.max(1) as f64
    }
}

impl Recording for WithinTarget {
    #[inline]
    fn push(&mut self, record: Record) {
        self.ios += 1;
        self.within += u64::from(!record.is_failed() && record.response() <= self.latency);
    }

    #[inline]
    fn has_failed(&self) -> bool {
        false
    }
}

/// The largest queue depth up to `most` that meets a target, if larger ones are no better than smaller ones;
/// none where a depth of 1 does not.
///
/// # Errors
/// What `meets` returns.
pub fn deepest<E>(most: u32, mut meets: impl FnMut(u32) -> Result<bool, E>) -> Result<Option<u32>, E> {
    let (mut good, mut bad) = (0, 1);
    while meets(bad)? {
        good = bad;
        if good >= most {
            return Ok(Some(good));
        }
        bad = good.saturating_mul(2).min(most);
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        *(if meets(middle)? { &mut good } else { &mut bad }) = middle;
    }
    Ok((good > 0).then_some(good))
}

#[cfg(test)]
mod tests {
    use flashscope_core::Time;

    use super::*;

    /// Every limit of every range is found, and nothing is tried twice or beyond the most.
    #[test]
    fn the_deepest_is_the_one_before_the_first_that_is_too_slow() {
        for most in 1..=70 {
            for limit in 0..=80 {
                let mut tried = Vec::new();
                let found = deepest(most, |depth| {
                    tried.push(depth);
                    Ok::<_, ()>(depth <= limit)
                });
                assert_eq!(found, Ok(Some(limit.min(most)).filter(|depth| *depth > 0)), "{most}, {limit}");
                assert!(tried.iter().all(|depth| (1..=most).contains(depth)), "{most}, {limit}: {tried:?}");
                let count = tried.len();
                tried.sort_unstable();
                tried.dedup();
                assert!(tried.len() == count && count <= 14, "{most}, {limit}: {tried:?}");
            }
        }
        assert_eq!(deepest(8, |depth| if depth > 2 { Err(depth) } else { Ok(true) }), Err(4));
    }

    #[test]
    fn a_window_is_met_by_its_share_and_failed_ios_are_slow() {
        let target = LatencyTarget { latency: Nanos(100), share: 0.75, window: Nanos::from_s(1) };
        let mut seen = WithinTarget::new(&target);
        assert!(!target.is_met(&seen), "nothing was seen");
        for response in [100, 99, 1] {
            seen.push(Record::new(Time::ZERO, Nanos(response), 0, 0));
        }
        seen.push(Record::new(Time::ZERO, Nanos(101), 0, 0));
        assert!(target.is_met(&seen) && seen.share() == 0.75);
        seen.push(Record::failed(Time::ZERO, 0, 0));
        assert!(!target.is_met(&seen) && seen.ios == 5);
        let of_1000 = |within| WithinTarget { latency: Nanos(100), ios: 1000, within };
        let target = LatencyTarget { share: 99.9 / 100.0, ..target };
        assert!(target.is_met(&of_1000(999)) && !target.is_met(&of_1000(998)));
    }
}
