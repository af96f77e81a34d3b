//! uFLIP's CSV: a line for each IO in `DETAILS`, a line for each run in `RESULTS`, semicolons between.
//!
//! `DETAILS/DET_b_e_r.csv` holds `R|S; W|R; LBA; us`: a random or sequential IO, a write or read, the sector
//! of 512 bytes and the response time in whole microseconds. `RESULTS/RES_b_e.csv` holds the parameters and
//! the summary of each run in the words of paper 001 (table 1 and design principle 3). The columns of the
//! tool's own summaries are published nowhere, so these have a heading of ours; docs/data.md says what is
//! certain.

use flashscope_analysis::Finished;
use flashscope_core::{Op, Pattern, Turns};

use super::{Export, Material, Outlet};
use crate::error::StoreError;
use crate::ios::Io;

/// The registry's line.
pub const EXPORT: Export = Export {
    name: "uflip",
    about: "uFLIP's CSV: RESULTS/RES_b_e.csv and DETAILS/DET_b_e_r.csv",
    more: None,
    write,
};

/// uFLIP counts in these, whatever the device does.
const SECTOR_BYTES: u64 = 512;

const FLUSHES: &str = "flushes dropped (uFLIP has only reads and writes)";
const TRIMS: &str = "trims dropped (uFLIP has only reads and writes)";
const DIGITS: &str = "IOs with response times truncated to microseconds";
const NO_IOS: &str = "runs without DETAILS (their IOs are missing)";
const MEANWHILE: &str = "runs without submission times and stream numbers of their IOs";

const HEADING: &str = "Device;Benchmark;Experiment;Parameter;Run;Mode;IOSize (B);IOShift (B);\
                       TargetOffset (B);TargetSize (B);ParallelDegree;Pause (us);Burst;IOCount;IOIgnore;\
                       Min (us);Max (us);Mean (us);StdDev (us)";

/// Sums of the IOs that count.
#[derive(Default)]
struct Sums {
    ios: u64,
    min_us: f64,
    max_us: f64,
    mean_us: f64,
    /// Sum of squared distances from the mean (Welford).
    squares: f64,
}

impl Sums {
    fn add(&mut self, us: f64) {
        self.min_us = if self.ios == 0 { us } else { self.min_us.min(us) };
        self.max_us = self.max_us.max(us);
        self.ios += 1;
        let distance = us - self.mean_us;
        self.mean_us += distance / self.ios as f64;
        self.squares += distance * (us - self.mean_us);
    }

    fn text(&self) -> String {
        let stddev = if self.ios > 1 { (self.squares / (self.ios - 1) as f64).sqrt() } else { 0.0 };
        match self.ios {
            0 => ";;;".into(),
            _ => format!("{:.3};{:.3};{:.3};{stddev:.3}", self.min_us, self.max_us, self.mean_us),
        }
    }
}

fn write(materials: &[Material], outlet: &mut Outlet<'_>) -> Result<(), StoreError> {
    let mut benchmarks: Vec<(String, Vec<String>)> = Vec::new();
    let mut results: Vec<(usize, usize, String)> = Vec::new();
    for material in materials {
        for finished in material.runs("uflip")? {
            let (b, e) = number(&mut benchmarks, &material.name, finished);
            let r = results.iter().filter(|(of, at, _)| (*of, *at) == (b, e)).count() + 1;
            let sums = details(material, finished, &format!("DETAILS/DET_{b}_{e}_{r}.csv"), outlet)?;
            results.push((b, e, line(material, finished, r, sums.as_ref())));
        }
    }
    for (b, (_, experiments)) in benchmarks.iter().enumerate() {
        for e in 1..=experiments.len() {
            let of = results.iter().filter(|(of, at, _)| (*of, *at) == (b + 1, e));
            let lines: Vec<&str> = of.map(|(_, _, line)| line.as_str()).collect();
            outlet.write(
                &format!("RESULTS/RES_{}_{e}.csv", b + 1),
                &format!("{HEADING}\n{}", lines.join("\n")),
            )?;
        }
    }
    Ok(())
}

/// Numbers of the micro-benchmark and of the experiment in it, from 1, in the order in which they come.
fn number(known: &mut Vec<(String, Vec<String>)>, folder: &str, finished: &Finished) -> (usize, usize) {
    let name = format!("{folder}/{}", finished.experiment.micro);
    let id = finished.experiment.id();
    let b = known.iter().position(|(of, _)| *of == name).unwrap_or(known.len());
    if b == known.len() {
        known.push((name, Vec::new()));
    }
    let experiments = &mut known[b].1;
    let e = experiments.iter().position(|of| *of == id).unwrap_or(experiments.len());
    if e == experiments.len() {
        experiments.push(id);
    }
    (b + 1, e + 1)
}

/// IOs at the start that do not count: those before the accepted phase.
fn ignored(finished: &Finished) -> u64 {
    finished.run.outcome.phases.startup_ios_high
}

/// Writes a line for each IO; their sums without the ignored ones, where their file is there.
fn details(
    material: &Material,
    finished: &Finished,
    name: &str,
    outlet: &mut Outlet<'_>,
) -> Result<Option<Sums>, StoreError> {
    let Some(records) = material.records(finished) else {
        outlet.count(NO_IOS);
        return Ok(None);
    };
    let (pattern, ignored) = (&finished.experiment.pattern, ignored(finished));
    let (mut sums, mut left_out, mut ios) = (Sums::default(), [0u64; 2], 0);
    let mut file = outlet.create(name)?;
    outlet.each_io(&records, |io| {
        let letter = match io.op {
            Op::Read => 'R',
            Op::Write => 'W',
            Op::Flush | Op::Trim => {
                left_out[usize::from(io.op == Op::Trim)] += 1;
                return Ok(());
            }
        };
        ios += 1;
        if ios > ignored {
            sums.add(io.response_ns as f64 / 1e3);
        }
        let order = if is_random(pattern, io) { 'R' } else { 'S' };
        let (lba, us) = (io.offset_bytes / SECTOR_BYTES, (io.response_ns + 500) / 1000);
        file.line(format_args!("{order};{letter};{lba};{us}"))
    })?;
    file.finish()?;
    let losses = &mut outlet.done.losses;
    losses.add(FLUSHES, left_out[0]);
    losses.add(TRIMS, left_out[1]);
    losses.add(DIGITS, ios);
    losses.add(MEANWHILE, 1);
    Ok(Some(sums))
}

/// Whether the pattern that this IO belongs to is a random one. The second pattern of a mix has the upper
/// half of each stream's space.
fn is_random(pattern: &Pattern, io: &Io) -> bool {
    let Some(mix) = pattern.mix else { return pattern.rw.is_random() };
    if !matches!(mix.turns, Turns::Ratio(_)) {
        return pattern.rw.is_random();
    }
    let job = u32::from(io.stream).min(pattern.numjobs - 1);
    let space = pattern.job_space(job);
    let half_bytes = space.size_bytes / (2 * pattern.grid().0) * pattern.grid().0;
    let at_bytes = io.offset_bytes.saturating_sub(space.offset_bytes + pattern.shift.0);
    (if at_bytes >= half_bytes { mix.rw } else { pattern.rw }).is_random()
}

fn line(material: &Material, finished: &Finished, number: usize, sums: Option<&Sums>) -> String {
    let Finished { experiment, run, .. } = finished;
    let pattern = &experiment.pattern;
    let device = material.stored.manifest.target.name.replace(';', ",");
    let (burst, pause_us) = (pattern.thinktime_blocks, pattern.thinktime.0 as f64 / 1e3);
    format!(
        "{device};{};{};{};{number};{};{};{};{};{};{};{pause_us};{burst};{};{};{}",
        experiment.micro,
        experiment.id(),
        experiment.label,
        experiment.curve,
        pattern.bs.0,
        pattern.shift.0,
        pattern.offset.0,
        pattern.size.0,
        pattern.numjobs,
        run.ios,
        ignored(finished),
        sums.map_or(";;;".into(), Sums::text),
    )
}
