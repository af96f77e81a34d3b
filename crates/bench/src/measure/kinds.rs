//! Reads, writes, flushes and discards of a run, each kind in a series of its own, and how many of each were
//! among its first IOs.

use flashscope_analysis::Series;
use flashscope_core::Op;

/// Marks that are kept: a cut lies at most one in half as many of the run behind where it should.
const MARKS_MAX: usize = 4096;

/// See the module.
pub(super) struct Kinds {
    series: [Series; 4],
    /// IOs of each kind when each `stride` more of all were done; flushes do not count among all.
    marks: Vec<[u64; 4]>,
    stride: u64,
    ios: u64,
}

impl Kinds {
    pub(super) fn new() -> Kinds {
        Kinds { series: Op::ALL.map(|_| Series::new()), marks: Vec::new(), stride: 1, ios: 0 }
    }

    #[inline]
    pub(super) fn push(&mut self, op: Op, response_ns: u64, written_bytes: u32) {
        self.series[op as usize].push(response_ns, written_bytes);
        if op != Op::Flush {
            self.ios += 1;
            if self.ios.is_multiple_of(self.stride) {
                self.mark();
            }
        }
    }

    fn mark(&mut self) {
        self.marks.push(std::array::from_fn(|kind| self.series[kind].len()));
        if self.marks.len() == MARKS_MAX {
            let mut number = 0;
            self.marks.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.stride *= 2;
        }
    }

    /// The kinds that there are, each with the number of its IOs among the first `ios` of all, or among few
    /// more.
    pub(super) fn behind(&self, ios: u64) -> impl Iterator<Item = (Op, &Series, u64)> {
        let mark = ios.div_ceil(self.stride).checked_sub(1);
        let of = move |(op, series): (Op, &'_ Series)| match mark {
            None => 0,
            Some(mark) => self.marks.get(mark as usize).map_or(series.len(), |counts| counts[op as usize]),
        };
        let there = Op::ALL.into_iter().zip(&self.series).filter(|(_, series)| !series.is_empty());
        there.map(move |(op, series)| (op, series, of((op, series))))
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;

    #[test]
    fn a_cut_lies_where_the_ios_were_and_not_at_a_share_of_each_kind() {
        for length in [10u64, 4_000, 4_096, 50_000, 300_000] {
            let mut kinds = Kinds::new();
            let mut random = Random::new(length);
            // Ever more writes, and now and then a flush.
            let mut ops = Vec::new();
            for io in 0..length {
                if random.below(50) == 0 {
                    kinds.push(Op::Flush, 1, 0);
                }
                let op = if random.below(length) < io { Op::Write } else { Op::Read };
                kinds.push(op, 1, 0);
                ops.push(op);
            }
            let most = length / (MARKS_MAX as u64 / 2) + 1;
            for first in [0, 1, length / 3, length - 1, length] {
                for (op, series, cut) in kinds.behind(first).filter(|(op, ..)| *op != Op::Flush) {
                    let exact = ops[..first as usize].iter().filter(|other| **other == op).count() as u64;
                    assert!((exact..=exact + most).contains(&cut), "{op:?} of {length}: {cut}, {exact}");
                    assert!(cut <= series.len());
                }
            }
        }
    }
}
