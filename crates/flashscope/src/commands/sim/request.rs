//! What the flags of `flashscope sim` ask for.

use anyhow::Result;
use flashscope_lab::sweep::Work;
use flashscope_lab::{PlannedSweep, SweepSpec, TraceInput, override_pair};
use flashscope_sim::settings::Initial;

use super::{InitialArg, SimArgs};
use crate::exit::Usage;
use crate::traces::ReadArgs;
use crate::traces::timing::TimingArg;

/// What the flags ask for.
pub fn request(args: &SimArgs) -> Result<SweepSpec> {
    let work = work(args)?;
    Ok(SweepSpec {
        profile: args.profile.clone(),
        ftl: args.ftl.clone(),
        gc: args.gc.clone(),
        buffer: args.buffer.clone(),
        buffer_size: args.buffer_size.clone(),
        capacity: args.capacity.clone(),
        over_provisioning: args.over_provisioning.clone(),
        set: args.set.iter().map(|text| override_pair(text)).collect::<Result<_, _>>()?,
        initial: args.initial.map(|initial| match initial {
            InitialArg::Full => Initial::Full,
            InitialArg::Empty => Initial::Empty,
            InitialArg::Random => Initial::Random,
        }),
        ignore_flush: args.ignore_flush,
        work,
        warmup_ios: args.warmup,
        final_flush: !args.no_final_flush,
        load_state: args.load_state.clone(),
        jobs: args.jobs,
        seed: args.seed,
    })
}

fn work(args: &SimArgs) -> Result<Work> {
    let Some(path) = &args.trace else {
        if args.pipeline.is_given() {
            let message = "--device, --op, --fit, --repeat and similar flags need --trace";
            return Err(Usage(message.into()).into());
        }
        let mut pattern = args.pattern.pattern()?;
        if let Some(theta) = args.zipf {
            let text = format!("zipf:{theta}");
            let set = pattern.set_all([("random", text)].into_iter());
            set.map_err(|error| Usage(format!("--zipf: {}", error.problem)))?;
        }
        return Ok(Work::Pattern(pattern));
    };
    refuse_pattern_flags(args)?;
    let (from, columns) = (args.from.clone(), args.columns.clone());
    let read = ReadArgs { from, lenient: args.lenient, columns, units: args.units, stage: args.stage };
    let (file, pipeline) = (read.file(path), args.pipeline.pipeline()?);
    let trace = TraceInput { file, pipeline, timing: args.timing.into() };
    Ok(Work::Trace(Box::new(trace), args.pattern.pattern()?.iodepth))
}

/// Refuses flags of a pattern beside a trace, where they would have no effect.
fn refuse_pattern_flags(args: &SimArgs) -> Result<(), Usage> {
    let file = args.pattern.has_file().then_some("pattern");
    if let Some(flag) = file.or(args.pattern.first_given(&["iodepth"])) {
        let flag = flag.replace('_', "-");
        return Err(Usage(format!("--{flag} belongs to a pattern and excludes --trace; leave out one")));
    }
    if args.timing != TimingArg::Asap && args.pattern.given("iodepth").is_some() {
        return Err(Usage("--iodepth needs --timing asap; leave out one".into()));
    }
    Ok(())
}

/// Flags that no device of the sweep uses, and why.
pub fn ignored(planned: &PlannedSweep) -> impl Iterator<Item = &'static str> {
    let gc = "--gc has no effect: only the FTL `page` has a victim policy";
    let size = "--buffer-size has no effect without a buffer; choose one with --buffer";
    let gc = planned.ignores_gc().then_some(gc);
    gc.into_iter().chain(planned.ignores_buffer_size().then_some(size))
}
