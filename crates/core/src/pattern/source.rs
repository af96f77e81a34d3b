//! From a pattern to its requests, in constant memory.

use super::{Location, Mix, Pattern};
use crate::pacing::Arrivals;
use crate::permutation::Permutation;
use crate::request::{Op, Request};
use crate::seed::{Random, derive};
use crate::source::RequestSource;
use crate::time::Time;
use crate::zipf::Zipf;

/// The fast generator of a [`Pattern`]: constant memory, no allocation after construction.
#[derive(Clone, Debug)]
pub struct PatternSource {
    first: Walk,
    second: Option<(Walk, u64)>,
    arrivals: Option<ArrivalClock>,
    /// IOs from one flush to the next, that one included.
    flush_cycle: Option<u64>,
    /// IOs since the start; decides whose turn it is in a mix.
    index: u64,
    /// IOs still to come.
    left: u64,
}

impl PatternSource {
    /// The requests of parallel process `job` (below `pattern.numjobs`), each with its own part of the target
    /// space (paper 001, table 1, Parallelism). The pattern has been validated.
    pub fn new(pattern: &Pattern, job: u32, seed: u64) -> PatternSource {
        let space = pattern.job_space(job);
        let seed = derive(seed, u64::from(job));
        let (first_space, second_space) = match pattern.mix {
            // Both halves are a whole number of slots, so both keep the alignment of the whole.
            Some(_) => {
                Space { size_bytes: space.size_bytes / (2 * pattern.bs.0) * (2 * pattern.bs.0), ..space }
                    .halves()
            }
            None => (space, space),
        };
        let first = Walk::new(pattern.rw.op(), &pattern.location, pattern, first_space, derive(seed, 0));
        let second = pattern.mix.as_ref().map(|Mix { rw, ratio }| {
            let location = if rw.is_random() { Location::Random } else { Location::Sequential };
            (Walk::new(rw.op(), &location, pattern, second_space, derive(seed, 1)), u64::from(*ratio) + 1)
        });
        let arrivals = pattern.rate_iops.map(|rate| {
            let rate = rate / f64::from(pattern.numjobs);
            ArrivalClock {
                gap_ns: 1e9 / rate,
                arrivals: pattern.arrivals,
                next_ns: 0.0,
                random: Random::new(derive(seed, 2)),
            }
        });
        let flush_cycle = pattern.fsync.map(|ios| ios.saturating_add(1));
        let left = pattern.number_ios.unwrap_or(u64::MAX);
        PatternSource { first, second, arrivals, flush_cycle, index: 0, left }
    }
}

impl RequestSource for PatternSource {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let count = (batch.len() as u64).min(self.left) as usize;
        let batch = &mut batch[..count];
        match self.flush_cycle {
            None => self.walk(self.index, batch),
            Some(cycle) => self.walk_and_flush(cycle, batch),
        }
        if let Some(clock) = &mut self.arrivals {
            batch.iter_mut().for_each(|request| request.due = clock.next());
        }
        self.index += count as u64;
        self.left -= count as u64;
        count
    }
}

impl PatternSource {
    /// The IOs from number `index` on that are no flushes.
    fn walk(&mut self, index: u64, batch: &mut [Request]) {
        match &mut self.second {
            None => self.first.fill(batch),
            // `ratio` IOs of the first pattern, then one of the second, for ever.
            Some((second, cycle)) => {
                for (i, request) in (index..).zip(batch.iter_mut()) {
                    let walk = if i % *cycle == *cycle - 1 { &mut *second } else { &mut self.first };
                    walk.fill(std::slice::from_mut(request));
                }
            }
        }
    }

    /// After every `cycle - 1` IOs a flush.
    fn walk_and_flush(&mut self, cycle: u64, batch: &mut [Request]) {
        let mut at = 0;
        while at < batch.len() {
            let index = self.index + at as u64;
            let before_flush = (cycle - 1 - index % cycle).min((batch.len() - at) as u64) as usize;
            self.walk(index / cycle * (cycle - 1) + index % cycle, &mut batch[at..at + before_flush]);
            at += before_flush;
            if let Some(request) = batch.get_mut(at) {
                *request = Request { op: Op::Flush, ..Request::default() };
                at += 1;
            }
        }
    }
}

/// Open-loop arrival times.
#[derive(Clone, Debug)]
struct ArrivalClock {
    gap_ns: f64,
    arrivals: Arrivals,
    next_ns: f64,
    random: Random,
}

impl ArrivalClock {
    fn next(&mut self) -> Time {
        let due = Time(self.next_ns as u64);
        self.next_ns += match self.arrivals {
            Arrivals::Fixed => self.gap_ns,
            Arrivals::Poisson => -libm::log(1.0 - self.random.unit()) * self.gap_ns,
        };
        due
    }
}

/// A range of a target: what one walk may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// First byte, before the shift.
    pub offset_bytes: u64,
    /// Length.
    pub size_bytes: u64,
}

impl Space {
    /// The lower and the upper half.
    pub fn halves(self) -> (Space, Space) {
        let half = self.size_bytes / 2;
        let lower = Space { offset_bytes: self.offset_bytes, size_bytes: half };
        (lower, Space { offset_bytes: self.offset_bytes + half, size_bytes: half })
    }
}

/// One of the location functions at work in one space.
#[derive(Clone, Debug)]
struct Walk {
    op: Op,
    length_bytes: u32,
    /// First byte of slot 0: TargetOffset + IOShift.
    base_bytes: u64,
    slots: u64,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Slot `next`, then `next + step` modulo `slots`: sequential, ordered.
    Linear {
        next: u64,
        step: u64,
    },
    Partitioned {
        index: u64,
        partitions: u64,
        slots_each: u64,
    },
    /// Advance by one slot plus a gap that is always there, or there on a coin's toss.
    Gaps {
        next_bytes: u64,
        gap_bytes: u64,
        size_bytes: u64,
        coin: Option<Random>,
    },
    Random(Random),
    /// A pass over all slots in random order; a new order each pass unless `repeat`.
    Permutation {
        order: Permutation,
        next: u64,
        pass: u64,
        seed: u64,
        repeat: bool,
    },
    Zipf {
        zipf: Zipf,
        scatter: Permutation,
        random: Random,
    },
    HotCold {
        hot_slots: u64,
        hot_ios: f64,
        random: Random,
    },
}

impl Walk {
    fn new(op: Op, location: &Location, pattern: &Pattern, space: Space, seed: u64) -> Walk {
        let bs = pattern.bs.0;
        let slots = space.size_bytes / bs;
        assert!(slots > 0, "a validated pattern has room for one IO");
        Walk {
            op,
            length_bytes: bs as u32,
            base_bytes: space.offset_bytes + pattern.shift.0,
            slots,
            state: State::new(location, slots, bs, space, seed),
        }
    }

    fn fill(&mut self, batch: &mut [Request]) {
        let Walk { op, length_bytes, base_bytes, slots, .. } = *self;
        let bs = u64::from(length_bytes);
        let template = Request { length_bytes, op, ..Request::default() };
        match &mut self.state {
            State::Linear { next, step } => place(batch, template, base_bytes, || {
                let slot = *next;
                *next += *step;
                if *next >= slots {
                    *next -= slots;
                }
                slot * bs
            }),
            State::Partitioned { index, partitions, slots_each } => {
                place(batch, template, base_bytes, || {
                    let (row, partition) = (*index / *partitions, *index % *partitions);
                    *index += 1;
                    (partition * *slots_each + row % *slots_each) * bs
                })
            }
            State::Gaps { next_bytes, gap_bytes, size_bytes, coin } => {
                place(batch, template, base_bytes, || {
                    if *next_bytes + bs > *size_bytes {
                        *next_bytes = 0;
                    }
                    let at = *next_bytes;
                    let gap = coin.as_mut().is_none_or(|coin| coin.below(2) == 1);
                    *next_bytes += bs + if gap { *gap_bytes } else { 0 };
                    at
                })
            }
            State::Random(random) => place(batch, template, base_bytes, || random.below(slots) * bs),
            State::Permutation { order, next, pass, seed, repeat } => {
                place(batch, template, base_bytes, || {
                    if *next == slots {
                        (*next, *pass) = (0, *pass + 1);
                        if !*repeat {
                            *order = Permutation::new(slots, derive(*seed, *pass));
                        }
                    }
                    *next += 1;
                    order.at(*next - 1) * bs
                })
            }
            State::Zipf { zipf, scatter, random } => {
                place(batch, template, base_bytes, || scatter.at(zipf.draw(random)) * bs)
            }
            State::HotCold { hot_slots, hot_ios, random } => place(batch, template, base_bytes, || {
                let cold_slots = slots - *hot_slots;
                let hot = cold_slots == 0 || random.unit() < *hot_ios;
                (if hot { random.below(*hot_slots) } else { *hot_slots + random.below(cold_slots) }) * bs
            }),
        }
    }
}

/// Writes one request after the other at the addresses that `next` gives, relative to `base_bytes`.
#[inline]
fn place(batch: &mut [Request], template: Request, base_bytes: u64, mut next: impl FnMut() -> u64) {
    for request in batch {
        *request = Request { offset_bytes: base_bytes + next(), ..template };
    }
}

impl State {
    fn new(location: &Location, slots: u64, bs: u64, space: Space, seed: u64) -> State {
        let permutation = |repeat| State::Permutation {
            order: Permutation::new(slots, derive(seed, 0)),
            next: 0,
            pass: 0,
            seed,
            repeat,
        };
        let gaps = |gap_bytes: u64, coin| State::Gaps {
            next_bytes: 0,
            gap_bytes,
            size_bytes: space.size_bytes,
            coin,
        };
        match *location {
            Location::Sequential => State::Linear { next: 0, step: 1 % slots },
            // The mathematical modulus: a negative stride walks down from slot 0 by way of the last slot.
            Location::Ordered { stride } => {
                State::Linear { next: 0, step: stride.rem_euclid(slots as i64) as u64 }
            }
            Location::Partitioned { partitions } => State::Partitioned {
                index: 0,
                partitions: u64::from(partitions),
                slots_each: space.size_bytes / u64::from(partitions) / bs,
            },
            Location::RegularGaps { gap } => gaps(gap.0, None),
            Location::RandomGaps { gap } => gaps(gap.0, Some(Random::new(seed))),
            Location::Random => State::Random(Random::new(seed)),
            Location::Permutation => permutation(false),
            Location::RepeatedPermutation => permutation(true),
            Location::Zipf { theta } => State::Zipf {
                zipf: Zipf::new(slots, theta),
                scatter: Permutation::new(slots, derive(seed, 0)),
                random: Random::new(derive(seed, 1)),
            },
            Location::HotCold { hot_space, hot_ios } => State::HotCold {
                hot_slots: ((slots as f64 * hot_space.0) as u64).clamp(1, slots),
                hot_ios: hot_ios.0,
                random: Random::new(seed),
            },
        }
    }
}
