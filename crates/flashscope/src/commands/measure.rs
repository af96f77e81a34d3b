//! `flashscope measure`: one pattern until its mean is known well enough.

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_analysis::{Finished, Run, Stop};
use flashscope_bench::GAIN_MIN;
use flashscope_core::number::{counted, size, span};
use flashscope_core::{Bytes, Nanos, Share};
use flashscope_lab::{
    BegunMeasurement, MEASURE_BUDGET, MeasureRequest, MeasureResult, OpenMeasurement, TargetSpec,
};
use flashscope_show::{REPORT, figures, measure_json, measure_view};
use serde_json::{Value, json};

use crate::args::{LabArgs, WriteArgs};
use crate::confirm::confirm;
use crate::exit::Done;
use crate::facts::forewarn;
use crate::pattern_args::PatternArgs;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::{pages, signal};

/// `flashscope measure`.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Target to measure
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: String,
    #[command(flatten)]
    /// The pattern.
    pub pattern: PatternArgs,
    /// Target precision: half width of the mean's 95 % CI [default: 5%]
    #[arg(long, value_name = "SHARE", conflicts_with_all = ["number_ios", "runtime"])]
    pub precision: Option<Share>,
    /// Measure for this long
    #[arg(long, value_name = "TIME")]
    pub runtime: Option<Nanos>,
    /// Look for a change of level in at least this many IOs
    #[arg(
        long, value_name = "N", conflicts_with_all = ["number_ios", "runtime"],
    )]
    pub explore_ios: Option<u64>,
    /// Stop after this long, even if the target precision is not reached
    #[arg(long, value_name = "TIME", conflicts_with = "runtime")]
    pub budget: Option<Nanos>,
    #[command(flatten)]
    /// Leave to write.
    pub writing: WriteArgs,
    #[command(flatten)]
    /// Engine and output.
    pub lab: LabArgs,
}

/// Runs the command.
pub fn run(args: &MeasureArgs, screen: &Screen) -> Result<Done> {
    let request = request(args)?;
    let opened = OpenMeasurement::new(&request, signal::interrupt())?;
    if opened.pattern().writes() {
        confirm(opened.target(), args.writing.confirm.as_deref(), &written(&opened, &request))?;
    }
    let begun = opened.begin(args.lab.output.as_deref())?;
    forewarn(begun.facts(), screen);
    let result = measure(begun, screen);
    if let Some(error) = result.error {
        let (ios, dir) = (result.finished.last().map_or(0, |done| done.run.ios), result.folder.display());
        if result.finished.last().is_some_and(|done| done.run.outcome.stopped_because == Stop::Failed) {
            screen.note(&format!("{} measured before the error are stored in {dir}", counted(ios, "IO")));
        }
        return Err(error.into());
    }
    pages::put(&result.folder, screen);
    Session { args, screen, result: &result }.conclude()
}

/// What the flags ask for.
fn request(args: &MeasureArgs) -> Result<MeasureRequest> {
    let scales_bs = args.pattern.given("bs") == Some("auto");
    let pattern = if scales_bs { args.pattern.without("bs") } else { args.pattern.clone() }.pattern()?;
    Ok(MeasureRequest {
        scales_bs,
        precision: args.precision.map(|precision| precision.0),
        runtime: args.runtime,
        explore_ios: args.explore_ios,
        budget: args.budget,
        write: args.writing.write,
        overwrite_existing_data: args.writing.overwrite_existing_data,
        seed: args.lab.seed,
        data: args.lab.data,
        engine: args.lab.engine,
        ..MeasureRequest::new(TargetSpec::from(args.target.as_str()), pattern)
    })
}

/// The pattern, and how much it writes.
fn written(opened: &OpenMeasurement<'_>, request: &MeasureRequest) -> String {
    let pattern = opened.pattern();
    let most = request.runtime.or(request.budget).unwrap_or(MEASURE_BUDGET);
    let end = pattern.number_ios.map_or(format!("for at most {most}"), |ios| {
        let ios = ios.saturating_mul(u64::from(pattern.numjobs));
        format!("{} in total", size(ios as f64 * pattern.bs.0 as f64))
    });
    format!("{pattern}\n  {end}")
}

fn measure(begun: BegunMeasurement<'_>, screen: &Screen) -> MeasureResult {
    let mut progress = Progress::new(screen);
    let result = begun.measure(&mut |event| progress.hear(event), signal::interrupt());
    progress.finish();
    result
}

/// One call of the command: flags, and what came of them.
struct Session<'a> {
    args: &'a MeasureArgs,
    screen: &'a Screen,
    result: &'a MeasureResult,
}

impl Session<'_> {
    fn tell_place(&self) {
        let (dir, page) = (self.result.folder.display(), REPORT);
        self.screen.note(&format!("  results in {dir}   (page: {dir}/{page})"));
    }

    /// Prints the run, or the size that was chosen with what a measurement of it alone would say, and all
    /// that were tried.
    fn conclude(&self) -> Result<Done> {
        let MeasureResult { folder, context, finished, chosen_bs, .. } = self.result;
        let last = finished.last().expect("without an error there is a run");
        match (chosen_bs, self.args.lab.json) {
            (Some(chosen), true) => {
                self.screen.print(&serde_json::to_string_pretty(&self.scaled_json(*chosen, finished))?)?;
            }
            (None, true) => {
                self.screen.print(&serde_json::to_string_pretty(&measure_json(context, last))?)?
            }
            (Some(chosen), false) => self.screen.print(&scaled_view(*chosen, finished))?,
            (None, false) => {
                let responses = figures::responses(folder, last);
                let means_ns = responses.map_or(Vec::new(), |responses| responses.mean_ns);
                self.screen.print(&measure_view(context, last, &means_ns, self.screen.style()))?;
            }
        }
        if !self.args.lab.json {
            self.tell_place();
        }
        // A size that ended early ends the search with it.
        Ok(self.status(&last.run))
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

    fn scaled_json(&self, chosen: Bytes, tried: &[Finished]) -> Value {
        let rows = tried.iter().map(|finished| {
            let mean_ms = finished.run.outcome.estimate.map(|estimate| estimate.mean_ns / 1e6);
            let bs_bytes = finished.experiment.pattern.bs.0;
            json!({ "bs_bytes": bs_bytes, "mean_ms": mean_ms, "ios": finished.run.ios })
        });
        let rows: Vec<_> = rows.collect();
        let of_chosen = tried.iter().find(|finished| finished.experiment.pattern.bs == chosen);
        let mut document =
            of_chosen.map_or(json!({}), |finished| measure_json(&self.result.context, finished));
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
        text += &format!("  {:>8}  {:>10}  {mib_s:>8} MiB/s\n", size(bs), span(estimate.mean_ns));
    }
    let last = tried.last().map(|finished| &finished.run.outcome);
    let is_cut = last.is_some_and(|outcome| outcome.stopped_because == Stop::Interrupted);
    let is_proved = tried.last().is_some_and(|finished| finished.experiment.pattern.bs != chosen)
        && last.is_some_and(|outcome| outcome.estimate.is_some());
    let chosen = size(chosen.0 as f64);
    text + &match (is_cut, is_proved) {
        (true, _) => format!("Interrupted at a block size of {chosen}: larger ones may be faster."),
        (false, false) => format!("Block size {chosen}: the largest that fits or has a mean."),
        (false, true) => {
            let gain = GAIN_MIN * 100.0;
            format!("Block size {chosen}: doubling it gains less than {gain} % throughput.")
        }
    }
}
