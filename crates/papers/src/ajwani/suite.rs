//! Paper 000, appendix A: the numbers of its method, counted in the plan of the suite `ajwani`.

use flashscope_analysis::Cut;
use flashscope_bench::{BenchError, GAIN_MIN, Length, Plan, Preparation, Scope, Settings, Suites};
use flashscope_core::pattern::Rw;
use flashscope_core::{Bytes, Nanos};
use flashscope_lab::Result;

use crate::claim::Claim;
use crate::devices::MLC_LOG_BLOCKS;
use crate::papers::AJWANI;
use crate::stage::Stage;
use crate::study::{Found, Study};

const fn count(name: &'static str, words: &'static str, figure: f64, unit: &'static str) -> Claim {
    Claim::figure(name, words, figure, unit).near(figure, figure, "a setting of the plan: exactly").computed()
}

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "ajwani-suite",
    paper: &AJWANI,
    place: "appendix A",
    about: "The plan of the suite ajwani: what it would do, and for how long. Nothing is run. The \
            paper's writes hold the device's age, or the values 0 to 255 in turn; flashscope's \
            hold noise, which no compression shrinks.",
    claims: &[
        count("smallest", "buffer sizes start at 512 bytes", 512.0, "B"),
        count("largest", "and double to 8 MB at least", 8.0, "MiB"),
        count("patterns", "sequential and random reads and writes, in this order", 4.0, "patterns"),
        count("repeats", "each pattern is performed three times", 3.0, "times"),
        count("limit", "with a time limit of 30 seconds", 30.0, "s"),
        count("total", "which are 90 seconds for each pattern", 90.0, "s"),
        count("fill", "before, the entire device is written with a 1 MB buffer", 1.0, "MiB"),
        count("self-scaling", "doubling goes on until the throughput grows by less than 2.5 %", 2.5, "%"),
        count("bursts", "bursts of random writes of 5, 30 and 60 s", 3.0, "lengths of 3"),
        count("phases", "then sequential writes in 30 phases", 30.0, "phases"),
        count("phase", "of 4 seconds", 4.0, "s"),
        count("burst-sizes", "bursts of 2 KB, and of the same size", 2.0, "kinds"),
        count("misaligned", "misalignments of 2, 16 and 32 KB", 3.0, "shifts of 3"),
        count("misaligned-runs", "in 3 phases of 30 seconds", 3.0, "times"),
        count("endurance", "1,000 writes of everything between detailed looks", 1000.0, "writes"),
        count("endurance-looks", "and looks of 3 times 30 seconds for each pattern and size", 90.0, "s"),
        count("permutation", "no random address is repeated until all are written", 0.0, "repeats"),
        Claim::not_here(
            "raw",
            "raw I/O has significant overheads with small buffers",
            "significant",
            "a property of the raw devices of Linux 2.6, which are gone",
        ),
    ],
    run,
}];

fn run(stage: &Stage<'_>) -> Result<Found> {
    let bench = stage.device(MLC_LOG_BLOCKS, &[("capacity", "4GiB")])?;
    let suites = Suites::builtin();
    let suite = suites.find("ajwani").map_err(BenchError::from)?;
    let values = [("endurance".to_string(), "1".to_string())];
    let settings = Settings { write: true, seed: stage.seed, ..Settings::of(suite, Scope::Table1) };
    let plan = Plan::of(suite, &values, bench.info(), &settings)?;
    let mut found = Found::default();
    of_aligned(&plan, &mut found);
    of_bursts(&plan, &mut found);
    let misaligned: Vec<_> = of(&plan, "misaligned").collect();
    let shifts = [2u64, 16, 32].map(|kib| Bytes(kib << 10));
    let of_shift = |shift: &&Bytes| misaligned.iter().any(|step| step.experiment.pattern.shift == **shift);
    found.measured("misaligned", shifts.iter().filter(of_shift).count() as f64);
    let timed = misaligned.iter().filter(|step| step.length == Length::Time(Nanos::from_s(30)));
    found.measured("misaligned-runs", f64::from(timed.map(|step| step.repeat + 1).max().unwrap_or(0)));
    let fills = plan.steps.iter().flat_map(|step| &step.before).filter_map(|before| match before {
        Preparation::Fill { times, .. } => Some(*times),
        _ => None,
    });
    found.measured("endurance", f64::from(fills.max().unwrap_or(0)));
    found.measured("total", total_s(&plan, "aligned"));
    found.measured("endurance-looks", total_s(&plan, "endurance"));
    Ok(found)
}

/// The steps of a group.
fn of<'p>(plan: &'p Plan, group: &'p str) -> impl Iterator<Item = &'p flashscope_bench::Step> {
    plan.steps.iter().filter(move |step| step.experiment.micro == group)
}

/// How long the first pattern and size of a group runs, all its repeats together.
fn total_s(plan: &Plan, group: &str) -> f64 {
    let first = of(plan, group).next().map(|step| &step.experiment);
    let same = of(plan, group).filter(|step| Some(&step.experiment) == first);
    same.map(|step| if let Length::Time(time) = step.length { time.as_s() } else { 0.0 }).sum()
}

fn of_aligned(plan: &Plan, found: &mut Found) {
    let steps: Vec<_> = of(plan, "aligned").collect();
    let unconditional: Vec<u64> =
        steps.iter().filter(|s| s.only_if.is_none()).map(|s| s.experiment.pattern.bs.0).collect();
    found.measured("smallest", unconditional.iter().min().copied().unwrap_or(0) as f64);
    found.measured("largest", unconditional.iter().max().copied().unwrap_or(0) as f64 / f64::from(1 << 20));
    let mut order: Vec<Rw> = steps.iter().map(|step| step.experiment.pattern.rw).collect();
    order.dedup();
    let is_theirs = order.chunks(4).all(|four| four == Rw::ALL);
    found.measured("patterns", if is_theirs { 4.0 } else { 0.0 });
    found.measured("repeats", f64::from(steps.iter().map(|step| step.repeat + 1).max().unwrap_or(0)));
    let limits =
        steps.iter().map(|step| if let Length::Time(time) = step.length { time.as_s() } else { 0.0 });
    found.measured("limit", limits.fold(0.0, f64::max));
    let first = steps[0].before.iter().find_map(|before| match before {
        Preparation::Fill { bs, times: 1 } => Some(bs.0 as f64 / f64::from(1 << 20)),
        _ => None,
    });
    found.measured("fill", first.unwrap_or(0.0));
    found.measured("self-scaling", 100.0 * GAIN_MIN);
    let random = steps.iter().find(|step| step.experiment.pattern.rw == Rw::RandWrite);
    found.measured("permutation", random.map_or(f64::NAN, |step| repeated(step) as f64));
}

/// How many of a step's addresses come again in its first pass.
fn repeated(step: &flashscope_bench::Step) -> usize {
    use flashscope_core::{PatternSource, Request, RequestSource};
    let pattern = &step.experiment.pattern;
    let slots = (pattern.size.0 / pattern.bs.0).min(1 << 20) as usize;
    let mut requests = vec![Request::default(); slots];
    let count = PatternSource::new(pattern, 0, step.seed).fill(&mut requests);
    let mut places: Vec<u64> = requests[..count].iter().map(|request| request.offset_bytes).collect();
    places.sort_unstable();
    places.dedup();
    count - places.len()
}

fn of_bursts(plan: &Plan, found: &mut Found) {
    let steps: Vec<_> = of(plan, "after-burst").collect();
    let mut lengths = Vec::new();
    let mut kinds = [false; 2];
    for step in &steps {
        for before in &step.before {
            if let Preparation::Burst { pattern, length: Length::Time(time) } = before {
                lengths.push(time.as_s() as u64);
                let is_small = pattern.bs == Bytes(2 << 10);
                let is_same = pattern.bs == step.experiment.pattern.bs;
                kinds[0] |= is_small && !is_same;
                kinds[1] |= is_same && !is_small;
            }
        }
    }
    found.measured("bursts", [5, 30, 60].iter().filter(|wanted| lengths.contains(wanted)).count() as f64);
    found.measured("burst-sizes", kinds.iter().filter(|is_there| **is_there).count() as f64);
    let Some(step) = steps.first() else { return };
    let Length::Time(time) = step.length else { return };
    let Some((Cut::Time(phase), _)) = step.windows else { return };
    found.measured("phase", phase.as_s());
    found.measured("phases", time.0 as f64 / phase.0 as f64);
}
