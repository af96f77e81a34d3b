//! What the intervals, start-ups and periods are worth, over many seeds per device of known truth.
#![allow(missing_docs)]

mod devices;

use devices::Device;
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
        if std::env::var("VERBOSE").is_ok() && !(held && startup_right && period_right) {
            println!(
                "{} seed {seed}: held {held} [{:.0} {:.0}] truth {truth_ns:.0}; startup {} in {}..{} of {startup}; \
                 period {:?}; ios {}; regimes {:?}",
                device.name, estimate.ci_low_ns, estimate.ci_high_ns, outcome.phases.startup_ios,
                outcome.phases.startup_ios_low, outcome.phases.startup_ios_high, outcome.phases.period, series.len(),
                outcome.phases.regimes.iter().map(|r| (r.from_ios, r.mean_ns as u64)).collect::<Vec<_>>(),
            );
        }
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

#[test]
#[ignore = "200 seeds a device; prints the table of docs/method.md"]
fn coverage_table() {
    let seeds: u64 = std::env::var("SEEDS").map_or(200, |s| s.parse().unwrap());
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut table = String::from("| device | interval holds | start-up right | period right | reached | median IOs | ± |\n");
    let (mut held, mut runs) = (0, 0);
    for device in devices::all().iter().filter(|d| d.name.contains(&only)) {
        let score = Score::of(device, 0..seeds);
        if device.is_noisy() {
            (held, runs) = (held + score.held, runs + score.runs);
        }
        let right = |part| share(part, score.runs);
        writeln!(
            table,
            "| {} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {} | {:.2} % |",
            device.name, right(score.held), right(score.startup_right), right(score.period_right),
            right(score.reached), median(&score.ios), 100.0 * median(&score.shares)
        )
        .unwrap();
    }
    println!("{table}\npooled {:.2} %", share(held, runs));
}

/// A device nobody thought of: any start-up, any cycle, any noise.
fn wild(seed: u64) -> Device {
    use devices::{Noise, Rng, Running};
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut between = |low: f64, high: f64| low * (high / low).powf(rng.uniform());
    let cheap = between(0.05, 2.0);
    let running = match between(1.0, 6.0) as u64 {
        1 => Running::Level(cheap),
        2 => Running::Sawtooth(cheap, between(0.05, 0.6), between(8.0, 120.0) as u64),
        _ => {
            let mut costs = vec![cheap; between(2.0, 150.0) as usize];
            let (from, ios) = (between(1.0, costs.len() as f64) as usize, between(1.0, costs.len() as f64) as usize);
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
    let mut device = Device { name: "wild", startup: Vec::new(), running, noise, explore_ios: 1536, known: None };
    if between(1.0, 4.0) > 2.0 {
        let factor = if between(1.0, 2.0) > 1.4 { between(0.1, 0.8) } else { between(1.3, 5.0) };
        device.startup.push((between(12.0, 700.0) as u64, device.mean_ms() * factor));
    }
    device
}

#[test]
#[ignore = "a search for blind spots: prints what was read wrong"]
fn wild_devices() {
    let mut score = Score::default();
    for seed in 0..std::env::var("SEEDS").map_or(400, |s| s.parse().unwrap()) {
        let mut device = wild(seed);
        if std::env::var("KNOWN").is_ok() {
            let period_ios = device.period().map_or(1, |p| p as u64);
            let startup_ios = device.startup_ios() + device.startup_ios() / 10;
            device.known = Some(flashscope_analysis::Bounds { startup_ios, period_ios });
        }
        let before = (score.startup_right, score.period_right, score.held);
        score.add(&device, seed);
        if (score.startup_right, score.period_right) != (before.0 + 1, before.1 + 1) {
            println!("   {:?} {:?} {:?} mean {:.3}", device.startup, device.running, device.noise, device.mean_ms());
        }
    }
    let right = |part| share(part, score.runs);
    println!("held {:.1} start-up {:.1} period {:.1} reached {:.1} IOs {}", right(score.held), right(score.startup_right), right(score.period_right), right(score.reached), median(&score.ios));
}
