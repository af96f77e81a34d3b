//! `Ordered` against a target that serves everything at once, each for a random time.

use flashscope_core::request::Flags;
use flashscope_core::seed::Random;
use flashscope_core::{
    Completion, Control, Driven, ErrorKind, Io, Limits, Nanos, Op, Ordered, Pacing, Request, RequestSource,
    Stream, Target, TargetError, TargetInfo, Time, drive, submit_and_reap,
};

const DEPTH: u32 = 32;

/// Serves all requests side by side; remembers when each was in its hands.
struct Parallel {
    info: TargetInfo,
    clock: Time,
    random: Random,
    flying: Vec<(Request, Completion)>,
    served: Vec<(Request, Completion)>,
    /// The request of this number fails.
    fails_at: Option<usize>,
    /// It does not take the request of this number, nor those submitted with it behind that one.
    refuses_at: Option<usize>,
    taken: usize,
    /// `taken` when it failed.
    taken_at_failure: Option<usize>,
}

impl Parallel {
    fn new(seed: u64) -> Parallel {
        let info = TargetInfo {
            name: "parallel".into(),
            size_bytes: 1 << 20,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: DEPTH,
            placements: 1,
            zones: None,
        };
        let (flying, served) = (Vec::new(), Vec::new());
        Parallel {
            info,
            clock: Time(77),
            random: Random::new(seed),
            flying,
            served,
            fails_at: None,
            refuses_at: None,
            taken: 0,
            taken_at_failure: None,
        }
    }

    fn error(&self, request: &Request) -> TargetError {
        TargetError {
            kind: ErrorKind::Device,
            tag: None,
            target: "parallel".into(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause: "it was to fail".into(),
            remedy: String::new(),
        }
    }
}

impl Target for Parallel {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        self.clock
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            if self.refuses_at == Some(self.taken) {
                return Err(self.error(request));
            }
            self.taken += 1;
            let completed = self.clock + Nanos(1 + self.random.below(1000));
            let completion = Completion { tag: request.tag, submitted: self.clock, completed };
            self.flying.push((*request, completion));
        }
        Ok(())
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        assert!(min <= self.flying.len(), "it is asked for more than it holds");
        for _ in 0..min {
            self.flying.sort_by_key(|(_, completion)| completion.completed);
            let (request, completion) = self.flying[0];
            if completion.completed > until {
                self.clock = self.clock.max(until);
                return Ok(());
            }
            self.flying.remove(0);
            self.clock = self.clock.max(completion.completed);
            if self.fails_at == Some(self.served.len()) {
                (self.fails_at, self.taken_at_failure) = (None, Some(self.taken));
                return Err(self.error(&request));
            }
            self.served.push((request, completion));
            out.push(completion);
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

/// Few blocks, so that many requests overlap.
#[derive(Clone)]
struct Crowded {
    random: Random,
    left: u32,
    due: u64,
}

impl RequestSource for Crowded {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let count = batch.len().min(self.left as usize);
        self.left -= count as u32;
        for request in &mut batch[..count] {
            let op = [Op::Read, Op::Read, Op::Write, Op::Write, Op::Trim, Op::Flush]
                [self.random.below(6) as usize];
            self.due += self.random.below(100);
            let (offset, length) = (self.random.below(100), 1 + self.random.below(8));
            *request = Request {
                offset_bytes: if op == Op::Flush { 0 } else { offset * 512 },
                length_bytes: if op == Op::Flush { 0 } else { length as u32 * 512 },
                due: Time(self.due),
                flags: Flags::NONE,
                op,
                ..Request::default()
            };
        }
        count
    }
}

fn requests(seed: u64, count: u32) -> Crowded {
    Crowded { random: Random::new(seed), left: count, due: 0 }
}

/// By the definition, without the code under test: whether `later` has to wait for `earlier`.
fn must_wait(earlier: &Request, later: &Request) -> bool {
    let changes = |request: &Request| request.op == Op::Write || request.op == Op::Trim;
    let blocks = |request: &Request| {
        request.offset_bytes / 512..(request.offset_bytes + u64::from(request.length_bytes)) / 512
    };
    if later.op == Op::Flush {
        return changes(earlier);
    }
    let shared = blocks(earlier).any(|block| blocks(later).contains(&block));
    shared && (changes(earlier) || changes(later))
}

#[test]
fn no_request_overtakes_one_that_it_has_to_wait_for_and_all_others_run_side_by_side() {
    for (seed, pacing) in [
        (1, Pacing::Due { iodepth: DEPTH }),
        (2, Pacing::Closed { iodepth: DEPTH, pause: Nanos::ZERO, burst: 1 }),
    ] {
        let mut target = Ordered::new(Parallel::new(seed));
        let count = 3000;
        let mut streams = [Stream { source: requests(seed, count), pacing }];
        let mut observed = Vec::new();
        let end = drive(&mut target, &mut streams, Limits::default(), &mut |io: &Io| {
            observed.push(io.index);
            Control::Continue
        });
        assert_eq!(end, Ok(Driven::Exhausted), "seed {seed}");
        observed.sort_unstable();
        assert!(observed.iter().copied().eq(0..u64::from(count)), "each IO once, seed {seed}");
        // The order in which they were asked for: by source.
        let mut asked = vec![Request::default(); count as usize];
        requests(seed, count).fill(&mut asked);
        let held_back = target.held_back();
        let mut served = target.inner_mut().served.clone();
        // Alike requests are served in the order asked for, so the k-th of one kind is the k-th asked.
        served.sort_by_key(|(_, completion)| completion.submitted);
        let times: Vec<Completion> = asked
            .iter()
            .map(|request| {
                let is_it = |(other, _): &&(Request, Completion)| {
                    (other.op, other.offset_bytes, other.length_bytes, other.due)
                        == (request.op, request.offset_bytes, request.length_bytes, request.due)
                };
                served.iter().find(is_it).expect("it was served").1
            })
            .collect();
        let mut side_by_side = 0;
        for later in 0..asked.len() {
            for earlier in later.saturating_sub(200)..later {
                if must_wait(&asked[earlier], &asked[later]) {
                    assert!(
                        times[later].submitted >= times[earlier].completed,
                        "{:?} before {:?}, seed {seed}",
                        asked[later],
                        asked[earlier]
                    );
                }
            }
            side_by_side += u64::from(later > 0 && times[later].submitted < times[later - 1].completed);
        }
        assert!(held_back > 300, "{held_back} had to wait, seed {seed}");
        assert!(side_by_side > 500, "{side_by_side} did not wait, seed {seed}");
    }
}

/// Nothing is reaped, so by the definition a request waits if it has to wait for any of those before it.
#[test]
fn of_requests_asked_for_at_once_those_wait_that_the_definition_says_and_no_others() {
    let mut waited = 0;
    for seed in 0..300 {
        let mut asked = [Request::default(); 8];
        requests(seed, 8).fill(&mut asked);
        for (tag, request) in (0..).zip(&mut asked) {
            request.tag = tag;
        }
        let waits = |at: usize| asked[..at].iter().any(|earlier| must_wait(earlier, &asked[at]));
        let passed: Vec<u32> = (0..8).filter(|at| !waits(*at as usize)).collect();
        let mut target = Ordered::new(Parallel::new(seed));
        target.submit(&asked).unwrap();
        assert_eq!(target.held_back(), 8 - passed.len() as u64, "seed {seed}: {asked:?}");
        let taken = target.inner_mut().flying.iter().map(|(request, _)| request.tag);
        assert!(taken.eq(passed), "seed {seed}: {asked:?}");
        waited += target.held_back();
    }
    assert!((300..1500).contains(&waited), "{waited} of 2,400 waited");
}

/// A thousand requests driven in order; the target, IOs observed, and how it ended.
fn driven(parallel: Parallel) -> (Ordered<Parallel>, usize, Result<Driven, TargetError>) {
    let mut target = Ordered::new(parallel);
    let mut streams = [Stream { source: requests(9, 1000), pacing: Pacing::Due { iodepth: DEPTH } }];
    let mut observed = 0;
    let end = drive(&mut target, &mut streams, Limits::default(), &mut |_: &Io| {
        observed += 1;
        Control::Continue
    });
    (target, observed, end)
}

#[test]
fn after_a_failure_everything_in_flight_is_observed_and_nothing_hangs() {
    for fails_at in [0, 1, 10, 500] {
        let mut parallel = Parallel::new(9);
        parallel.fails_at = Some(fails_at);
        let (mut target, observed, end) = driven(parallel);
        assert!(end.is_err());
        let inner = target.inner_mut();
        assert!(inner.flying.is_empty(), "{} were left behind", inner.flying.len());
        assert_eq!(observed, inner.served.len(), "fails at {fails_at}");
        assert_eq!(observed + 1, inner.taken, "fails at {fails_at}");
        assert_eq!(
            inner.taken_at_failure,
            Some(inner.taken),
            "held requests went after IO {fails_at} failed"
        );
    }
}

/// `Parallel` itself asserts that it is never asked for more than it took.
#[test]
fn after_a_refusal_all_that_was_taken_is_observed_and_no_more_is_waited_for() {
    for refuses_at in [0, 1, 10, 500] {
        let mut parallel = Parallel::new(9);
        parallel.refuses_at = Some(refuses_at);
        let (mut target, observed, end) = driven(parallel);
        assert!(end.is_err(), "refuses {refuses_at}");
        assert!(target.inner_mut().flying.is_empty(), "refuses {refuses_at}");
        assert_eq!((observed, target.inner_mut().taken), (refuses_at, refuses_at));
    }
}

#[test]
fn lateness_is_counted_from_when_an_io_was_due() {
    struct Pair(bool);
    impl RequestSource for Pair {
        fn fill(&mut self, batch: &mut [Request]) -> usize {
            if std::mem::replace(&mut self.0, true) {
                return 0;
            }
            for (request, due) in batch.iter_mut().zip([100, 110]) {
                *request = Request { due: Time(due), length_bytes: 512, op: Op::Write, ..Request::default() };
            }
            2
        }
    }
    let mut target = Ordered::new(Parallel::new(3));
    let mut streams = [Stream { source: Pair(false), pacing: Pacing::Due { iodepth: DEPTH } }];
    let mut ios = Vec::new();
    drive(&mut target, &mut streams, Limits::default(), &mut |io: &Io| {
        ios.push(*io);
        Control::Continue
    })
    .unwrap();
    let first_done = ios[0].submitted + ios[0].response;
    assert_eq!((ios[0].submitted, ios[0].late), (Time(100), Nanos::ZERO));
    assert_eq!(ios[1].submitted, Time(110));
    // It writes the same place, so it went when the first was done.
    assert_eq!(Time(110) + ios[1].late, first_done);
}

#[test]
fn the_depth_of_a_trace_is_kept() {
    /// Requests that may have 1, 2, .. 5 in flight, again and again.
    struct Depths(u16);
    impl RequestSource for Depths {
        fn fill(&mut self, batch: &mut [Request]) -> usize {
            let count = batch.len().min(usize::from(1000 - self.0));
            for request in &mut batch[..count] {
                *request = Request { depth: 1 + self.0 % 5, length_bytes: 512, ..Request::default() };
                self.0 += 1;
            }
            count
        }
    }
    let mut target = Parallel::new(5);
    let mut streams = [Stream { source: Depths(0), pacing: Pacing::Traced { iodepth: DEPTH } }];
    drive(&mut target, &mut streams, Limits::default(), &mut |_: &Io| Control::Continue).unwrap();
    let mut seen = [0; 6];
    for (request, completion) in &target.served {
        let overlaps = |(_, other): &&(Request, Completion)| {
            other.submitted <= completion.submitted && other.completed > completion.submitted
        };
        // Of those submitted at the same instant, only the last sees all of them.
        let in_flight = target.served.iter().filter(overlaps).count();
        assert!(in_flight <= 5);
        let before =
            target.served.iter().filter(overlaps).filter(|(_, other)| other.submitted < completion.submitted);
        assert!(before.count() < usize::from(request.depth), "depth {}", request.depth);
        seen[in_flight.min(5)] += 1;
    }
    assert!(seen[5] > 100, "the depth is used: {seen:?}");
}
