//! Reads before writes, against closed results of queues: Cobham's formula, and that of preemptive resume.
//! "Queueing Systems", volume 2, L. Kleinrock, 1976, sections 3.3 and 3.4.

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target, Time};
use flashscope_sim::nand::SchedulerSettings;
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, SimError, Ssd};

const PAGE: u32 = 4096;
const PAGES: u64 = 4_096;
const READ_NS: f64 = 60_000.0;
const PROGRAM_NS: f64 = 400_000.0;

/// One die with so much room that nothing is ever collected.
fn one_die(transfer_us: f64) -> Settings {
    let mut settings = Settings { capacity: Bytes(PAGES * u64::from(PAGE)), ..Settings::default() };
    settings.over_provisioning = 60.0;
    settings.nand.transfer_us = transfer_us;
    settings.nand.read_us = vec![READ_NS / 1e3 - transfer_us];
    settings.nand.program_us = vec![PROGRAM_NS / 1e3 - transfer_us];
    settings.initial = Initial::Full;
    settings.scheduler.read_priority = true;
    settings
}

fn request(op: Op, random: &mut Random) -> Request {
    let offset_bytes = random.below(PAGES) * u64::from(PAGE);
    Request { op, offset_bytes, length_bytes: PAGE, tag: u32::from(op == Op::Write), ..Request::default() }
}

/// Mean response times of reads and of writes that come at random, by the shares of time that they take.
fn response_ns(settings: Settings, read_share: f64, write_share: f64) -> [f64; 2] {
    let mut ssd = Ssd::new("one die", settings, 1).expect("a device");
    let (reads, writes) = (read_share / READ_NS, write_share / PROGRAM_NS);
    let mut random = Random::new(11);
    let (mut at_ns, mut out) = (0.0, Vec::<Completion>::new());
    let (mut sum_ns, mut counts) = ([0.0; 2], [0.0; 2]);
    for _ in 0..1_000_000 {
        at_ns -= (1.0 - random.unit()).ln() / (reads + writes);
        ssd.reap(usize::MAX, Time(at_ns as u64), &mut out).expect("nothing fails");
        let op = if random.unit() < reads / (reads + writes) { Op::Read } else { Op::Write };
        ssd.submit(&[request(op, &mut random)]).expect("it fits");
        for done in out.drain(..) {
            sum_ns[done.tag as usize] += done.completed.since(done.submitted).0 as f64;
            counts[done.tag as usize] += 1.0;
        }
    }
    assert_eq!(ssd.nand().counts().erases(), 0, "nothing was collected");
    [sum_ns[0] / counts[0], sum_ns[1] / counts[1]]
}

/// Read and write shares of the time of the die.
const LOADS: [[f64; 2]; 4] = [[0.2, 0.3], [0.5, 0.3], [0.3, 0.5], [0.7, 0.1]];

/// What an arrival finds at work, in the mean.
fn residual_ns([reads, writes]: [f64; 2]) -> f64 {
    (reads * READ_NS + writes * PROGRAM_NS) / 2.0
}

fn assert_close(found_ns: [f64; 2], expected_ns: [f64; 2], what: &str) {
    for (found, expected) in found_ns.into_iter().zip(expected_ns) {
        let close = (found / expected - 1.0).abs() < 0.03;
        assert!(close, "{what}: reads and writes take {found_ns:.0?} ns, expected {expected_ns:.0?}");
    }
}

#[test]
fn reads_go_before_writes_as_cobham_says() {
    for load in LOADS {
        let [reads, writes] = load;
        let wait_ns = residual_ns(load) / (1.0 - reads);
        let expected = [wait_ns + READ_NS, wait_ns / (1.0 - reads - writes) + PROGRAM_NS];
        assert_close(response_ns(one_die(10.0), reads, writes), expected, &format!("{load:?}"));
    }
}

#[test]
fn programs_that_are_suspended_cost_reads_nothing_as_preemptive_resume_says() {
    for load in LOADS {
        let [reads, writes] = load;
        let mut settings = one_die(0.0);
        settings.scheduler.suspend_programs = true;
        let read_ns = READ_NS + reads * READ_NS / 2.0 / (1.0 - reads);
        let write_ns =
            PROGRAM_NS / (1.0 - reads) + residual_ns(load) / (1.0 - reads) / (1.0 - reads - writes);
        assert_close(response_ns(settings, reads, writes), [read_ns, write_ns], &format!("{load:?}"));
    }
}

/// A read comes while a program is at work, then nothing: all costs are there once.
#[test]
fn to_suspend_and_to_resume_takes_the_time_that_is_set() {
    let mut settings = one_die(10.0);
    settings.scheduler.suspend_programs = true;
    (settings.scheduler.program_suspend_us, settings.scheduler.resume_us) = (25.0, 5.0);
    for (read_at_ns, read_done_ns, write_done_ns) in [
        // At work since the page came at 10 us.
        (100_000, 185_000, 490_000),
        // Not while its page comes: it is suspended at 10 us.
        (4_000, 95_000, 490_000),
        // What is done sooner than it can be suspended is not suspended.
        (380_000, 460_000, 400_000),
    ] {
        let mut ssd = Ssd::new("one die", settings.clone(), 1).expect("a device");
        let mut out = Vec::<Completion>::new();
        ssd.submit(&[request(Op::Write, &mut Random::new(1))]).expect("it fits");
        ssd.wait_until(Time(read_at_ns));
        ssd.submit(&[request(Op::Read, &mut Random::new(2))]).expect("it fits");
        ssd.reap(2, Time::NEVER, &mut out).expect("nothing fails");
        out.sort_by_key(|done| done.tag);
        let done_ns = [out[0].completed.0, out[1].completed.0];
        assert_eq!(done_ns, [read_done_ns, write_done_ns], "a read at {read_at_ns} ns");
    }
}

/// The longest of 200 writes that come one by one, beside eight reads at any time; none if one never came.
fn longest_write_ns(settings: Settings) -> Option<u64> {
    let mut ssd = Ssd::new("one die", settings, 1).expect("a device");
    let (mut random, mut out, mut longest_ns) = (Random::new(3), Vec::<Completion>::new(), 0);
    let first = [Op::Read; 8].map(|op| request(op, &mut random));
    ssd.submit(&first).expect("it fits");
    ssd.submit(&[request(Op::Write, &mut random)]).expect("it fits");
    let (mut writes, mut reads) = (0, 0);
    while writes < 200 {
        ssd.reap(1, Time::NEVER, &mut out).expect("nothing fails");
        for done in std::mem::take(&mut out) {
            let op = if done.tag == 1 { Op::Write } else { Op::Read };
            ssd.submit(&[request(op, &mut random)]).expect("it fits");
            if op == Op::Read {
                reads += 1;
                continue;
            }
            writes += 1;
            longest_ns = longest_ns.max(done.completed.since(done.submitted).0);
        }
        if reads > 100_000 {
            return None;
        }
    }
    Some(longest_ns)
}

#[test]
fn no_more_reads_go_before_a_write_than_are_allowed() {
    assert_eq!(longest_write_ns(one_die(10.0)), None, "reads that never end keep a write for ever");
    for most in [1, 4, 50] {
        for suspends in [false, true] {
            let mut settings = one_die(10.0);
            settings.scheduler.overtaking_reads_max = most;
            if suspends {
                settings.scheduler.suspend_programs = true;
                (settings.scheduler.program_suspend_us, settings.scheduler.resume_us) = (20.0, 5.0);
            }
            // One read is at work when it comes. Each that interrupts it may cost both times.
            let costs_ns = if suspends { u64::from(most) * 25_000 } else { 0 };
            let bound_ns = u64::from(most + 1) * READ_NS as u64 + PROGRAM_NS as u64 + costs_ns;
            let longest_ns = longest_write_ns(settings).expect("every write is done");
            let what = format!("{most}, suspends {suspends}: {longest_ns} ns of {bound_ns}");
            assert!(longest_ns <= bound_ns, "{what}");
            assert!(longest_ns as f64 >= f64::from(most) * READ_NS + PROGRAM_NS, "{what}: it is used");
        }
    }
}

/// Any way to schedule that there is.
pub fn any_scheduler(random: &mut Random) -> SchedulerSettings {
    let mut scheduler = SchedulerSettings { read_priority: random.below(3) > 0, ..Default::default() };
    if scheduler.read_priority {
        scheduler.overtaking_reads_max = random.below(4) as u32;
        (scheduler.suspend_programs, scheduler.suspend_erases) = (random.below(2) == 0, random.below(2) == 0);
    }
    if scheduler.suspend_programs {
        scheduler.program_suspend_us = random.below(50) as f64;
        scheduler.resume_us = random.below(10) as f64;
    }
    if scheduler.suspend_erases {
        scheduler.erase_suspend_us = random.below(100) as f64;
    }
    scheduler
}

/// The first key that is refused with one of these changes.
fn refused_key(change: impl FnOnce(&mut SchedulerSettings)) -> String {
    let mut settings = one_die(10.0);
    settings.scheduler = SchedulerSettings::default();
    change(&mut settings.scheduler);
    match Ssd::new("one die", settings, 1) {
        Err(SimError::Setting { key, .. }) => key,
        _ => "none".into(),
    }
}

#[test]
fn a_setting_of_the_scheduler_that_would_do_nothing_is_refused() {
    let first = |scheduler: &mut SchedulerSettings| scheduler.read_priority = true;
    assert_eq!(refused_key(first), "none");
    assert_eq!(refused_key(|s| s.overtaking_reads_max = 4), "scheduler.overtaking_reads_max");
    assert_eq!(refused_key(|s| s.suspend_programs = true), "scheduler.suspend_programs");
    assert_eq!(refused_key(|s| s.suspend_erases = true), "scheduler.suspend_erases");
    for us in [1.0, -1.0, f64::NAN, 2e6] {
        assert_eq!(refused_key(|s| s.program_suspend_us = us), "scheduler.program_suspend_us", "{us}");
        assert_eq!(refused_key(|s| s.erase_suspend_us = us), "scheduler.erase_suspend_us", "{us}");
        assert_eq!(refused_key(|s| s.resume_us = us), "scheduler.resume_us", "{us}");
    }
    let erases = |scheduler: &mut SchedulerSettings| {
        (scheduler.read_priority, scheduler.suspend_erases) = (true, true);
        (scheduler.erase_suspend_us, scheduler.resume_us) = (100.0, 5.0);
    };
    assert_eq!(refused_key(erases), "none");
}
