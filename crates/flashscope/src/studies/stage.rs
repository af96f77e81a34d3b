//! What a study works with: devices made for it, and ways to drive them. A study says what is done; whether
//! that happens on the simulated device it was written for or on one that a person named is decided here.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{Result, anyhow};
use flashscope_bench::{Campaign, Effort, Lab, Outcome, Plan, Prior, Scope, Settings, State, Unkept};
use flashscope_core::seed::derive;
use flashscope_core::{
    Bytes, Control, Driven, Io, Limits, Nanos, Ordered, Pacing, Pattern, PatternSource, RequestSource, Rw,
    Stream, Target, drive,
};
use flashscope_sim::ssd::report::DeviceReport;
use flashscope_sim::{Profile, Ssd};

use super::PaperTime;
use super::claim::Ground;
pub use super::subject::Subject;
pub use super::work::Work;
use crate::exit::{Interrupted, Usage};
use flashscope_lab::replay::{PIECE_BYTES_REAL, flush};
use flashscope_lab::{OpenOptions, OpenTarget, TargetSpec, profile, split_overrides};

/// A setting of a simulated device, and its value.
pub type Set<'a> = (&'a str, &'a str);

/// The person's choices, and the device if they named one.
#[derive(Clone)]
pub struct Stage<'a> {
    /// The device in place of the study's own: `--on`.
    on: Option<&'a str>,
    /// Seed of everything random.
    pub seed: u64,
    /// Ctrl-C.
    interrupted: &'a AtomicBool,
    /// How devices are opened.
    opening: OpenOptions,
    /// The real device that `--on` names.
    held: Option<Held<'a>>,
    /// The devices that a study has used: see [`Stage::devices_used`].
    used: Arc<Mutex<Vec<String>>>,
    /// How many patterns it has run: each has addresses of its own, or a device that is aged would be
    /// measured with the very writes that aged it.
    runs: Arc<AtomicU64>,
}

/// A real device, held for all studies, and how it is used.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// The device.
    pub bench: &'a Mutex<OpenTarget>,
    /// What it is given for [`PaperTime::RUN`].
    pub runtime: Nanos,
    /// How often each study is run: a real device never does quite the same again.
    pub repeats: u32,
}

/// What a workload cost a simulated SSD.
pub struct Simulated {
    /// The device's own counts.
    pub device: DeviceReport,
    /// Bytes of the host, in 10^6, for each simulated second, the buffer's flush at the end included.
    pub mb_s: f64,
    /// What is erased as one.
    pub erase_unit_bytes: u64,
}

/// What a pattern took, its IOs one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timed {
    ios: u64,
    bytes: u64,
    response_ns: u64,
}

impl Timed {
    /// Bytes in 10^6 for each second of response time.
    pub fn mb_s(&self) -> f64 {
        self.bytes as f64 * 1e3 / self.response_ns as f64
    }

    /// The mean response time.
    pub fn mean_ms(&self) -> f64 {
        self.response_ns as f64 / 1e6 / self.ios as f64
    }
}

impl Simulated {
    /// Block erases.
    pub fn erases(&self) -> f64 {
        self.device.block_erases as f64
    }
}

impl<'a> Stage<'a> {
    /// For the device that `on` names, held if it is a real one; for each study's own if it names none.
    pub fn new(
        on: Option<&'a str>,
        held: Option<Held<'a>>,
        opening: OpenOptions,
        interrupted: &'a AtomicBool,
    ) -> Stage<'a> {
        Stage {
            on,
            seed: opening.seed,
            interrupted,
            opening,
            held,
            used: Arc::default(),
            runs: Arc::default(),
        }
    }

    /// Whether it is the simulated device that the study was written for.
    pub fn is_the_papers_device(&self) -> bool {
        self.on.is_none()
    }

    /// What its devices are.
    pub fn ground(&self) -> Ground {
        match (self.on, self.held) {
            (None, _) => Ground::Paper,
            (Some(_), None) => Ground::Simulated,
            (Some(_), Some(_)) => Ground::Real,
        }
    }

    /// The stage without the device that a person named: for what is compared with it.
    pub fn as_the_paper(&self) -> Stage<'a> {
        Stage { on: None, held: None, ..self.clone() }
    }

    /// The stage for one more study.
    pub fn of_a_study(&self) -> Stage<'a> {
        Stage { used: Arc::default(), runs: Arc::default(), ..self.clone() }
    }

    /// How often a study is run.
    pub fn repeats(&self) -> u32 {
        self.held.map_or(1, |held| held.repeats)
    }

    /// The stage for a study's run of this number, from 0: with addresses of its own.
    pub fn repeat(&self, number: u32) -> Stage<'a> {
        let seed = if number == 0 { self.seed } else { derive(self.seed, u64::from(number)) };
        Stage { seed, ..self.clone() }
    }

    /// The TARGETs that were used, each once, in their order.
    pub fn devices_used(&self) -> Vec<String> {
        self.used.lock().expect("no thread panics with it").clone()
    }

    fn note_used(&self, device: &str) {
        let mut used = self.used.lock().expect("no thread panics with it");
        if !used.iter().any(|known| known == device) {
            used.push(device.into());
        }
    }

    /// Whether a study's settings change the device: not a real one, a rig or a disk.
    pub fn heeds_settings(&self) -> bool {
        self.on.is_none_or(|on| {
            let TargetSpec::Sim(text) = TargetSpec::from(on) else { return false };
            let parts = split_overrides(&text).ok();
            let profile = parts.and_then(|(name, overrides)| profile(name, &overrides).ok());
            matches!(profile, Some(Profile::Ssd(_)))
        })
    }

    /// A new device of that profile with these settings; or, always the same, the one that `--on` names. A
    /// simulated one that `--on` names keeps the settings of the study, where it is an SSD too.
    ///
    /// # Errors
    /// The device cannot be made or opened.
    pub fn device(&self, name: &str, settings: &[Set<'_>]) -> Result<Subject<'a>> {
        self.must_go_on()?;
        if let Some(held) = self.held {
            let held =
                held.bench.try_lock().map_err(|_| anyhow!("the device is still in use by the study"))?;
            self.note_used(self.on.unwrap_or(name));
            return Ok(Subject::Held(held));
        }
        // A disk or a rig has none of an SSD's settings.
        let settings = if self.heeds_settings() { settings } else { &[] };
        let text = with_settings(self.on.unwrap_or(name), settings);
        self.note_used(&text);
        let named = TargetSpec::from(text.as_str());
        Ok(Subject::New(Box::new(OpenTarget::open(&named, self.opening, crate::signal::interrupt())?)))
    }

    /// The devices that a study goes through: one alone, in their place, where `--on` names it.
    pub fn each_of<'d>(&self, devices: &'d [&'d str]) -> impl Iterator<Item = &'d str> {
        let count = if self.is_the_papers_device() { devices.len() } else { 1 };
        devices.iter().take(count).copied()
    }

    /// How long a time of a paper is on this device.
    pub fn time(&self, paper: PaperTime) -> Nanos {
        self.held.map_or(paper.whole(), |held| paper.shortened(held.runtime))
    }

    /// When what is counted in IOs ends early: on a real device after a run's time, else never.
    pub fn cap(&self) -> Option<PaperTime> {
        self.held.map(|_| PaperTime::RUN)
    }

    /// Whether it is a real device.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Ends a study that compares devices where `--on` names one.
    ///
    /// # Errors
    /// [`NotHere`].
    pub fn compares(&self) -> Result<()> {
        let is_one = self.on.is_some();
        if is_one { Err(NotHere("it compares different devices, and --on names one").into()) } else { Ok(()) }
    }

    /// Ends a study that changes a device's settings where they cannot be changed.
    ///
    /// # Errors
    /// [`NotHere`].
    pub fn rebuilds(&self) -> Result<()> {
        if self.heeds_settings() {
            return Ok(());
        }
        Err(NotHere("it changes what the device is made of, which only a simulated SSD lets it").into())
    }

    /// Ends a study that needs to know where a block of flash ends.
    ///
    /// # Errors
    /// [`NotHere`].
    pub fn tells_blocks(&self) -> Result<()> {
        let reason = "it looks at one block of flash, and only a simulated SSD tells where that ends";
        if self.heeds_settings() { Ok(()) } else { Err(NotHere(reason).into()) }
    }

    /// Ends a study of flash on a rig or a simulated disk, which have none. A real device may have some.
    ///
    /// # Errors
    /// [`NotHere`].
    pub fn has_flash(&self) -> Result<()> {
        let has = self.is_held() || self.heeds_settings();
        if has { Ok(()) } else { Err(NotHere("it is about flash, and this device has none").into()) }
    }

    /// Refuses to write to a real device without leave.
    fn may_write(&self) -> Result<()> {
        let is_forbidden = self.held.is_some() && !self.opening.intent.write;
        if is_forbidden { Err(NotHere("it writes: add --write").into()) } else { Ok(()) }
    }

    /// A characterisation, as `flashscope run` makes it, of these micro-benchmarks.
    ///
    /// # Errors
    /// The plan does not fit, or an IO failed.
    pub fn characterise(&self, bench: &mut OpenTarget, only: &[&str], scope: Scope) -> Result<Outcome> {
        let settings = Settings {
            scope,
            only: Some(only.iter().map(ToString::to_string).collect()),
            state: State::Random,
            effort: Effort { ios_max: 1 << 20, ..Settings::default().effort },
            write: bench.handle().is_none() || self.opening.intent.write,
            repeats: 1,
            seed: self.seed,
            ..Settings::default()
        };
        let plan = Plan::new(bench.info(), &settings)?;
        let campaign = Campaign { settings: &settings, plan: &plan, interrupted: self.interrupted };
        let mut outcome = flashscope_bench::run(&campaign, bench, &mut Unkept, Prior::default());
        match outcome.error.take() {
            Some(error) => Err(error.into()),
            None => self.must_go_on().map(|()| outcome),
        }
    }

    /// Every IO of a pattern, one at a time: for series that no summary holds.
    ///
    /// # Errors
    /// The pattern does not fit, it writes without leave, or an IO failed.
    pub fn every_io(
        &self,
        bench: &mut OpenTarget,
        pattern: &Pattern,
        see: &mut dyn FnMut(&Io),
    ) -> Result<()> {
        self.each_io(bench, pattern, None, see)
    }

    /// The same, for no longer than `runtime`.
    ///
    /// # Errors
    /// As [`Stage::every_io`].
    pub fn each_io(
        &self,
        bench: &mut OpenTarget,
        pattern: &Pattern,
        runtime: Option<PaperTime>,
        see: &mut dyn FnMut(&Io),
    ) -> Result<()> {
        pattern.validate(bench.info())?;
        let seed = derive(self.seed, self.runs.fetch_add(1, Ordering::Relaxed));
        let mut streams = [Stream { source: PatternSource::new(pattern, 0, seed), pacing: pattern.pacing() }];
        self.serve(bench, &mut streams, pattern.writes(), runtime, see)
    }

    /// Streams of requests side by side, for no longer than `runtime`; `writes` says whether any does.
    ///
    /// # Errors
    /// They write without leave, or an IO failed.
    pub fn serve<S: RequestSource>(
        &self,
        bench: &mut OpenTarget,
        streams: &mut [Stream<S>],
        writes: bool,
        runtime: Option<PaperTime>,
        see: &mut dyn FnMut(&Io),
    ) -> Result<()> {
        self.must_go_on()?;
        if writes {
            self.may_write()?;
        }
        let mut see = |io: &Io| {
            see(io);
            Control::Continue
        };
        let runtime = runtime.map(|paper| self.time(paper));
        let limits = Limits { runtime, interrupted: self.interrupted };
        let depth = streams.iter().map(|stream| stream.pacing.iodepth()).sum();
        self.ended(drive(bench.target(depth)?, streams, limits, &mut see)?)
    }

    /// A pattern for as long as it lasts, but no longer than `runtime`.
    ///
    /// # Errors
    /// The pattern does not fit, it writes without leave, or an IO failed.
    pub fn timed(
        &self,
        bench: &mut OpenTarget,
        pattern: &Pattern,
        runtime: Option<PaperTime>,
    ) -> Result<Timed> {
        let mut timed = Timed::default();
        self.each_io(bench, pattern, runtime, &mut |io: &Io| {
            timed.ios += 1;
            timed.bytes += u64::from(io.length_bytes);
            timed.response_ns += io.response.0;
        })?;
        Ok(timed)
    }

    /// The whole device once, in order.
    ///
    /// # Errors
    /// As [`Stage::timed`].
    pub fn fill(&self, bench: &mut OpenTarget, bs: u64) -> Result<Timed> {
        let whole = over_all(bench, Rw::Write, bs);
        let ios = Some(whole.size.0 / bs);
        self.timed(bench, &Pattern { number_ios: ios, ..whole }, None)
    }

    /// A workload on a new simulated SSD, request after request, and its buffer flushed at the end.
    ///
    /// # Errors
    /// The device cannot be made; `--on` names no simulated SSD; the workload does not fit.
    pub fn simulate(&self, name: &str, settings: &[Set<'_>], work: &Work) -> Result<Simulated> {
        self.simulate_until(name, settings, work, true)
    }

    /// The same; `flush` says whether the buffer is flushed at the end.
    ///
    /// # Errors
    /// As [`Stage::simulate`].
    pub fn simulate_until(
        &self,
        name: &str,
        settings: &[Set<'_>],
        work: &Work,
        flush: bool,
    ) -> Result<Simulated> {
        self.must_go_on()?;
        let text = match TargetSpec::from(self.on.unwrap_or(name)) {
            TargetSpec::Sim(text) => text,
            _ => return Err(NotHere("only a simulated SSD tells what this study counts").into()),
        };
        let text = with_settings(&text, settings);
        self.note_used(&format!("sim:{text}"));
        let (name, overrides) = split_overrides(&text)?;
        let Profile::Ssd(settings) = profile(name, &overrides)? else {
            return Err(NotHere("a hard disk has neither erases nor a write buffer to choose").into());
        };
        let made = Ssd::new_unless(self.interrupted, name, *settings, self.seed);
        let mut ssd = made.map_err(|error| Usage(error.to_string()))?.ok_or(Interrupted)?;
        let mut streams =
            [Stream { source: work.source(ssd.info(), self.seed)?, pacing: Pacing::CONSECUTIVE }];
        let limits = Limits { runtime: None, interrupted: self.interrupted };
        let driven = drive(&mut ssd, &mut streams, limits, &mut |_: &Io| Control::Continue)?;
        streams[0].source.check()?;
        self.ended(driven)?;
        if flush {
            ssd.flush()?;
        }
        let device = ssd.report();
        let host_bytes = (device.host_read_bytes + device.host_written_bytes) as f64;
        let erase_unit_bytes = ssd.geometry().block_bytes();
        Ok(Simulated { mb_s: host_bytes * 1e3 / ssd.now().0 as f64, erase_unit_bytes, device })
    }

    /// The writes of a work on any device, as `flashscope replay --timing asap` does it: one after the other,
    /// in order, and a flush at the end. MB/s of all of that.
    ///
    /// # Errors
    /// The device is too small, it writes without leave, or an IO failed.
    pub fn replay(&self, bench: &mut OpenTarget, work: &Work) -> Result<f64> {
        self.must_go_on()?;
        self.may_write()?;
        if bench.info().size_bytes < 1 << 30 {
            return Err(NotHere("its traces need 1 GiB").into());
        }
        let source = work.source(bench.info(), self.seed)?.of_writes(PIECE_BYTES_REAL as u32);
        let mut streams = [Stream { source, pacing: Pacing::CONSECUTIVE }];
        let mut target = Ordered::new(bench.target(1)?);
        let begun = target.now();
        let limits = Limits { runtime: None, interrupted: self.interrupted };
        let mut bytes = 0;
        let mut see = |io: &Io| {
            bytes += u64::from(io.length_bytes);
            Control::Continue
        };
        let driven = drive(&mut target, &mut streams, limits, &mut see)?;
        streams[0].source.check()?;
        self.ended(driven)?;
        flush(&mut target)?;
        Ok(bytes as f64 * 1e3 / target.now().since(begun).0 as f64)
    }

    fn ended(&self, driven: Driven) -> Result<()> {
        if driven == Driven::Interrupted { Err(Interrupted.into()) } else { Ok(()) }
    }

    /// Ends a study at Ctrl-C.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn must_go_on(&self) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Interrupted.into()) } else { Ok(()) }
    }
}

/// A baseline over the whole device, in IOs of `bs` bytes.
pub fn over_all(bench: &OpenTarget, rw: Rw, bs: u64) -> Pattern {
    let size = bench.info().size_bytes / bs * bs;
    Pattern { bs: Bytes(bs), ..Pattern::baseline(rw, Bytes(0), Bytes(size)) }
}

/// A study cannot be run on the device that a person named: why.
#[derive(Debug)]
pub struct NotHere(pub &'static str);

impl std::fmt::Display for NotHere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotHere {}

/// A TARGET with more settings, if it is a simulated device. `text` may also be what follows `sim:`.
fn with_settings(text: &str, settings: &[Set<'_>]) -> String {
    if text.starts_with("rig:") || text == "null:" {
        return text.into();
    }
    let (name, own) = text.split_once('?').unwrap_or((text, ""));
    let more = settings.iter().map(|(key, value)| format!("{key}={value}"));
    // What a person set comes last, and wins.
    let all: Vec<String> = more.chain(Some(own.to_string()).filter(|own| !own.is_empty())).collect();
    if all.is_empty() { name.into() } else { format!("{name}?{}", all.join("&")) }
}
