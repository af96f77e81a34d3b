//! Scripted devices of known truth, seeded; every one states what a perfect analysis would find.
#![allow(dead_code, missing_docs)]

pub mod rivals;

use flashscope_analysis::{Bounds, Goal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// Shapes of multiplicative noise, all of mean 1.
#[derive(Clone, Copy, Debug)]
pub enum Noise {
    None,
    Normal(f64),
    Uniform(f64),
    /// Exponential tail: 1 - s + s * Exp(1).
    Skewed(f64),
    /// First-order autoregression with this correlation and standard deviation.
    Wandering(f64, f64),
    /// This share of IOs costs this many times as much, on top of 3 % normal noise.
    Spikes(f64, f64),
}

/// What the running phase does.
#[derive(Clone, Debug)]
pub enum Running {
    Level(f64),
    Cycle(Vec<f64>),
    /// Cheap cost, expensive cost, fewest and most IOs of a cycle, uniformly.
    Jittered(f64, f64, u64, u64),
    /// Cheap cost, expensive cost, share of expensive IOs, independent.
    TwoLevels(f64, f64, f64),
    /// Mean, share of swing, IOs.
    Sawtooth(f64, f64, u64),
}

#[derive(Clone, Debug)]
pub struct Device {
    pub name: &'static str,
    /// Regimes before the running phase: IOs and cost in ms.
    pub startup: Vec<(u64, f64)>,
    pub running: Running,
    pub noise: Noise,
    pub explore_ios: u64,
    pub known: Option<Bounds>,
}

impl Device {
    pub fn startup_ios(&self) -> u64 {
        self.startup.iter().map(|s| s.0).sum()
    }

    pub fn goal(&self) -> Goal {
        Goal { known: self.known, ios_max: 200_000, ..Goal::exploring(self.explore_ios) }
    }

    /// IOs of a cycle; the mean where cycles vary.
    pub fn period(&self) -> Option<f64> {
        match &self.running {
            Running::Cycle(costs) => Some(costs.len() as f64),
            Running::Jittered(_, _, low, high) => Some((low + high) as f64 / 2.0),
            Running::Sawtooth(_, _, ios) => Some(*ios as f64),
            Running::Level(_) | Running::TwoLevels(..) => None,
        }
    }

    pub fn mean_ms(&self) -> f64 {
        let level = match &self.running {
            Running::Level(cost) => *cost,
            Running::Cycle(costs) => costs.iter().sum::<f64>() / costs.len() as f64,
            Running::Jittered(cheap, expensive, low, high) => {
                cheap + (expensive - cheap) * 2.0 / (low + high) as f64
            }
            Running::TwoLevels(cheap, expensive, share) => cheap + (expensive - cheap) * share,
            Running::Sawtooth(mean, ..) => *mean,
        };
        match self.noise {
            Noise::Spikes(share, times) => level * (1.0 + share * (times - 1.0)),
            _ => level,
        }
    }

    pub fn is_noisy(&self) -> bool {
        !matches!(self.noise, Noise::None)
    }

    pub fn play(&self, seed: u64) -> Player {
        Player { device: self.clone(), rng: Rng::new(seed), io: 0, left: 0, wander: None }
    }
}

pub struct Player {
    device: Device,
    rng: Rng,
    io: u64,
    left: u64,
    wander: Option<f64>,
}

impl Player {
    pub fn next_ns(&mut self) -> u64 {
        let cost_ms = self.cost_ms() * self.factor();
        self.io += 1;
        (cost_ms * 1e6).round().max(1.0) as u64
    }

    fn cost_ms(&mut self) -> f64 {
        let mut into = self.io;
        for &(ios, cost) in &self.device.startup {
            if into < ios {
                return cost;
            }
            into -= ios;
        }
        match self.device.running.clone() {
            Running::Level(cost) => cost,
            Running::Cycle(costs) => costs[into as usize % costs.len()],
            Running::Jittered(cheap, expensive, low, high) => {
                if self.left == 0 {
                    self.left = low + (self.rng.uniform() * (high - low + 1) as f64) as u64;
                }
                self.left -= 1;
                if self.left == 0 { expensive } else { cheap }
            }
            Running::TwoLevels(cheap, expensive, share) => {
                if self.rng.uniform() < share {
                    expensive
                } else {
                    cheap
                }
            }
            Running::Sawtooth(mean, swing, ios) => {
                mean * (1.0 - swing + 2.0 * swing * (into % ios) as f64 / (ios - 1) as f64)
            }
        }
    }

    fn factor(&mut self) -> f64 {
        let rng = &mut self.rng;
        match self.device.noise {
            Noise::None => 1.0,
            Noise::Normal(s) => 1.0 + s * rng.normal(),
            Noise::Uniform(s) => 1.0 + s * 12f64.sqrt() * (rng.uniform() - 0.5),
            Noise::Skewed(s) => 1.0 - s - s * (1.0 - rng.uniform()).ln(),
            Noise::Wandering(rho, s) => {
                let last = self.wander.unwrap_or_else(|| rng.normal());
                let next = rho * last + (1.0 - rho * rho).sqrt() * rng.normal();
                self.wander = Some(next);
                1.0 + s * next
            }
            Noise::Spikes(share, times) => {
                let spike = if rng.uniform() < share { times } else { 1.0 };
                spike * (1.0 + 0.03 * rng.normal())
            }
        }
    }
}

fn device(
    name: &'static str,
    explore_ios: u64,
    startup: &[(u64, f64)],
    running: Running,
    noise: Noise,
) -> Device {
    Device { name, startup: startup.to_vec(), running, noise, explore_ios, known: None }
}

fn cycle(parts: &[(usize, f64)]) -> Running {
    Running::Cycle(parts.iter().flat_map(|&(ios, cost)| std::iter::repeat_n(cost, ios)).collect())
}

const READ: u64 = 256;
const SEQUENTIAL: u64 = 512;
const RANDOM: u64 = 1536;

/// All devices that coverage is measured on.
pub fn all() -> Vec<Device> {
    [plain(), cycling(), changing()].concat()
}

/// Devices with nothing to find but their mean.
pub fn plain() -> Vec<Device> {
    use Noise::*;
    use Running::*;
    let mut known = device("plain-known", 0, &[], Level(0.4), Normal(0.05));
    known.known = Some(Bounds { startup_ios: 0, period_ios: 1 });
    vec![
        known,
        device("plain", READ, &[], Level(0.4), Normal(0.02)),
        device("plain-uniform", READ, &[], Level(0.4), Uniform(0.05)),
        device("plain-skewed", READ, &[], Level(0.4), Skewed(0.3)),
        device("plain-exact", READ, &[], Level(0.4), None),
        device("ar1-0.5", READ, &[], Level(0.4), Wandering(0.5, 0.05)),
        device("ar1-0.8", READ, &[], Level(0.4), Wandering(0.8, 0.05)),
        device("spikes", SEQUENTIAL, &[], Level(0.4), Spikes(0.01, 20.0)),
        device("two-levels", RANDOM, &[], TwoLevels(0.4, 26.2, 1.0 / 3.0), Normal(0.02)),
    ]
}

/// Devices that oscillate.
pub fn cycling() -> Vec<Device> {
    use Noise::*;
    use Running::*;
    let mtron = cycle(&[(2, 0.4), (1, 26.2)]);
    let mut known = device("mtron-known", 0, &[(128, 0.4)], mtron.clone(), Normal(0.02));
    known.known = Some(Bounds { startup_ios: 140, period_ios: 4 });
    let mut dti_known = device("dti-known", 0, &[], cycle(&[(112, 1.5), (16, 12.0)]), Normal(0.02));
    dti_known.known = Some(Bounds { startup_ios: 0, period_ios: 128 });
    vec![
        dti_known,
        device("mtron", RANDOM, &[(128, 0.4)], mtron.clone(), Normal(0.02)),
        device("mtron-exact", RANDOM, &[(128, 0.4)], mtron, None),
        known,
        device("memoright", RANDOM, &[(30, 0.3)], cycle(&[(3, 0.3), (1, 18.0)]), Normal(0.03)),
        device("memoright-jitter", RANDOM, &[(30, 0.3)], Jittered(0.3, 18.0, 2, 4), Normal(0.03)),
        device("dti", SEQUENTIAL, &[], cycle(&[(112, 1.5), (16, 12.0)]), Normal(0.02)),
        device("long-cycle", RANDOM, &[], cycle(&[(39, 0.25), (1, 300.0)]), Normal(0.05)),
        device("long-jitter", RANDOM, &[], Jittered(0.25, 300.0, 36, 44), Normal(0.05)),
        device("gc-sawtooth", SEQUENTIAL, &[], Sawtooth(0.5, 0.3, 40), Normal(0.03)),
    ]
}

/// Devices whose level changes.
pub fn changing() -> Vec<Device> {
    use Noise::*;
    use Running::*;
    let steps = [(170, 0.40), (190, 0.52), (160, 0.64), (200, 0.76), (180, 0.88)];
    vec![
        device("slc-cliff", RANDOM, &[(768, 0.3)], Level(1.2), Normal(0.05)),
        device("slow-decay", RANDOM, &steps, Level(1.0), Normal(0.05)),
        device("lingering", SEQUENTIAL, &[(300, 1.2)], Level(0.4), Normal(0.05)),
        device("costly-start", SEQUENTIAL, &[(100, 3.0)], Level(0.5), Skewed(0.05)),
        device("late-cycle", RANDOM, &[(200, 1.0), (300, 0.5)], cycle(&[(5, 0.4), (3, 4.0)]), Normal(0.05)),
    ]
}
