//! No drive submits more bytes of writes than it may, whatever the pattern, and none less than fit.

use flashscope_core::seed::Random;
use flashscope_core::{
    Bytes, Completion, Control, Driven, Io, Limits, Mix, Nanos, Op, Pattern, Request, Rw, Target,
    TargetError, TargetInfo, Time, WriteBudget, drive,
};

/// Takes 100 ns for whatever it is given, and counts the bytes of writes.
pub struct Counting {
    info: TargetInfo,
    clock: u64,
    written_bytes: u64,
    flying: Vec<Completion>,
}

impl Counting {
    pub fn new() -> Counting {
        let info = TargetInfo {
            name: "counting".into(),
            size_bytes: 1 << 30,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 256,
            placements: 1,
            zones: None,
        };
        Counting { info, clock: 0, written_bytes: 0, flying: Vec::new() }
    }
}

impl Target for Counting {
    fn info(&self) -> &TargetInfo {
        &self.info
    }
    fn now(&mut self) -> Time {
        Time(self.clock)
    }
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        let (submitted, completed) = (Time(self.clock), Time(self.clock + 100));
        for request in requests {
            self.written_bytes += if request.op == Op::Write { u64::from(request.length_bytes) } else { 0 };
            self.flying.push(Completion { tag: request.tag, submitted, completed });
        }
        Ok(())
    }
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        let next = self.flying.iter().map(|done| done.completed).min().unwrap_or(until);
        self.clock = self.clock.max(if min > 0 { next.min(until).0 } else { 0 });
        let (done, flying) = self.flying.drain(..).partition(|done| done.completed.0 <= self.clock);
        self.flying = flying;
        out.extend::<Vec<_>>(done);
        Ok(())
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        flashscope_core::submit_and_reap(self, request, &mut Vec::new())
    }
    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time.0);
    }
}

fn any(random: &mut Random) -> Pattern {
    let of = |random: &mut Random| [Rw::Write, Rw::RandWrite, Rw::RandRead][random.below(3) as usize];
    let mut pattern = Pattern::baseline(of(random), Bytes(0), Bytes(1 << 30));
    pattern.bs = Bytes(512 << random.below(8));
    pattern.iodepth = 1 + random.below(3) as u32 * 15;
    pattern.numjobs = 1 + random.below(3) as u32;
    pattern.thinktime = Nanos(random.below(2) * 50);
    pattern.fsync = (random.below(4) == 0).then_some(5);
    if random.below(3) == 0 {
        pattern.mix = Some(Mix::ratio(of(random), 1 + random.below(5) as u32));
    }
    pattern
}

#[test]
fn several_drives_with_one_budget_write_as_much_as_fits_and_never_more() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let bytes = random.below(8 << 20);
        let budget = WriteBudget::new(bytes);
        let mut target = Counting::new();
        loop {
            let pattern = any(&mut random);
            let mut streams: Vec<_> = pattern.streams(seed).collect();
            let kept = random.below(1 << 20);
            budget.keep(kept);
            let available = budget.available_bytes();
            let before = target.written_bytes;
            let runtime = Some(Nanos(100 * (1 + random.below(400))));
            let limits = Limits { runtime, writes: Some(&budget), ..Limits::default() };
            let driven = drive(&mut target, &mut streams, limits, &mut |_: &Io| Control::Continue);
            let driven = driven.expect("it never fails");
            let written = target.written_bytes - before;
            assert!(written <= available, "seed {seed}: {written} of {available}, {pattern}");
            assert_eq!(budget.left_bytes(), bytes - target.written_bytes, "seed {seed}: {pattern}");
            if driven == Driven::OutOfBytes {
                // Each process may have a batch of its own at hand when another finds nothing left.
                let at_hand = u64::from(pattern.numjobs - 1) * 64 * pattern.bs.0 + pattern.bs.0;
                assert!(written + at_hand > available, "seed {seed}: {written} of {available}, {pattern}");
            }
            if budget.left_bytes() < 512 || driven == Driven::OutOfBytes && kept == 0 || random.below(50) == 0
            {
                break;
            }
        }
        assert!(target.written_bytes <= bytes, "seed {seed}");
    }
}

#[test]
fn reads_need_no_bytes_and_a_write_without_room_ends_the_drive() {
    let run = |rw: Rw, bytes: u64| {
        let pattern = Pattern { number_ios: Some(100), ..Pattern::baseline(rw, Bytes(0), Bytes(1 << 30)) };
        let mut streams: Vec<_> = pattern.streams(1).collect();
        let (budget, mut target) = (WriteBudget::new(bytes), Counting::new());
        let limits = Limits { writes: Some(&budget), ..Limits::default() };
        let driven = drive(&mut target, &mut streams, limits, &mut |_: &Io| Control::Continue);
        (driven.expect("it never fails"), target.written_bytes)
    };
    let each = 32 << 10;
    assert_eq!(run(Rw::RandRead, 0), (Driven::Exhausted, 0));
    assert_eq!(run(Rw::Write, 100 * each), (Driven::Exhausted, 100 * each));
    assert_eq!(run(Rw::Write, 100 * each - 1), (Driven::OutOfBytes, 99 * each));
    assert_eq!(run(Rw::RandWrite, each - 1), (Driven::OutOfBytes, 0));
}
