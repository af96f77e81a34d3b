//! When requests go, for any pacing and any service times: each instant follows from the definitions.

use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_core::seed::Random;
use flashscope_core::{
    Bytes, Completion, Control, Driven, Flow, Io, Limits, Nanos, Pacing, Pattern, PatternSource, Request, Rw,
    Stream, Target, TargetError, TargetInfo, Time, drive, submit_and_reap,
};
use proptest::prelude::*;

/// Serves everything side by side, each for a random time.
struct Jitter {
    info: TargetInfo,
    clock: Time,
    random: Random,
    flying: Vec<Completion>,
    taken: u64,
}

impl Jitter {
    fn new(seed: u64) -> Jitter {
        let info = TargetInfo {
            name: "jitter".into(),
            size_bytes: 1 << 30,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 64,
            placements: 1,
            zones: None,
        };
        Jitter { info, clock: Time(33), random: Random::new(seed), flying: Vec::new(), taken: 0 }
    }
}

impl Target for Jitter {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        self.clock
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            let completed = self.clock + Nanos(1 + self.random.below(1000));
            self.flying.push(Completion { tag: request.tag, submitted: self.clock, completed });
            self.taken += 1;
        }
        Ok(())
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        for _ in 0..min {
            self.flying.sort_by_key(|completion| completion.completed);
            if self.flying[0].completed > until {
                self.clock = self.clock.max(until);
                return Ok(());
            }
            out.push(self.flying.remove(0));
            self.clock = self.clock.max(out[out.len() - 1].completed);
        }
        Ok(())
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        submit_and_reap(self, request, &mut Vec::new())
    }

    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time);
    }
}

fn source(ios: u64) -> PatternSource {
    let mut pattern = Pattern::baseline(Rw::RandWrite, Bytes(0), Bytes(1 << 30));
    pattern.number_ios = Some(ios);
    PatternSource::new(&pattern, 0, 9)
}

/// What a drive came to: its end, what was observed, the clock, and how many IOs the target took.
type Seen = (Driven, Vec<Io>, Time, u64);

/// Drives until the observer stops at `enough` IOs, someone interrupts it at `broken_off`, or `runtime` is
/// over. A second stream with no IOs in it takes the short way from a loop at depth 1.
fn run(
    seed: u64,
    ios: u64,
    runtime: Option<Nanos>,
    (enough, broken_off): (u64, u64),
    is_alone: bool,
) -> Seen {
    let mut target = Jitter::new(seed);
    let stream = |ios| Stream { source: source(ios), pacing: Pacing::CONSECUTIVE };
    let mut streams = vec![stream(ios)];
    if !is_alone {
        streams.push(stream(0));
    }
    let (mut seen, interrupted) = (Vec::new(), AtomicBool::new(false));
    let mut observer = |io: &Io| {
        seen.push(*io);
        interrupted.store(io.index + 1 >= broken_off, Ordering::Relaxed);
        if io.index + 1 >= enough { Control::Stop } else { Control::Continue }
    };
    let limits = Limits { runtime, interrupted: &interrupted, ..Limits::default() };
    let driven = drive(&mut target, &mut streams, limits, &mut observer).expect("it never fails");
    (driven, seen, target.clock, target.taken)
}

proptest! {
    /// The short way of single IOs is the same as the general one, to the IO and the nanosecond, whatever
    /// ends it.
    #[test]
    fn single_ios_are_served_as_by_the_general_loop(
        seed: u64,
        ios in 0u64..300,
        runtime in prop::option::of(0u64..100_000),
        stops in (1u64..400, 1u64..400),
    ) {
        let runtime = runtime.map(Nanos);
        let (short, general) = (run(seed, ios, runtime, stops, true), run(seed, ios, runtime, stops, false));
        prop_assert_eq!(&short, &general);
        prop_assert_eq!(short.1.len() as u64, short.3, "it served what nobody observed");
    }

    /// `Pacing::Closed` in words: at most `iodepth` in flight; after every `burst` IOs, once all of them are
    /// done, nothing for `pause`.
    #[test]
    fn a_pause_begins_when_the_whole_burst_is_done_and_lasts_as_long_as_it_says(
        seed: u64,
        iodepth in 1u32..9,
        burst in 1usize..30,
        pause in 1u64..5_000,
    ) {
        let pacing = Pacing::Closed { iodepth, pause: Nanos(pause), burst: burst as u64 };
        let mut ios = Vec::new();
        let mut observer = |io: &Io| {
            ios.push(*io);
            Control::Continue
        };
        let mut streams = [Stream { source: source(200), pacing }];
        let driven = drive(&mut Jitter::new(seed), &mut streams, Limits::default(), &mut observer);
        driven.expect("it never fails");
        ios.sort_unstable_by_key(|io| io.index);
        let end = |io: &Io| io.submitted + io.response;
        let mut free_from = Time::ZERO;
        for group in ios.chunks(burst) {
            for (i, io) in group.iter().enumerate() {
                // It goes when the burst has begun and fewer than `iodepth` of those before it are not done.
                let mut ends: Vec<Time> = group[..i].iter().map(end).collect();
                ends.sort_unstable();
                let room = i.checked_sub(iodepth as usize).map_or(Time::ZERO, |place| ends[place]);
                prop_assert_eq!(io.submitted, free_from.max(room), "IO {} of a burst of {}", i, burst);
            }
            free_from = group.iter().map(end).max().expect("a burst has IOs") + Nanos(pause);
        }
    }
}

/// While both last, each has the share of its weight, whatever its queue depth; then the other has all.
#[test]
fn streams_of_a_flow_have_the_shares_of_their_weights() {
    for (depths, seed) in [([1, 1], 1), ([4, 1], 2), ([1, 32], 3), ([32, 32], 4)] {
        let flow = Flow::default();
        let shares = [flow.join(1), flow.join(8)];
        let stream = |number: usize| {
            let text = format!("rw=randread bs=4k size=1g iodepth={} number_ios=4000", depths[number]);
            let pattern: Pattern = text.parse().unwrap();
            Stream { source: PatternSource::new(&pattern, 0, seed), pacing: pattern.pacing() }
        };
        let mut order = Vec::new();
        let limits = Limits { flow: &shares, ..Limits::default() };
        let mut streams = [stream(0), stream(1)];
        let driven = drive(&mut Jitter::new(seed), &mut streams, limits, &mut |io: &Io| {
            order.push((io.submitted, io.stream));
            Control::Continue
        });
        assert_eq!(driven.unwrap(), Driven::Exhausted);
        assert_eq!(order.len(), 8_000, "{depths:?}");
        order.sort_unstable();
        let last = order.iter().rposition(|(_, stream)| *stream == 1).unwrap();
        let of_other = order[..last].iter().filter(|(_, stream)| *stream == 0).count();
        assert!(of_other.abs_diff(4_000 / 8) <= 2 + depths[0] as usize, "{depths:?}: {of_other}");
    }
}
