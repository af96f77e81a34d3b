//! `flashscope measure`: one pattern until its mean is known well enough.

mod jobs;

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_analysis::{Answered, Finished, Run, Stop, Threshold};
use flashscope_bench::GAIN_MIN;
use flashscope_core::number::{counted, size, span};
use flashscope_core::{Bytes, Nanos, Pattern, Share};
use flashscope_lab::{
    BegunMeasurement, JobSpec, LatencyTarget, MEASURE_BUDGET, MeasureRequest, MeasureResult, OnError,
    OpenMeasurement, Reach, TargetSpec,
};
use flashscope_show::{REPORT, figures, measure_view, measurement_json, with_answers};

use crate::args::{LabArgs, WriteArgs};
use crate::budget::{Budget, budgets};
use crate::confirm::confirm;
use crate::exit::Done;
use crate::facts::forewarn;
use crate::pattern_args::PatternArgs;
use crate::progress::Progress;
use crate::screen::{EXAMINING, OPENING, Screen};
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
    /// Look at least this far before the mean is believed: a time, a size or a share of the target, such as
    /// 10s, 4GiB or 200% [default: 6.2s]
    #[arg(long, value_name = "REACH", conflicts_with_all = ["number_ios", "runtime"])]
    pub horizon: Option<Reach>,
    /// Stop after this long or so many bytes written, even if the target precision is not reached
    #[arg(long, value_delimiter = ',', value_name = "TIME|SIZE", conflicts_with = "runtime")]
    pub budget: Vec<Budget>,
    /// Find the largest queue depth up to --iodepth at which IOs take at most this long, and measure that
    #[arg(long, value_name = "TIME", conflicts_with_all = ["number_ios", "runtime", "precision"])]
    pub latency_target: Option<Nanos>,
    /// Percentage of the IOs that must meet --latency-target [default: 100%]
    #[arg(long, value_name = "SHARE", requires = "latency_target")]
    pub latency_percentile: Option<Share>,
    /// How long each queue depth is tried for --latency-target [default: 5s]
    #[arg(long, value_name = "TIME", requires = "latency_target")]
    pub latency_window: Option<Nanos>,
    /// Measure several patterns at the same time, each of them a job: a name, its settings, and runtime,
    /// engine, flow, startdelay or exitall, such as 'log: rw=write bs=4k runtime=10s flow=8'
    #[arg(
        long, value_name = "NAME: SETTINGS", allow_hyphen_values = true,
        conflicts_with_all = ["budget", "latency_target"],
    )]
    pub job: Vec<JobSpec>,
    /// Go through the page cache instead of past it (fio's direct=0); what it holds of the target is dropped
    /// first
    #[arg(long)]
    pub buffered: bool,
    /// What a failed IO does: stop, or continue up to a share of failed IOs, 1% unless another is given
    /// [default: stop]
    #[arg(long, value_name = "stop|continue[=SHARE]")]
    pub on_error: Option<OnError>,
    /// Exit with status 5 if this holds, with 6 if its interval does not tell: mean, p50 to p99.99, iops or
    /// mb_s, such as 'p99 > 2ms'
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Threshold>,
    #[command(flatten)]
    /// Leave to write.
    pub writing: WriteArgs,
    #[command(flatten)]
    /// Engine and output.
    pub lab: LabArgs,
}

/// How long a queue depth is tried for a latency target.
const LATENCY_WINDOW: Nanos = Nanos::from_s(5);

/// Runs the command.
pub fn run(args: &MeasureArgs, screen: &Screen) -> Result<Done> {
    if !args.job.is_empty() {
        return jobs::run(args, screen);
    }
    let request = request(args)?;
    let opened = screen.during(OPENING, || OpenMeasurement::new(&request, signal::interrupt()))?;
    if opened.pattern().writes() {
        confirm(opened.target(), args.writing.confirm.as_deref(), &written(opened.pattern(), &request))?;
    }
    let begun = screen.during(EXAMINING, || opened.begin(args.lab.output.as_deref()))?;
    forewarn(begun.facts(), screen);
    let mut result = measure(begun, screen);
    if let Some(error) = result.error.take() {
        screen.note(&left(&result));
        return Err(error.into());
    }
    pages::put(&result.folder, screen);
    let is_fixed =
        args.runtime.is_some() || args.latency_target.is_some() || args.pattern.given("number_ios").is_some();
    Session { args, screen, result: &result, is_fixed }.conclude()
}

/// What the flags ask for.
fn request(args: &MeasureArgs) -> Result<MeasureRequest> {
    let scales_bs = args.pattern.given("bs") == Some("auto");
    let pattern = if scales_bs { args.pattern.without("bs") } else { args.pattern.clone() }.pattern()?;
    let (budget, write_budget) = budgets(&args.budget)?;
    Ok(MeasureRequest {
        scales_bs,
        latency_target: args.latency_target.map(|latency| LatencyTarget {
            latency,
            share: args.latency_percentile.map_or(1.0, |share| share.0),
            window: args.latency_window.unwrap_or(LATENCY_WINDOW),
        }),
        precision: args.precision.map(|precision| precision.0),
        runtime: args.runtime,
        explore_ios: args.explore_ios,
        horizon: args.horizon,
        budget,
        write_budget,
        write: args.writing.write,
        overwrite_existing_data: args.writing.overwrite_existing_data,
        buffered: args.buffered,
        on_error: args.on_error.unwrap_or(OnError::Stop),
        seed: args.lab.seed,
        data: args.lab.data,
        engine: args.lab.engine,
        ..MeasureRequest::new(TargetSpec::from(args.target.as_str()), pattern)
    })
}

/// The pattern, and how much it writes.
fn written(pattern: &Pattern, request: &MeasureRequest) -> String {
    let most = request.runtime.or(request.budget).unwrap_or(MEASURE_BUDGET);
    let end = pattern.number_ios.map_or(format!("for at most {most}"), |ios| {
        let ios = ios.saturating_mul(u64::from(pattern.numjobs));
        format!("{} in total", size(ios as f64 * pattern.bs_mean()))
    });
    let bound =
        request.write_budget.map_or(String::new(), |most| format!(", at most {}", size(most.0 as f64)));
    format!("{pattern}\n  {end}{bound}")
}

/// What a measurement that ended with an error leaves behind.
fn left(result: &MeasureResult) -> String {
    let dir = result.folder.display();
    match result.finished.last() {
        None => format!("no run is stored in {dir}"),
        Some(Finished { run, .. }) if run.records.is_some() => {
            format!("{} measured before the error are stored in {dir}", counted(run.ios, "IO"))
        }
        Some(Finished { run, .. }) => {
            let ios = counted(run.ios, "IO");
            format!("the summary of {ios} measured before the error is in {dir}, the single IOs are not")
        }
    }
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
    /// The person fixed the length, so a missed precision is no surprise.
    is_fixed: bool,
}

impl Session<'_> {
    fn tell_place(&self) {
        let dir = self.result.folder.display();
        // There is none where the disk is full.
        let has_page = self.result.folder.join(REPORT).exists();
        let page = if has_page { format!("   (page: {dir}/{REPORT})") } else { String::new() };
        self.screen.note(&format!("  results in {dir}{page}"));
    }

    fn last(&self) -> &Finished {
        self.result.finished.last().expect("without an error there is a run")
    }

    /// Whether each condition holds for the run, or for that of the size that was chosen.
    fn answers(&self) -> Vec<Answered> {
        let MeasureResult { finished, chosen_bs, .. } = self.result;
        let is_chosen = |done: &&Finished| Some(done.experiment.pattern.bs) == *chosen_bs;
        let judged = finished.iter().find(is_chosen).unwrap_or(self.last());
        self.args.fail_if.iter().map(|threshold| threshold.answer(judged)).collect()
    }

    /// It as JSON, and how the command ends with it.
    fn document(&self) -> (serde_json::Value, Done) {
        let MeasureResult { context, finished, chosen_bs, .. } = self.result;
        let answers = self.answers();
        let document = with_answers(measurement_json(context, finished, *chosen_bs), &answers);
        (document, self.status(&self.last().run, &answers))
    }

    /// Prints the run, or the size that was chosen with what a measurement of it alone would say, and all
    /// that were tried.
    fn conclude(&self) -> Result<Done> {
        if self.args.lab.json {
            let (document, done) = self.document();
            self.screen.print(&serde_json::to_string_pretty(&document)?)?;
            return Ok(done);
        }
        let MeasureResult { folder, context, finished, chosen_bs, .. } = self.result;
        let (last, answers) = (self.last(), self.answers());
        match chosen_bs {
            Some(chosen) => self.screen.print(&scaled_view(*chosen, finished))?,
            None => {
                let responses = figures::responses(folder, last);
                let means_ns = responses.map_or(Vec::new(), |responses| responses.mean_ns);
                self.screen.print(&measure_view(context, last, &means_ns, self.screen.style()))?;
            }
        }
        if let (Some(depth), Some(target)) = (self.result.chosen_iodepth, self.args.latency_target) {
            let percent = self.args.latency_percentile.map_or(100.0, |share| share.0 * 100.0);
            let percent = (percent * 1e6).round() / 1e6;
            let which = format!("the largest at which {percent} % of IOs took at most {target}");
            self.screen.print(&format!("  queue depth {depth}: {which}"))?;
        }
        for answered in &answers {
            self.screen.print(&format!("  fail if {answered}"))?;
        }
        self.tell_place();
        // A size that ended early ends the search with it.
        Ok(self.status(&last.run, &answers))
    }

    fn status(&self, run: &Run, answers: &[Answered]) -> Done {
        let outcome = &run.outcome;
        let has_all = outcome.missing.is_none() || self.is_fixed;
        let is_reliable = outcome.stationary && has_all && run.errors.is_empty();
        match outcome.stopped_because {
            Stop::Interrupted => Done::Interrupted,
            _ if self.args.lab.strict && !is_reliable => Done::Unreliable.with(answers),
            _ => Done::Well.with(answers),
        }
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
