//! A target that is open and held, in all the forms that a run may need.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_analysis::Finished;
use flashscope_bench::{Cause, CpuClock, Lab, Opener, Surroundings};
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, ErrorKind, Op, Target as _, TargetError, TargetInfo};
use flashscope_device::doctor::{Remark, glance};
use flashscope_device::{Clock, DataPattern, DeviceTarget, Engine, EngineSpec, Handle, Intent, NullTarget};

use super::around::Around;
use super::cores::Cores;
use super::spec::{rig, simulated};
use super::{AnyTarget, TargetSpec};
use crate::error::{Error, Remedy, Result};
use crate::inside;
use crate::interrupt::Interrupt;
use crate::time::fresh_seed;

/// The least part of a target that a study makes sense on.
const SIZE_MIN: Bytes = Bytes(16 << 20);

/// Jobs write contents of their own, not those of any queue depth.
const JOBS: u64 = 1 << 32;

/// How a target is opened. The default looks only.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// What will be done to it.
    pub intent: Intent,
    /// The engine for single IOs; none chooses.
    pub engine: Option<Engine>,
    /// What writes contain.
    pub data: DataPattern,
    /// The largest IO in bytes.
    pub io_bytes_max: u32,
    /// The most IOs in flight.
    pub depth_max: u32,
    /// Seed of contents and of virtual devices.
    pub seed: u64,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        let (intent, data) = (Intent::READ, DataPattern::Random);
        OpenOptions { intent, engine: None, data, io_bytes_max: 1 << 20, depth_max: 1, seed: 0 }
    }
}

/// A target, opened and held: single IOs and many in flight, what is known of it, and its guard.
///
/// ```
/// use flashscope_core::{Limits, Pattern, PatternSource, Stream, drive};
/// use flashscope_lab::{Interrupt, Lab as _, OpenOptions, OpenTarget};
///
/// let options = OpenOptions { seed: 7, ..OpenOptions::default() };
/// let mut open = OpenTarget::open(&"rig:mtron".into(), options, &Interrupt::new())?;
/// let pattern: Pattern = "rw=read bs=32k size=1g number_ios=100".parse()?;
/// let source = PatternSource::new(&pattern, 0, 7);
/// let mut streams = [Stream { source, pacing: pattern.pacing() }];
/// let mut slowest_ns = 0;
/// drive(open.target(1)?, &mut streams, Limits::default(), &mut |io: &flashscope_core::Io| {
///     slowest_ns = slowest_ns.max(io.response.0);
///     flashscope_core::Control::Continue
/// })?;
/// assert!(slowest_ns > 0);
/// # Ok::<(), flashscope_lab::Error>(())
/// ```
pub struct OpenTarget {
    info: TargetInfo,
    single: AnyTarget,
    many: Option<AnyTarget>,
    handle: Option<Arc<Handle>>,
    remarks: Vec<Remark>,
    options: OpenOptions,
    /// Seed of what is written: its own for each process, or a deduplicating drive would see repeats.
    contents_seed: u64,
    /// The result folder that keeps what a simulated SSD does inside.
    inside: Option<PathBuf>,
    is_confirmed: Arc<AtomicBool>,
    /// Others use the target at the same time, on threads of their own.
    has_company: bool,
}

impl OpenTarget {
    /// Opens what was named. Devices and files are examined by the guard, opened exclusively and held.
    ///
    /// # Errors
    /// There is no such target; the guard refuses; `interrupted` while a simulated device was filled.
    pub fn open(spec: &TargetSpec, options: OpenOptions, interrupt: &Interrupt) -> Result<OpenTarget> {
        let mut handle = None;
        let mut remarks = Vec::new();
        let contents_seed = fresh_seed();
        let single = match spec {
            TargetSpec::Rig(name) => rig(name, options.seed)?,
            TargetSpec::Sim(name) => simulated(name, options.seed, interrupt.flag())?,
            TargetSpec::Null => null(options.depth_max, Clock::start()),
            TargetSpec::Path(path) => {
                // Ahead of the opening: it opens the target too, and who else does that during a run
                // leaves the handle unsure of what the target holds at the end.
                remarks = glance(path);
                let opened = Arc::new(Handle::open(path, &options.intent)?);
                handle = Some(opened.clone());
                AnyTarget::Device(Box::new(device_target(
                    &opened,
                    &options,
                    1,
                    contents_seed,
                    Clock::start(),
                )?))
            }
        };
        let mut info = single.info().clone();
        info.name = spec.to_string();
        if handle.is_some() {
            info.queue_depth_max = options.depth_max;
        }
        let is_confirmed = Arc::new(AtomicBool::new(false));
        Ok(OpenTarget {
            info,
            single,
            many: None,
            handle,
            remarks,
            options,
            contents_seed,
            inside: None,
            is_confirmed,
            has_company: false,
        })
    }

    /// The same target once more, for use at the same time: one handle and one confirmation, engines of its
    /// own. Only for what [opens again](OpenTarget::opens_again), and for nothing that its own opening did
    /// not intend.
    ///
    /// # Errors
    /// There is no further engine.
    pub(crate) fn again(&self, options: OpenOptions) -> Result<OpenTarget> {
        let contents_seed = fresh_seed();
        let single = match &self.handle {
            None => null(options.depth_max, Clock::start()),
            Some(handle) => {
                let target = device_target(handle, &options, 1, contents_seed, Clock::start())?;
                AnyTarget::Device(Box::new(target))
            }
        };
        let mut info = TargetInfo { name: self.info.name.clone(), ..single.info().clone() };
        if self.handle.is_some() {
            info.queue_depth_max = options.depth_max;
        }
        Ok(OpenTarget {
            info,
            single,
            many: None,
            handle: self.handle.clone(),
            remarks: self.remarks.clone(),
            options,
            contents_seed,
            inside: None,
            is_confirmed: self.is_confirmed.clone(),
            has_company: true,
        })
    }

    /// Keeps what a simulated SSD does inside in each run in this result folder from now on.
    pub fn keep_inside(&mut self, folder: &Path) {
        self.inside = Some(folder.to_path_buf());
    }

    /// Names the engines that serve runs of these depths, from the least to the greatest.
    pub fn name_engines(&mut self, depths: RangeInclusive<u32>) {
        let (single, most) = (self.single.info(), *depths.end());
        if self.handle.is_none() || most <= single.queue_depth_max || single.engine == Engine::IoUring.name()
        {
            return;
        }
        let many = Engine::IoUring.name();
        self.info.engine = match *depths.start() {
            1 => format!("{} for single IOs, {many} for up to {most} in flight", single.engine),
            _ => many.into(),
        };
    }

    /// Whether it can discard what it holds, so that writes find it empty: a simulated drive, or a block
    /// device that says so. Of a file, what is discarded is the file system's to find again.
    pub fn can_trim(&self) -> bool {
        match (&self.single, &self.handle) {
            (AnyTarget::Ssd(_), _) => true,
            (_, Some(handle)) => handle.identity().can_discard(),
            _ => false,
        }
    }

    /// Whether each of several processes may have an engine of its own on it: in real time, unless writes
    /// are numbered over all of them.
    pub fn opens_again(&self) -> bool {
        let is_numbered = matches!(self.options.data, DataPattern::Age | DataPattern::Numbered);
        matches!(self.single, AnyTarget::Device(_)) && !is_numbered
    }

    /// What is known of the target.
    pub fn info(&self) -> &TargetInfo {
        &self.info
    }

    /// Seed of everything random about it.
    pub fn seed(&self) -> u64 {
        self.options.seed
    }

    /// The seed ([`EngineSpec::seed`]) of the engine that [`Lab::target`] gives for so many IOs in flight.
    pub fn engine_seed(&self, depth: u32) -> u64 {
        let is_single = depth <= self.single.info().queue_depth_max;
        let queue_depth = if is_single { 1 } else { self.options.depth_max };
        derive(self.contents_seed, u64::from(queue_depth))
    }

    /// No IO will be larger: engines for many IOs that are not set up yet need less memory.
    pub fn limit_ios(&mut self, io_bytes_max: u32) {
        self.options.io_bytes_max = self.options.io_bytes_max.min(io_bytes_max);
    }

    /// Only the first bytes are used.
    ///
    /// # Errors
    /// The target is smaller than that, or than any study needs.
    pub fn limit_size(&mut self, size: Bytes) -> Result<()> {
        let (name, all) = (&self.info.name, Bytes(self.info.size_bytes));
        if all.0 < SIZE_MIN.0 {
            return Err(Error::usage(format!("{name} has {all}; a study needs {SIZE_MIN} at least")));
        }
        if size.0 < SIZE_MIN.0 || size.0 > all.0 {
            let problem = format!("{size}: {name} has {all}; give {SIZE_MIN} to {all}");
            return Err(Error::setting("size", problem));
        }
        self.info.size_bytes = size.0;
        Ok(())
    }

    /// The real target's handle, to be kept beside the engines.
    pub fn shared_handle(&self) -> Option<Arc<Handle>> {
        self.handle.clone()
    }

    /// The real target's identity and what the guard noticed.
    pub fn handle(&self) -> Option<&Handle> {
        self.handle.as_deref()
    }

    /// What the doctor saw just before a real target was opened.
    pub(crate) fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Whether it was opened to be written.
    pub fn is_written(&self) -> bool {
        self.options.intent.write
    }

    /// Nothing is begun on a device that nobody confirmed.
    ///
    /// # Errors
    /// It is a block device opened to be written, and [`OpenTarget::confirm`] has not been given its serial.
    pub fn must_be_confirmed(&self) -> Result<()> {
        if self.is_confirmed.load(Ordering::Relaxed) { Ok(()) } else { self.confirm(None) }
    }

    /// Checks that `given` confirms writing to it, as a block device asks: its serial. Files and virtual
    /// devices need no word.
    ///
    /// # Errors
    /// It is not the serial, or none was given; nothing was written.
    pub fn confirm(&self, given: Option<&str>) -> Result<()> {
        let identity = self.handle().map(Handle::identity).filter(|_| self.options.intent.write);
        let Some((identity, expected)) = identity.and_then(|it| Some((it, it.confirmation()?))) else {
            return Ok(());
        };
        let given = given.unwrap_or_default();
        if identity.confirms(given) {
            self.is_confirmed.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let got = if given.is_empty() { "nothing was typed".into() } else { format!("'{given}' is not it") };
        let path = identity.canonical_path.display();
        let problem = format!("{path} is not confirmed ({got}; it is {expected}); nothing was written");
        Err(Error::refused(problem).with(Remedy::Confirm))
    }
}

impl Lab for OpenTarget {
    type Target = AnyTarget;

    fn target(&mut self, depth: u32) -> Result<&mut AnyTarget, TargetError> {
        let Some(handle) = &self.handle else { return Ok(&mut self.single) };
        if depth <= self.single.info().queue_depth_max {
            return Ok(&mut self.single);
        }
        if self.many.is_none() {
            let options = OpenOptions { engine: Some(Engine::IoUring), ..self.options };
            let depth = self.options.depth_max;
            let target = device_target(handle, &options, depth, self.contents_seed, Clock::start());
            let target = target.map_err(|error| engine_error(&self.info.name, &error))?;
            self.many = Some(AnyTarget::Device(Box::new(target)));
        }
        Ok(self.many.as_mut().expect("it was just made"))
    }

    fn opener(&self, jobs: u32, depth: u32) -> Option<Opener<'_, AnyTarget>> {
        if !self.opens_again() {
            return None;
        }
        let (handle, contents_seed, name) = (self.handle.clone(), self.contents_seed, &self.info.name);
        // One loop has io_uring for several IOs in flight, and so has each of several.
        let several = (depth > 1).then_some(Engine::IoUring);
        let options = OpenOptions { engine: several.or(self.options.engine), ..self.options };
        // Beside others, none has a processor of its own.
        let cores = Cores::for_threads(if self.has_company { u32::MAX } else { jobs });
        let clock = Clock::start();
        Some(Box::new(move |job| {
            cores.pin(job);
            let Some(handle) = &handle else { return Ok(null(depth, clock)) };
            let contents_seed = derive(contents_seed, JOBS + u64::from(job));
            let target = device_target(handle, &options, depth, contents_seed, clock);
            let target = target.map_err(|error| engine_error(name, &error))?;
            Ok(AnyTarget::Device(Box::new(target)))
        }))
    }

    fn cpu_clock(&self) -> Option<CpuClock> {
        self.handle.as_ref()?;
        Some(|| {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        })
    }

    fn surroundings(&self) -> Option<Box<dyn Surroundings>> {
        let handle = self.handle.as_ref()?;
        // Jobs at the same time are no others; the page cache has a traffic of its own.
        let is_counted = !self.has_company && !self.options.intent.buffered;
        Some(Box::new(Around::of(handle.identity(), is_counted)))
    }

    fn begin(&mut self) {
        if let (Some(_), AnyTarget::Ssd(ssd)) = (&self.inside, &mut self.single) {
            ssd.watch();
        }
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Cause> {
        let (Some(folder), Some(records)) = (&self.inside, &finished.run.records) else { return Ok(()) };
        let Some(seen) = self.single.seen() else { return Ok(()) };
        Ok(inside::keep(folder, records, &seen).map(drop)?)
    }
}

fn null(depth: u32, clock: Clock) -> AnyTarget {
    AnyTarget::Device(Box::new(DeviceTarget::Null(NullTarget::on_clock(1 << 40, depth, clock))))
}

fn device_target(
    handle: &Arc<Handle>,
    options: &OpenOptions,
    depth: u32,
    contents_seed: u64,
    clock: Clock,
) -> Result<DeviceTarget> {
    let engine = options.engine.unwrap_or(Engine::Sync);
    let queue_depth = if engine == Engine::Sync { 1 } else { depth.max(1) };
    let spec = EngineSpec {
        queue_depth,
        io_bytes_max: options.io_bytes_max,
        data: options.data,
        seed: derive(contents_seed, u64::from(queue_depth)),
        age_writes: 0,
    };
    Ok(DeviceTarget::on_clock(engine, handle.clone(), &spec, clock)?)
}

fn engine_error(target: &str, error: &Error) -> TargetError {
    TargetError {
        kind: ErrorKind::Engine,
        tag: None,
        target: target.into(),
        op: Op::Read,
        offset_bytes: 0,
        length_bytes: 0,
        cause: error.to_string(),
        remedy: "leave out settings that need several IOs in flight".into(),
    }
}
