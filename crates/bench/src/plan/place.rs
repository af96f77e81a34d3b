//! In which order uFLIP's runs come, and where on the target each of them goes. What they cost is in
//! `plan.rs`, what other suites do in `suite/program.rs`.

use flashscope_analysis::{Experiment, ROUNDS_MIN};
use flashscope_core::seed::{Random, derive};
use flashscope_core::{Bytes, Pattern, Rw};

use super::{Note, Settings};
use crate::micro::{Draft, Frame, Micro};
use crate::state::State;
use crate::step::{Condition, Length, Preparation, Step};

/// A micro-benchmark's point that has no place yet.
pub(super) type Point<'a> = (&'a Micro, Draft);

/// FlashIO's order: what disturbs the state least comes first, and what leaves traces in the rooms of others
/// last. Sequential writes come together behind all else (paper 001, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// All others are judged by them.
    Baseline,
    /// Reads change nothing.
    Reads,
    /// Writes of which none is in order.
    RandomWrites,
    /// Sequential writes in a room of their own.
    SequentialWrites,
    /// Those beside other IOs, in a room too.
    MixInRoom,
    /// In several streams.
    Partitions,
    /// Of several processes.
    Processes,
    /// Backwards, in place or with gaps.
    OrderInRoom,
    /// What writes in order over the rooms of others: beside other IOs.
    MixOverRooms,
    /// With gaps, as large as they are.
    OrderOverRooms,
}

impl Class {
    fn of(micro: &Micro, pattern: &Pattern, frame: &Frame) -> Class {
        let has_room = pattern.size <= frame.room;
        match micro.name {
            "baseline" => Class::Baseline,
            _ if !pattern.writes() => Class::Reads,
            _ if !pattern.has(Rw::Write) => Class::RandomWrites,
            "mix" if has_room => Class::MixInRoom,
            "mix" => Class::MixOverRooms,
            "order" if has_room => Class::OrderInRoom,
            "order" => Class::OrderOverRooms,
            "partitioning" => Class::Partitions,
            "parallelism" => Class::Processes,
            _ => Class::SequentialWrites,
        }
    }
}

/// Puts the points of a pass in order. Those of a class keep theirs.
pub(super) fn sort(points: &mut [Point<'_>], frame: &Frame) {
    points.sort_by_key(|(micro, draft)| Class::of(micro, &draft.pattern, frame));
}

/// Where the next pattern goes that fits a room.
struct Rooms<'a> {
    frame: &'a Frame,
    /// Where rooms that were read and that were written end.
    read_to: u64,
    written_to: u64,
}

/// A room, and whether all of them had been used up before it.
struct Room {
    offset: Bytes,
    begins_again: bool,
}

impl Rooms<'_> {
    /// None for a pattern that is larger than a room: it begins where the span does.
    fn next(&mut self, pattern: &Pattern) -> Option<Room> {
        let Frame { room, bs, span, .. } = *self.frame;
        let needed = pattern.size.0 + pattern.shift.0;
        if needed > room.0 + bs.0 {
            return None;
        }
        let next = if pattern.writes() { &mut self.written_to } else { &mut self.read_to };
        let begins_again = *next + needed > span.0;
        if begins_again {
            *next = 0;
        }
        let offset = Bytes(*next);
        *next += needed.div_ceil(bs.0) * bs.0;
        Some(Room { offset, begins_again })
    }
}

/// Rounds that are added where the precision is not reached and time is left.
const ROUNDS_ADDED: u32 = 3;

fn added_rounds(settings: &Settings) -> u32 {
    if settings.repeats >= ROUNDS_MIN { ROUNDS_ADDED } else { 0 }
}

/// The order of a round. What varies on a machine varies over seconds to minutes, so no experiment has the
/// same neighbours, or the same place, in every round. The classes stay apart, and the baselines, which all
/// others build on, keep their order.
fn drawn<'a, 'b>(
    points: &'b [Point<'a>],
    frame: &Frame,
    settings: &Settings,
    repeat: u32,
) -> Vec<&'b Point<'a>> {
    let mut random = Random::new(derive(settings.seed, ORDER + u64::from(repeat)));
    let of = |point: &Point<'_>| Class::of(point.0, &point.1.pattern, frame);
    let mut order = Vec::with_capacity(points.len());
    for class in points.chunk_by(|one, next| of(one) == of(next)) {
        let mut class: Vec<_> = class.iter().collect();
        if settings.repeats > 1 && of(class[0]) != Class::Baseline {
            for last in (1..class.len()).rev() {
                class.swap(last, random.below(last as u64 + 1) as usize);
            }
        }
        order.extend(class);
    }
    order
}

/// Orders have seeds of their own.
const ORDER: u64 = 0x6f72_6465_7200;

/// Gives every run its place. Patterns that fit a room get one each: reads one after the other, and apart
/// from them writes, because what one sequential write left is found by the next (paper 001, section 4.1).
/// Where the span is used up, rooms begin at its start again: those of writes after the state is enforced,
/// or, where none is, over what lies there.
pub(super) fn place(
    points: &[Point<'_>],
    frame: &Frame,
    settings: &Settings,
    notes: &mut Vec<Note>,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rooms = Rooms { frame, read_to: 0, written_to: 0 };
    let mut is_reused = false;
    for repeat in 0..settings.repeats + added_rounds(settings) {
        let only_if = (repeat >= settings.repeats).then_some(Condition::Imprecise(settings.effort.precision));
        for (micro, draft) in drawn(points, frame, settings, repeat) {
            let mut draft = draft.clone();
            let mut before = Vec::new();
            if let Some(room) = rooms.next(&draft.pattern) {
                draft.pattern.offset = room.offset;
                match settings.state {
                    _ if !room.begins_again || !draft.pattern.writes() => {}
                    State::AsIs => is_reused = true,
                    state => before.push(Preparation::Enforce(state)),
                }
            }
            let seed = derive(settings.seed, steps.len() as u64);
            steps.push(Step { only_if: only_if.clone(), ..step(micro, draft, repeat, seed, before) });
        }
    }
    if is_reused {
        notes.push(Note::SpaceReused);
    }
    steps
}

fn step(micro: &Micro, draft: Draft, repeat: u32, seed: u64, before: Vec<Preparation>) -> Step {
    let Draft { curve, parameter, label, pattern } = draft;
    Step {
        experiment: Experiment { micro: micro.name.into(), curve, parameter, label, pattern, beside: None },
        repeat,
        seed,
        before,
        follows: false,
        length: Length::Precise,
        ios_min: 0,
        windows: None,
        only_if: None,
        keeps_ios: true,
        offered: None,
        offered_beside: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{settings, target};
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn sequential_writes_never_share_a_space_between_resets() {
        for size in [256 << 20, 4u64 << 30] {
            let plan = Plan::new(&target(size), &settings()).unwrap();
            let mut used: Vec<(u64, u64)> = Vec::new();
            for step in &plan.steps {
                let pattern = &step.experiment.pattern;
                if !step.before.is_empty() {
                    used.clear();
                }
                if !pattern.writes() || pattern.size.0 > plan.frame.room.0 {
                    continue;
                }
                let (start, end) = (pattern.offset.0, pattern.end_bytes());
                let is_free = used.iter().all(|&(s, e)| end <= s || e <= start);
                assert!(is_free, "{} overlaps", step.experiment.id());
                used.push((start, end));
            }
            assert!(plan.steps.iter().any(|step| !step.before.is_empty()));
        }
    }

    #[test]
    fn what_goes_over_the_rooms_of_others_in_order_comes_last() {
        let plan = Plan::new(&target(4 << 30), &settings()).unwrap();
        let has_room = |step: &&Step| step.experiment.pattern.size <= plan.frame.room;
        let roams = |step: &&Step| {
            let Experiment { micro, pattern, .. } = &step.experiment;
            ["mix", "order"].contains(&micro.as_str()) && pattern.has(Rw::Write) && !has_room(step)
        };
        for repeat in 0..3 {
            let steps: Vec<&Step> = plan.steps.iter().filter(|step| step.repeat == repeat).collect();
            let first = steps.iter().position(roams).expect("some do");
            assert!(steps[first..].iter().all(roams), "repeat {repeat}: {first} of {}", steps.len());
            assert_eq!(steps.len() - first, 2 * 7 + 8, "two mixes and the steps above one");
        }
    }

    /// Paper 001, section 4.2: what "involves sequential writes" is "delayed and grouped together".
    #[test]
    fn sequential_writes_come_together_behind_all_else() {
        let plan = Plan::new(&target(4 << 30), &settings()).unwrap();
        for repeat in 0..3 {
            let of_pass = plan.steps.iter().filter(|step| step.repeat == repeat);
            let after = of_pass.map(|step| &step.experiment).filter(|after| after.micro != "baseline");
            assert!(after.is_sorted_by_key(|after| after.pattern.has(Rw::Write)), "repeat {repeat}");
        }
    }

    #[test]
    fn reads_come_before_writes_and_nothing_writes_unasked() {
        let plan = Plan::new(&target(4 << 30), &settings()).unwrap();
        let kinds: Vec<bool> =
            plan.steps[4..].iter().take(150).map(|s| s.experiment.pattern.writes()).collect();
        assert!(kinds.is_sorted());
        let plan = Plan::new(&target(4 << 30), &Settings { write: false, ..settings() }).unwrap();
        assert!(plan.steps.iter().all(|step| !step.experiment.pattern.writes()));
        let written = (plan.written_bytes, plan.written_bytes_min, plan.written_bytes_max);
        assert_eq!((written, plan.enforcements), ((0, 0, 0), 0));
    }
}
