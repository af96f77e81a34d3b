//! How long reads take beside writes, by what the scheduler of the dies does: the table and the picture of
//! docs/simulator.md.
//!
//! `cargo run --release -p flashscope-sim --example read_tail [-- PICTURE.svg]`
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target, Time};
use flashscope_sim::nand::{Cell, SchedulerSettings};
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd};

const PAGE: u32 = 4096;
const READS_S: f64 = 50_000.0;
const WRITES_S: f64 = 8_000.0;
const IOS: usize = 2_000_000;
const WARM_UP_IOS: usize = 500_000;

/// Response times in order, in ns.
struct Responses {
    reads: Vec<u64>,
    writes: Vec<u64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| reads p50 | p99 | p99.9 | p99.99 | writes p50 | p99.9 | scheduler |");
    println!("|---|---|---|---|---|---|---|");
    let mut all = Vec::new();
    for (name, scheduler) in schedulers() {
        let responses = measure(scheduler)?;
        let us = |sorted: &[u64], share: f64| format!("{:.0} us", quantile(sorted, share) as f64 / 1e3);
        let reads = [0.5, 0.99, 0.999, 0.9999].map(|share| us(&responses.reads, share)).join(" | ");
        let writes = [0.5, 0.999].map(|share| us(&responses.writes, share)).join(" | ");
        println!("| {reads} | {writes} | {name} |");
        all.push((name, responses));
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, picture(&all))?;
    }
    Ok(())
}

fn schedulers() -> [(&'static str, SchedulerSettings); 5] {
    let first = SchedulerSettings { read_priority: true, overtaking_reads_max: 16, ..Default::default() };
    let erases =
        SchedulerSettings { suspend_erases: true, erase_suspend_us: 100.0, resume_us: 5.0, ..first.clone() };
    let both = SchedulerSettings { suspend_programs: true, program_suspend_us: 25.0, ..erases.clone() };
    let unbounded = SchedulerSettings { overtaking_reads_max: 0, ..both.clone() };
    [
        ("in order", SchedulerSettings::default()),
        ("reads first", first),
        ("and erases suspended", erases),
        ("and programs suspended", both),
        ("and without a bound", unbounded),
    ]
}

/// 4 channels with 4 dies of TLC, 28 % of spare flash, random data.
fn drive(scheduler: SchedulerSettings) -> Settings {
    let mut settings = Settings { capacity: Bytes(2 << 30), over_provisioning: 0.28, ..Settings::default() };
    settings.initial = Initial::Random;
    (settings.nand.channels, settings.nand.dies) = (4, 4);
    settings.nand.cell = Cell::Tlc;
    (settings.nand.pages_per_program, settings.nand.pages_per_block) = (4, 64);
    settings.nand.transfer_us = 3.4;
    settings.scheduler = scheduler;
    settings
}

/// Random reads and writes of one page that come at random times, whatever became of those before.
fn measure(scheduler: SchedulerSettings) -> Result<Responses, Box<dyn std::error::Error>> {
    let mut ssd = Ssd::new("drive", drive(scheduler), 1)?;
    let pages = u64::from(ssd.logical_pages());
    let (mut random, mut at_ns) = (Random::new(1), 0.0);
    let mut out = Vec::<Completion>::new();
    let mut responses = Responses { reads: Vec::new(), writes: Vec::new() };
    for io in 0..WARM_UP_IOS + IOS {
        at_ns -= (1.0 - random.unit()).ln() * 1e9 / (READS_S + WRITES_S);
        ssd.reap(usize::MAX, Time(at_ns as u64), &mut out)?;
        let is_read = random.unit() < READS_S / (READS_S + WRITES_S);
        let (op, kind) = if is_read { (Op::Read, 0) } else { (Op::Write, 1) };
        let offset_bytes = random.below(pages) * u64::from(PAGE);
        // Tags: two to tell the kind, and what belongs to the warm-up.
        let tag = if io < WARM_UP_IOS { 2 } else { kind };
        ssd.submit(&[Request { op, offset_bytes, length_bytes: PAGE, tag, ..Request::default() }])?;
        for done in out.drain(..) {
            match done.tag {
                0 => responses.reads.push(done.completed.since(done.submitted).0),
                1 => responses.writes.push(done.completed.since(done.submitted).0),
                _ => {}
            }
        }
    }
    responses.reads.sort_unstable();
    responses.writes.sort_unstable();
    Ok(responses)
}

fn quantile(sorted: &[u64], share: f64) -> u64 {
    sorted[((sorted.len() as f64 * share) as usize).min(sorted.len() - 1)]
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const COLOURS: [&str; 5] = ["#555555", "#1f77b4", "#2ca02c", "#d62728", "#9467bd"];

/// Share of the reads that take longer, both axes in powers of ten: 10 us to 100 ms, all to one in 100,000.
fn picture(all: &[(&str, Responses)]) -> String {
    let x = |ns: f64| 72.0 + (ns.log10() - 4.0) / 4.0 * (WIDTH - 100.0);
    let y = |share: f64| 20.0 - share.log10() / 5.0 * (HEIGHT - 70.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut line = |x1: f64, y1: f64, x2: f64, y2: f64, text: &str, tx: f64, ty: f64| {
        _ = writeln!(
            svg,
            "<path d=\"M{x1:.0} {y1:.0}L{x2:.0} {y2:.0}\" stroke=\"#ddd\"/>\
             <text x=\"{tx:.0}\" y=\"{ty:.0}\" text-anchor=\"end\">{text}</text>"
        );
    };
    for (power, text) in (4..).zip(["10 us", "100 us", "1 ms", "10 ms", "100 ms"]) {
        let at = x(10_f64.powi(power));
        line(at, y(1.0), at, y(1e-5), text, at + 16.0, HEIGHT - 32.0);
    }
    for (power, text) in (0..).zip(["all", "1 in 10", "1 in 100", "1 in 1,000", "1 in 10^4", "1 in 10^5"]) {
        let at = y(10_f64.powi(-power));
        line(x(1e4), at, x(1e8), at, text, 68.0, at + 4.0);
    }
    for (i, (name, responses)) in all.iter().enumerate() {
        let points: Vec<String> = (0..=100)
            .map(|step| 10_f64.powf(-f64::from(step) / 20.0))
            .map(|share| (quantile(&responses.reads, 1.0 - share).max(10_000) as f64, share))
            .map(|(ns, share)| format!("{:.1},{:.1}", x(ns), y(share)))
            .collect();
        let (colour, at) = (COLOURS[i % COLOURS.len()], 20.0 + [0.0, 60.0, 135.0, 280.0, 440.0][i % 5]);
        _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{at}\" y=\"{}\" fill=\"{colour}\">{name}</text>",
            points.join(" "),
            HEIGHT - 10.0
        );
    }
    svg + "</svg>\n"
}
