//! The drive loop against a small virtual device of which every instant is known.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_core::drive::LOOK_AHEAD;
use flashscope_core::{
    Bytes, Completion, Control, Driven, ErrorKind, Io, Limits, Nanos, Pacing, Pattern, PatternSource,
    Request, RequestSource, Rw, Stream, Target, TargetError, TargetInfo, Time, drive, submit_and_reap,
};

const SERVICE: u64 = 100;
/// The target's clock when a drive starts: times must count from there.
const EPOCH: u64 = 7_000;

/// `servers` at a time, each IO for `SERVICE` ns, in order. Logs all it sees.
struct Virtual {
    info: TargetInfo,
    clock: u64,
    servers: Vec<u64>,
    in_flight: Vec<Completion>,
    prepared: Vec<Request>,
    submitted: Vec<(u64, Request)>,
    in_flight_max: usize,
    /// The number of the IO that is served for so much longer.
    stall: Option<(usize, u64)>,
    fails_to_submit: Option<usize>,
    fails_to_finish: Option<usize>,
    /// The IO of this number fails, those beside it are done.
    fails_alone: Option<usize>,
}

impl Virtual {
    fn new(servers: usize) -> Virtual {
        let info = TargetInfo {
            name: "virtual".into(),
            size_bytes: 1 << 40,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 1 << 16,
            placements: 1,
            zones: None,
        };
        Virtual {
            info,
            clock: EPOCH,
            servers: vec![0; servers],
            in_flight: Vec::new(),
            prepared: Vec::new(),
            submitted: Vec::new(),
            in_flight_max: 0,
            stall: None,
            fails_to_submit: None,
            fails_to_finish: None,
            fails_alone: None,
        }
    }

    fn serve(&mut self, request: &Request) {
        let number = self.submitted.len();
        let stall = self.stall.filter(|(which, _)| *which == number).map_or(0, |(_, longer)| longer);
        let server = self.servers.iter_mut().min().unwrap();
        *server = self.clock.max(*server) + SERVICE + stall;
        let (submitted, completed) = (Time(self.clock), Time(*server));
        assert!(self.in_flight.iter().all(|c| c.tag != request.tag), "tag {} is in flight", request.tag);
        self.in_flight.push(Completion { tag: request.tag, submitted, completed });
        self.in_flight_max = self.in_flight_max.max(self.in_flight.len());
        self.submitted.push((self.clock - EPOCH, *request));
    }

    fn error(&self, request: &Request) -> TargetError {
        TargetError {
            kind: ErrorKind::Device,
            tag: None,
            target: self.info.name.clone(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause: "it broke".into(),
            remedy: "mend it".into(),
        }
    }

    fn instants(&self) -> Vec<u64> {
        self.submitted.iter().map(|(at, _)| *at).collect()
    }
}

impl Target for Virtual {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        Time(self.clock)
    }

    fn prepare(&mut self, requests: &[Request]) {
        self.prepared.extend_from_slice(requests);
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            if self.fails_to_submit == Some(self.submitted.len()) {
                return Err(self.error(request));
            }
            self.serve(request);
        }
        Ok(())
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        assert!(min <= self.in_flight.len(), "asked for {min} of {}", self.in_flight.len());
        self.in_flight.sort_by_key(|c| c.completed);
        let next = self.in_flight[min.max(1) - 1].completed;
        self.clock = self.clock.max(next.min(until).0);
        while self.in_flight.first().is_some_and(|c| c.completed.0 <= self.clock) {
            if self.fails_to_finish == Some(0) {
                return Err(self.error(&Request::default()));
            }
            let number = self.submitted.iter().rposition(|(_, r)| r.tag == self.in_flight[0].tag).unwrap();
            if self.fails_alone == Some(number) {
                self.in_flight.remove(0);
                return Err(self.error(&self.submitted[number].1));
            }
            self.fails_to_finish = self.fails_to_finish.map(|left| left - 1);
            out.push(self.in_flight.remove(0));
        }
        Ok(())
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        submit_and_reap(self, request, &mut Vec::new())
    }

    fn wait_until(&mut self, time: Time) {
        assert!(self.in_flight.is_empty() && time != Time::NEVER);
        self.clock = self.clock.max(time.0);
    }
}

fn source(ios: u64) -> PatternSource {
    let mut pattern = Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(1 << 30));
    pattern.number_ios = Some(ios);
    PatternSource::new(&pattern, 0, 1)
}

fn closed(iodepth: u32, pause: u64, burst: u64) -> Pacing {
    Pacing::Closed { iodepth, pause: Nanos(pause), burst }
}

fn run<S: RequestSource>(target: &mut Virtual, source: S, pacing: Pacing) -> (Driven, Vec<Io>) {
    let mut ios = Vec::new();
    let mut observer = |io: &Io| {
        ios.push(*io);
        Control::Continue
    };
    let driven = drive(target, &mut [Stream { source, pacing }], Limits::default(), &mut observer);
    (driven.unwrap(), ios)
}

#[test]
fn consecutive_ios_start_as_soon_as_the_one_before_is_done() {
    let mut target = Virtual::new(1);
    let (driven, ios) = run(&mut target, source(200), Pacing::CONSECUTIVE);
    assert_eq!(driven, Driven::Exhausted);
    assert_eq!(target.instants(), (0..200).map(|i| i * SERVICE).collect::<Vec<_>>());
    for (i, io) in (0..).zip(&ios) {
        assert_eq!((io.index, io.submitted, io.response), (i, Time(i * SERVICE), Nanos(SERVICE)));
    }
}

#[test]
fn a_pause_lies_between_all_ios() {
    let mut target = Virtual::new(1);
    run(&mut target, source(50), closed(1, 30, 1));
    assert_eq!(target.instants(), (0..50).map(|i| i * (SERVICE + 30)).collect::<Vec<_>>());
}

/// Paper 001, section 3.1, in words: "a pause of length Pause is introduced between groups of Burst IOs".
#[test]
fn one_pause_lies_between_groups_of_burst_ios() {
    for burst in [2, 7, 10, 640] {
        let mut target = Virtual::new(1);
        run(&mut target, source(1500), closed(1, 1_000, burst));
        let expected: Vec<u64> = (0..1500).map(|i| i * SERVICE + i / burst * 1_000).collect();
        assert_eq!(target.instants(), expected, "burst {burst}");
    }
}

#[test]
fn a_burst_is_done_before_its_pause_begins_at_any_depth() {
    let mut target = Virtual::new(4);
    run(&mut target, source(30), closed(4, 1_000, 10));
    // Ten IOs by fours take three rounds; the pause counts from the end of the last.
    let burst = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2];
    let expected: Vec<u64> =
        (0..30).map(|i| (i / 10) as u64 * (3 * SERVICE + 1_000) + burst[i % 10] * SERVICE).collect();
    assert_eq!(target.instants(), expected);
}

#[test]
fn the_queue_is_kept_full_and_never_fuller() {
    for depth in [1, 2, 5, 32, 100] {
        let mut target = Virtual::new(depth as usize);
        let (_, ios) = run(&mut target, source(1_000), closed(depth, 0, 1));
        assert_eq!(target.in_flight_max, depth as usize);
        assert!(target.submitted.iter().all(|(_, request)| request.tag < depth));
        assert_eq!(target.clock - EPOCH, 1_000u64.div_ceil(depth.into()) * SERVICE, "depth {depth}");
        assert!(ios.iter().all(|io| io.response == Nanos(SERVICE)));
    }
    let mut queueing = Virtual::new(1);
    let (_, ios) = run(&mut queueing, source(100), closed(4, 0, 1));
    assert!(ios[3..].iter().all(|io| io.response == Nanos(4 * SERVICE)), "three wait before each");
}

#[test]
fn streams_share_the_target_and_keep_their_own_numbers_and_pacing() {
    let mut target = Virtual::new(8);
    let mut seen: [Vec<Io>; 3] = Default::default();
    let mut streams = [
        Stream { source: source(40), pacing: closed(1, 0, 1) },
        Stream { source: source(30), pacing: closed(2, 0, 1) },
        Stream { source: source(10), pacing: closed(1, 50, 1) },
    ];
    let mut observer = |io: &Io| {
        seen[io.stream as usize].push(*io);
        Control::Continue
    };
    let driven = drive(&mut target, &mut streams, Limits::default(), &mut observer);
    assert_eq!(driven, Ok(Driven::Exhausted));
    assert_eq!(seen.each_ref().map(Vec::len), [40, 30, 10]);
    assert_eq!(target.in_flight_max, 4);
    let starts = |stream: usize| seen[stream].iter().map(|io| io.submitted.0).collect::<Vec<_>>();
    assert_eq!(starts(0), (0..40).map(|i| i * SERVICE).collect::<Vec<_>>());
    assert_eq!(starts(1), (0..30).map(|i| i / 2 * SERVICE).collect::<Vec<_>>());
    assert_eq!(starts(2), (0..10).map(|i| i * (SERVICE + 50)).collect::<Vec<_>>());
    for stream in &seen {
        assert!(stream.iter().zip(0..).all(|(io, i)| io.index == i));
    }
}

fn open_loop(ios: u64, rate_iops: f64) -> PatternSource {
    let mut pattern = Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(1 << 30));
    (pattern.number_ios, pattern.rate_iops) = (Some(ios), Some(rate_iops.into()));
    PatternSource::new(&pattern, 0, 1)
}

#[test]
fn an_open_loop_submits_at_the_due_time_never_early() {
    let mut target = Virtual::new(8);
    let (_, ios) = run(&mut target, open_loop(300, 4e6), Pacing::Due { iodepth: 8 });
    assert_eq!(target.instants(), (0..300).map(|i| i * 250).collect::<Vec<_>>());
    assert!(ios.iter().all(|io| io.response == Nanos(SERVICE)));
}

#[test]
fn a_stall_shows_in_every_request_that_waited_for_it() {
    let mut target = Virtual { stall: Some((10, 2_000)), ..Virtual::new(1) };
    let (_, ios) = run(&mut target, open_loop(100, 4e6), Pacing::Due { iodepth: 1 });
    for (i, io) in (0..).zip(&ios) {
        // IO 10 ends 2,100 ns after it was due; each later one waits 150 ns less than the one before it.
        let late = if i < 10 { 0 } else { 2_000u64.saturating_sub((i - 10) * 150) };
        assert_eq!((io.submitted, io.response), (Time(i * 250), Nanos(SERVICE + late)), "IO {i}");
        assert!(target.submitted[i as usize].0 >= i * 250, "IO {i} went early");
    }
}

fn run_limited(target: &mut Virtual, pacing: Pacing, limits: Limits<'_>) -> (Driven, u64) {
    let mut seen = 0;
    let mut observer = |_: &Io| {
        seen += 1;
        Control::Continue
    };
    let mut streams = [Stream { source: source(100_000), pacing }];
    (drive(target, &mut streams, limits, &mut observer).unwrap(), seen)
}

#[test]
fn nothing_is_submitted_after_the_runtime_and_what_flies_still_lands() {
    for pacing in [closed(1, 0, 1), closed(4, 0, 1), closed(1, 30, 1), closed(1, 100_000, 5)] {
        let mut target = Virtual::new(4);
        let limits = Limits { runtime: Some(Nanos(1_050)), ..Limits::default() };
        let (driven, seen) = run_limited(&mut target, pacing, limits);
        assert_eq!(driven, Driven::OutOfTime);
        assert!(target.instants().iter().all(|&at| at < 1_050), "{pacing:?}");
        assert_eq!(seen, target.submitted.len() as u64, "{pacing:?}");
        assert!(target.clock - EPOCH <= 1_050 + SERVICE, "{pacing:?} waited beyond its time");
    }
}

#[test]
fn an_observer_that_had_enough_still_sees_what_flies() {
    let mut target = Virtual::new(2);
    let mut seen = 0;
    let mut observer = |io: &Io| {
        seen += 1;
        if io.index == 20 { Control::Stop } else { Control::Continue }
    };
    let mut streams = [Stream { source: source(1_000), pacing: closed(8, 0, 1) }];
    let driven = drive(&mut target, &mut streams, Limits::default(), &mut observer);
    assert_eq!(driven, Ok(Driven::Stopped));
    assert!(target.in_flight.is_empty());
    assert_eq!(seen, target.submitted.len());
    assert!((21..21 + 8).contains(&seen), "{seen} IOs");
}

#[test]
fn an_interrupt_stops_at_once_and_lets_what_flies_land() {
    let flag = AtomicBool::new(true);
    let limits = || Limits { interrupted: &flag, ..Limits::default() };
    assert_eq!(run_limited(&mut Virtual::new(1), closed(1, 0, 1), limits()), (Driven::Interrupted, 0));

    flag.store(false, Ordering::Relaxed);
    let mut target = Virtual::new(1);
    let mut observer = |io: &Io| {
        flag.store(io.index >= 30, Ordering::Relaxed);
        Control::Continue
    };
    let mut streams = [Stream { source: source(1_000), pacing: closed(4, 0, 1) }];
    assert_eq!(drive(&mut target, &mut streams, limits(), &mut observer), Ok(Driven::Interrupted));
    assert_eq!(target.submitted.len(), 31 + 3);
    assert!(target.in_flight.is_empty());
}

/// The IOs observed of a drive that an error ends.
fn observed_despite(target: &mut Virtual) -> Vec<u64> {
    let mut seen = Vec::new();
    let mut observer = |io: &Io| {
        seen.push(io.index);
        Control::Continue
    };
    let mut streams = [Stream { source: source(1_000), pacing: closed(4, 0, 1) }];
    let error = drive(target, &mut streams, Limits::default(), &mut observer).unwrap_err();
    assert_eq!((error.kind, error.cause.as_str()), (ErrorKind::Device, "it broke"));
    seen
}

#[test]
fn all_ios_done_before_an_error_are_observed() {
    let observed = |mut target: Virtual| observed_despite(&mut target);
    for at in [0, 1, 4, 50] {
        let finished = observed(Virtual { fails_to_finish: Some(at), ..Virtual::new(4) });
        assert_eq!(finished, (0..at as u64).collect::<Vec<_>>(), "the completion of IO {at} failed");
    }
    let submitted = observed(Virtual { fails_to_submit: Some(50), ..Virtual::new(4) });
    assert_eq!(submitted, (0..50).collect::<Vec<_>>(), "IOs 48 and 49 were in flight");
}

#[test]
fn ios_in_flight_beside_a_failed_one_are_observed_and_nothing_is_submitted_any_more() {
    for servers in [1, 2, 4] {
        for at in [0, 1, 50] {
            let mut target = Virtual { fails_alone: Some(at), ..Virtual::new(servers) };
            let seen = observed_despite(&mut target);
            let submitted = target.submitted.len();
            let others: Vec<u64> = (0..submitted as u64).filter(|&index| index != at as u64).collect();
            assert_eq!(seen, others, "IO {at} of {servers} at a time failed");
            assert!(target.in_flight.is_empty() && (at + 1..=at + 4).contains(&submitted));
        }
    }
}

#[test]
fn the_target_is_shown_each_request_once_ahead_of_time_and_in_order() {
    for (ios, pacing) in [(1_000, closed(1, 0, 1)), (1_000, closed(100, 0, 1)), (65, closed(3, 10, 7))] {
        let mut target = Virtual::new(4);
        run(&mut target, source(ios), pacing);
        let place = |r: &Request| (r.offset_bytes, r.length_bytes, r.op, r.stream);
        let submitted: Vec<_> = target.submitted.iter().map(|(_, r)| place(r)).collect();
        assert_eq!(target.prepared.iter().map(place).collect::<Vec<_>>(), submitted);
    }
    let mut target = Virtual::new(1);
    let mut observer = |_: &Io| Control::Stop;
    let mut streams = [Stream { source: source(1_000), pacing: Pacing::CONSECUTIVE }];
    drive(&mut target, &mut streams, Limits::default(), &mut observer).unwrap();
    assert_eq!((target.submitted.len(), target.prepared.len()), (1, LOOK_AHEAD));
}

#[test]
fn an_io_is_told_with_what_was_asked() {
    let mut target = Virtual::new(3);
    let (_, ios) = run(&mut target, source(500), closed(3, 0, 1));
    assert_eq!(ios.iter().map(|io| io.index).collect::<HashSet<_>>().len(), 500);
    for io in &ios {
        let (at, request) = &target.submitted[io.index as usize];
        let told = (io.submitted.0, io.offset_bytes, io.length_bytes, io.op);
        assert_eq!(told, (*at, request.offset_bytes, request.length_bytes, request.op));
    }
}
