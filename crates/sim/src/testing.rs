//! The test kit: what every FTL, write buffer and victim policy must do, asked of any of them. With the
//! feature `testing`; the parts of this crate go through the same tests.
//!
//! ```
//! use flashscope_sim::buffer::NoBuffer;
//! use flashscope_sim::ftl::page::PageFtl;
//! use flashscope_sim::gc::fifo::Fifo;
//! use flashscope_sim::testing::{Kit, check_policy, small_device};
//! use flashscope_sim::Ssd;
//!
//! // In place of these parts, your own.
//! check_policy::<Fifo>(&(), 7);
//! let device = Ssd::builder("mine", small_device()).ftl::<PageFtl<Fifo>>(()).buffer::<NoBuffer>(());
//! Kit::new(device, 7).check();
//! ```
//!
//! A check panics with the seed, so that it can be run again. Token mode compares each read with a plain list
//! of what was written, and the flash checks its own rules.

mod buffer;
mod policy;
mod power;

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target, TargetInfo, Time};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::buffer::WriteBuffer;
use crate::ftl::{AnyFtl, FTLS, Ftl};
use crate::nand::Cause;
use crate::settings::{Initial, Settings};
use crate::ssd::background::When;
use crate::{Ssd, SsdBuilder};

pub use buffer::{BufferCall, BufferCalls, LOGICAL_PAGES, PAGES_PER_BLOCK, check_buffer, small_buffer};
pub use policy::check_policy;
pub use power::survives_power_cuts;

/// A device on which all mechanisms are soon in use: 128 logical blocks of 16 pages of 2 KiB, a quarter of it
/// spare, a buffer of 64 pages, in token mode.
pub fn small_device() -> Settings {
    const PAGE: u64 = 2048;
    let mut settings =
        Settings { capacity: Bytes(128 * 16 * PAGE), over_provisioning: 0.25, ..Settings::default() };
    settings.nand.page = Bytes(PAGE);
    settings.nand.pages_per_block = 16;
    settings.nand.endurance_erases = 1 << 30;
    settings.nand.data = true;
    settings.ram.size = Bytes(64 * PAGE);
    settings.page.idle_blocks = 12;
    settings.zns.zone_size = Bytes(32 * PAGE);
    settings
}

/// The FTLs that take writes anywhere, with what they are: random requests are for them.
pub fn ftls_of_any_order() -> Vec<(&'static str, &'static str)> {
    let takes_any_order = |(ftl, _): &(&str, &str)| {
        AnyFtl::zone_layout(&Settings { ftl: (*ftl).into(), ..Settings::default() }, &()).is_none()
    };
    FTLS.iter().copied().filter(takes_any_order).collect()
}

/// The settings of a device that works in idle time too, and beside reads.
pub fn at_work_when_idle(mut settings: Settings) -> Settings {
    settings.background.when = When::Idle;
    settings.background.beside_reads = true;
    settings.host.command_queue = false;
    settings
}

/// A random request anywhere in `size_bytes`: writes of up to 12 KiB that need not be whole pages, reads,
/// trims, flushes.
pub fn random_request(random: &mut Random, size_bytes: u64) -> Request {
    let op = match random.below(100) {
        0..60 => Op::Write,
        60..94 => Op::Read,
        94..99 => Op::Trim,
        _ => return Request { op: Op::Flush, ..Request::default() },
    };
    let length_bytes = (1 + random.below(24)) * 512;
    let offset_bytes = random.below((size_bytes - length_bytes) / 512 + 1) * 512;
    Request { op, offset_bytes, length_bytes: length_bytes as u32, ..Request::default() }
}

/// The same of a target, with any of the placement handles that it knows.
pub fn random_request_to(target: &TargetInfo, random: &mut Random) -> Request {
    let request = random_request(random, target.size_bytes);
    match target.placements {
        1 => request,
        known => Request { placement: random.below(known.into()) as u16, ..request },
    }
}

/// Now and then idle time, from less than a flash operation to hundreds of them.
pub fn random_pause<T: Target>(target: &mut T, random: &mut Random) {
    if random.below(4) == 0 {
        let bits = 10 + random.below(19);
        let idle_ns = random.below(1 << bits);
        let now = target.now();
        target.wait_until(Time(now.0 + idle_ns));
    }
}

/// Serves one request.
///
/// # Panics
/// If the device cannot.
pub fn serve<T: Target>(target: &mut T, request: Request, out: &mut Vec<Completion>) {
    target.prepare(&[request]);
    target.submit(&[request]).unwrap_or_else(|error| panic!("{error}"));
    target.reap(1, Time::NEVER, out).unwrap_or_else(|error| panic!("{error}"));
}

/// Random requests with pauses, then every page is read.
///
/// # Panics
/// If a page does not hold what was written last, or a rule of flash was broken.
pub fn exercise<F: Ftl, B: WriteBuffer>(ssd: &mut Ssd<F, B>, ios: u64, seed: u64) -> Vec<Completion> {
    let (mut random, mut out) = (Random::new(seed), Vec::new());
    let size_bytes = ssd.info().size_bytes;
    for _ in 0..ios {
        random_pause(ssd, &mut random);
        let request = random_request_to(ssd.info(), &mut random);
        serve(ssd, request, &mut out);
    }
    let page_bytes = ssd.geometry().page_bytes;
    for page in 0..size_bytes / u64::from(page_bytes) {
        let offset_bytes = page * u64::from(page_bytes);
        serve(ssd, Request { offset_bytes, length_bytes: page_bytes, ..Request::default() }, &mut out);
    }
    out
}

/// The checks of a device: of its FTL, of its write buffer, and of both together.
pub struct Kit<F: Ftl, B: WriteBuffer> {
    device: SsdBuilder<F, B>,
    seed: u64,
}

impl<F: Ftl, B: WriteBuffer> Clone for Kit<F, B> {
    fn clone(&self) -> Kit<F, B> {
        Kit { device: self.device.clone(), seed: self.seed }
    }
}

impl<F: Ftl, B: WriteBuffer> Kit<F, B> {
    /// Checks of `device`, which is set to token mode. Everything random comes from `seed`.
    pub fn new(device: SsdBuilder<F, B>, seed: u64) -> Kit<F, B> {
        let mut device = device.seed(seed);
        device.settings_mut().nand.data = true;
        Kit { device, seed }
    }

    /// The same, with idle time in use.
    #[must_use]
    pub fn when_idle(mut self) -> Kit<F, B> {
        let settings = self.device.settings_mut();
        *settings = at_work_when_idle(std::mem::take(settings));
        self
    }

    /// All checks but [`Kit::goes_on_after_a_save`], from every initial state, with idle time and without.
    ///
    /// # Panics
    /// If one fails.
    pub fn check(&self) {
        for initial in [Initial::Full, Initial::Empty, Initial::Random] {
            let mut kit = self.clone();
            kit.device.settings_mut().initial = initial;
            kit.returns_what_was_written(10_000);
            kit.when_idle().returns_what_was_written(10_000);
        }
        self.counts_operations_by_cause(5_000);
        self.takes_its_time(2_000);
        let idle = self.clone().when_idle();
        idle.counts_operations_by_cause(5_000);
        idle.repeats(2_000);
        idle.keeps_what_was_flushed(60);
        idle.survives_power_cuts(100);
    }

    fn ssd(&self) -> Ssd<F, B> {
        self.device.clone().build().unwrap_or_else(|error| panic!("{error}"))
    }

    /// No page is lost, none is stale, over `ios` random requests with pauses.
    ///
    /// # Panics
    /// If one is.
    pub fn returns_what_was_written(&self, ios: u64) {
        exercise(&mut self.ssd(), ios, self.seed);
    }

    /// No request is done before it came, and none that programmed a page for the host is done at once,
    /// unless RAM took the page first.
    ///
    /// # Panics
    /// If one is.
    pub fn takes_its_time(&self, ios: u64) {
        let mut ssd = self.ssd();
        let (mut random, mut out) = (Random::new(self.seed), Vec::new());
        let is_direct = !ssd.buffer().takes_writes() && ssd.settings().ram.write_behind.0 == 0;
        for io in 0..ios {
            let request = random_request_to(ssd.info(), &mut random);
            let before = ssd.nand().counts().programs_for(Cause::Host);
            serve(&mut ssd, request, &mut out);
            let Completion { submitted, completed, .. } = out[out.len() - 1];
            let what = format!("seed {}, IO {io}: from {} to {} ns", self.seed, submitted.0, completed.0);
            assert!(completed >= submitted && completed < Time::NEVER, "{what}");
            let has_programmed = ssd.nand().counts().programs_for(Cause::Host) > before;
            assert!(
                !(is_direct && has_programmed) || completed > submitted,
                "a page programmed at once: {what}"
            );
        }
    }

    /// The same seed gives the same times and counts.
    ///
    /// # Panics
    /// If it does not.
    pub fn repeats(&self, ios: u64) {
        let run = || {
            let mut ssd = self.ssd();
            (exercise(&mut ssd, ios, self.seed), format!("{:?}", ssd.report()))
        };
        assert_eq!(run(), run(), "seed {}", self.seed);
    }

    /// Without a buffer, each page that the host wrote is programmed once for the host, whatever else the FTL
    /// programs. With one, at most once. No page is programmed for padding that no buffer asked for.
    ///
    /// # Panics
    /// If the counts say otherwise.
    pub fn counts_operations_by_cause(&self, ios: u64) {
        let mut ssd = self.ssd();
        let (mut random, mut out, mut pages) = (Random::new(self.seed), Vec::new(), 0);
        let page_bytes = u64::from(ssd.geometry().page_bytes);
        for _ in 0..ios {
            random_pause(&mut ssd, &mut random);
            let request = random_request_to(ssd.info(), &mut random);
            if request.op == Op::Write {
                let end = request.offset_bytes + u64::from(request.length_bytes);
                pages += end.div_ceil(page_bytes) - request.offset_bytes / page_bytes;
            }
            serve(&mut ssd, request, &mut out);
        }
        let counts = ssd.nand().counts();
        let [host, padding] = [Cause::Host, Cause::Padding].map(|cause| counts.programs_for(cause));
        if ssd.buffer().takes_writes() {
            assert!(host <= pages, "seed {}: {host} programs for {pages} pages", self.seed);
        } else {
            assert_eq!((host, padding), (pages, 0), "seed {}: programs for host and padding", self.seed);
        }
    }

    /// The power goes `cuts` times, at any flash operation. What a flush acknowledged is there afterwards,
    /// nothing older is, and without a volatile buffer nothing acknowledged is lost.
    ///
    /// # Panics
    /// If it is.
    pub fn keeps_what_was_flushed(&self, cuts: u64) {
        let mut ssd = self.ssd();
        let mut random = Random::new(self.seed);
        for cut in 0..cuts {
            self.cut_power(&mut ssd, &mut random, 3 * cut + cut % 7);
        }
    }

    fn cut_power(&self, ssd: &mut Ssd<F, B>, random: &mut Random, after: u64) {
        ssd.cut_power_after(after);
        let (mut out, mut tries) = (Vec::new(), 0);
        while !ssd.is_off() {
            random_pause(ssd, random);
            let request = random_request_to(ssd.info(), random);
            if ssd.submit(&[request]).is_ok() {
                ssd.reap(1, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
            }
            tries += 1;
            assert!(tries < 1_000_000, "seed {}: the power never goes: nothing is programmed", self.seed);
        }
        let what = format!("seed {}, cut after {after} operations", self.seed);
        let loss = ssd.power_cycle().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!((loss.flushed_pages_lost, loss.stale_pages), (0, 0), "{what}: {loss:?}");
        if !ssd.buffer().takes_writes() || ssd.settings().buffer_survives() {
            assert_eq!(loss.acknowledged_pages_lost, 0, "{what}: {loss:?}");
        }
    }

    /// [`survives_power_cuts`] of the FTL alone.
    ///
    /// # Panics
    /// As that.
    pub fn survives_power_cuts(&self, cuts: u64) {
        let (settings, options) = self.device.ftl_parts();
        survives_power_cuts::<F>(settings, options, cuts);
    }
}

impl<F, B> Kit<F, B>
where
    F: Ftl<Options: Serialize + DeserializeOwned> + Serialize + DeserializeOwned,
    B: WriteBuffer<Options: Serialize + DeserializeOwned> + Serialize + DeserializeOwned,
{
    /// A saved device goes on exactly as the one that was not saved.
    ///
    /// # Panics
    /// If it does not.
    pub fn goes_on_after_a_save(&self, ios: u64) {
        let mut ssd = self.ssd();
        exercise(&mut ssd, ios, self.seed);
        let bytes = ssd.save();
        let mut again = Ssd::<F, B>::restore(&bytes).unwrap_or_else(|error| panic!("{error}"));
        assert!(again.save() == bytes, "the same device gives the same bytes");
        assert_eq!(exercise(&mut ssd, ios, 7), exercise(&mut again, ios, 7), "seed {}", self.seed);
        assert!(again.save() == ssd.save(), "and so it does after the same requests");
    }
}
