//! From the TARGET that a person named to something that serves IOs.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use flashscope_analysis::Finished;
use flashscope_bench::{Cause, Lab};
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Completion, ErrorKind, Op, Request, Target, TargetError, TargetInfo, Time};
use flashscope_device::{DataPattern, DeviceTarget, Engine, EngineSpec, Handle, Intent, NullTarget};
use flashscope_sim::settings::{Initial, Settings};
use flashscope_sim::ssd::inside::Inside;
use flashscope_sim::{Disk, Profile, Rig, RigSpec, Ssd, profiles, rigs};

use crate::exit::{Interrupted, Usage};
use crate::inside;
use crate::journal::fresh_seed;
use crate::signal;

/// What the person named.
#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    /// `rig:NAME` or `rig:FILE.toml`.
    Rig(String),
    /// `sim:PROFILE` or `sim:FILE.toml`, with `?key=value&key=value`.
    Sim(String),
    /// `null:`.
    Null,
    /// A device or file.
    Path(PathBuf),
}

impl Named {
    /// Reads a TARGET.
    pub fn parse(text: &str) -> Named {
        match text.split_once(':') {
            Some(("rig", name)) => Named::Rig(name.into()),
            Some(("sim", name)) => Named::Sim(name.into()),
            Some(("null", "")) => Named::Null,
            _ => Named::Path(text.into()),
        }
    }

    /// Whether it is no device at all, so that writing to it needs no leave.
    pub fn is_virtual(&self) -> bool {
        !matches!(self, Named::Path(_))
    }

    /// Refuses flags that would have no effect on it.
    pub fn must_heed(&self, name: &str, engine: Option<Engine>, data: DataPattern) -> Result<(), Usage> {
        let flag = match (engine, data) {
            (Some(_), _) => "--engine",
            (None, DataPattern::Random) => return Ok(()),
            (None, _) => "--data",
        };
        if !self.is_virtual() {
            return Ok(());
        }
        Err(Usage(format!("{flag} has no effect on {name}, which is no real device; leave it out")))
    }

    /// Refuses a virtual device that there is not, or that cannot be made, without filling it.
    pub fn must_exist(&self) -> Result<()> {
        match self {
            Named::Rig(name) => rig_spec(name).map(drop),
            Named::Sim(text) => {
                let (name, overrides) = split_overrides(text)?;
                if let Profile::Ssd(settings) = profile(name, &overrides)? {
                    let empty = Settings { initial: Initial::Empty, ..*settings };
                    Ssd::new(name, empty, 0).map_err(|error| Usage(error.to_string()))?;
                }
                Ok(())
            }
            Named::Null | Named::Path(_) => Ok(()),
        }
    }

    /// A short name for folders.
    pub fn short(&self) -> String {
        let text = match self {
            Named::Rig(name) => {
                Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned()
            }
            Named::Sim(name) => {
                let profile = name.split('?').next().unwrap_or_default();
                Path::new(profile).file_stem().unwrap_or_default().to_string_lossy().into_owned()
            }
            Named::Null => "null".into(),
            Named::Path(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        text.chars().map(plain).collect()
    }
}

/// How to open it.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    /// What will be done to it.
    pub intent: Intent,
    /// The engine for single IOs; none chooses.
    pub engine: Option<Engine>,
    /// What writes contain.
    pub data: DataPattern,
    /// The largest IO.
    pub io_bytes_max: u32,
    /// The most IOs in flight.
    pub depth_max: u32,
    /// Seed of contents and of virtual devices.
    pub seed: u64,
}

impl Opening {
    /// Only to look.
    pub fn reading(seed: u64) -> Opening {
        let intent = Intent::READ;
        Opening { intent, engine: None, data: DataPattern::Random, io_bytes_max: 1 << 20, depth_max: 1, seed }
    }
}

/// Any target. The choice costs a branch that is always predicted.
pub enum Served {
    /// A virtual device.
    Rig(Box<Rig>),
    /// A simulated SSD.
    Ssd(Box<Ssd>),
    /// A simulated hard disk.
    Disk(Box<Disk>),
    /// A real one, or none at all.
    Device(Box<DeviceTarget>),
}

impl Served {
    /// What a simulated SSD did inside since it is watched.
    pub fn seen(&mut self) -> Option<Inside> {
        if let Served::Ssd(ssd) = self { ssd.seen() } else { None }
    }
}

macro_rules! each {
    ($served:expr, $target:ident => $call:expr) => {
        match $served {
            Served::Rig($target) => $call,
            Served::Ssd($target) => $call,
            Served::Disk($target) => $call,
            Served::Device($target) => $call,
        }
    };
}

impl Target for Served {
    fn info(&self) -> &TargetInfo {
        each!(self, target => target.info())
    }
    #[inline]
    fn now(&mut self) -> Time {
        each!(self, target => target.now())
    }
    #[inline]
    fn prepare(&mut self, requests: &[Request]) {
        each!(self, target => target.prepare(requests));
    }
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        each!(self, target => target.submit(requests))
    }
    #[inline]
    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        each!(self, target => target.reap(min, until, out))
    }
    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        each!(self, target => target.serve(request))
    }
    fn wait_until(&mut self, time: Time) {
        each!(self, target => target.wait_until(time));
    }
}

/// A target with all the forms that a run may need.
pub struct Bench {
    info: TargetInfo,
    single: Served,
    many: Option<Served>,
    handle: Option<Arc<Handle>>,
    opening: Opening,
    /// Seed of what is written: its own for each process, or a deduplicating drive would see repeats.
    contents_seed: u64,
    /// The result folder that keeps what a simulated SSD does inside.
    inside: Option<PathBuf>,
}

impl Bench {
    /// Opens what was named. For devices and files this is the guarded opening: see `flashscope check`.
    pub fn open(named: &Named, opening: Opening) -> Result<Bench> {
        let name = match named {
            Named::Rig(name) => format!("rig:{name}"),
            Named::Sim(name) => format!("sim:{name}"),
            Named::Null => "null:".into(),
            Named::Path(path) => path.display().to_string(),
        };
        let mut handle = None;
        let contents_seed = fresh_seed();
        let single = match named {
            Named::Rig(name) => Served::Rig(Box::new(Rig::new(rig_spec(name)?, opening.seed))),
            Named::Sim(name) => simulated(name, opening.seed)?,
            Named::Null => {
                Served::Device(Box::new(DeviceTarget::Null(NullTarget::new(1 << 40, opening.depth_max))))
            }
            Named::Path(path) => {
                let opened = Arc::new(Handle::open(path, &opening.intent)?);
                handle = Some(opened.clone());
                Served::Device(Box::new(device_target(&opened, &opening, 1, contents_seed)?))
            }
        };
        let mut info = single.info().clone();
        info.name = name;
        if handle.is_some() {
            info.queue_depth_max = opening.depth_max;
        }
        Ok(Bench { info, single, many: None, handle, opening, contents_seed, inside: None })
    }

    /// What a simulated SSD does inside in each run is kept in this result folder from now on.
    pub fn keep_inside(&mut self, folder: &Path) {
        self.inside = Some(folder.to_path_buf());
    }

    /// Names the engines that serve runs of these depths, from the least to the greatest.
    pub fn will_serve(&mut self, depths: RangeInclusive<u32>) {
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
            (Served::Ssd(_), _) => true,
            (_, Some(handle)) => handle.identity().can_discard(),
            _ => false,
        }
    }

    /// What is known of the target.
    pub fn info(&self) -> &TargetInfo {
        &self.info
    }

    /// Seed of everything random about it.
    pub fn seed(&self) -> u64 {
        self.opening.seed
    }

    /// The seed ([`EngineSpec::seed`]) of the engine that [`Lab::target`] gives for so many IOs in flight.
    pub fn engine_seed(&self, depth: u32) -> u64 {
        let is_single = depth <= self.single.info().queue_depth_max;
        let queue_depth = if is_single { 1 } else { self.opening.depth_max };
        derive(self.contents_seed, u64::from(queue_depth))
    }

    /// No IO will be larger: engines for many IOs that are not set up yet need less memory.
    pub fn limit_ios(&mut self, io_bytes_max: u32) {
        self.opening.io_bytes_max = self.opening.io_bytes_max.min(io_bytes_max);
    }

    /// Only the first bytes are used.
    ///
    /// # Errors
    /// It is smaller, or these are too few for any study.
    pub fn limit_size(&mut self, size: Bytes) -> Result<(), Usage> {
        const LEAST: Bytes = Bytes(16 << 20);
        let (name, all) = (&self.info.name, Bytes(self.info.size_bytes));
        if all.0 < LEAST.0 {
            return Err(Usage(format!("{name} has {all}; a study needs {LEAST} at least")));
        }
        if size.0 < LEAST.0 || size.0 > all.0 {
            return Err(Usage(format!("--size {size}: {name} has {all}; give {LEAST} to {all}")));
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
}

impl Lab for Bench {
    type Target = Served;

    fn target(&mut self, depth: u32) -> Result<&mut Served, TargetError> {
        let Some(handle) = &self.handle else { return Ok(&mut self.single) };
        if depth <= self.single.info().queue_depth_max {
            return Ok(&mut self.single);
        }
        if self.many.is_none() {
            let opening = Opening { engine: Some(Engine::IoUring), ..self.opening };
            let target = device_target(handle, &opening, self.opening.depth_max, self.contents_seed);
            let target = target.map_err(|error| engine_error(&self.info.name, &error))?;
            self.many = Some(Served::Device(Box::new(target)));
        }
        Ok(self.many.as_mut().expect("it was just made"))
    }

    fn cpu_ns(&mut self) -> Option<u64> {
        self.handle.as_ref()?;
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }

    fn begin(&mut self) {
        if let (Some(_), Served::Ssd(ssd)) = (&self.inside, &mut self.single) {
            ssd.watch();
        }
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Cause> {
        let (Some(folder), Some(records)) = (&self.inside, &finished.run.records) else { return Ok(()) };
        let Some(seen) = self.single.seen() else { return Ok(()) };
        inside::keep(folder, records, &seen)?;
        Ok(())
    }
}

fn device_target(
    handle: &Arc<Handle>,
    opening: &Opening,
    depth: u32,
    contents_seed: u64,
) -> Result<DeviceTarget> {
    let engine = opening.engine.unwrap_or(Engine::Sync);
    let queue_depth = if engine == Engine::Sync { 1 } else { depth.max(1) };
    let spec = EngineSpec {
        queue_depth,
        io_bytes_max: opening.io_bytes_max,
        data: opening.data,
        seed: derive(contents_seed, u64::from(queue_depth)),
        age_writes: 0,
    };
    Ok(DeviceTarget::new(engine, handle.clone(), &spec)?)
}

fn engine_error(target: &str, error: &anyhow::Error) -> TargetError {
    TargetError {
        kind: ErrorKind::Engine,
        target: target.into(),
        op: Op::Read,
        offset_bytes: 0,
        length_bytes: 0,
        cause: error.to_string(),
        remedy: "leave out what needs several IOs in flight".into(),
    }
}

/// A rig by name or file.
fn rig_spec(name: &str) -> Result<RigSpec> {
    if let Some(spec) = rigs::get(name) {
        return Ok(spec);
    }
    if !name.ends_with(".toml") {
        let known = rigs::NAMES.join(", ");
        return Err(Usage(format!(
            "'{name}' is no virtual device; the rigs are: {known}; or write rig:FILE.toml"
        ))
        .into());
    }
    let text = std::fs::read_to_string(name)
        .map_err(|error| Usage(format!("cannot read the rig {name}: {error}")))?;
    RigSpec::parse(name, &text).map_err(|error| Usage(error.to_string()).into())
}

/// A simulated device by profile and overrides.
fn simulated(text: &str, seed: u64) -> Result<Served> {
    let (name, overrides) = split_overrides(text)?;
    let usage = |error: flashscope_sim::SimError| Usage(error.to_string());
    Ok(match profile(name, &overrides)? {
        Profile::Ssd(settings) => {
            // Filling a large device takes a while.
            let ssd = Ssd::new_unless(signal::listen(), name, *settings, seed).map_err(usage)?;
            Served::Ssd(Box::new(ssd.ok_or(Interrupted)?))
        }
        Profile::Disk(settings) => Served::Disk(Box::new(Disk::new(name, &settings).map_err(usage)?)),
    })
}

/// `PROFILE?key=value&key=value` in its parts.
pub fn split_overrides(text: &str) -> Result<(&str, Vec<(String, String)>)> {
    let (name, query) = text.split_once('?').unwrap_or((text, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    Ok((name, pairs.map(override_pair).collect::<Result<_>>()?))
}

/// `key=value`.
pub fn override_pair(text: &str) -> Result<(String, String)> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(Usage(format!("'{text}' is not KEY=VALUE, for example nand.pages_per_block=64")).into());
    };
    let (key, value) = (key.trim(), value.trim());
    if value.contains(['\n', '\r']) {
        let lines = value.lines().count();
        let message =
            format!("{key} has a value of {lines} lines, and a value is one; give each --set its own");
        return Err(Usage(message).into());
    }
    Ok((key.into(), value.into()))
}

/// A profile by name or file.
pub fn profile(name: &str, overrides: &[(String, String)]) -> Result<Profile> {
    let parsed = if profiles::text(name).is_none() && name.ends_with(".toml") {
        let text = std::fs::read_to_string(name)
            .map_err(|error| Usage(format!("cannot read the profile {name}: {error}")))?;
        Profile::parse(name, &text, overrides)
    } else {
        Profile::find(name, overrides)
    };
    parsed.map_err(|error| Usage(error.to_string()).into())
}
