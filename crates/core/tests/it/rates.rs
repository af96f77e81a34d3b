//! Rates of reads and of writes: each direction keeps its own, and the order follows from when both are due.

use flashscope_core::{
    Control, Io, Limits, Nanos, Op, Pattern, PatternSource, Rate, Request, RequestSource, TargetInfo, drive,
};

use crate::write_budget::Counting;

const SEED: u64 = 0x7261_7465;

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn requests(pattern: &Pattern, job: u32, count: usize) -> Vec<Request> {
    let mut source = PatternSource::new(pattern, job, SEED);
    let mut all = vec![Request::default(); count];
    let filled = all.chunks_mut(61).map(|batch| source.fill(batch)).sum::<usize>();
    assert_eq!(filled, count);
    all
}

/// When requests of a kind are due, in ns.
fn due_ns(all: &[Request], op: Op) -> Vec<u64> {
    all.iter().filter(|request| request.op == op).map(|request| request.due.0).collect()
}

/// IO number k of a direction is due at k / rate: of reads and writes, sequential, drawn, in a permutation.
#[test]
fn each_direction_is_due_at_multiples_of_its_own_gap() {
    for (rates, jobs) in
        [((10_000.0, 150.0), 1), ((500.0, 1_500.0), 1), ((3.0, 7.0), 1), ((4_000.0, 40.0), 4)]
    {
        for rw in ["rw=rw", "rw=randrw", "rw=randrw random=permutation"] {
            let (reads, writes) = rates;
            let text = format!("{rw} bs=4k size=64MiB numjobs={jobs} rate_iops={reads},{writes}");
            let all = requests(&pattern(&text), jobs - 1, 20_000);
            assert!(all.is_sorted_by_key(|request| request.due), "{text}");
            for (op, rate) in [(Op::Read, reads), (Op::Write, writes)] {
                let of_process = rate / f64::from(jobs);
                for (k, due) in due_ns(&all, op).into_iter().enumerate() {
                    let expected = k as f64 * 1e9 / of_process;
                    assert!((due as f64 - expected).abs() < 2.0, "{text}: {op} {k} is due at {due}");
                }
            }
        }
    }
}

/// What a run of some time on a virtual device does: so many of each as fit, the first at its start.
#[test]
fn a_run_has_as_many_reads_and_writes_as_their_rates_say() {
    let runtime = Nanos::from_s(3);
    for (reads, writes) in [(10_000u64, 150), (100, 300), (999, 1), (7, 5_000)] {
        let text = format!("rw=randrw bs=4k size=64MiB iodepth=8 rate_iops={reads},{writes}");
        let mut streams: Vec<_> = pattern(&text).streams(SEED).collect();
        let mut done = [0u64; 2];
        let mut observer = |io: &Io| {
            done[usize::from(io.op == Op::Write)] += 1;
            Control::Continue
        };
        let limits = Limits { runtime: Some(runtime), ..Limits::default() };
        drive(&mut Counting::new(), &mut streams, limits, &mut observer).unwrap();
        for (done, rate) in done.into_iter().zip([reads, writes]) {
            assert!(done.abs_diff(rate * 3) <= 1, "{text}: {done} of a direction in 3 s");
        }
    }
}

#[test]
fn poisson_arrivals_of_both_directions_have_their_rates_and_are_independent() {
    let all =
        requests(&pattern("rw=randrw bs=4k size=1GiB arrivals=poisson rate_iops=8000,2000"), 0, 200_000);
    assert!(all.is_sorted_by_key(|request| request.due));
    for (op, rate) in [(Op::Read, 8_000.0), (Op::Write, 2_000.0)] {
        let due = due_ns(&all, op);
        let mean_ns = *due.last().unwrap() as f64 / (due.len() - 1) as f64;
        // Of 40,000 exponential gaps the mean spreads by 0.5 %.
        assert!((mean_ns * rate / 1e9 - 1.0).abs() < 0.02, "seed {SEED}: {op} every {mean_ns} ns");
    }
    // Of two independent streams the next is a write by chance, whatever came before.
    let is_write = |request: &Request| request.op == Op::Write;
    let both = all.windows(2).filter(|pair| pair.iter().all(is_write)).count() as f64 / all.len() as f64;
    assert!((both - 0.04).abs() < 0.004, "seed {SEED}: {both} of all pairs are two writes");
}

/// A flush has no rate: it is due with the IO before it, in whatever pieces requests are asked for.
#[test]
fn flushes_do_not_slow_either_direction() {
    let plain = requests(&pattern("rw=randrw bs=4k size=1MiB rate_iops=300,100"), 0, 3_000);
    let flushed = requests(&pattern("rw=randrw bs=4k size=1MiB rate_iops=300,100 fsync=3"), 0, 4_000);
    for pair in flushed.windows(2).filter(|pair| pair[1].op == Op::Flush) {
        assert_eq!(pair[1].due, pair[0].due);
    }
    let without: Vec<_> = flushed.into_iter().filter(|request| request.op != Op::Flush).collect();
    assert_eq!(without, plain);
}

/// Sizes of each direction weigh with its rate.
#[test]
fn the_shares_of_a_mix_are_those_of_its_rates() {
    let pattern = pattern("rw=randrw bssplit=4k/100,64k/100 bs=4k size=1MiB rate_iops=300,100");
    assert_eq!((pattern.write_share(), pattern.mix_share()), (0.25, 0.25));
    assert_eq!(pattern.bs_mean(), 0.75 * 4096.0 + 0.25 * 65536.0);
    assert_eq!(pattern.rate_iops.map(Rate::total_iops), Some(400.0));
}

#[test]
fn two_rates_have_words_and_need_reads_and_writes() {
    let target = TargetInfo {
        name: "here".into(),
        size_bytes: 1 << 30,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: String::new(),
        queue_depth_max: u32::MAX,
        placements: 1,
        zones: None,
    };
    let both = pattern("rw=randrw size=1m rate_iops=10000,0.5");
    assert_eq!(both.rate_iops, Some(Rate::Each { reads: 10_000.0, writes: 0.5 }));
    assert_eq!(both.to_string(), "rw=randrw bs=32KiB size=1MiB rate_iops=10000,0.5");
    assert_eq!(both.to_string().parse(), Ok(both.clone()));
    both.validate(&target).unwrap();
    for (text, words) in [
        ("rw=randread rate_iops=1,2", "rate_iops: rates of reads and of writes need rw=rw or rw=randrw"),
        ("rw=trimwrite rate_iops=1,2", "rate_iops: rates of reads"),
        ("rw=rw rwmixread=70 rate_iops=1,2", "rwmixread: has no effect"),
        ("rw=rw rate_iops=1,0", "rate_iops: must be more than 0"),
        ("rw=rw rate_iops=1e-9,5", "rate_iops: must be 0.000001"),
        ("rw=rw thinktime=5ms rate_iops=1,2", "thinktime: excludes rate_iops"),
    ] {
        let error = pattern(&format!("{text} size=1m")).validate(&target).expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    for text in ["rw=rw rate_iops=1,", "rw=rw rate_iops=1,2,3"] {
        assert!(text.parse::<Pattern>().is_err(), "{text}");
    }
}
