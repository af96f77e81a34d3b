//! What kind of write a write is, from the addresses of the ones before it.

use super::spec::{Order, RigSpec};
use super::streams::{Placement, Streams};

/// Kinds of writes, as a rig prices them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteClass {
    /// Continues a stream, or is the first after a rest.
    Sequential {
        /// Another stream than the last one.
        switched: bool,
    },
    /// At the same place as the ones before.
    InPlace,
    /// Ends where the one before began.
    Reverse,
    /// A large constant stride beyond the one before.
    LargeIncrement,
    /// Within the locality area.
    Local,
    /// None of these.
    Random,
}

/// Equal moves that make a run: in place, reverse or large increments. Fewer happen by chance in a
/// small area.
pub(super) const ESTABLISHED: u32 = 4;
/// Writes that must lie within the locality area.
pub(super) const WINDOW: usize = 32;

pub(super) struct WriteClassifier {
    streams: Streams,
    run: Run,
    window: Option<Window>,
    increments: std::ops::RangeInclusive<i64>,
}

impl WriteClassifier {
    pub(super) fn new(spec: &RigSpec) -> WriteClassifier {
        let Order { large_increment_from, large_increment_to, .. } = spec.order;
        WriteClassifier {
            streams: Streams::new(spec.streams.limit),
            run: Run::default(),
            window: spec.locality.map(|locality| Window::new(locality.area.0)),
            increments: large_increment_from.0 as i64..=large_increment_to.0 as i64,
        }
    }

    pub(super) fn forget(&mut self) {
        self.streams.forget();
        self.run = Run::default();
        if let Some(window) = &mut self.window {
            window.forget();
        }
    }

    /// The class of this write, and whether it is the first after a rest.
    #[inline]
    pub(super) fn classify(&mut self, offset: u64, length: u64) -> (WriteClass, bool) {
        let placement = self.streams.place(offset, length);
        self.run.note(offset, *self.increments.start());
        if let Some(window) = &mut self.window {
            window.note(offset, length);
        }
        let class = match placement {
            Placement::First => return (WriteClass::Sequential { switched: false }, true),
            _ if self.run.is(0, ESTABLISHED) => WriteClass::InPlace,
            _ if self.run.is(-(length as i64), ESTABLISHED) => WriteClass::Reverse,
            Placement::Continues { switched } => WriteClass::Sequential { switched },
            Placement::Elsewhere
                if self.run.length >= ESTABLISHED && self.increments.contains(&self.run.step) =>
            {
                WriteClass::LargeIncrement
            }
            Placement::Elsewhere if self.window.as_ref().is_some_and(Window::is_local) => WriteClass::Local,
            Placement::Elsewhere => WriteClass::Random,
        };
        (class, false)
    }
}

/// The latest run of equal moves from one write to the next.
#[derive(Default)]
struct Run {
    last: Option<u64>,
    step: i64,
    /// Moves in the run.
    length: u32,
    /// Where it began.
    first: u64,
    /// The last move was a wrap.
    wrapped: bool,
}

impl Run {
    fn is(&self, step: i64, length_min: u32) -> bool {
        self.step == step && self.length >= length_min
    }

    /// A run survives the wrap at the end of a target space: one jump back to where it began, or, at large
    /// increments, which need not hit the same places again, one jump down.
    #[inline]
    fn note(&mut self, offset: u64, large_from: i64) {
        let Some(last) = self.last.replace(offset) else { return };
        let step = offset.wrapping_sub(last) as i64;
        if step == self.step && self.length > 0 {
            self.length = self.length.saturating_add(1);
            self.wrapped = false;
            return;
        }
        let wraps = self.length >= ESTABLISHED
            && !self.wrapped
            && (offset == self.first || self.step >= large_from && step < 0);
        if wraps {
            self.wrapped = true;
        } else {
            *self = Run { last: self.last, step, length: 1, first: last, wrapped: false };
        }
    }
}

/// The places of the last writes.
struct Window {
    area: u64,
    starts: [u64; WINDOW],
    ends: [u64; WINDOW],
    at: usize,
    /// The last write was near the one before it: only then is a look at the others worth while.
    near: bool,
}

impl Window {
    fn new(area: u64) -> Window {
        Window { area, starts: [u64::MAX; WINDOW], ends: [0; WINDOW], at: 0, near: true }
    }

    fn forget(&mut self) {
        *self = Window::new(self.area);
    }

    #[inline]
    fn note(&mut self, offset: u64, length: u64) {
        let before = self.starts[(self.at + WINDOW - 1) % WINDOW];
        self.near = before == u64::MAX || offset.abs_diff(before) <= self.area;
        self.starts[self.at] = offset;
        self.ends[self.at] = offset + length;
        self.at = (self.at + 1) % WINDOW;
    }

    fn is_local(&self) -> bool {
        let lowest = || self.starts.iter().fold(u64::MAX, |low, &start| low.min(start));
        let highest = || self.ends.iter().fold(0, |high, &end| high.max(end));
        self.near && highest() - lowest() <= self.area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const KIB32: u64 = 32 << 10;

    fn classes(spec: &RigSpec, offsets: impl IntoIterator<Item = u64>) -> Vec<WriteClass> {
        let mut classifier = WriteClassifier::new(spec);
        offsets.into_iter().map(|offset| classifier.classify(offset, KIB32).0).collect()
    }

    fn mtron() -> RigSpec {
        crate::rigs::get("mtron").expect("built in")
    }

    #[test]
    fn one_place_again_and_again_is_in_place() {
        assert_eq!(classes(&mtron(), [MIB; 40])[4..], [WriteClass::InPlace; 36]);
    }

    #[test]
    fn a_descending_order_is_reverse_even_as_it_wraps() {
        let got = classes(&mtron(), (0..200).map(|i| (100 - i % 100) * KIB32));
        assert_eq!(got[4..], [WriteClass::Reverse; 196]);
    }

    #[test]
    fn large_strides_survive_a_wrap_that_hits_other_places() {
        let got = classes(&mtron(), (0..300).map(|i| (i * 33 % 1000) * KIB32));
        assert_eq!(got[4..], [WriteClass::LargeIncrement; 296]);
    }

    #[test]
    fn writes_in_the_area_are_local_and_a_jump_out_ends_it_for_a_window() {
        let inside = |i: u64| (i * 7919 % 256) * KIB32;
        let got = classes(&mtron(), (0..200).map(|i| if i == 100 { 3000 * MIB } else { inside(i) }));
        assert_eq!(got[50..100], [WriteClass::Local; 50]);
        assert_eq!(got[100..132], [WriteClass::Random; 32]);
        assert_eq!(got[132..], [WriteClass::Local; 68]);
    }
}
