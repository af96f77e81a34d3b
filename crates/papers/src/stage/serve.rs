//! Ways to drive a device: micro-benchmarks, patterns, traces, workloads of a simulated SSD.

use std::sync::atomic::Ordering;

use flashscope_bench::{Campaign, Effort, Lab, Outcome, Plan, Prior, Scope, Settings, State, Unkept};
use flashscope_core::seed::derive;
use flashscope_core::{
    Bytes, Control, Driven, Io, Limits, Ordered, Pacing, Pattern, PatternSource, RequestSource, Rw, Stream,
    Target, drive,
};
use flashscope_lab::replay::{PIECE_BYTES_REAL, flush};
use flashscope_lab::{Error, OpenTarget, Result, TargetSpec, profile, split_overrides};
use flashscope_sim::ssd::report::DeviceReport;
use flashscope_sim::{Profile, Ssd};

use super::{Set, Stage};
use crate::error::NotHere;
use crate::paper_time::PaperTime;
use crate::work::Work;

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

impl Stage<'_> {
    /// A characterisation, of these micro-benchmarks.
    ///
    /// # Errors
    /// The plan does not fit, or an IO failed.
    pub fn characterise(&self, bench: &mut OpenTarget, only: &[&str], scope: Scope) -> Result<Outcome> {
        let settings = Settings {
            scope,
            only: Some(only.iter().map(ToString::to_string).collect()),
            state: State::Random,
            effort: Effort { ios_max: 1 << 20, ..Settings::default().effort },
            write: bench.handle().is_none() || bench.is_written(),
            repeats: 1,
            seed: self.seed,
            ..Settings::default()
        };
        let plan = Plan::new(bench.info(), &settings)?;
        let campaign = Campaign { settings: &settings, plan: &plan, interrupted: self.interrupt.flag() };
        let mut outcome = flashscope_bench::run(&campaign, bench, &mut Unkept, Prior::default());
        match outcome.error.take() {
            Some(error) => Err(error.into()),
            None => self.check_interrupt().map(|()| outcome),
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
        self.check_interrupt()?;
        if writes {
            self.may_write()?;
        }
        let mut see = |io: &Io| {
            see(io);
            Control::Continue
        };
        let runtime = runtime.map(|paper| self.time(paper));
        let limits = Limits { runtime, interrupted: self.interrupt.flag(), ..Limits::default() };
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
    /// The device cannot be made; another one was chosen that is no simulated SSD; the workload does not fit.
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
        self.check_interrupt()?;
        let text = match TargetSpec::from(self.name_or(name)) {
            TargetSpec::Sim(text) => text,
            _ => return Err(NotHere::CountsInside.into()),
        };
        let text = self.with_settings(&text, settings);
        self.note_used(&format!("sim:{text}"));
        let (name, overrides) = split_overrides(&text)?;
        let Profile::Ssd(settings) = profile(name, &overrides)? else {
            return Err(NotHere::HardDisk.into());
        };
        let made = Ssd::new_unless(self.interrupt.flag(), name, *settings, self.seed)?;
        let mut ssd = made.ok_or_else(Error::interrupted)?;
        let mut streams =
            [Stream { source: work.source(ssd.info(), self.seed)?, pacing: Pacing::CONSECUTIVE }];
        let limits = Limits { interrupted: self.interrupt.flag(), ..Limits::default() };
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

    /// The writes of a work on any device, replayed as fast as they complete: one after the other, in
    /// order, and a flush at the end. MB/s of all of that.
    ///
    /// # Errors
    /// The device is too small, it writes without leave, or an IO failed.
    pub fn replay(&self, bench: &mut OpenTarget, work: &Work) -> Result<f64> {
        self.check_interrupt()?;
        self.may_write()?;
        if bench.info().size_bytes < 1 << 30 {
            return Err(NotHere::TooSmall.into());
        }
        let source = work.source(bench.info(), self.seed)?.of_writes(PIECE_BYTES_REAL as u32);
        let mut streams = [Stream { source, pacing: Pacing::CONSECUTIVE }];
        let mut target = Ordered::new(bench.target(1)?);
        let begun = target.now();
        let limits = Limits { interrupted: self.interrupt.flag(), ..Limits::default() };
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
        if driven == Driven::Interrupted { Err(Error::interrupted()) } else { Ok(()) }
    }
}

/// A baseline over the whole device, in IOs of `bs` bytes.
pub fn over_all(bench: &OpenTarget, rw: Rw, bs: u64) -> Pattern {
    let size = bench.info().size_bytes / bs * bs;
    Pattern { bs: Bytes(bs), ..Pattern::baseline(rw, Bytes(0), Bytes(size)) }
}
