//! From a pattern to its requests, in constant memory.

use super::arrivals::{ArrivalClock, Turn};
use super::gaps::Gaps;
use super::levels::LevelsWalk;
use super::placement::{Placement, Placer};
use super::streams::StreamWalk;
use super::{Location, Mix, Pattern, Priorities, Sequence, Sizes, Turns, Zones, order};
use crate::pacing::Rate;
use crate::permutation::Permutation;
use crate::request::{Flags, Op, Request};
use crate::seed::{Random, derive};
use crate::source::RequestSource;
use crate::time::Time;
use crate::units::Share;
use crate::zipf::Zipf;

/// The fast generator of a [`Pattern`]: constant memory, no allocation after construction.
#[derive(Clone, Debug)]
pub struct PatternSource {
    first: Walk,
    second: Option<Second>,
    /// Where all IOs have one rate.
    arrivals: Option<ArrivalClock>,
    /// Of each write.
    write_flags: Flags,
    priorities: Option<(Priorities, Random)>,
    placer: Option<Placer>,
    /// IOs from one flush to the next, that one included.
    flush_cycle: Option<u64>,
    /// IOs since the start; decides whose turn it is in a mix.
    index: u64,
    /// IOs still to come.
    left: u64,
    /// When the last one of the batch before is due.
    last_due: Time,
}

impl PatternSource {
    /// The requests of parallel process `job` (below `pattern.numjobs`), each with its own part of the target
    /// space (paper 001, table 1, Parallelism). The pattern has been validated.
    pub fn new(pattern: &Pattern, job: u32, seed: u64) -> PatternSource {
        let space = pattern.job_space(job);
        let seed = derive(seed, u64::from(job));
        let (first_space, second_space) = match pattern.mix {
            // Both halves are a whole number of slots, so both keep the alignment of the whole.
            Some(Mix { turns: Turns::Ratio(_), .. }) => {
                let two_bytes = 2 * pattern.grid().0;
                Space { size_bytes: space.size_bytes / two_bytes * two_bytes, ..space }.halves()
            }
            _ => (space, space),
        };
        let first = Walk::new(pattern.rw.op(), &pattern.location, pattern, first_space, derive(seed, 0));
        let second = pattern.mix.map(|mix| Second::new(mix, pattern, second_space, seed));
        let arrivals = match pattern.rate_iops {
            Some(Rate::Total(rate)) => {
                let of_process = rate / f64::from(pattern.numjobs);
                Some(ArrivalClock::new(of_process, pattern.arrivals, derive(seed, ARRIVALS)))
            }
            Some(Rate::Each { .. }) | None => None,
        };
        let flush_cycle = pattern.fsync.map(|ios| ios.saturating_add(1));
        let left = pattern.number_ios.unwrap_or(u64::MAX);
        let priorities = pattern.priorities.clone();
        let priorities = priorities.map(|rules| (rules, Random::new(derive(seed, PRIORITIES))));
        let placer = Placer::new(pattern, space, job);
        let write_flags = [(pattern.is_dsync, Flags::FUA), (pattern.is_atomic, Flags::ATOMIC)];
        let write_flags = write_flags.into_iter().filter(|(is_set, _)| *is_set);
        let write_flags = write_flags.fold(Flags::NONE, |all, (_, flag)| all.and(flag));
        PatternSource {
            first,
            second,
            arrivals,
            write_flags,
            priorities,
            placer,
            flush_cycle,
            index: 0,
            left,
            last_due: Time::ZERO,
        }
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
        if self.write_flags != Flags::NONE {
            let writes = batch.iter_mut().filter(|request| request.op == Op::Write);
            writes.for_each(|request| request.flags = self.write_flags);
        }
        if let Some((rules, random)) = &mut self.priorities {
            batch.iter_mut().for_each(|request| request.priority = rules.draw(request, random));
        }
        if let Some(placer) = &self.placer {
            batch.iter_mut().for_each(|request| placer.place(request));
        }
        if let Some(clock) = &mut self.arrivals {
            batch.iter_mut().for_each(|request| request.due = clock.next());
        }
        self.last_due = batch.last().map_or(self.last_due, |request| request.due);
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
            Some(second) => second.fill(&mut self.first, index, batch),
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
            if at < batch.len() {
                // Where reads and writes have their clocks, it is due with the IO before it.
                let due = at.checked_sub(1).map_or(self.last_due, |before| batch[before].due);
                batch[at] = Request { op: Op::Flush, due, ..Request::default() };
                at += 1;
            }
        }
    }
}

/// The second pattern of a mix.
#[derive(Clone, Debug)]
enum Second {
    /// IOs of the first pattern until one of the second, which is the last of each `cycle`.
    InTurns { walk: Walk, cycle: u64 },
    /// Each IO is of the second by chance, or as both are due.
    ByTurn { walk: Walk, turn: Turn },
    /// The same with one walk for both: a random one goes on whoever's turn it is, so that of a permutation
    /// no address comes twice.
    InOneWalk { op: Op, turn: Turn },
    /// Every other IO repeats the address and the size of the one before it.
    Behind { op: Op, before: Request },
}

impl Second {
    fn new(mix: Mix, pattern: &Pattern, space: Space, seed: u64) -> Second {
        let Mix { rw, turns } = mix;
        let is_same_order = rw.is_random() == pattern.rw.is_random();
        let walk = |location: Location| Walk::new(rw.op(), &location, pattern, space, derive(seed, 1));
        let of_baseline = if rw.is_random() { Location::Random } else { Location::Sequential };
        let turn = |percent: u8| match pattern.rate_iops {
            Some(Rate::Each { reads, writes }) => {
                let of_process = [reads, writes].map(|rate| rate / f64::from(pattern.numjobs));
                Turn::due(of_process, pattern.arrivals, derive(seed, ARRIVALS))
            }
            _ => Turn::Chance { percent: percent.into(), coin: Random::new(derive(seed, COIN)) },
        };
        match turns {
            Turns::Ratio(ratio) => Second::InTurns { walk: walk(of_baseline), cycle: u64::from(ratio) + 1 },
            Turns::SameAddress => Second::Behind { op: rw.op(), before: Request::default() },
            Turns::Chance(percent) if is_same_order && pattern.location.is_drawn() => {
                Second::InOneWalk { op: rw.op(), turn: turn(percent) }
            }
            Turns::Chance(percent) => {
                let location = if is_same_order { pattern.location } else { of_baseline };
                Second::ByTurn { walk: walk(location), turn: turn(percent) }
            }
        }
    }

    /// The IOs from number `index` on of both patterns.
    fn fill(&mut self, first: &mut Walk, index: u64, batch: &mut [Request]) {
        match self {
            Second::InTurns { walk, cycle } => {
                for (i, request) in (index..).zip(batch) {
                    let walk = if i % *cycle == *cycle - 1 { &mut *walk } else { &mut *first };
                    walk.fill(std::slice::from_mut(request));
                }
            }
            Second::ByTurn { walk, turn } => {
                for request in batch {
                    let (is_second, due) = turn.next();
                    let walk = if is_second { &mut *walk } else { &mut *first };
                    walk.fill(std::slice::from_mut(request));
                    request.due = due;
                }
            }
            Second::InOneWalk { op, turn } => {
                first.fill_addresses(batch);
                for request in &mut *batch {
                    let (is_second, due) = turn.next();
                    request.op = if is_second { *op } else { request.op };
                    request.due = due;
                }
                first.fill_sizes(batch);
            }
            Second::Behind { op, before } => {
                for (i, request) in (index..).zip(batch) {
                    if i % 2 == 0 {
                        first.fill(std::slice::from_mut(request));
                        *before = *request;
                    } else {
                        *request = Request { op: *op, ..*before };
                    }
                }
            }
        }
    }
}

/// Use numbers of a seed: what draws arrivals, turns, sizes and priorities.
const ARRIVALS: u64 = 2;
const COIN: u64 = 3;
const SIZES: u64 = 4;
const PRIORITIES: u64 = 5;

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
    /// Several sizes, and what draws them.
    sizes: Option<(Sizes, Random)>,
    /// Bytes from slot 0 on.
    size_bytes: u64,
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
    Gaps(Gaps),
    /// Each IO begins where the one before it ends, whatever its size.
    EndToEnd {
        next_bytes: u64,
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
    Zones(Zones, Random),
    Streams(StreamWalk),
    Levels(Box<LevelsWalk>),
    /// IO number `next` of a pass.
    Sequence {
        slots: Box<Sequence>,
        next: u64,
        pass_ios: u64,
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
            state: match (&pattern.sizes, location) {
                (Some(_), Location::Sequential) => State::EndToEnd { next_bytes: 0 },
                _ => State::new(location, slots, pattern, space, seed),
            },
            sizes: pattern.sizes.clone().map(|sizes| (sizes, Random::new(derive(seed, SIZES)))),
            size_bytes: space.size_bytes,
        }
    }

    fn fill(&mut self, batch: &mut [Request]) {
        self.fill_addresses(batch);
        self.fill_sizes(batch);
    }

    /// Where there are several, once it is known what each IO does. Kinds of IOs with sizes of their own are
    /// at multiples of the smallest of them.
    fn fill_sizes(&mut self, batch: &mut [Request]) {
        let is_end_to_end = matches!(self.state, State::EndToEnd { .. });
        let Some((sizes, random)) = self.sizes.as_mut().filter(|_| !is_end_to_end) else { return };
        let bs = u64::from(self.length_bytes);
        let differ = sizes.differ();
        for request in batch {
            let mut at = request.offset_bytes - self.base_bytes;
            if differ {
                let grid = sizes.least_of(request.op).0.max(bs);
                at = at / grid * grid;
                request.offset_bytes = self.base_bytes + at;
            }
            request.length_bytes = sizes.draw(request.op, self.size_bytes - at, random) as u32;
        }
    }

    /// IOs that leave no gap and begin again where the smallest does not fit any more.
    fn fill_end_to_end(&mut self, batch: &mut [Request]) {
        let Walk { op, base_bytes, size_bytes, .. } = *self;
        let (State::EndToEnd { next_bytes }, Some((sizes, random))) = (&mut self.state, &mut self.sizes)
        else {
            return;
        };
        for request in batch {
            if *next_bytes + sizes.least_of(op).0 > size_bytes {
                *next_bytes = 0;
            }
            let length = sizes.draw(op, size_bytes - *next_bytes, random);
            let offset_bytes = base_bytes + *next_bytes;
            *request = Request { offset_bytes, length_bytes: length as u32, op, ..Request::default() };
            *next_bytes += length;
        }
    }

    fn fill_addresses(&mut self, batch: &mut [Request]) {
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
            State::Gaps(gaps) => place(batch, template, base_bytes, || gaps.next(bs)),
            State::EndToEnd { .. } => self.fill_end_to_end(batch),
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
            State::Zones(zones, random) => {
                place(batch, template, base_bytes, || zones.draw(slots, random) * bs)
            }
            State::Streams(walk) => place(batch, template, base_bytes, || walk.next_slot() * bs),
            State::Levels(walk) => batch.iter_mut().for_each(|request| {
                *request = walk.next(template);
                request.offset_bytes += base_bytes;
            }),
            State::Sequence { slots, next, pass_ios } => place(batch, template, base_bytes, || {
                if *next == *pass_ios {
                    *next = 0;
                }
                *next += 1;
                slots.at(*next - 1) * bs
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

/// Slots of the hot part.
pub(super) fn hot_slots(slots: u64, hot_space: Share) -> u64 {
    ((slots as f64 * hot_space.0) as u64).clamp(1, slots)
}

impl State {
    fn new(location: &Location, slots: u64, pattern: &Pattern, space: Space, seed: u64) -> State {
        let (bs, has_handles) = (pattern.bs.0, pattern.placement == Some(Placement::Part));
        let permutation = |repeat| State::Permutation {
            order: Permutation::new(slots, derive(seed, 0)),
            next: 0,
            pass: 0,
            seed,
            repeat,
        };
        let gaps = |gap_bytes: u64, ios_between, coin| {
            let size_bytes = space.size_bytes;
            State::Gaps(Gaps { next_bytes: 0, gap_bytes, size_bytes, ios_between, ios: 0, coin })
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
            Location::RegularGaps { gap } => gaps(gap.0, 1, None),
            Location::RandomGaps { gap } => gaps(gap.0, 1, Some(Random::new(seed))),
            Location::ZoneGaps { gap, zone } => gaps(gap.0, order::ios_between_gaps(zone, bs), None),
            Location::Zones(zones) => State::Zones(zones, Random::new(seed)),
            Location::Streams(streams) => {
                let slots_each = space.size_bytes / u64::from(streams.count) / bs;
                State::Streams(StreamWalk::new(streams, slots_each, seed))
            }
            Location::Levels(levels) => {
                State::Levels(Box::new(LevelsWalk::new(levels, space, has_handles, seed)))
            }
            Location::Sequence(sequence) => State::Sequence {
                slots: Box::new(sequence),
                next: 0,
                pass_ios: sequence.ios_within(slots).unwrap_or(u64::MAX),
            },
            Location::Random => State::Random(Random::new(seed)),
            Location::Permutation => permutation(false),
            Location::RepeatedPermutation => permutation(true),
            Location::Zipf { theta } => State::Zipf {
                zipf: Zipf::new(slots, theta),
                scatter: Permutation::new(slots, derive(seed, 0)),
                random: Random::new(derive(seed, 1)),
            },
            Location::HotCold { hot_space, hot_ios } => State::HotCold {
                hot_slots: hot_slots(slots, hot_space),
                hot_ios: hot_ios.0,
                random: Random::new(seed),
            },
        }
    }
}
