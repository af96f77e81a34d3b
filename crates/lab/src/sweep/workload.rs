//! What the devices of a sweep are given to do: a pattern, or a trace. Each device gets the same.

use std::path::Path;
use std::sync::Arc;

use flashscope_core::{Bytes, Pacing, Pattern, PatternSource, Request, RequestSource, TargetInfo, Time};
use flashscope_sim::ssd::QUEUE_DEPTH_MAX;
use flashscope_trace::{Follower, LayoutCache, Leader, Reached, Stop, TraceError, TraceSource, cpu_files};

use super::Work;
use crate::error::{Error, Remedy, Result};
use crate::interrupt::Interrupt;
use crate::replay::DEPTH_MAX;
use crate::timing::Timing;
use crate::traces::{TraceInput, open_end, refuse_zones};

/// A workload, not yet bound to a device.
#[derive(Clone)]
pub enum Workload {
    /// A pattern, and the seed of its addresses.
    Pattern(Box<Pattern>, u64),
    /// A trace.
    Trace(Arc<Trace>),
}

/// A trace for all devices of a sweep.
pub struct Trace {
    input: TraceInput,
    /// What was needed to know of the whole of it.
    layouts: LayoutCache,
    /// Requests in flight, with [`Timing::Asap`].
    iodepth: u32,
    interrupt: Interrupt,
}

impl Workload {
    /// Checks what can be checked without a device.
    pub fn new(work: &Work, seed: u64, interrupt: &Interrupt) -> Result<Workload> {
        let (input, iodepth) = match work {
            Work::Pattern(pattern) if pattern.priorities.is_some() => {
                let problem = "has no effect on simulated devices";
                return Err(Error::setting("priority", problem).with(Remedy::LeaveOut("priority")));
            }
            Work::Pattern(pattern) => return Ok(Workload::Pattern(Box::new(pattern.clone()), seed)),
            Work::Trace(input, iodepth) => (input, *iodepth),
        };
        if !(1..=DEPTH_MAX).contains(&iodepth) {
            return Err(Error::setting("iodepth", format!("must be from 1 to {DEPTH_MAX}")));
        }
        let mut input = (**input).clone();
        if input.file.path == Path::new("-") {
            input.file.path = STDIN.into();
        }
        check_file(&input.file.path)?;
        input.timing.check(&input.pipeline)?;
        let (layouts, interrupt) = (LayoutCache::default(), interrupt.clone());
        Ok(Workload::Trace(Arc::new(Trace { input, layouts, iodepth, interrupt })))
    }

    /// Refuses a trace that can be read but once, and is to be read `times`.
    pub fn can_be_read(&self, times: usize) -> Result<()> {
        let Workload::Trace(trace) = self else { return Ok(()) };
        let file = &trace.input.file;
        if times < 2 || !file.is_read_once() {
            return Ok(());
        }
        Err(Error::usage(format!(
            "the trace {} is a pipe, which can be read only once, but several simulations, or a result \
             folder, read it again; store it in a file first",
            file.path.display()
        )))
    }

    /// IOs of one stream that are not counted: so many over all streams, or as many as the pattern ignores.
    pub fn warmup_ios(&self, warmup: Option<u64>) -> Result<u64> {
        let Workload::Pattern(pattern, _) = self else { return Ok(warmup.unwrap_or(0)) };
        match (warmup, pattern.ignore_ios) {
            (Some(_), 1..) => {
                let problem = "and the pattern's ignore_ios are the same setting";
                Err(Error::setting("warmup", problem).with(Remedy::LeaveOut("warmup")))
            }
            (Some(ios), 0) => Ok(ios.div_ceil(u64::from(pattern.numjobs.max(1)))),
            (None, ios) => Ok(ios),
        }
    }

    /// Refuses a warm-up that leaves nothing to count, where that is known beforehand. The pattern is fitted.
    pub fn check_warmup(&self, each_ios: u64) -> Result<()> {
        let Workload::Pattern(pattern, _) = self else { return Ok(()) };
        match pattern.number_ios {
            Some(ios) if ios <= each_ios => {
                let jobs = u64::from(pattern.numjobs);
                Err(nothing_left(each_ios * jobs, ios * jobs, "pattern"))
            }
            _ => Ok(()),
        }
    }

    /// One line for people and files.
    pub fn describe(&self) -> String {
        match self {
            Workload::Pattern(pattern, _) => pattern.to_string(),
            Workload::Trace(trace) => format!("trace {}", trace.input.file.path.display()),
        }
    }

    /// When the requests of a trace go.
    pub fn timing(&self) -> Option<String> {
        match self {
            Workload::Pattern(..) => None,
            Workload::Trace(trace) => Some(trace.input.timing.name().into()),
        }
    }

    /// What is changed of a trace, a setting each.
    pub fn pipeline(&self) -> Vec<String> {
        match self {
            Workload::Pattern(..) => Vec::new(),
            Workload::Trace(trace) => trace.input.changes(),
        }
    }

    /// The pattern as it fits a device: one pass over it, if neither count nor size was given.
    pub fn fitted(&self, info: &TargetInfo) -> Result<Workload> {
        let Workload::Pattern(pattern, seed) = self else {
            refuse_zones(info)?;
            return Ok(self.clone());
        };
        let mut fitted = (**pattern).clone();
        let bs = fitted.bs.0.max(1);
        if fitted.size.0 == 0 {
            let rest = info.size_bytes.saturating_sub(fitted.offset.0.saturating_add(fitted.shift.0));
            fitted.size = Bytes(rest / bs * bs);
        }
        if fitted.number_ios.is_none() {
            fitted.number_ios = Some((fitted.size.0 / bs).max(1));
        }
        fitted.validate(info)?;
        Ok(Workload::Pattern(Box::new(fitted), *seed))
    }

    /// Its requests for a device, one source for each stream, and when they go. Those of a trace end when
    /// they are interrupted.
    ///
    /// # Errors
    /// What is wrong with the trace; an interruption while it was looked at beforehand.
    pub fn sources(&self, info: &TargetInfo) -> Result<(Vec<Source>, Pacing)> {
        match self {
            Workload::Pattern(pattern, seed) => {
                let source = |job| Source::Pattern(Box::new(PatternSource::new(pattern, job, *seed)));
                Ok(((0..pattern.numjobs).map(source).collect(), pattern.pacing()))
            }
            Workload::Trace(trace) => {
                let reached = Arc::<Reached>::default();
                let source = trace.source(info, |stop| stop.first(reached.clone()))?;
                let source = Box::new(Leader::new(source, reached));
                let timing = trace.input.timing;
                let iodepth = if timing == Timing::Asap { trace.iodepth } else { QUEUE_DEPTH_MAX };
                Ok((vec![Source::Trace(source, trace.clone())], timing.pacing(iodepth)))
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
        if let Some(Source::Trace(first, trace)) = first.first() {
            let reached = first.reached();
            let source = trace.source(info, |stop| stop.second(reached.clone()))?;
            return Ok(vec![Box::new(Follower::new(source, reached.clone()))]);
        }
        let (sources, _) = self.sources(info)?;
        Ok(sources.into_iter().map(|source| Box::new(source) as _).collect())
    }
}

impl Trace {
    fn source(&self, info: &TargetInfo, until: impl Fn(Stop) -> Stop) -> Result<TraceSource> {
        let size = Bytes(info.size_bytes);
        let records = self.input.records(size, &self.layouts, &self.interrupt, until, |file| file)?;
        let source = TraceSource::new(records, info, None);
        Ok(if self.input.timing == Timing::Depth { source.with_depths() } else { source })
    }
}

/// The name of standard input as a file.
const STDIN: &str = "/dev/stdin";

/// Refuses what can be no trace before anything is made.
fn check_file(path: &Path) -> Result<()> {
    if cpu_files(path).is_some() {
        return Ok(());
    }
    let metadata = path.metadata().map_err(|error| {
        Error::usage(format!("cannot read the trace {}: {error}; check the path", path.display()))
    })?;
    if metadata.is_dir() {
        return Err(Error::usage(format!("{} is a folder; name one trace in it", path.display())));
    }
    Ok(())
}

/// What to say of a warm-up that takes all there is.
pub fn nothing_left(warmup_ios: u64, ios: u64, what: &str) -> Error {
    let problem = format!("a warm-up of {warmup_ios} IOs leaves none to measure: the {what} has {ios}");
    Error::usage(problem).with(Remedy::SmallerWarmup)
}

/// Requests from either.
pub enum Source {
    /// A pattern's.
    Pattern(Box<PatternSource>),
    /// A trace's, and the trace.
    Trace(Box<Leader<TraceSource>>, Arc<Trace>),
}

impl Source {
    fn trace(&self) -> Option<(&TraceSource, &Trace)> {
        match self {
            Source::Pattern(_) => None,
            Source::Trace(source, trace) => Some((source.inner(), trace)),
        }
    }

    /// What ended a trace before its end, but for an interruption.
    pub fn error(&self) -> Option<Error> {
        let (source, trace) = self.trace()?;
        let error = source.error().filter(|error| !error.is_interruption())?;
        Some(trace.input.error(error.clone()))
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
