//! A trace replayed on a real or simulated target, at its own pace or as fast as it goes, and proved.

mod report;
mod requests;
mod session;
mod tally;
mod verify;

use std::path::Path;

use flashscope_analysis::Warning;
use flashscope_bench::Lab as _;
use flashscope_core::{Op, Request, Target};
use flashscope_device::{DataPattern, Engine, Intent};
use flashscope_store::ResultFolder;
use serde_json::json;

use crate::error::{Error, Remedy, Result};
use crate::facts::{Facts, manifest};
use crate::interrupt::Interrupt;
use crate::target::{AnyTarget, OpenOptions, OpenTarget, TargetSpec};
use crate::time::fresh_seed;
use crate::timing::Timing;
use crate::traces::{TraceInput, refuse_zones};
use requests::{Requests, Survey};
use session::Session;

pub use report::{LatenessUs, RECORDS, REPLAY, ReplayReport};
pub use session::ON_TIME_SHARE;
pub use tally::ResponseUs;

/// The longest piece on a real target, whatever the queue depth: more than any block layer takes at once.
pub const PIECE_BYTES_REAL: u64 = 4 << 20;
const DEPTH: u32 = 128;
pub(crate) const DEPTH_MAX: u32 = 4096;

/// What to replay, where and how.
#[derive(Clone)]
pub struct ReplayRequest {
    /// Where it is replayed.
    pub target: TargetSpec,
    /// The trace, and when its requests go.
    pub trace: TraceInput,
    /// IOs in flight at most; none: 1 for requests that go as soon as there is room, else 128.
    pub iodepth: Option<u32>,
    /// Writes, flushes and trims are left out.
    pub read_only: bool,
    /// All that was written is read back at the end, to prove that each block holds its last write.
    pub verify: bool,
    /// The whole target is trimmed first.
    pub discard: bool,
    /// The target is flushed at the end.
    pub final_flush: bool,
    /// Whether the target may be written. Virtual ones always may.
    pub write: bool,
    /// Whether a file may be overwritten that flashscope did not make.
    pub overwrite_existing_data: bool,
    /// Engine on real targets; none: sync for one IO in flight, else io_uring.
    pub engine: Option<Engine>,
    /// Seed of everything random; none: a new one.
    pub seed: Option<u64>,
}

impl ReplayRequest {
    /// This trace on this target.
    pub fn new(trace: TraceInput, target: TargetSpec) -> ReplayRequest {
        ReplayRequest {
            target,
            trace,
            iodepth: None,
            read_only: false,
            verify: false,
            discard: false,
            final_flush: true,
            write: false,
            overwrite_existing_data: false,
            engine: None,
            seed: None,
        }
    }

    fn depth(&self) -> u32 {
        self.iodepth.unwrap_or(if self.trace.timing == Timing::Asap { 1 } else { DEPTH })
    }

    /// The target, if the request makes sense.
    fn checked(&self) -> Result<TargetSpec> {
        let mut target = self.target.clone();
        if self.iodepth.is_some_and(|iodepth| !(1..=DEPTH_MAX).contains(&iodepth)) {
            return Err(Error::setting("iodepth", format!("must be from 1 to {DEPTH_MAX}")));
        }
        if !target.is_virtual() && !self.write && !self.read_only {
            let problem = "the trace has writes, which destroy the data on the target";
            return Err(Error::usage(problem).with(Remedy::AllowWritingOrReadOnly));
        }
        if self.discard && self.read_only {
            let problem = "destroys the data on the target, and the replay is read-only";
            return Err(Error::setting("discard", problem).with(Remedy::LeaveOut("discard")));
        }
        if self.trace.file.is_read_once() {
            return Err(Error::usage(format!(
                "a replay reads the trace twice, and {} can be read only once; store it in a file first",
                self.trace.file.path.display()
            )));
        }
        self.trace.timing.check(&self.trace.pipeline)?;
        if self.engine == Some(Engine::Sync) && self.depth() > 1 {
            return Err(Error::usage("the sync engine has one IO in flight").with(Remedy::OneInFlight));
        }
        match &mut target {
            TargetSpec::Rig(_) | TargetSpec::Null if self.verify => {
                let problem = "needs a target that stores data: a device, a file or sim:PROFILE";
                return Err(Error::setting("verify", problem));
            }
            // Token mode: each page carries its writer, and each read is compared.
            TargetSpec::Sim(name) if self.verify => {
                name.push(if name.contains('?') { '&' } else { '?' });
                name.push_str("nand.data=true");
            }
            _ => {}
        }
        target.refuse_ignored(self.engine, DataPattern::Random)?;
        Ok(target)
    }

    fn opening(&self) -> OpenOptions {
        OpenOptions {
            intent: Intent {
                buffered: false,
                write: !self.read_only,
                span_bytes: 0,
                io_unit_bytes: 0,
                overwrite_existing_data: self.overwrite_existing_data,
            },
            engine: self.engine,
            data: if self.verify { DataPattern::Numbered } else { DataPattern::Random },
            io_bytes_max: PIECE_BYTES_REAL as u32,
            depth_max: self.depth(),
            seed: self.seed.unwrap_or_else(fresh_seed),
        }
    }
}

/// What happens in a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayEvent {
    /// So many IOs are done.
    Ios(u64),
    /// All IOs are done; what was written is read back.
    ReadingBack,
}

/// Replays a trace; with a folder, every IO is kept there. `confirmation` is the serial of a block device to
/// be written.
///
/// # Errors
/// The request makes no sense, the trace cannot be read or does not fit, the guard refuses, the device is not
/// confirmed. What happens once IOs go is in the result, beside what was measured until then.
///
/// ```
/// use flashscope_lab::{Interrupt, ReplayRequest, TraceInput, replay};
/// use flashscope_trace::Pipeline;
/// use flashscope_trace::transform::FitMode;
///
/// # let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples/install-ext3.tracefs.gz");
/// let fit = Some(FitMode::Modulo);
/// let pipeline = Pipeline { fit, ..Pipeline::default() };
/// let trace = TraceInput { pipeline, ..TraceInput::new(trace) };
/// let request = ReplayRequest::new(trace, "sim:x25m-2009?capacity=1GiB".into());
/// let report = replay::replay(&request, None, None, &mut |_| {}, &Interrupt::new())?.report;
/// println!("{}: {:.1?} us late at p99", report.verdict, report.lateness_us.map(|late| late.p99));
/// # Ok::<(), flashscope_lab::Error>(())
/// ```
pub fn replay(
    request: &ReplayRequest,
    folder: Option<&Path>,
    confirmation: Option<&str>,
    listener: &mut dyn FnMut(ReplayEvent),
    interrupt: &Interrupt,
) -> Result<ReplayResult> {
    let planned = PlannedReplay::new(request, interrupt)?;
    planned.target().confirm(confirmation)?;
    planned.begin(folder)?.replay(listener, interrupt)
}

/// A replay whose target is open and whose trace was read once. Nothing has been written.
pub struct PlannedReplay<'a> {
    request: &'a ReplayRequest,
    target: OpenTarget,
    data: DataPattern,
    iodepth: u32,
    requests: Requests,
    survey: Survey,
}

/// What came of a replay, whatever ended it. It is stored as well if a folder was asked for.
pub struct ReplayResult {
    /// The measurement.
    pub report: ReplayReport,
    /// What guard and doctor noticed before the first IO.
    pub warnings: Vec<Warning>,
    /// The error that ended it.
    pub error: Option<Error>,
    /// Where it is kept; none if that was not asked for, or the report could not be written there.
    pub folder: Option<ResultFolder>,
}

impl<'a> PlannedReplay<'a> {
    /// Opens the target and reads the trace once, so that whatever is wrong with it is found before the first
    /// IO.
    ///
    /// # Errors
    /// As [`replay()`].
    pub fn new(request: &'a ReplayRequest, interrupt: &Interrupt) -> Result<PlannedReplay<'a>> {
        let spec = request.checked()?;
        let opening = request.opening();
        let mut target = OpenTarget::open(&spec, opening, interrupt)?;
        let iodepth = opening.depth_max.min(target.info().queue_depth_max);
        target.name_engines(iodepth..=iodepth);
        let (requests, survey) =
            Requests::survey(&request.trace, request.read_only, target.info(), iodepth, interrupt)?;
        if survey.passed.all() == 0 {
            let path = request.trace.file.path.display();
            let error = Error::usage(format!("no request of {path} is left to replay"));
            let is_writing = request.read_only && survey.passed.left_out > 0;
            return Err(if is_writing { error.with(Remedy::LeaveOut("read_only")) } else { error });
        }
        let changes = [Op::Write, Op::Trim].map(|op| survey.passed.requests[op as usize]);
        if request.discard || changes != [0, 0] {
            refuse_zones(target.info())?;
        }
        Ok(PlannedReplay { request, target, data: opening.data, iodepth, requests, survey })
    }

    /// What it will be replayed on.
    pub fn target(&self) -> &OpenTarget {
        &self.target
    }

    /// Requests of the trace.
    pub fn requests(&self) -> u64 {
        self.survey.passed.all()
    }

    /// Bytes that the trace writes.
    pub fn written_bytes(&self) -> u64 {
        self.survey.passed.bytes[Op::Write as usize]
    }

    /// Makes the result folder, if one was asked for.
    ///
    /// # Errors
    /// The target is a block device to be written that was not confirmed ([`OpenTarget::confirm`]); the
    /// folder cannot be made, or holds something.
    pub fn begin(self, folder: Option<&Path>) -> Result<BegunReplay<'a>> {
        let PlannedReplay { request, target, data, iodepth, requests, survey } = self;
        target.must_be_confirmed()?;
        let facts = Facts::of(&target, &data, target.seed());
        let (path, timing) = (&request.trace.file.path, request.trace.timing.name());
        let plan = [format!("replay of {}, {timing}", path.display())];
        let options = json!({
            "trace": path, "timing": timing, "iodepth": iodepth, "write": !request.read_only,
        });
        let manifest = manifest(&facts, "as it is", &plan, options);
        let folder = folder.map(|path| ResultFolder::create(path, &manifest)).transpose()?;
        Ok(BegunReplay { request, target, iodepth, requests, survey, facts, folder })
    }
}

/// A replay whose IOs may go.
pub struct BegunReplay<'a> {
    request: &'a ReplayRequest,
    target: OpenTarget,
    iodepth: u32,
    requests: Requests,
    survey: Survey,
    facts: Facts,
    folder: Option<ResultFolder>,
}

impl BegunReplay<'_> {
    /// What is known of target and machine before the first IO.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Replays, and proves if that was asked for.
    ///
    /// # Errors
    /// What came before the first IO; later errors are in the result.
    pub fn replay(
        self,
        listener: &mut dyn FnMut(ReplayEvent),
        interrupt: &Interrupt,
    ) -> Result<ReplayResult> {
        let BegunReplay { request, mut target, iodepth, requests, survey, facts, folder } = self;
        if request.discard {
            discard(target.target(1)?, interrupt)?;
        }
        target.limit_ios(requests.piece_bytes());
        let real = target.shared_handle().map(|handle| (handle, target.engine_seed(iodepth)));
        let (name, seed) = (target.info().name.clone(), target.seed());
        let session =
            Session { request, requests: &requests, survey: &survey, iodepth, seed, target: name, interrupt };
        let path = folder.as_ref().map(ResultFolder::path);
        let (report, error) = session.replay(target.target(iodepth)?, real, path, listener)?;
        let stored = folder.as_ref().map_or(Ok(()), |folder| store(&report, folder));
        let folder = folder.filter(|_| stored.is_ok());
        Ok(ReplayResult { report, warnings: facts.warnings, error: stored.err().or(error), folder })
    }
}

/// Flushes the target; returns the seconds it took.
///
/// # Errors
/// The target could not.
pub fn flush(target: &mut impl Target) -> Result<f64> {
    let begun = target.now();
    let request = Request { op: Op::Flush, ..Request::default() };
    target.serve(&request)?;
    Ok(target.now().since(begun).0 as f64 / 1e9)
}

/// Writes the report into its folder.
fn store(report: &ReplayReport, folder: &ResultFolder) -> Result<()> {
    Ok(folder.write_text(REPLAY, &serde_json::to_string_pretty(report)?)?)
}

/// Trims all of the target.
fn discard(target: &mut AnyTarget, interrupt: &Interrupt) -> Result<()> {
    let size_bytes = target.info().size_bytes;
    for offset_bytes in (0..size_bytes).step_by(PIECE_BYTES_REAL as usize) {
        interrupt.check()?;
        let length_bytes = PIECE_BYTES_REAL.min(size_bytes - offset_bytes) as u32;
        let request = Request { offset_bytes, length_bytes, op: Op::Trim, ..Request::default() };
        target.serve(&request)?;
    }
    Ok(())
}
