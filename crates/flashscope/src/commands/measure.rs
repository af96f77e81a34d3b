//! `flashscope measure`: one pattern until its mean is known well enough.

use anyhow::Result;
use flashscope_analysis::{Context, Experiment, Finished, Goal, Run, Stop};
use flashscope_bench::{
    BenchError, Effort, Event, GAIN_MIN, Journal, Lab, MeasuredRun, Measurement, State, measure, self_scaling,
};
use flashscope_core::number::{counted, size};
use flashscope_core::{Bytes, Nanos, Pattern, TargetInfo};
use flashscope_device::{Engine, Intent};
use flashscope_show::{measure_json, measure_view};
use flashscope_store::ResultFolder;
use serde_json::{Value, json};

use crate::cli::MeasureArgs;
use crate::confirm::confirm;
use crate::exit::{Done, Usage, not_zero};
use crate::figures;
use crate::journal::{FolderJournal, folder_path, fresh_seed};
use crate::manifest::{Facts, manifest};
use crate::pages;
use crate::progress::{Progress, rounded};
use crate::screen::Screen;
use crate::signal;
use crate::target::{Bench, Named, Opening};

/// Runs the command.
pub fn run(args: &MeasureArgs, screen: &Screen) -> Result<Done> {
    let named = Named::parse(&args.target);
    let is_scaling = args.pattern.given("bs") == Some("auto");
    if args.precision.is_some_and(|precision| precision.0 <= 0.0) {
        return Err(Usage(
            "--precision must be more than 0; for a fixed length use --number-ios or --runtime".into(),
        )
        .into());
    }
    for (flag, time) in [("--runtime", args.runtime), ("--budget", args.budget)] {
        not_zero(flag, time)?;
    }
    let mut pattern = if is_scaling { args.pattern.without("bs") } else { args.pattern.clone() }.pattern()?;
    if pattern.writes() && !args.writing.write && matches!(named, Named::Path(_)) {
        let problem = format!("{} writes to {}: add --write to allow it", pattern.rw, args.target);
        return Err(Usage(problem).into());
    }
    if args.lab.engine == Some(Engine::Sync) && pattern.in_flight() > 1 {
        let problem = "the sync engine has one IO in flight: leave out --engine, or --iodepth and --numjobs";
        return Err(Usage(problem.into()).into());
    }
    named.must_heed(&args.target, args.lab.engine, args.lab.data)?;
    let mut bench = Bench::open(&named, opening(args, &pattern, is_scaling))?;
    let depth = pattern.in_flight();
    bench.will_serve(depth..=depth);
    let info = bench.info().clone();
    if pattern.rw.is_trim() && bench.handle().is_none() && !bench.can_trim() {
        return Err(Usage(format!(
            "{} takes no discards: choose another --rw, or a simulated SSD",
            info.name
        ))
        .into());
    }
    if is_scaling {
        pattern.bs = Bytes(u64::from(info.logical_block_bytes));
    }
    let fit = |pattern: &Pattern, bs: Bytes| fitted(&Pattern { bs, ..pattern.clone() }, &info);
    let fits = fit(&pattern, pattern.bs);
    fits.validate(&info)?;
    if let Some(handle) = bench.handle().filter(|_| pattern.writes()) {
        let most = args.runtime.or(args.budget).unwrap_or(BUDGET);
        let end = fits.number_ios.map_or(format!("for at most {most}"), |ios| {
            let ios = ios.saturating_mul(u64::from(fits.numjobs));
            format!("{} in all", size(ios as f64 * fits.bs.0 as f64))
        });
        confirm(handle.identity(), args.writing.confirm.as_deref(), &format!("{fits}\n  {end}"))?;
    }
    let mut session = Session::new(args, &named, &mut bench, &fits, screen)?;
    if is_scaling {
        let mut tried = Vec::new();
        let scaled = self_scaling(pattern.bs, Bytes(info.size_bytes), |bs| {
            let finished = session.one(&mut bench, &fit(&pattern, bs))?;
            tried.push(finished.clone());
            anyhow::Ok(finished.run)
        })?;
        return session.conclude_scaled(scaled.bs, &tried);
    }
    let finished = session.one(&mut bench, &fits)?;
    session.conclude(&finished)
}

fn opening(args: &MeasureArgs, pattern: &Pattern, is_scaling: bool) -> Opening {
    let span_bytes = if pattern.size.0 == 0 { 0 } else { pattern.end_bytes() };
    let intent = Intent {
        write: pattern.writes(),
        span_bytes,
        // Pattern::validate checks sizes against the sector, with the setting's name.
        io_unit_bytes: 0,
        overwrite_existing_data: args.writing.overwrite_existing_data,
    };
    let io_bytes_max = if is_scaling { 8 << 20 } else { pattern.bs.0.clamp(512, 1 << 30) as u32 };
    Opening {
        intent,
        engine: args.lab.engine,
        data: args.lab.data,
        io_bytes_max,
        depth_max: pattern.in_flight().max(1),
        seed: args.lab.seed.unwrap_or_else(fresh_seed),
    }
}

/// The pattern with the whole rest of the target where no size was given.
fn fitted(pattern: &Pattern, info: &TargetInfo) -> Pattern {
    let mut fitted = pattern.clone();
    if fitted.size.0 == 0 && fitted.bs.0 > 0 {
        let rest = info.size_bytes.saturating_sub(fitted.offset.0.saturating_add(fitted.shift.0));
        fitted.size = Bytes(rest / fitted.bs.0 * fitted.bs.0);
    }
    fitted
}

/// Bytes that the first look at writes spans where time is virtual and IOs are cheap: more than a volatile
/// cache holds, whose writes say nothing about the medium behind it.
const VIRTUAL_FIRST_BYTES: u64 = 64 << 20;

/// IOs of the first look at a virtual target; 0 for reads, which fill no cache.
fn virtual_first_ios(pattern: &Pattern) -> u64 {
    let bytes_each = pattern.write_share() * pattern.bs.0 as f64;
    if bytes_each > 0.0 { (VIRTUAL_FIRST_BYTES as f64 / bytes_each).ceil() as u64 } else { 0 }
}

/// The most IOs that are spent on a precision.
const IOS_MAX: u64 = 1 << 24;
/// The longest that a real device is measured for a precision, unless `--budget` says otherwise.
const BUDGET: Nanos = Nanos::from_s(600);

/// One call of the command: folder, facts, flags.
struct Session<'a> {
    args: &'a MeasureArgs,
    screen: &'a Screen,
    folder: ResultFolder,
    context: Context,
    seed: u64,
}

impl<'a> Session<'a> {
    fn new(
        args: &'a MeasureArgs,
        named: &Named,
        bench: &mut Bench,
        pattern: &Pattern,
        screen: &'a Screen,
    ) -> Result<Session<'a>> {
        let seed = bench.seed();
        let facts = Facts::of(bench, &args.lab.data, seed);
        facts.forewarn(screen);
        let path = folder_path(args.lab.output.as_ref(), "measure-", named);
        let options = json!({ "target": args.target, "pattern": pattern, "seed": seed });
        let folder = ResultFolder::create(
            &path,
            &manifest(&facts, State::AsIs.name(), &[pattern.to_string()], options),
        )?;
        let context = Context {
            target: bench.info().clone(),
            state: State::AsIs.name().into(),
            generator_iops_max: Some(facts.overhead_iops_max),
            interference: None,
            complete: false,
            physical_block_bytes: bench.handle().map(|handle| handle.identity().physical_block_bytes),
        };
        bench.keep_inside(folder.path());
        // Before the first IO: then what a kill or a full disk leaves behind can be shown.
        folder.write_context(&context)?;
        Ok(Session { args, screen, folder, context, seed })
    }

    /// What ends the run.
    fn goal(&self, pattern: &Pattern) -> Option<Goal> {
        if self.args.runtime.is_some() || pattern.number_ios.is_some() {
            return None;
        }
        let precision = self.args.precision.map_or(0.05, |precision| precision.0);
        let effort = Effort { precision, confidence: 0.95, explore_factor: 1, ios_max: IOS_MAX };
        let goal = effort.exploring(pattern);
        let first_ios = if self.context.target.virtual_time { virtual_first_ios(pattern) } else { 0 };
        let explore_ios = self.args.explore_ios.unwrap_or(goal.explore_ios.max(first_ios));
        let explore_ios = explore_ios.max(pattern.ignore_ios);
        Some(Goal { explore_ios, ..goal })
    }

    /// Measures one pattern and stores it.
    fn one(&mut self, bench: &mut Bench, pattern: &Pattern) -> Result<Finished> {
        pattern.validate(bench.info())?;
        let runtime = match (self.args.runtime, self.args.budget) {
            (Some(runtime), _) => Some((runtime, Stop::Runtime)),
            (None, Some(budget)) => Some((budget, Stop::Budget)),
            // A real device that never settles must not be written for ever.
            (None, None) if self.context.target.virtual_time => None,
            (None, None) => self.goal(pattern).map(|_| (BUDGET, Stop::Budget)),
        };
        let goal = self.goal(pattern);
        let request = Measurement {
            pattern,
            beside: None,
            goal,
            runtime,
            enough: None,
            patience: None,
            windows: None,
            seed: self.seed,
            interrupted: signal::listen(),
        };
        let experiment = Experiment {
            micro: "measure".into(),
            curve: pattern.rw.short_name().into(),
            parameter: 0.0,
            label: pattern.bs.to_string(),
            pattern: pattern.clone(),
            beside: None,
        };
        let mut journal = FolderJournal {
            progress: Progress::new(self.screen),
            target: self.context.target.name.clone(),
            seed: self.seed,
            folder: &mut self.folder,
        };
        journal.hear(&Event::Started { number: 1, of: 1, experiment: &experiment, repeat: 0 });
        let mut recording = journal.begin(&experiment, 0, request.sources()).map_err(BenchError::Journal)?;
        bench.begin();
        let target = bench.target(pattern.in_flight())?;
        let mut look = |ios, estimate, why| journal.progress.hear(&Event::Look { ios, estimate, why });
        let MeasuredRun { run, error } = measure(target, &request, &mut recording, &mut look);
        let kept = journal.finish(recording, Finished { experiment, repeat: 0, run });
        journal.progress.finish();
        let finished = kept.map_err(BenchError::Journal)?;
        bench.end(&finished).map_err(BenchError::Journal)?;
        self.context.complete =
            !matches!(finished.run.outcome.stopped_because, Stop::Interrupted | Stop::Failed);
        self.folder.write_context(&self.context)?;
        match error {
            None => Ok(finished),
            Some(error) => {
                let dir = self.folder.path().display();
                let ios = counted(finished.run.ios, "IO");
                self.screen.note(&format!("{ios} measured before the error are kept in {dir}"));
                Err(error.into())
            }
        }
    }

    fn tell_place(&self) {
        let (dir, page) = (self.folder.path().display(), pages::REPORT);
        self.screen.note(&format!("  every IO is in {dir}/, the page to look at is {dir}/{page}"));
    }

    fn conclude(&self, finished: &Finished) -> Result<Done> {
        pages::put(self.folder.path(), self.screen);
        if self.args.lab.json {
            self.screen.print(&serde_json::to_string_pretty(&measure_json(&self.context, finished))?)?;
        } else {
            let responses = figures::responses(self.folder.path(), finished);
            let means_ns = responses.map_or(Vec::new(), |responses| responses.mean_ns);
            self.screen.print(&measure_view(&self.context, finished, &means_ns, self.screen.style()))?;
            self.tell_place();
        }
        Ok(self.status(&finished.run))
    }

    fn status(&self, run: &Run) -> Done {
        let outcome = &run.outcome;
        let is_reliable = outcome.stationary && (outcome.missing.is_none() || self.goal_is_fixed());
        match outcome.stopped_because {
            Stop::Interrupted => Done::Interrupted,
            _ if self.args.lab.strict && !is_reliable => Done::Unreliable,
            _ => Done::Well,
        }
    }

    /// The person fixed the length, so a missed precision is no surprise.
    fn goal_is_fixed(&self) -> bool {
        self.args.runtime.is_some() || self.args.pattern.given("number_ios").is_some()
    }

    /// The size that was chosen, with what a measurement of it alone would say, and all that were tried.
    fn conclude_scaled(&self, chosen: Bytes, tried: &[Finished]) -> Result<Done> {
        pages::put(self.folder.path(), self.screen);
        if self.args.lab.json {
            self.screen.print(&serde_json::to_string_pretty(&self.scaled_json(chosen, tried))?)?;
        } else {
            self.screen.print(&scaled_view(chosen, tried))?;
            self.tell_place();
        }
        // A size that ended early ends the search with it.
        Ok(tried.last().map_or(Done::Well, |last| self.status(&last.run)))
    }

    fn scaled_json(&self, chosen: Bytes, tried: &[Finished]) -> Value {
        let rows = tried.iter().map(|finished| {
            let mean_ms = finished.run.outcome.estimate.map(|estimate| estimate.mean_ns / 1e6);
            let bs_bytes = finished.experiment.pattern.bs.0;
            json!({ "bs_bytes": bs_bytes, "mean_ms": mean_ms, "ios": finished.run.ios })
        });
        let rows: Vec<_> = rows.collect();
        let of_chosen = tried.iter().find(|finished| finished.experiment.pattern.bs == chosen);
        let mut document = of_chosen.map_or(json!({}), |finished| measure_json(&self.context, finished));
        document["bs_bytes"] = chosen.0.into();
        document["tried"] = rows.into();
        document
    }
}

fn scaled_view(chosen: Bytes, tried: &[Finished]) -> String {
    let mut text = String::new();
    for finished in tried {
        let bs = finished.experiment.pattern.bs.0 as f64;
        let Some(estimate) = finished.run.outcome.estimate else { continue };
        let mib_s = |iops| format!("{:.1}", bs * iops / f64::from(1 << 20));
        let mib_s = finished.iops().map_or("-".into(), mib_s);
        text += &format!("  {:>8}  {:>10}  {mib_s:>8} MiB/s\n", size(bs), rounded(estimate.mean_ns));
    }
    let last = tried.last().map(|finished| &finished.run.outcome);
    let is_cut = last.is_some_and(|outcome| outcome.stopped_because == Stop::Interrupted);
    let is_proved = tried.last().is_some_and(|finished| finished.experiment.pattern.bs != chosen)
        && last.is_some_and(|outcome| outcome.estimate.is_some());
    let chosen = size(chosen.0 as f64);
    text + &match (is_cut, is_proved) {
        (true, _) => format!("Interrupted at a block size of {chosen}: larger ones may bring more."),
        (false, false) => format!("Block size {chosen}: the largest that fits or has a mean."),
        (false, true) => {
            let gain = GAIN_MIN * 100.0;
            format!("Block size {chosen}: doubling it brings less than {gain} % more throughput.")
        }
    }
}
