//! What the intervals, start-ups and periods are worth, over many seeds per device of known truth.
#![allow(missing_docs, clippy::print_stdout)]

use crate::devices::{Device, rivals};
use flashscope_analysis::{Decision, Judge, Options, Outcome, Series};
use std::fmt::Write;

/// One experiment as the tool runs it.
fn run(device: &Device, seed: u64) -> (Outcome, Series) {
    let mut judge = Judge::new(device.goal(), Options::default());
    let mut player = device.play(seed);
    let mut series = Series::new();
    let mut next = judge.first_check_ios();
    loop {
        while series.len() < next {
            series.push(player.next_ns(), 4096);
        }
        match judge.check(&series) {
            Decision::Enough(outcome) => return (*outcome, series),
            Decision::Continue { next_check_ios, .. } => next = next_check_ios,
        }
    }
}

/// How often one device was read right.
#[derive(Default)]
struct Score {
    runs: u64,
    held: u64,
    startup_right: u64,
    period_right: u64,
    reached: u64,
    ios: Vec<u64>,
    shares: Vec<f64>,
    errors: Vec<f64>,
}

impl Score {
    fn of(device: &Device, seeds: std::ops::Range<u64>) -> Self {
        let mut score = Self::default();
        seeds.for_each(|seed| score.add(device, seed));
        score
    }

    fn add(&mut self, device: &Device, seed: u64) {
        let (outcome, series) = run(device, seed);
        let estimate = outcome.estimate.expect("every device is long enough for an interval");
        let truth_ns = device.mean_ms() * 1e6;
        let held = (estimate.ci_low_ns - 0.5..=estimate.ci_high_ns + 0.5).contains(&truth_ns);
        let startup = device.startup_ios();
        let startup_right = outcome.phases.startup_ios.abs_diff(startup) <= (startup / 20).max(8);
        let period_right = match (device.period(), outcome.phases.period) {
            (None, found) => found.is_none(),
            (Some(_), None) => false,
            (Some(truth), Some(found)) => (found.ios_low as f64..=found.ios_high as f64).contains(&truth),
        };
        self.runs += 1;
        self.held += u64::from(held);
        self.startup_right += u64::from(startup_right);
        self.period_right += u64::from(period_right);
        self.reached += u64::from(outcome.missing.is_none());
        self.ios.push(series.len());
        self.shares.push(estimate.relative_half_width());
        self.errors.push((estimate.mean_ns / truth_ns - 1.0).abs());
    }
}

fn median<T: Copy + PartialOrd>(values: &[T]) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    sorted[sorted.len() / 2]
}

fn share(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of as f64
}

/// At least as many in a hundred as `percent`, allowing for 40 runs by one run.
fn mostly(part: u64, of: u64, percent: u64) -> bool {
    100 * (part + 1) >= percent * of
}

fn check(devices: Vec<Device>) {
    for device in devices {
        let score = Score::of(&device, 0..40);
        let name = device.name;
        assert!(mostly(score.held, 40, 93), "{name}: {} of 40 intervals hold", score.held);
        assert!(mostly(score.startup_right, 40, 95), "{name}: {} of 40 start-ups right", score.startup_right);
        assert!(mostly(score.period_right, 40, 95), "{name}: {} of 40 periods right", score.period_right);
        assert_eq!(score.reached, 40, "{name}: runs that reached the precision");
    }
}

#[test]
fn plain_devices_are_read_right() {
    check(crate::devices::plain());
}

#[test]
fn cycling_devices_are_read_right() {
    check(crate::devices::cycling());
}

#[test]
fn changing_devices_are_read_right() {
    check(crate::devices::changing());
}

#[test]
fn intervals_are_not_too_wide_either() {
    let noisy = crate::devices::all().into_iter().filter(Device::is_noisy);
    let scores: Vec<Score> = noisy.map(|device| Score::of(&device, 1000..1040)).collect();
    let (held, runs) = scores.iter().fold((0, 0), |sum, score| (sum.0 + score.held, sum.1 + score.runs));
    assert!((93.0..=98.0).contains(&share(held, runs)), "{held} of {runs} hold, seeds 1000 to 1039");
}

#[test]
fn known_bounds_make_runs_short() {
    let ios_of = |name: &str| {
        let device =
            crate::devices::all().into_iter().find(|d| d.name == name).expect("a device of this name");
        median(&Score::of(&device, 0..10).ios)
    };
    // Behind a known start-up come at least 256 IOs.
    assert!(ios_of("plain-known") == 64 && ios_of("mtron-known") <= 140 + 256 + 64);
}

/// Seeds from the environment variable `SEEDS`, 200 without it.
fn seeds() -> u64 {
    std::env::var("SEEDS").map_or(200, |seeds| seeds.parse().expect("SEEDS is a number"))
}

#[test]
#[ignore = "200 seeds a device; prints the table of docs/method.md"]
fn coverage_table() {
    let mut table = String::new();
    let (mut held, mut runs) = (0, 0);
    for device in crate::devices::all() {
        let score = Score::of(&device, 0..seeds());
        if device.is_noisy() {
            (held, runs) = (held + score.held, runs + score.runs);
        }
        writeln!(table, "{}", row(&device, &score)).expect("a string takes it");
        assert!(share(score.held, score.runs) >= 93.0, "{}: {} of {}", device.name, score.held, score.runs);
    }
    println!("{HEADER}\n{table}\npooled over the devices with noise: {:.1} %", share(held, runs));
    assert!((93.0..=98.0).contains(&share(held, runs)));
}

const HEADER: &str = "\
| device | holds | warm-up | period | IOs | ± | error | of 512 IOs | of 1 s | of a fixed window (IOs) |
|---|---|---|---|---|---|---|---|---|---|";

fn row(device: &Device, score: &Score) -> String {
    let right = |part| share(part, score.runs);
    let error = |mean_ms: f64| 100.0 * (mean_ms / device.mean_ms() - 1.0);
    let typical =
        |rival: &dyn Fn(u64) -> f64| median(&(0..25).map(|seed| error(rival(seed))).collect::<Vec<_>>());
    let window_ios: Vec<u64> = (0..25).map(|seed| rivals::fixed_window(device, seed).1).collect();
    format!(
        "| {} | {:.1} % | {:.1} % | {:.1} % | {} | {:.2} % | {:.2} % | {:+.1} % | {:+.1} % | {:+.1} % ({}) |",
        device.name,
        right(score.held),
        right(score.startup_right),
        right(score.period_right),
        median(&score.ios),
        100.0 * median(&score.shares),
        100.0 * median(&score.errors),
        typical(&|seed| rivals::first_512(device, seed)),
        typical(&|seed| rivals::first_second(device, seed)),
        typical(&|seed| rivals::fixed_window(device, seed).0),
        median(&window_ios),
    )
}

/// A device nobody thought of: any start-up, any cycle, any noise.
fn wild(seed: u64) -> Device {
    use crate::devices::{Noise, Rng, Running};
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut between = |low: f64, high: f64| low * (high / low).powf(rng.uniform());
    let cheap = between(0.05, 2.0);
    let running = match between(1.0, 6.0) as u64 {
        1 => Running::Level(cheap),
        2 => Running::Sawtooth(cheap, between(0.05, 0.6), between(8.0, 120.0) as u64),
        _ => {
            let mut costs = vec![cheap; between(2.0, 150.0) as usize];
            let (from, ios) =
                (between(1.0, costs.len() as f64) as usize, between(1.0, costs.len() as f64) as usize);
            let expensive = cheap * between(1.4, 100.0);
            let period = costs.len();
            costs[from.min(period - 1)..(from + ios).min(period)].fill(expensive);
            Running::Cycle(costs)
        }
    };
    let s = between(0.01, 0.08);
    let noise = match between(1.0, 5.0) as u64 {
        1 => Noise::Normal(s),
        2 => Noise::Skewed(s),
        3 => Noise::Wandering(between(0.2, 0.7), s),
        _ => Noise::Uniform(s),
    };
    let mut device =
        Device { name: "wild", startup: Vec::new(), running, noise, explore_ios: 1536, known: None };
    if between(1.0, 4.0) > 2.0 {
        let factor = if between(1.0, 2.0) > 1.4 { between(0.1, 0.8) } else { between(1.3, 5.0) };
        device.startup.push((between(12.0, 700.0) as u64, device.mean_ms() * factor));
    }
    device
}

/// The same device, with what a discovery run would have learnt about it.
fn known(mut device: Device) -> Device {
    let period_ios = device.period().map_or(1, |period| period as u64);
    let startup_ios = device.startup_ios() + device.startup_ios() / 10;
    device.known = Some(flashscope_analysis::Bounds { startup_ios, period_ios });
    device
}

fn score_of_wild(change: impl Fn(Device) -> Device, seeds: u64) -> Score {
    let mut score = Score::default();
    (0..seeds).for_each(|seed| score.add(&change(wild(seed)), seed));
    score
}

#[test]
fn devices_nobody_thought_of_are_read_right() {
    for (what, score) in [("new", score_of_wild(|d| d, 150)), ("known", score_of_wild(known, 150))] {
        let counts = [score.held, score.startup_right, score.period_right];
        assert!(counts.iter().all(|count| mostly(*count, 150, 93)), "{what}: {counts:?} of 150 right");
    }
}

#[test]
#[ignore = "long: prints shares"]
fn wild_devices() {
    for (what, score) in
        [("new", score_of_wild(|d| d, 10 * seeds())), ("known", score_of_wild(known, 10 * seeds()))]
    {
        let right = |part| share(part, score.runs);
        println!(
            "{what}: {:.1} % hold, warm-up {:.1} %, period {:.1} %, reached {:.1} %, median {} IOs",
            right(score.held),
            right(score.startup_right),
            right(score.period_right),
            right(score.reached),
            median(&score.ios)
        );
    }
}
