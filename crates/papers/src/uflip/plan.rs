//! Paper 001, sections 4.1 and 4.2: the benchmark plan, as [`Plan`] makes it for the paper's devices.

use flashscope_bench::{Effort, Plan, Preparation, Scope, Settings, State, Step};
use flashscope_core::pattern::Rw;
use flashscope_core::{Bytes, TargetInfo};
use flashscope_lab::Result;

use crate::claim::Claim;
use crate::claim::EXACTLY;
use crate::papers::UFLIP;
use crate::stage::Stage;
use crate::study::{Found, Study};

/// The size of the paper's large devices, and of its small ones.
const SIZES: [u64; 2] = [32_000_000_000, 4_000_000_000];
const REPEATS: u32 = 3;

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "uflip-plan",
    paper: &UFLIP,
    place: "sections 1, 4.1 and 4.2",
    about: "The plan of the whole benchmark, three runs of each experiment, for devices of 32 and 4 GB.",
    claims: &[
        Claim::figure("resets", "on 32 GB the state is never reset", 0.0, "resets")
            .near(0.0, 0.0, EXACTLY)
            .computed()
            .at("section 4.2"),
        Claim::shape(
            "resets-of-small",
            "resets are inserted only when the target spaces of sequential writes are larger than the \
             device: on 4 GB, against how often they fill it",
            "alike",
            "x",
        )
        .near(0.8, 1.25, "equal within 25 %")
        .kind(0.5, 2.0)
        .because(
            "random writes have target spaces of their own here, too, so that no run finds what another has \
             written; they fill the device as well",
        )
        .at("section 4.2")
        .computed(),
        Claim::figure(
            "overlaps",
            "sequential writes go to target spaces that do not overlap: runs with a space of their own",
            0.0,
            "overlaps",
        )
        .near(0.0, 0.0, EXACTLY)
        .computed()
        .at("sections 4.1 and 4.2"),
        Claim::figure(
            "without-space",
            "so do all of them: runs with sequential writes that have no space of their own",
            0.0,
            "runs",
        )
        .near(0.0, 0.0, EXACTLY)
        .because(
            "mixes with random IOs and steps beyond a space's size go over the whole device, as table 1 \
             defines them; they come last",
        )
        .computed()
        .at("section 4.2"),
        Claim::figure(
            "grouped",
            "experiments with sequential writes are delayed and grouped together: runs without any behind \
             them, in each of three passes",
            0.0,
            "runs",
        )
        .near(0.0, 0.0, "a count; the baselines, which determine the length of all others, left out")
        .at("section 4.2")
        .computed(),
        Claim::shape(
            "data-points",
            "the results are tens of millions of data points: IOs of eleven devices at section 5.1's \
             IOCounts",
            "tens of millions",
            "million",
        )
        .near(10.0, 99.0, "two digits")
        .at("section 1")
        .computed(),
    ],
    run,
}];

/// The plan of table 1 for a device of that size.
pub fn of_the_paper(seed: u64, size_bytes: u64) -> Result<Plan> {
    let target = TargetInfo {
        name: "a device of paper 001".into(),
        size_bytes,
        logical_block_bytes: 512,
        virtual_time: true,
        engine: String::new(),
        queue_depth_max: 16,
        placements: 1,
        zones: None,
    };
    let settings = Settings {
        scope: Scope::Table1,
        state: State::Random,
        effort: Effort { ios_max: 1 << 20, ..Settings::default().effort },
        write: true,
        repeats: REPEATS,
        seed,
        span: Some(Bytes(size_bytes)),
        ..Settings::default()
    };
    // What came after the paper is not in it.
    let all = flashscope_bench::Micros::builtin();
    let uflip = all.iter().filter(|micro| micro.is_uflip);
    let only = Some(uflip.map(|micro| micro.name.to_string()).collect());
    let mut plan = Plan::new(&target, &Settings { only, ..settings })?;
    // Nor are rounds that are added where the precision asks for them.
    plan.steps.retain(|step| !step.is_added());
    Ok(plan)
}

/// Whether a run has random writes.
pub fn writes_at_random(step: &Step) -> bool {
    step.experiment.pattern.has(Rw::RandWrite)
}

fn run(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let plan = of_the_paper(stage.seed, SIZES[0])?;
    found.measured("resets", (plan.enforcements - 1) as f64);
    let (own, without): (Vec<&Step>, Vec<&Step>) =
        plan.steps.iter().filter(|step| writes_in_order(step)).partition(|step| has_space(step, &plan));
    found.measured("overlaps", overlaps(&own) as f64);
    found.measured("without-space", without.len() as f64);
    found.measured("grouped", (0..REPEATS).map(|pass| ungrouped(&plan, pass)).sum::<usize>() as f64);
    found.measured("data-points", data_points(&plan) / 1e6);
    let small = of_the_paper(stage.seed, SIZES[1])?;
    let resets = small.steps.iter().flat_map(|step| &step.before);
    let resets = resets.filter(|before| matches!(before, Preparation::Enforce(_))).count();
    let written = small.steps.iter().filter(|step| writes_in_order(step) && has_space(step, &small));
    let bytes: u64 = written.map(|step| step.experiment.pattern.size.0).sum();
    found.measured("resets-of-small", resets as f64 / (bytes as f64 / SIZES[1] as f64).floor());
    Ok(found)
}

fn writes_in_order(step: &Step) -> bool {
    step.experiment.pattern.has(Rw::Write)
}

/// Runs of a pass without sequential writes, behind the first with such. Baselines tell what the others need.
fn ungrouped(plan: &Plan, pass: u32) -> usize {
    let of_pass = plan.steps.iter().filter(|step| step.repeat == pass && step.experiment.micro != "baseline");
    let behind = of_pass.skip_while(|step| !writes_in_order(step));
    behind.filter(|step| !writes_in_order(step)).count()
}

fn has_space(step: &Step, plan: &Plan) -> bool {
    step.experiment.pattern.size.0 <= plan.frame.room.0
}

/// Pairs of runs whose target spaces overlap.
fn overlaps(steps: &[&Step]) -> usize {
    let mut spaces: Vec<(u64, u64)> = steps
        .iter()
        .map(|step| (step.experiment.pattern.offset.0, step.experiment.pattern.end_bytes()))
        .collect();
    spaces.sort_unstable();
    spaces.windows(2).filter(|pair| pair[1].0 < pair[0].1).count()
}

/// IOs of all runs on six SSDs and five slow or small devices (table 2).
fn data_points(plan: &Plan) -> f64 {
    let ios = |step: &Step| 6 * if writes_at_random(step) { 5120 } else { 1024 } + 5 * 512;
    plan.steps.iter().map(ios).sum::<u64>() as f64
}
