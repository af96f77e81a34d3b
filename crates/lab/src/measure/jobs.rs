//! Several patterns measured at the same time on one target, each a result of its own.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::thread;

use flashscope_bench::{Company, Event, Together};
use flashscope_core::pattern::KEYS;
use flashscope_core::{Nanos, ParseError, Pattern};
use flashscope_device::{Engine, Intent};
use flashscope_store::ResultFolder;

use super::{BegunMeasurement, MeasureRequest, MeasureResult, OpenMeasurement};
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::journal::{Listener, folder_path};
use crate::target::{OpenOptions, OpenTarget};

/// A job among several: what it does, and how it goes on beside the others.
///
/// ```
/// use flashscope_lab::JobSpec;
///
/// let job: JobSpec = "log: rw=write bs=4k size=1g runtime=30s flow=8".parse()?;
/// assert_eq!((job.name.as_str(), job.company.flow), ("log", Some(8)));
/// # Ok::<(), flashscope_lab::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JobSpec {
    /// What it is called.
    pub name: String,
    /// What it does.
    pub pattern: Pattern,
    /// It ends after this long.
    pub runtime: Option<Nanos>,
    /// Engine for single IOs; none takes that of the request.
    pub engine: Option<Engine>,
    /// How it goes on beside the others.
    pub company: Company,
}

impl FromStr for JobSpec {
    type Err = Error;

    /// A name, a colon, and settings of a pattern, beside them `runtime`, `engine`, `flow`, `startdelay` and
    /// `exitall`.
    fn from_str(text: &str) -> Result<JobSpec> {
        let (name, settings) = text.split_once(':').unwrap_or_default();
        if name.trim().is_empty() {
            return Err(Error::usage("it has no name; write 'log: rw=write bs=4k', for example"));
        }
        let (mut runtime, mut engine, mut company) = (None, None, Company::default());
        let mut of_pattern = Vec::new();
        for word in settings.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, "1"));
            let wrong = |error: ParseError| Error::usage(format!("{key}: {error}"));
            match key {
                "runtime" => runtime = Some(value.parse().map_err(wrong)?),
                "engine" => engine = Some(value.parse().map_err(wrong)?),
                "startdelay" => company.delay = value.parse().map_err(wrong)?,
                "exitall" => company.ends_others = is_set(value)?,
                "flow" => company.flow = Some(weight(value)?),
                _ if KEYS.iter().any(|known| known.name == key.replace('-', "_")) => of_pattern.push(word),
                _ => return Err(unknown_setting(key)),
            }
        }
        let pattern =
            of_pattern.join(" ").parse::<Pattern>().map_err(|error| Error::usage(error.to_string()))?;
        Ok(JobSpec { name: name.trim().into(), pattern, runtime, engine, company })
    }
}

impl fmt::Display for JobSpec {
    /// As it is parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JobSpec { name, pattern, runtime, engine, company } = self;
        write!(f, "{name}: {pattern}")?;
        runtime.map_or(Ok(()), |runtime| write!(f, " runtime={runtime}"))?;
        engine.map_or(Ok(()), |engine| write!(f, " engine={engine}"))?;
        company.flow.map_or(Ok(()), |weight| write!(f, " flow={weight}"))?;
        if company.delay > Nanos::ZERO {
            write!(f, " startdelay={}", company.delay)?;
        }
        if company.ends_others { f.write_str(" exitall=1") } else { Ok(()) }
    }
}

/// Settings of a job beside those of a pattern.
const SETTINGS: [&str; 5] = ["runtime", "engine", "flow", "startdelay", "exitall"];

fn unknown_setting(key: &str) -> Error {
    let all: Vec<&str> = SETTINGS.into_iter().chain(KEYS.iter().map(|key| key.name)).collect();
    Error::usage(format!("{key}: unknown setting of a job; choose one of {}", all.join(", ")))
}

fn is_set(text: &str) -> Result<bool> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(Error::usage(format!("exitall: '{text}' is neither 0 nor 1"))),
    }
}

fn weight(text: &str) -> Result<u32> {
    let weight = text.parse().ok().filter(|weight| *weight > 0);
    weight.ok_or_else(|| Error::usage(format!("flow: '{text}' is no weight; write a whole number from 1 on")))
}

/// One of several measurements at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRequest {
    /// What it is called; its result folder too.
    pub name: String,
    /// What is asked of it; the same target for all.
    pub measure: MeasureRequest,
    /// How it goes on beside the others.
    pub company: Company,
}

impl JobRequest {
    /// The job, with everything else as in `common`.
    pub fn new(job: &JobSpec, common: &MeasureRequest) -> JobRequest {
        let measure = MeasureRequest {
            pattern: job.pattern.clone(),
            runtime: job.runtime.or(common.runtime),
            engine: job.engine.or(common.engine),
            ..common.clone()
        };
        JobRequest { name: job.name.clone(), measure, company: job.company }
    }
}

/// Measurements whose target is open, once for all of them. Nothing has been written.
pub struct OpenJobs<'a> {
    jobs: &'a [JobRequest],
    target: OpenTarget,
    opened: Vec<OpenMeasurement<'a>>,
}

impl<'a> OpenJobs<'a> {
    /// Opens the target.
    ///
    /// # Errors
    /// A request makes no sense, or not beside others; the target cannot be opened, or is refused; it is a
    /// simulated one; a pattern does not fit it.
    pub fn new(jobs: &'a [JobRequest], interrupt: &Interrupt) -> Result<OpenJobs<'a>> {
        let Some(first) = jobs.first() else { return Err(Error::usage("no jobs; give one at least")) };
        jobs.iter().try_for_each(|job| check(job, first))?;
        let target = OpenTarget::open(&first.measure.target, opening_of_all(jobs), interrupt)?;
        if !target.opens_again() {
            let problem = format!(
                "several jobs at once need a thread each; {} has one loop: measure them one after the other, \
                 or on a real device or file, without age and numbered data",
                first.measure.target
            );
            return Err(Error::usage(problem));
        }
        let open = |job: &'a JobRequest| {
            let again = target.again(job.measure.opening())?;
            OpenMeasurement::on(&job.measure, again).map_err(|error| of_job(job, error))
        };
        let opened = jobs.iter().map(open).collect::<Result<_>>()?;
        Ok(OpenJobs { jobs, target, opened })
    }

    /// What they will be measured on.
    pub fn target(&self) -> &OpenTarget {
        &self.target
    }

    /// The patterns as they fit the target.
    pub fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.opened.iter().map(OpenMeasurement::pattern)
    }

    /// Makes a result folder for each job: `folder` and the job's name, or a name of today.
    ///
    /// # Errors
    /// The target is a block device to be written that was not confirmed ([`OpenTarget::confirm`]); a folder
    /// cannot be made, or holds something.
    pub fn begin(self, folder: Option<&Path>) -> Result<BegunJobs<'a>> {
        self.target.must_be_confirmed()?;
        let mut used = BTreeSet::new();
        let path = |job: &JobRequest| {
            let name = free_name(&job.name, &mut used);
            match folder {
                Some(folder) => PathBuf::from(format!("{}-{name}", folder.display())),
                None => folder_path(None, &format!("{name}-"), &job.measure.target),
            }
        };
        let paths: Vec<PathBuf> = self.jobs.iter().map(path).collect();
        // The first would be in the way of the next attempt if the second cannot be made.
        paths.iter().try_for_each(|path| ResultFolder::check_free(path))?;
        let begin = |(path, opened): (&PathBuf, OpenMeasurement<'a>)| opened.begin(Some(path));
        let begun = paths.iter().zip(self.opened).map(begin).collect::<Result<_>>()?;
        Ok(BegunJobs { jobs: self.jobs, begun })
    }
}

/// Measurements whose IOs may go.
pub struct BegunJobs<'a> {
    jobs: &'a [JobRequest],
    begun: Vec<BegunMeasurement<'a>>,
}

impl BegunJobs<'_> {
    /// What is known of target and machine before the first IO: of the first job, which stands for all.
    pub fn facts(&self) -> &crate::Facts {
        self.begun.first().expect("there is a job").facts()
    }

    /// Measures all, from one start on. What came of each, in their order.
    pub fn measure(self, listener: Listener<'_>, interrupt: &Interrupt) -> Vec<MeasureResult> {
        let together = Together::of(self.jobs.len());
        let places: Vec<_> =
            self.jobs.iter().map(|job| together.place(job.company, job.measure.pattern.numjobs)).collect();
        let ears = Mutex::new(Ears { listener, ios: vec![0; self.jobs.len()] });
        let (of, ears) = (self.jobs.len(), &ears);
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for (number, (begun, place)) in self.begun.into_iter().zip(places).enumerate() {
                threads.push(scope.spawn(move || {
                    let place = place;
                    let mut hear = |event: &Event<'_>| {
                        ears.lock().unwrap_or_else(PoisonError::into_inner).hear(number, of, event);
                    };
                    begun.beside(&place).measure(&mut hear, interrupt)
                }));
            }
            let join = |thread: thread::ScopedJoinHandle<'_, MeasureResult>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        })
    }
}

/// One listener for all jobs, which hears of their IOs together.
struct Ears<'a> {
    listener: Listener<'a>,
    ios: Vec<u64>,
}

impl Ears<'_> {
    fn hear(&mut self, number: usize, of: usize, event: &Event<'_>) {
        match *event {
            Event::Look { ios, .. } => {
                self.ios[number] = ios;
                let ios = self.ios.iter().sum();
                (self.listener)(&Event::Look { ios, estimate: None, why: None });
            }
            Event::Started { experiment, repeat, .. } => {
                (self.listener)(&Event::Started { number: number + 1, of, experiment, repeat });
            }
            _ => (self.listener)(event),
        }
    }
}

fn check(job: &JobRequest, first: &JobRequest) -> Result<()> {
    let MeasureRequest { target, buffered, data, scales_bs, latency_target, .. } = &job.measure;
    let of_first = &first.measure;
    if (target, *buffered, *data) != (&of_first.target, of_first.buffered, of_first.data) {
        let problem = "has another target, page cache or data than the first; give all jobs the same";
        return Err(Error::setting("job", format!("'{}' {problem}", job.name)));
    }
    if *scales_bs || latency_target.is_some() {
        let problem = "looks for a block size or queue depth, in several runs; do that alone";
        return Err(Error::setting("job", format!("'{}' {problem}", job.name)));
    }
    job.measure.check().map_err(|error| of_job(job, error))
}

/// How the target is opened that all jobs share.
fn opening_of_all(jobs: &[JobRequest]) -> OpenOptions {
    let openings = jobs.iter().map(|job| job.measure.opening());
    let all = openings.reduce(|all, one| OpenOptions {
        intent: Intent {
            write: all.intent.write || one.intent.write,
            // Zero is the whole target.
            span_bytes: all.intent.span_bytes.max(one.intent.span_bytes),
            ..all.intent
        },
        io_bytes_max: all.io_bytes_max.max(one.io_bytes_max),
        depth_max: all.depth_max.max(one.depth_max),
        ..all
    });
    all.unwrap_or_default()
}

fn of_job(job: &JobRequest, error: Error) -> Error {
    error.context(format!("job '{}'", job.name))
}

/// The job's name as that of a folder, with a number if another has it.
fn free_name(name: &str, used: &mut BTreeSet<String>) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let numbered = (2..).map(|number| format!("{plain}-{number}"));
    let free = std::iter::once(plain.clone()).chain(numbered).find(|name| used.insert(name.clone()));
    free.expect("numbers do not end")
}
