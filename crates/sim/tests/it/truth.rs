//! What a rig says of itself is what driving it shows: an independent check of every closed form.
//!
//! Noise is off, so means are exact up to what a part of a cycle at the end can weigh, start-up and period
//! exact to the IO.

use crate::drive_rig::{baseline, mean, pattern, quiet, run, times};
use flashscope_core::{Bytes, Nanos, Pattern, Rw, Target, Time};
use flashscope_sim::{Rig, RigSpec, Truth, rigs};

/// Patterns over all rules; where the truth of one is not known for a rig, it is not tested there.
const PATTERNS: &[&str] = &[
    "rw=read",
    "rw=randread",
    "rw=write",
    "rw=randwrite",
    "rw=read bs=4KiB",
    "rw=randread bs=512",
    "rw=write bs=8KiB",
    "rw=randwrite bs=4KiB",
    "rw=randwrite bs=128KiB",
    "rw=read size=1MiB",
    "rw=write size=1MiB",
    "rw=read shift=512",
    "rw=write shift=512",
    "rw=randwrite shift=512",
    "rw=randwrite shift=16KiB",
    "rw=randread shift=2KiB",
    "rw=write stride=-1",
    "rw=write stride=-1 size=2MiB",
    "rw=write stride=0",
    "rw=read stride=0",
    "rw=read stride=-1",
    "rw=write stride=8",
    "rw=write stride=32",
    "rw=write stride=64 size=32800KiB",
    "rw=write stride=256",
    "rw=write stride=400",
    "rw=write gap=96KiB",
    "rw=write gap=2016KiB",
    "rw=write partitions=2",
    "rw=write partitions=4",
    "rw=write partitions=8",
    "rw=write partitions=8 size=8MiB",
    "rw=write partitions=16",
    "rw=write partitions=64",
    "rw=write partitions=256",
    "rw=read partitions=16",
    "rw=read partitions=64",
    "rw=randwrite size=2MiB",
    "rw=randwrite size=4MiB",
    "rw=randwrite size=8MiB",
    "rw=randwrite size=16MiB",
    "rw=randwrite size=32MiB",
    "rw=randwrite random=permutation",
    "rw=randread random=repeated",
    "rw=randwrite thinktime=100us",
    "rw=randwrite thinktime=3ms",
    "rw=randwrite thinktime=12ms",
    "rw=randwrite thinktime=10ms thinktime_blocks=5",
    "rw=randwrite thinktime=100ms thinktime_blocks=20",
    "rw=write thinktime=1ms",
    "rw=randread numjobs=4",
    "rw=randwrite numjobs=2 iodepth=4",
    "rw=write numjobs=4",
    "rw=write iodepth=8",
    "rw=read mix=randread:3",
    "rw=read mix=randwrite:3",
    "rw=randread mix=write:2",
    "rw=write mix=randwrite:7",
    "rw=randread mix=randwrite:1",
];

/// Runs for many periods after the start-up and compares the means; false where the truth is not known.
fn check_mean(spec: &RigSpec, pattern: &Pattern, truth: &Truth) -> bool {
    let Some(mean_ns) = truth.mean_ns else { return false };
    // A whole number of cycles for the lengths that occur, in a mix too.
    let ios = truth.startup_ios + 23_040;
    let all = times(spec, pattern, ios, 3);
    let found = mean(&all[truth.startup_ios as usize..]);
    let off = (found - mean_ns).abs() / mean_ns;
    assert!(off < 0.006, "{}: {pattern}: found {found}, truth {truth:?}", spec.name);
    true
}

#[test]
fn the_mean_of_the_running_phase_is_the_truth_on_every_rig() {
    let mut known = 0;
    for name in rigs::NAMES {
        let spec = quiet(name);
        for text in PATTERNS {
            let pattern = pattern(text);
            known += usize::from(check_mean(&spec, &pattern, &spec.truth(&pattern)));
        }
    }
    let all = rigs::NAMES.len() * PATTERNS.len();
    assert!(known * 10 > all * 9, "the truth is known for only {known} of {all}");
}

#[test]
fn the_truth_is_known_for_what_table_3_is_made_of() {
    let wanted = [
        "rw=read",
        "rw=randread",
        "rw=write",
        "rw=randwrite",
        "rw=write stride=-1",
        "rw=write stride=0",
        "rw=write stride=128",
        "rw=write partitions=4",
        "rw=randwrite thinktime=1ms",
        "rw=randwrite size=4MiB",
    ];
    for name in rigs::NAMES {
        for text in wanted {
            let truth = quiet(name).truth(&pattern(text));
            assert!(truth.mean_ns.is_some(), "{name}: {text}");
        }
    }
}

#[test]
fn without_noise_the_running_phase_repeats_itself_with_the_period_from_its_first_io() {
    for name in rigs::NAMES {
        let spec = quiet(name);
        for text in PATTERNS {
            let pattern = pattern(text);
            let truth = spec.truth(&pattern);
            let Some(period) = truth.period_ios else { continue };
            if pattern.rw.is_random() && pattern.size < Bytes(1 << 30) {
                continue; // A random place is often by chance one that a stream is waiting for.
            }
            // The first two IOs may swap a part of their costs.
            let from = truth.startup_ios.max(2) as usize;
            let running = &times(&spec, &pattern, from as u64 + 20 * period, 3)[from..];
            let differing = running.iter().zip(&running[period as usize..]).filter(|(a, b)| a != b).count();
            // The first payment for deferred work is less where the backlog is no whole number of IOs.
            assert!(differing <= 1, "{name}: {text}: {differing} IOs do not repeat after {period}");
            let half = period as usize / 2;
            assert!(running.iter().zip(&running[half.max(1)..]).any(|(a, b)| a != b), "{name}: {text}");
        }
    }
}

#[test]
fn start_up_ends_where_the_truth_says() {
    for (name, startup_ios, dear_ns) in [("mtron", 128, 26_200_000), ("memoright", 30, 19_100_000)] {
        let spec = quiet(name);
        let pattern = baseline(Rw::RandWrite);
        let truth = spec.truth(&pattern);
        assert_eq!(truth.startup_ios, startup_ios, "{name}");
        let period = truth.period_ios.expect("oscillates") as usize;
        let times = times(&spec, &pattern, 200, 9);
        let first_dear = times.iter().position(|&ns| ns == dear_ns).expect("somebody pays");
        assert_eq!(first_dear + 1, startup_ios as usize + period, "{name}: {times:?}");
    }
}

#[test]
fn start_up_of_random_writes_ends_where_the_truth_says_with_pauses_too() {
    for name in ["mtron", "memoright"] {
        for pause in ["50us", "1ms", "2ms", "4ms", "4600us", "10ms thinktime_blocks=4"] {
            let pattern = pattern(&format!("rw=randwrite size=2GiB thinktime={pause}"));
            let (spec, cheap_ns) = (quiet(name), quiet(name).latency.sequential_write.at(32 << 10));
            let truth = spec.truth(&pattern);
            let times = times(&spec, &pattern, 5_000, 4);
            let first_dear =
                times.iter().skip(2).position(|&ns| ns > 2 * cheap_ns).expect("somebody pays") + 2;
            let pays = truth.startup_ios as usize + truth.period_ios.unwrap_or(1) as usize - 1;
            let slack = if truth.period_ios.is_some() { 0 } else { 8 };
            assert!(first_dear.abs_diff(pays) <= slack, "{name}: {pattern}: {first_dear} is not {pays}");
        }
    }
}

#[test]
fn regimes_begin_and_cost_what_the_truth_says() {
    for (name, levels) in [("slc-cliff", 2), ("slow-decay", 6)] {
        let spec = quiet(name);
        for rw in [Rw::Write, Rw::RandWrite] {
            let truth = spec.truth(&baseline(rw));
            assert_eq!(truth.regimes.len(), levels);
            let times = times(&spec, &baseline(rw), truth.startup_ios + 100, 1);
            let ends = truth.regimes.iter().skip(1).map(|level| level.from_ios).chain([times.len() as u64]);
            for (level, end) in truth.regimes.iter().zip(ends) {
                let part = &times[level.from_ios as usize..end as usize];
                assert!(part.iter().all(|&ns| ns as f64 == level.mean_ns), "{name}: {level:?}");
            }
        }
    }
    assert_eq!(quiet("slc-cliff").truth(&baseline(Rw::Write)).startup_ios, 768);
}

#[test]
fn a_rest_restores_the_start_up_the_cache_and_the_reads() {
    let pairs = [("mtron", Rw::RandWrite), ("memoright", Rw::RandWrite), ("slc-cliff", Rw::Write)];
    for (name, rw) in pairs {
        let mut rig = Rig::new(quiet(name), 1);
        let startup_ios = quiet(name).truth(&baseline(rw)).startup_ios;
        let first = run(&mut rig, &baseline(rw), startup_ios + 90, 1);
        let rested = rig.now() + Nanos::from_s(5);
        rig.wait_until(rested);
        let second = run(&mut rig, &baseline(rw), startup_ios + 90, 1);
        let response = |ios: &[flashscope_core::Io]| ios.iter().map(|io| io.response.0).collect::<Vec<_>>();
        assert_eq!(response(&first), response(&second), "{name}");
    }
}

#[test]
fn a_pause_as_long_as_the_work_makes_random_writes_cost_as_sequential_ones_and_saves_nothing() {
    for (name, hiding_us) in [("mtron", 8_600), ("memoright", 4_700)] {
        let spec = quiet(name);
        let sequential_ns = spec.truth(&baseline(Rw::Write)).mean_ns;
        let with_pause = |us: u64| Pattern { thinktime: Nanos::from_us(us), ..baseline(Rw::RandWrite) };
        assert_eq!(spec.truth(&with_pause(hiding_us)).mean_ns, sequential_ns, "{name}");
        let total_ns = |us: u64| spec.truth(&with_pause(us)).mean_ns.map(|ns| ns + us as f64 * 1e3);
        for us in [100, 1_000, 3_000, hiding_us] {
            assert_eq!(total_ns(us), total_ns(0), "{name}: {us} us");
        }
    }
    let blank = quiet("samsung");
    let paused = Pattern { thinktime: Nanos::from_ms(18), ..baseline(Rw::RandWrite) };
    assert_eq!(blank.truth(&paused).mean_ns, blank.truth(&baseline(Rw::RandWrite)).mean_ns);
}

#[test]
fn reads_suffer_after_random_writes_for_the_stated_number_of_reads_or_time() {
    for (name, reads, usual_ns, factor) in
        [("mtron", 3_000, 400_000, 2), ("lingering-reads", 800, 200_000, 3)]
    {
        let mut rig = Rig::new(quiet(name), 1);
        run(&mut rig, &baseline(Rw::RandWrite), 300, 1);
        let after = run(&mut rig, &pattern("rw=read offset=2GiB"), reads + 500, 1);
        let dear = after.iter().filter(|io| io.response.0 >= factor * usual_ns).count() as u64;
        assert_eq!(dear, reads, "{name}");
        assert_eq!(after[reads as usize].response.0, usual_ns, "{name}");

        run(&mut rig, &baseline(Rw::RandWrite), 300, 2);
        let rested = Time(rig.now().0 + 4_100_000_000);
        rig.wait_until(rested);
        let after = run(&mut rig, &baseline(Rw::Read), 50, 1);
        assert!(after.iter().all(|io| io.response.0 == usual_ns), "{name}");
    }
}

#[test]
fn small_random_writes_of_the_memoright_cost_by_their_bytes() {
    let spec = quiet("memoright");
    let mean_ns = |text: &str| spec.truth(&pattern(text)).mean_ns.expect("known");
    let (four, eight) = (mean_ns("rw=randwrite bs=4KiB"), mean_ns("rw=randwrite bs=8KiB"));
    let sixteen = mean_ns("rw=randwrite bs=16KiB");
    assert_eq!((4.0 * four, 2.0 * eight), (sixteen, sixteen));
}

#[test]
fn the_samsung_pays_32_ms_for_random_writes_that_do_not_fit_16_kib() {
    let mean_ns = |text: &str| quiet("samsung").truth(&pattern(text)).mean_ns;
    assert_eq!(mean_ns("rw=randwrite shift=512"), Some(32e6));
    assert_eq!(mean_ns("rw=randwrite shift=16KiB"), Some(18e6));
    assert_eq!(mean_ns("rw=write shift=512"), Some(0.6e6));
}

#[test]
fn noise_does_not_move_the_mean() {
    for name in rigs::NAMES {
        let spec = rigs::get(name).expect("built in");
        for rw in Rw::ALL {
            let truth = spec.truth(&baseline(rw));
            let (startup, period) = (truth.startup_ios, truth.period_ios.unwrap_or(1));
            let ios = 40_000 / period * period;
            let all = times(&spec, &baseline(rw), startup + ios, 17);
            let found = mean(&all[startup as usize..]);
            let mean_ns = truth.mean_ns.expect("known");
            // Dear IOs weigh more: bound the error of the mean by five times the worst case of the noise.
            let square =
                all[startup as usize..].iter().map(|&ns| (ns as f64).powi(2)).sum::<f64>() / ios as f64;
            let bound = 5.0 * spec.noise.spread.0 * (square / ios as f64).sqrt() + 1e-3 * mean_ns;
            assert!((found - mean_ns).abs() < bound, "seed 17: {name} {rw}: {found} is not {mean_ns}");
        }
    }
}
