//! Finished runs made by hand: a device is what each kind of IO costs, and is asked for the points of
//! paper 001's table 1. Nothing here knows how an indicator is found.
#![allow(dead_code, reason = "each test file uses a part of it")]

use flashscope_analysis::{Context, Estimate, Experiment, Finished, Outcome, Phases, Regime, Run, Stop};
use flashscope_core::{Bytes, Location, Mix, Nanos, Pattern, Rw, TargetInfo};

pub const KIB: u64 = 1 << 10;
pub const MIB: u64 = 1 << 20;
pub const BS: u64 = 32 * KIB;
pub const SPAN: u64 = 4 << 30;

/// What IOs cost, in milliseconds; sizes in bytes.
#[derive(Clone, Debug)]
pub struct Device {
    pub sr: f64,
    pub rr: f64,
    pub sw: f64,
    pub rw: f64,
    /// Idle time does the work that random writes put off, a second in a second.
    pub drains: bool,
    /// Random writes within this area cost this many sequential ones.
    pub area: Option<(u64, f64)>,
    /// Up to this many streams cost this many times a single one; more cost as random writes.
    pub streams: Option<(u32, f64)>,
    pub reverse: f64,
    pub in_place: f64,
    pub large: f64,
    /// Random writes off this alignment cost that many times as much.
    pub alignment: Option<(u64, f64)>,
    /// Smaller random writes cost as much as this one; larger ones in proportion.
    pub granularity: u64,
    /// Share of the cost of 32 KiB that does not depend on the size.
    pub latency: f64,
    /// Throughput stops growing at this many IOs in flight.
    pub channels: u32,
    /// A mix of reads and writes costs this many times its parts.
    pub mix: f64,
    /// Half width of every interval as a share of the mean.
    pub half: f64,
}

/// Costs of a device without any effect: 1 ms whatever is done.
pub const EVEN: Device = Device {
    sr: 1.0,
    rr: 1.0,
    sw: 1.0,
    rw: 1.0,
    drains: false,
    area: None,
    streams: None,
    reverse: 1.0,
    in_place: 1.0,
    large: 1.0,
    alignment: None,
    granularity: 512,
    latency: 0.2,
    channels: 1,
    mix: 1.0,
    half: 0.02,
};

impl Device {
    pub fn cost_ms(&self, of: &Experiment) -> f64 {
        let pattern = &of.pattern;
        match of.micro.as_str() {
            "locality" => self.local_ms(pattern),
            "partitioning" => self.parted_ms(pattern),
            "order" => self.ordered_ms(pattern),
            "pause" if self.drains && pattern.rw == Rw::RandWrite => (self.rw - of.parameter).max(self.sw),
            "mix" => self.mixed_ms(pattern),
            "granularity" => self.sized_ms(pattern),
            "alignment" => self.basic(pattern.rw) * self.misaligned(pattern),
            "queue-depth" | "parallelism" => {
                let flying = pattern.iodepth * pattern.numjobs;
                self.basic(pattern.rw) * f64::from(flying.div_ceil(self.channels))
            }
            _ => self.basic(pattern.rw),
        }
    }

    fn basic(&self, rw: Rw) -> f64 {
        match rw {
            Rw::Read => self.sr,
            Rw::RandRead => self.rr,
            Rw::Write => self.sw,
            Rw::RandWrite | Rw::Trim | Rw::RandTrim => self.rw,
        }
    }

    fn local_ms(&self, pattern: &Pattern) -> f64 {
        if pattern.rw != Rw::RandWrite {
            return self.basic(pattern.rw);
        }
        match self.area {
            _ if pattern.size.0 == BS => self.sw * self.in_place,
            Some((area, factor)) if pattern.size.0 <= area => self.sw * factor,
            _ => self.rw,
        }
    }

    fn parted_ms(&self, pattern: &Pattern) -> f64 {
        let Location::Partitioned { partitions } = pattern.location else { panic!("no partitions") };
        match self.streams {
            _ if pattern.rw != Rw::Write || partitions == 1 => self.basic(pattern.rw),
            None => self.sw,
            Some((most, factor)) if partitions <= most => self.sw * factor,
            Some(_) => self.rw,
        }
    }

    fn ordered_ms(&self, pattern: &Pattern) -> f64 {
        let Location::Ordered { stride } = pattern.location else { panic!("no stride") };
        match stride * BS as i64 {
            _ if pattern.rw != Rw::Write => self.basic(pattern.rw),
            0 => self.sw * self.in_place,
            ..0 => self.sw * self.reverse,
            step if step < MIB as i64 => self.sw,
            _ => self.rw * self.large,
        }
    }

    fn mixed_ms(&self, pattern: &Pattern) -> f64 {
        let mix = pattern.mix.unwrap();
        let ratio = 1.0 / pattern.mix_share() - 1.0;
        let parts = (ratio * self.basic(pattern.rw) + self.basic(mix.rw)) / (ratio + 1.0);
        if pattern.rw.is_write() == mix.rw.is_write() { parts } else { self.mix * parts }
    }

    fn sized_ms(&self, pattern: &Pattern) -> f64 {
        let grain = if pattern.rw == Rw::RandWrite { self.granularity } else { 512 };
        let size = |bytes: u64| self.latency + (1.0 - self.latency) * bytes.max(grain) as f64 / BS as f64;
        self.basic(pattern.rw) * size(pattern.bs.0) / size(BS)
    }

    fn misaligned(&self, pattern: &Pattern) -> f64 {
        match self.alignment {
            Some((unit, factor)) if pattern.rw.is_write() && !pattern.shift.0.is_multiple_of(unit) => factor,
            _ => 1.0,
        }
    }

    /// Three runs of each point.
    pub fn runs_of(&self, experiments: &[Experiment]) -> Vec<Finished> {
        let run = |experiment: &Experiment, repeat| Finished {
            experiment: experiment.clone(),
            repeat,
            run: run(&experiment.pattern, estimate(self.cost_ms(experiment), self.half)),
        };
        experiments.iter().flat_map(|e| (0..3).map(move |repeat| run(e, repeat))).collect()
    }

    /// Everything of table 1 that findings rest on, and queue depth.
    pub fn characterised(&self) -> Vec<Finished> {
        self.runs_of(&table_1())
    }
}

/// A mean with an interval of `half` of it either way, known from 100 degrees of freedom.
pub fn estimate(mean_ms: f64, half: f64) -> Estimate {
    let mean_ns = mean_ms * 1e6;
    Estimate {
        mean_ns,
        ci_low_ns: mean_ns * (1.0 - half),
        ci_high_ns: mean_ns * (1.0 + half),
        confidence: 0.95,
        std_err_ns: mean_ns * half / 1.98,
        dof: 100.0,
        ios: 512,
        ios_ignored: 0,
        batches: 101,
    }
}

pub fn run(pattern: &Pattern, estimate: Estimate) -> Run {
    let phases = Phases {
        startup_ios: 0,
        startup_ios_low: 0,
        startup_ios_high: 0,
        startup_bytes: 0,
        regimes: vec![Regime { from_ios: 0, from_bytes: 0, mean_ns: estimate.mean_ns }],
        period: None,
        alternations: 0,
        ios: 512,
    };
    let outcome = Outcome {
        phases,
        estimate: Some(estimate),
        quantiles: None,
        trend: None,
        stopped_because: Stop::Precision,
        stationary: true,
        missing: None,
    };
    let written_bytes = (512.0 * pattern.write_share()) as u64 * pattern.bs.0;
    let read_bytes = 512 * pattern.bs.0 - written_bytes;
    Run {
        ios: 512,
        read_bytes,
        written_bytes,
        elapsed_ns: 1,
        outcome,
        records: None,
        kinds: Vec::new(),
        gaps: None,
        windows: Vec::new(),
        summary_only: false,
        cpu_ns: None,
        disturbance: None,
        began_s: None,
        threads: None,
        standstills: None,
        takes_turns: false,
        errors: Default::default(),
    }
}

pub fn context() -> Context {
    Context {
        target: TargetInfo {
            name: "test".into(),
            size_bytes: SPAN,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 128,
            placements: 1,
            zones: None,
        },
        state: "random, enforced".into(),
        generator_iops_max: Some(9e6),
        interference: None,
        complete: true,
        physical_block_bytes: None,
        precision: None,
        preparation_errors: Default::default(),
    }
}

fn experiment(
    micro: &str,
    curve: &str,
    parameter: f64,
    label: impl ToString,
    pattern: Pattern,
) -> Experiment {
    Experiment {
        micro: micro.into(),
        curve: curve.into(),
        parameter,
        label: label.to_string(),
        pattern,
        beside: None,
    }
}

/// The ranges of paper 001, table 1, at 32 KiB.
pub fn table_1() -> Vec<Experiment> {
    let base = |rw| Pattern::baseline(rw, Bytes(0), Bytes(SPAN));
    let mut all = Vec::new();
    for rw in Rw::ALL {
        let mut add = |micro: &str, parameter: f64, pattern: Pattern| {
            let label = if micro == "baseline" { "32KiB".into() } else { parameter.to_string() };
            all.push(experiment(micro, rw.short_name(), parameter, label, pattern));
        };
        add("baseline", 0.0, base(rw));
        for power in 0..=9 {
            let bs = Bytes(512 << power);
            add("granularity", bs.0 as f64, Pattern { bs, ..base(rw) });
        }
        for power in 0..=6 {
            let shift = Bytes(512 << power);
            add("alignment", shift.0 as f64, Pattern { shift, ..base(rw) });
        }
        for power in 0..=if rw.is_random() { 16 } else { 8 } {
            let size = Bytes(BS << power);
            add("locality", size.0 as f64, Pattern { size, ..base(rw) });
        }
        for power in 0..=8 {
            let thinktime = Nanos::from_us(100 << power);
            add("pause", thinktime.as_ms(), Pattern { thinktime, ..base(rw) });
        }
        for power in 0..=4 {
            add("parallelism", f64::from(1 << power), Pattern { numjobs: 1 << power, ..base(rw) });
        }
        for power in (0..=5).filter(|_| rw.is_random()) {
            add("queue-depth", f64::from(1 << power), Pattern { iodepth: 1 << power, ..base(rw) });
        }
        for partitions in (0..=8).map(|power| 1u32 << power).filter(|_| !rw.is_random()) {
            let location = Location::Partitioned { partitions };
            add("partitioning", f64::from(partitions), Pattern { location, ..base(rw) });
        }
        let strides = [-1, 0].into_iter().chain((0..=8).map(|power| 1 << power));
        for stride in strides.filter(|_| !rw.is_random()) {
            add("order", stride as f64, Pattern { location: Location::Ordered { stride }, ..base(rw) });
        }
    }
    for (first, second) in [(Rw::Read, Rw::RandRead), (Rw::RandRead, Rw::RandWrite), (Rw::Read, Rw::Write)] {
        for ratio in (0..=6).map(|power| 1u32 << power) {
            let curve = format!("{}/{}", first.short_name(), second.short_name());
            let pattern = Pattern { mix: Some(Mix::ratio(second, ratio)), ..base(first) };
            all.push(experiment("mix", &curve, f64::from(ratio), ratio, pattern));
        }
    }
    all
}
