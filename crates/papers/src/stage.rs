//! What a study works with: devices made for it, and ways to drive them. A study says what is done; whether
//! that happens on the simulated device it was written for or on another one is decided here.

mod serve;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use flashscope_core::Nanos;
use flashscope_device::Intent;
use flashscope_lab::{Interrupt, OpenTarget, Result, TargetSpec, profile, split_overrides};
use flashscope_sim::Profile;

use crate::claim::DeviceKind;
use crate::device::{Device, RealDevice};
use crate::error::NotHere;
use crate::paper_time::PaperTime;
use crate::scaling::Scaling;

pub use serve::{Simulated, Timed, over_all};

/// A setting of a simulated device, and its value.
pub type Set<'a> = (&'a str, &'a str);

/// How many seeds a study is run with unless told otherwise: the least that show whether chance decides.
pub const SEEDS: u32 = flashscope_analysis::ROUNDS_MIN;

/// The devices of a study: the simulated ones that it was written for, or another one in their place.
#[derive(Clone)]
pub struct Stage<'a> {
    other: Option<Other<'a>>,
    /// Seed of everything random, new devices among it.
    pub(crate) seed: u64,
    /// How many seeds a study is run with on virtual devices.
    seeds: u32,
    /// A setting of every device that is scaled.
    scaling: Option<Scaling>,
    interrupt: &'a Interrupt,
    /// The devices that a study has used: see [`Stage::devices_used`].
    used: Arc<Mutex<Vec<String>>>,
    /// How many patterns it has run: each has addresses of its own, or a device that is aged would be
    /// measured with the very writes that aged it.
    runs: Arc<AtomicU64>,
}

/// A device in place of the studies' own.
#[derive(Clone, Copy)]
enum Other<'a> {
    /// By its name, made anew for each use.
    Virtual(&'a str),
    /// The same one for all.
    Real(&'a RealDevice),
}

impl<'a> Stage<'a> {
    /// The simulated devices that the studies were written for, [`SEEDS`] times each. The numbers of
    /// docs/papers.md begin with seed 1.
    pub fn new(seed: u64, interrupt: &'a Interrupt) -> Stage<'a> {
        Stage {
            other: None,
            seed,
            seeds: SEEDS,
            scaling: None,
            interrupt,
            used: Arc::default(),
            runs: Arc::default(),
        }
    }

    /// Each study on virtual devices as often, with its seed and those that follow; 0 counts as 1. A study
    /// that only computes is run once.
    #[must_use]
    pub fn with_seeds(self, seeds: u32) -> Stage<'a> {
        Stage { seeds: seeds.max(1), ..self }
    }

    /// The stage with a setting scaled wherever a device of a study has it.
    pub(crate) fn with_scaling(&self, scaling: Scaling) -> Stage<'a> {
        Stage { scaling: Some(scaling), ..self.clone() }
    }

    /// A virtual device, such as `sim:x25m-2009` or `rig:plain`, in their place: judged as if it were the
    /// paper's. A simulated SSD keeps the settings of each study, but where it has its own.
    #[must_use]
    pub fn on(self, name: &'a str) -> Stage<'a> {
        Stage { other: Some(Other::Virtual(name)), ..self }
    }

    /// A real device in their place, of which only shapes are compared.
    #[must_use]
    pub fn on_real(self, device: &'a RealDevice) -> Stage<'a> {
        Stage { other: Some(Other::Real(device)), ..self }
    }

    /// Whether it is the simulated device that the study was written for.
    pub(crate) fn is_the_papers_device(&self) -> bool {
        self.other.is_none()
    }

    /// What its devices are.
    pub(crate) fn device_kind(&self) -> DeviceKind {
        match self.other {
            None => DeviceKind::Paper,
            Some(Other::Virtual(_)) => DeviceKind::Simulated,
            Some(Other::Real(_)) => DeviceKind::Real,
        }
    }

    /// The stage with the paper's device: for what is compared with it.
    pub(crate) fn as_the_paper(&self) -> Stage<'a> {
        Stage { other: None, ..self.clone() }
    }

    /// The stage for one more study.
    pub(crate) fn of_a_study(&self) -> Stage<'a> {
        Stage { used: Arc::default(), runs: Arc::default(), ..self.clone() }
    }

    /// How often a study is run.
    pub(crate) fn repeats(&self) -> u32 {
        self.real().map_or(self.seeds, |real| real.schedule.repeats)
    }

    /// The stage for a study's run of this number, from 0: what a stage with that seed does.
    pub(crate) fn repeat(&self, number: u32) -> Stage<'a> {
        let seed = self.seed.wrapping_add(u64::from(number));
        Stage { seed, runs: Arc::default(), ..self.clone() }
    }

    /// The names of the devices that were used, each once, in their order.
    pub(crate) fn devices_used(&self) -> Vec<String> {
        self.used.lock().expect("no thread panics with it").clone()
    }

    fn note_used(&self, device: &str) {
        let mut used = self.used.lock().expect("no thread panics with it");
        if !used.iter().any(|known| known == device) {
            used.push(device.into());
        }
    }

    fn real(&self) -> Option<&'a RealDevice> {
        if let Some(Other::Real(device)) = self.other { Some(device) } else { None }
    }

    /// The name of the device in place of the studies' own, or of a study's own.
    fn name_or<'n>(&self, own: &'n str) -> &'n str
    where
        'a: 'n,
    {
        match self.other {
            None => own,
            Some(Other::Virtual(name)) => name,
            Some(Other::Real(device)) => &device.name,
        }
    }

    /// Whether a study's settings change the device: not a real one, a rig or a disk.
    pub(crate) fn takes_settings(&self) -> bool {
        let name = match self.other {
            None => return true,
            Some(Other::Real(_)) => return false,
            Some(Other::Virtual(name)) => name,
        };
        let TargetSpec::Sim(text) = TargetSpec::from(name) else { return false };
        let parts = split_overrides(&text).ok();
        let profile = parts.and_then(|(name, overrides)| profile(name, &overrides).ok());
        matches!(profile, Some(Profile::Ssd(_)))
    }

    /// A new device of that profile with these settings; or, always the same, a real one. Another simulated
    /// one keeps the settings of the study, where it is an SSD too.
    ///
    /// # Errors
    /// The device cannot be made or opened.
    pub(crate) fn device(&self, name: &str, settings: &[Set<'_>]) -> Result<Device<'a>> {
        self.check_interrupt()?;
        if let Some(real) = self.real() {
            let device = real.take()?;
            self.note_used(&real.name);
            return Ok(device);
        }
        // A disk or a rig has none of an SSD's settings.
        let settings = if self.takes_settings() { settings } else { &[] };
        let text = self.with_settings(self.name_or(name), settings);
        self.note_used(&text);
        let options = RealDevice::open_options(Intent::READ, self.seed);
        Ok(Device::New(Box::new(OpenTarget::open(&text.as_str().into(), options, self.interrupt)?)))
    }

    /// The name of a device with the settings of a study.
    fn with_settings(&self, text: &str, settings: &[Set<'_>]) -> String {
        let text = with_settings(text, settings);
        self.scaling.as_ref().map_or(text.clone(), |scaling| scaling.apply(&text))
    }

    /// The devices that a study goes through: one alone where another one is in their place.
    pub(crate) fn each_of<'d>(&self, devices: &'d [&'d str]) -> impl Iterator<Item = &'d str> {
        let count = if self.is_the_papers_device() { devices.len() } else { 1 };
        devices.iter().take(count).copied()
    }

    /// How long a time of a paper is on this device.
    pub(crate) fn time(&self, paper: PaperTime) -> Nanos {
        self.real().map_or(paper.whole(), |real| paper.shortened(real.schedule.runtime))
    }

    /// When what is counted in IOs ends early: on a real device after a run's time, else never.
    pub(crate) fn cap(&self) -> Option<PaperTime> {
        self.real().map(|_| PaperTime::RUN)
    }

    /// Whether it is a real device.
    pub(crate) fn is_real(&self) -> bool {
        self.real().is_some()
    }

    /// Ends a study that compares devices where there is one in their place.
    ///
    /// # Errors
    /// [`NotHere`].
    pub(crate) fn needs_several_devices(&self) -> Result<()> {
        unless(self.is_the_papers_device(), NotHere::ComparesDevices)
    }

    /// Ends a study that changes a device's settings where they cannot be changed.
    ///
    /// # Errors
    /// [`NotHere`].
    pub(crate) fn needs_settings(&self) -> Result<()> {
        unless(self.takes_settings(), NotHere::ChangesDevice)
    }

    /// Ends a study that needs to know where a block of flash ends.
    ///
    /// # Errors
    /// [`NotHere`].
    pub(crate) fn needs_block_bounds(&self) -> Result<()> {
        unless(self.takes_settings(), NotHere::KnowsBlocks)
    }

    /// Ends a study of flash on a rig or a simulated disk, which have none. A real device may have some.
    ///
    /// # Errors
    /// [`NotHere`].
    pub(crate) fn needs_flash(&self) -> Result<()> {
        unless(self.is_real() || self.takes_settings(), NotHere::NoFlash)
    }

    /// Ends a study that writes where that is not allowed.
    fn may_write(&self) -> Result<()> {
        self.real().map_or(Ok(()), RealDevice::must_be_written)
    }

    /// Ends a study once it is interrupted.
    ///
    /// # Errors
    /// Of [`flashscope_lab::ErrorKind::Interrupted`].
    pub(crate) fn check_interrupt(&self) -> Result<()> {
        self.interrupt.check()
    }
}

fn unless(fits: bool, reason: NotHere) -> Result<()> {
    if fits { Ok(()) } else { Err(reason.into()) }
}

/// The name of a device with more settings, if it is a simulated one. `text` may also be what follows `sim:`.
fn with_settings(text: &str, settings: &[Set<'_>]) -> String {
    if text.starts_with("rig:") || text == "null:" {
        return text.into();
    }
    let (name, own) = text.split_once('?').unwrap_or((text, ""));
    let more = settings.iter().map(|(key, value)| format!("{key}={value}"));
    // What was asked for comes last, and wins.
    let all: Vec<String> = more.chain(Some(own.to_string()).filter(|own| !own.is_empty())).collect();
    if all.is_empty() { name.into() } else { format!("{name}?{}", all.join("&")) }
}
