//! Drives that go on at the same time, each with its share of all IOs (fio's `flow`).

use std::sync::atomic::{AtomicU64, Ordering};

use crate::time::Nanos;

/// How soon a stream that has more than its share asks again.
pub(super) const ASK_EVERY: Nanos = Nanos::from_us(20);

/// The IOs of all streams that share it, and their weights. A stream that is over takes both with it, so that
/// the others share what comes.
#[derive(Debug)]
pub struct Flow {
    /// One more than there are, as in fio: all may begin.
    ios: AtomicU64,
    weight: AtomicU64,
}

impl Default for Flow {
    fn default() -> Flow {
        Flow { ios: AtomicU64::new(1), weight: AtomicU64::new(0) }
    }
}

impl Flow {
    /// Takes part with this weight from now on: its share is that of the weight in the sum of all. One with
    /// no weight never gets a turn.
    pub fn join(&self, weight: u32) -> FlowShare<'_> {
        self.weight.fetch_add(weight.into(), Ordering::Relaxed);
        FlowShare { flow: self, weight: AtomicU64::new(weight.into()), ios: AtomicU64::new(0) }
    }
}

/// One stream's part in a [`Flow`].
#[derive(Debug)]
pub struct FlowShare<'a> {
    flow: &'a Flow,
    /// None once it has left.
    weight: AtomicU64,
    ios: AtomicU64,
}

impl FlowShare<'_> {
    /// Takes a turn for one IO, unless the stream has had more than its share of those so far.
    #[inline]
    pub(super) fn take(&self) -> bool {
        let (own, all) = (self.ios.load(Ordering::Relaxed), self.flow.ios.load(Ordering::Relaxed));
        let (weight, sum) = (self.weight.load(Ordering::Relaxed), self.flow.weight.load(Ordering::Relaxed));
        if u128::from(own) * u128::from(sum) > u128::from(weight) * u128::from(all) {
            return false;
        }
        self.flow.ios.fetch_add(1, Ordering::Relaxed);
        self.ios.store(own + 1, Ordering::Relaxed);
        true
    }

    /// Takes no part any more; nobody waits for it.
    pub fn leave(&self) {
        let weight = self.weight.swap(0, Ordering::Relaxed);
        self.flow.weight.fetch_sub(weight, Ordering::Relaxed);
        self.flow.ios.fetch_sub(self.ios.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Drop for FlowShare<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever asks, and however often: of all turns each has its share, and somebody always may go.
    #[test]
    fn each_stream_has_the_share_of_its_weight() {
        let flow = Flow::default();
        let shares = [1, 2, 5].map(|weight| flow.join(weight));
        let mut turns = [0u64; 3];
        let mut random = crate::seed::Random::new(7);
        for _ in 0..80_000 {
            let asked = random.below(3) as usize;
            let goes =
                if shares[asked].take() { Some(asked) } else { shares.iter().position(FlowShare::take) };
            turns[goes.expect("not all have had more than their share")] += 1;
        }
        let all: u64 = turns.iter().sum();
        assert!(all > 10_000, "{all}");
        for (turns, weight) in turns.iter().zip([1, 2, 5]) {
            assert!((turns * 8).abs_diff(all * weight) <= 16, "{turns} of {all} with {weight}");
        }
    }

    #[test]
    fn who_leaves_keeps_nobody_waiting() {
        let flow = Flow::default();
        let (one, other) = (flow.join(1), flow.join(3));
        while one.take() {}
        assert!(!one.take());
        drop(other);
        assert!((0..100).all(|_| one.take()), "alone it has all turns");
        one.leave();
        one.leave();
        let late = flow.join(4);
        assert!((0..10).all(|_| late.take()));
    }
}
