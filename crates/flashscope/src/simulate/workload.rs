//! What the devices of a sweep are given to do: a pattern, or a trace. Each device gets the same.

use std::fs::File;
use std::path::PathBuf;

use anyhow::Result;
use flashscope_core::{Bytes, Pacing, Pattern, PatternSource, Request, RequestSource, TargetInfo};
use flashscope_trace::TraceSource;

use crate::cli::{SimArgs, Timing};
use crate::exit::Usage;

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
            let mut pattern = args.pattern.pattern()?;
            if let Some(theta) = args.zipf {
                let text = format!("zipf:{theta}");
                let set = pattern.set_all([("random", text)].into_iter());
                set.map_err(|error| Usage(format!("--zipf: {}", error.problem)))?;
            }
            return Ok(Workload::Pattern(Box::new(pattern), seed));
        };
        if let Some(flag) = args.pattern.first_given(&["iodepth"]) {
            let flag = flag.replace('_', "-");
            return Err(
                Usage(format!("--{flag} is for a pattern, and --trace was given; leave one out")).into()
            );
        }
        Ok(Workload::Trace {
            path: path.clone(),
            format: args.format.clone(),
            lenient: args.lenient,
            timing: args.timing,
            iodepth: args.pattern.pattern()?.iodepth,
        })
    }

    /// One line for people and files.
    pub fn describe(&self) -> String {
        match self {
            Workload::Pattern(pattern, _) => pattern.to_string(),
            Workload::Trace { path, .. } => format!("trace {}", path.display()),
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

    /// Its requests for a device, one source for each stream, and when they go.
    pub fn sources(&self, info: &TargetInfo) -> Result<(Vec<Source>, Pacing)> {
        match self {
            Workload::Pattern(pattern, seed) => {
                let jobs = 0..pattern.numjobs;
                let sources = jobs
                    .map(|job| Source::Pattern(Box::new(PatternSource::new(pattern, job, *seed))))
                    .collect();
                Ok((sources, pattern.pacing()))
            }
            Workload::Trace { path, format, lenient, timing, iodepth } => {
                let file = File::open(path)
                    .map_err(|error| Usage(format!("cannot read the trace {}: {error}", path.display())))?;
                let reader = flashscope_trace::open(file, format.as_deref(), *lenient)
                    .map_err(|error| Usage(format!("{}: {error}", path.display())))?;
                let source = TraceSource::new(reader, info, None);
                let plain = Pattern { iodepth: *iodepth, ..Pattern::default() };
                let pacing = match timing {
                    Timing::Asap => plain.pacing(),
                    Timing::OnTime => Pacing::Due { iodepth: flashscope_sim::ssd::QUEUE_DEPTH_MAX },
                };
                Ok((vec![Source::Trace(Box::new(source))], pacing))
            }
        }
    }
}

/// Requests from either.
pub enum Source {
    /// A pattern's.
    Pattern(Box<PatternSource>),
    /// A trace's.
    Trace(Box<TraceSource>),
}

impl Source {
    /// What ended a trace before its end.
    pub fn error(&self) -> Option<String> {
        match self {
            Source::Pattern(_) => None,
            Source::Trace(source) => source.error().map(ToString::to_string),
        }
    }
}

impl Source {
    /// Lines of a trace that a lenient reader left out.
    pub fn bad_lines(&self) -> u64 {
        match self {
            Source::Pattern(_) => 0,
            Source::Trace(source) => source.trace().counts().bad_lines,
        }
    }
}

impl RequestSource for Source {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        match self {
            Source::Pattern(source) => source.fill(batch),
            Source::Trace(source) => source.fill(batch),
        }
    }
}

/// A source that stops after so many requests, and can go on later: a warm-up and what is measured are one
/// stream of requests.
pub struct Portion<'a> {
    source: &'a mut Source,
    left: u64,
}

impl<'a> Portion<'a> {
    /// The next `ios` requests of `source`.
    pub fn new(source: &'a mut Source, ios: u64) -> Portion<'a> {
        Portion { source, left: ios }
    }
}

impl RequestSource for Portion<'_> {
    fn fill(&mut self, batch: &mut [Request]) -> usize {
        let most = self.left.min(batch.len() as u64) as usize;
        let filled = if most == 0 { 0 } else { self.source.fill(&mut batch[..most]) };
        self.left -= filled as u64;
        filled
    }
}
