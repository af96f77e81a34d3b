//! What the devices of a sweep are given to do: a pattern, or a trace. Each device gets the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use flashscope_core::{Bytes, Pacing, Pattern, PatternSource, Request, RequestSource, TargetInfo, Time};
use flashscope_sim::ssd::QUEUE_DEPTH_MAX;
use flashscope_trace::{
    Follower, LayoutCache, Leader, Reached, Stop, TraceError, TraceFile, TraceSource, cpu_files,
};

use crate::cli::SimArgs;
use crate::exit::Usage;
use crate::traces::ReadArgs;
use crate::traces::open::{message, open_end};
use crate::traces::pipeline::{PipelineArgs, Place};
use crate::traces::timing::Timing;

/// A workload, not yet bound to a device.
#[derive(Clone, Debug)]
pub enum Workload {
    /// A pattern, and the seed of its addresses.
    Pattern(Box<Pattern>, u64),
    /// A trace.
    Trace {
        /// The file.
        path: PathBuf,
        /// Its format; none to find out.
        format: Option<String>,
        /// Bad lines are counted, not fatal.
        lenient: bool,
        /// What of it is simulated, and how it is fitted.
        pipeline: Box<PipelineArgs>,
        /// What that needed to know of the whole of it.
        layouts: LayoutCache,
        /// Requests go when the trace says, or as soon as the one before is done.
        timing: Timing,
        /// Requests in flight, with [`Timing::Asap`].
        iodepth: u32,
    },
}

impl Workload {
    /// What the flags ask for.
    pub fn of(args: &SimArgs, seed: u64) -> Result<Workload> {
        let Some(path) = &args.trace else {
            if args.pipeline.is_given() {
                let message = "--device, --op, --fit, --repeat and the like change a trace: add --trace";
                return Err(Usage(message.into()).into());
            }
            let mut pattern = args.pattern.pattern()?;
            if let Some(theta) = args.zipf {
                let text = format!("zipf:{theta}");
                let set = pattern.set_all([("random", text)].into_iter());
                set.map_err(|error| Usage(format!("--zipf: {}", error.problem)))?;
            }
            return Ok(Workload::Pattern(Box::new(pattern), seed));
        };
        refuse_pattern_flags(args)?;
        let iodepth = args.pattern.pattern()?.iodepth;
        let path = if path == Path::new("-") { PathBuf::from(STDIN) } else { path.clone() };
        check_file(&path)?;
        let (format, lenient, timing) = (args.format.clone(), args.lenient, args.timing);
        let pipeline = Box::new(args.pipeline.clone());
        let layouts = LayoutCache::default();
        Ok(Workload::Trace { path, format, lenient, pipeline, layouts, timing, iodepth })
    }

    /// Refuses a trace that can be read but once, and is to be read `times`.
    pub fn can_be_read(&self, times: usize) -> Result<(), Usage> {
        let Workload::Trace { path, .. } = self else { return Ok(()) };
        if times < 2 || !TraceFile::new(path).is_read_once() {
            return Ok(());
        }
        Err(Usage(format!(
            "the trace {} is a pipe, which gives its lines once, and several simulations, or -o, read them \
             again; keep it in a file first, and name that with --trace",
            path.display()
        )))
    }

    /// IOs of one stream that are not counted: `--warmup` over all streams, or the pattern's `--ignore-ios`.
    pub fn warmup_ios(&self, warmup: Option<u64>) -> Result<u64, Usage> {
        let Workload::Pattern(pattern, _) = self else { return Ok(warmup.unwrap_or(0)) };
        match (warmup, pattern.ignore_ios) {
            (Some(_), 1..) => Err(Usage("--warmup and --ignore-ios say the same; leave one out".into())),
            (Some(ios), 0) => Ok(ios.div_ceil(u64::from(pattern.numjobs.max(1)))),
            (None, ios) => Ok(ios),
        }
    }

    /// Refuses a warm-up that leaves nothing to count, where that is known beforehand. The pattern is fitted.
    pub fn check_warmup(&self, each_ios: u64) -> Result<(), Usage> {
        let Workload::Pattern(pattern, _) = self else { return Ok(()) };
        match pattern.number_ios {
            Some(ios) if ios <= each_ios => {
                let jobs = u64::from(pattern.numjobs);
                let message = nothing_left(each_ios * jobs, ios * jobs, "pattern");
                Err(Usage(format!("{message}, or a larger --number-ios")))
            }
            _ => Ok(()),
        }
    }

    /// One line for people and files.
    pub fn describe(&self) -> String {
        match self {
            Workload::Pattern(pattern, _) => pattern.to_string(),
            Workload::Trace { path, .. } => format!("trace {}", path.display()),
        }
    }

    /// When the requests of a trace go.
    pub fn timing(&self) -> Option<String> {
        match self {
            Workload::Pattern(..) => None,
            Workload::Trace { timing, .. } => Some(timing.name().into()),
        }
    }

    /// What is changed of a trace, as flags.
    pub fn pipeline(&self) -> Vec<String> {
        match self {
            Workload::Pattern(..) => Vec::new(),
            Workload::Trace { pipeline, .. } => pipeline.flags(),
        }
    }

    /// The pattern as it fits a device: one pass over it, if neither count nor size was given.
    pub fn fitted(&self, info: &TargetInfo) -> Result<Workload> {
        let Workload::Pattern(pattern, seed) = self else { return Ok(self.clone()) };
        let mut fitted = (**pattern).clone();
        let bs = fitted.bs.0.max(1);
        if fitted.size.0 == 0 {
            let rest = info.size_bytes.saturating_sub(fitted.offset.0.saturating_add(fitted.shift.0));
            fitted.size = Bytes(rest / bs * bs);
        }
        if fitted.number_ios.is_none() {
            fitted.number_ios = Some((fitted.size.0 / bs).max(1));
        }
        fitted.validate(info).map_err(|error| Usage(error.to_string()))?;
        Ok(Workload::Pattern(Box::new(fitted), *seed))
    }

    /// Its requests for a device, one source for each stream, and when they go. Those of a trace end at
    /// Ctrl-C.
    ///
    /// # Errors
    /// What is wrong with the trace; [`crate::exit::Interrupted`] if it was while the trace was looked at
    /// beforehand.
    pub fn sources(&self, info: &TargetInfo) -> Result<(Vec<Source>, Pacing)> {
        match self {
            Workload::Pattern(pattern, seed) => {
                let source = |job| Source::Pattern(Box::new(PatternSource::new(pattern, job, *seed)));
                Ok(((0..pattern.numjobs).map(source).collect(), pattern.pacing()))
            }
            Workload::Trace { path, timing, iodepth, .. } => {
                let reached = Arc::<Reached>::default();
                let source = self.trace(info, |stop| stop.first(reached.clone()))?;
                let source = Box::new(Leader::new(source, reached));
                let iodepth = if *timing == Timing::Asap { *iodepth } else { QUEUE_DEPTH_MAX };
                Ok((vec![Source::Trace(source, path.clone())], timing.pacing(iodepth)))
            }
        }
    }

    /// The same once more, of a trace as far as the `first` sources were asked.
    ///
    /// # Errors
    /// As [`Workload::sources`].
    pub fn sources_again(
        &self,
        info: &TargetInfo,
        first: &[Source],
    ) -> Result<Vec<Box<dyn RequestSource + Send>>> {
        if let Some(Source::Trace(first, _)) = first.first() {
            let reached = first.reached();
            let source = self.trace(info, |stop| stop.second(reached.clone()))?;
            return Ok(vec![Box::new(Follower::new(source, reached.clone()))]);
        }
        let (sources, _) = self.sources(info)?;
        Ok(sources.into_iter().map(|source| Box::new(source) as _).collect())
    }

    /// The requests of the trace.
    fn trace(&self, info: &TargetInfo, until: impl Fn(Stop) -> Stop) -> Result<TraceSource> {
        let Workload::Trace { path, format, lenient, pipeline, layouts, timing, .. } = self else {
            return Err(anyhow!("a pattern is no trace"));
        };
        let read = ReadArgs { from: format.clone(), lenient: *lenient };
        let place = Place { size_bytes: Some(info.size_bytes), shift_bytes: 0 };
        let file = read.file(path);
        let file = TraceFile { stop: until(file.stop.clone()), ..file };
        let trace = pipeline.build(file, place, layouts)?;
        let source = TraceSource::new(trace, info, None);
        Ok(if *timing == Timing::Depth { source.with_depths() } else { source })
    }
}

/// The name of standard input as a file.
const STDIN: &str = "/dev/stdin";

/// Refuses flags of a pattern beside a trace, where they would have no effect.
fn refuse_pattern_flags(args: &SimArgs) -> Result<(), Usage> {
    let file = args.pattern.has_file().then_some("pattern");
    if let Some(flag) = file.or(args.pattern.first_given(&["iodepth"])) {
        let flag = flag.replace('_', "-");
        return Err(Usage(format!("--{flag} is for a pattern, and --trace was given; leave one out")));
    }
    if args.timing != Timing::Asap && args.pattern.given("iodepth").is_some() {
        let timing = args.timing.name();
        return Err(Usage(format!(
            "--iodepth has no effect with --timing {timing}: the trace says when; leave one out"
        )));
    }
    args.timing.check(&args.pipeline)
}

/// Refuses what can be no trace before anything is made.
fn check_file(path: &Path) -> Result<(), Usage> {
    if cpu_files(path).is_some() {
        return Ok(());
    }
    let metadata = path.metadata().map_err(|error| {
        Usage(format!("cannot read the trace {}: {error}; check the path", path.display()))
    })?;
    if metadata.is_dir() {
        let message = format!("{} is a folder; name one trace in it with --trace", path.display());
        return Err(Usage(message));
    }
    Ok(())
}

/// What to say of a warm-up that takes all there is.
pub fn nothing_left(warmup_ios: u64, ios: u64, what: &str) -> String {
    format!(
        "a warm-up of {warmup_ios} IOs leaves none to count: the {what} has {ios}; give a smaller --warmup"
    )
}

/// Requests from either.
pub enum Source {
    /// A pattern's.
    Pattern(Box<PatternSource>),
    /// A trace's, and its file.
    Trace(Box<Leader<TraceSource>>, PathBuf),
}

impl Source {
    fn trace(&self) -> Option<(&TraceSource, &Path)> {
        match self {
            Source::Pattern(_) => None,
            Source::Trace(source, path) => Some((source.inner(), path)),
        }
    }

    /// What ended a trace before its end, but for an interruption.
    pub fn error(&self) -> Option<String> {
        let (source, path) = self.trace()?;
        source.error().filter(|error| !error.is_interruption()).map(|error| message(path, error))
    }

    /// Whether an interruption ended a trace before its end.
    pub fn is_interrupted(&self) -> bool {
        let error = self.trace().and_then(|(source, _)| source.error());
        error.is_some_and(TraceError::is_interruption)
    }

    /// What was changed of a trace up to here, and what is doubtful of it.
    pub fn notes(&self) -> Vec<String> {
        let Some((source, _)) = self.trace() else { return Vec::new() };
        let notes = source.trace().notes();
        let mut notes: Vec<_> = notes.iter().map(ToString::to_string).collect();
        notes.extend(open_end(source.trace()));
        notes
    }

    /// Lines of a trace that a lenient reader left out, and the first of them.
    pub fn bad_lines(&self) -> (u64, Option<String>) {
        let Some((source, _)) = self.trace() else { return (0, None) };
        let first = source.trace().first_bad_line().map(|error| error.with_remedy(None));
        (source.trace().counts().bad_lines, first)
    }
}

impl RequestSource for Source {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        match self {
            Source::Pattern(source) => source.fill(batch),
            Source::Trace(source, _) => source.fill(batch),
        }
    }
}

/// A source that stops after so many requests, and can go on later: a warm-up and what is measured are one
/// stream of requests. What is due is due from the first request of the portion on.
pub struct Portion<'a> {
    source: &'a mut Source,
    left: u64,
    /// When the first request was due; none if time goes on from the source's own beginning.
    begun: Option<Time>,
    is_later: bool,
}

impl<'a> Portion<'a> {
    /// The first `ios` requests of `source`.
    pub fn first(source: &'a mut Source, ios: u64) -> Portion<'a> {
        Portion { source, left: ios, begun: None, is_later: false }
    }

    /// What is left of `source` after a first portion.
    pub fn rest(source: &'a mut Source) -> Portion<'a> {
        Portion { source, left: u64::MAX, begun: None, is_later: true }
    }
}

impl RequestSource for Portion<'_> {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let most = self.left.min(batch.len() as u64) as usize;
        let filled = if most == 0 { 0 } else { self.source.fill(&mut batch[..most]) };
        self.left -= filled as u64;
        if self.is_later {
            self.rebase(&mut batch[..filled]);
        }
        filled
    }
}

impl Portion<'_> {
    fn rebase(&mut self, requests: &mut [Request]) {
        let Some(first) = requests.first() else { return };
        let begun = *self.begun.get_or_insert(first.due);
        for request in requests {
            request.due = Time(request.due.0.saturating_sub(begun.0));
        }
    }
}
