//! A device in use: runs one after the other, with rests between them and addresses of their own, as
//! paper 001's section 4 wants them.

use flashscope_analysis::{Options, Phases, Series, phases};
use flashscope_bench::{State, StateSource};
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Io, Nanos, Pacing, Pattern, Rw, Stream, Target};
use flashscope_lab::Result;

use crate::device::Device;
use crate::stage::{Set, Stage};

/// Before every run. Twice paper 001's longest, in virtual time; its usual one on a real device.
const REST: [Nanos; 2] = [Nanos::from_s(1), Nanos::from_s(10)];

/// A device, and how often it was used.
pub struct Session<'a> {
    stage: &'a Stage<'a>,
    bench: Device<'a>,
    runs: u64,
}

impl<'a> Session<'a> {
    /// The device as it comes.
    pub fn fresh(stage: &'a Stage<'a>, device: &str, settings: &[Set<'_>]) -> Result<Session<'a>> {
        Ok(Session { stage, bench: stage.device(device, settings)?, runs: 0 })
    }

    /// The device in paper 001's random state.
    pub fn used(stage: &'a Stage<'a>, device: &str) -> Result<Session<'a>> {
        let mut session = Session::fresh(stage, device, &[])?;
        session.enforce(State::Random)?;
        Ok(session)
    }

    /// Its size in whole MiB.
    pub fn size(&self) -> Bytes {
        Bytes(self.bench.info().size_bytes >> 20 << 20)
    }

    /// Brings the whole device into a state, and returns the time it takes.
    pub fn enforce(&mut self, state: State) -> Result<Nanos> {
        self.enforce_last(state, 1)
    }

    /// The last part of that work alone: one of so many.
    pub fn enforce_last(&mut self, state: State, parts: u64) -> Result<Nanos> {
        let space = (0, self.size().0);
        let sector_bytes = u64::from(self.bench.info().logical_block_bytes);
        let seed = self.next_seed();
        let pieces = StateSource::new(state, space, sector_bytes, seed, 0).pieces();
        let from = pieces / parts * (parts - 1);
        let source = StateSource::new(state, space, sector_bytes, seed, from);
        let mut streams = [Stream { source, pacing: Pacing::CONSECUTIVE }];
        let mut spent = Nanos::ZERO;
        self.stage.serve(&mut self.bench, &mut streams, true, None, &mut |io| spent = spent + io.response)?;
        Ok(spent)
    }

    /// A baseline of so many IOs over the whole device.
    pub fn baseline(&self, rw: Rw, ios: u64) -> Pattern {
        Pattern { number_ios: Some(ios), ..Pattern::baseline(rw, Bytes(0), self.size()) }
    }

    /// Whether the device takes the pattern.
    pub fn can_run(&self, pattern: &Pattern) -> bool {
        pattern.validate(self.bench.info()).is_ok()
    }

    /// Every IO of a pattern, after a rest.
    pub fn ios(&mut self, pattern: &Pattern) -> Result<Vec<Io>> {
        let rest = REST[usize::from(self.bench.info().virtual_time)];
        self.rest(rest)?;
        self.ios_at_once(pattern)
    }

    /// The same without a rest.
    pub fn ios_at_once(&mut self, pattern: &Pattern) -> Result<Vec<Io>> {
        pattern.validate(self.bench.info())?;
        let mut streams: Vec<_> = pattern.streams(self.next_seed()).collect();
        let mut all = Vec::new();
        self.stage.serve(&mut self.bench, &mut streams, pattern.writes(), None, &mut |io| all.push(*io))?;
        Ok(all)
    }

    /// Response times of a pattern, after a rest, in ms.
    pub fn times_ms(&mut self, pattern: &Pattern) -> Result<Vec<f64>> {
        Ok(times_ms(&self.ios(pattern)?))
    }

    /// The mean of a pattern's running phase.
    pub fn mean_ms(&mut self, pattern: &Pattern) -> Result<f64> {
        Ok(running_mean(&self.times_ms(pattern)?))
    }

    /// Leaves the device alone.
    pub fn rest(&mut self, span: Nanos) -> Result<()> {
        use flashscope_bench::Lab;
        let target = self.bench.target(1)?;
        let end = target.now() + span;
        target.wait_until(end);
        self.stage.check_interrupt()
    }

    fn next_seed(&mut self) -> u64 {
        self.runs += 1;
        derive(self.stage.seed, self.runs)
    }
}

/// Response times in ms.
pub fn times_ms(ios: &[Io]) -> Vec<f64> {
    ios.iter().map(|io| io.response.as_ms()).collect()
}

/// From the first submission to the last completion, in ms.
pub fn elapsed_ms(ios: &[Io]) -> f64 {
    let ends = ios.iter().map(|io| io.submitted.0 + io.response.0);
    let starts = ios.iter().map(|io| io.submitted.0);
    (ends.max().unwrap_or(0) - starts.min().unwrap_or(0)) as f64 / 1e6
}

/// Start-up, regimes and period of response times.
pub fn phases_of(times_ms: &[f64]) -> Phases {
    let mut series = Series::new();
    times_ms.iter().for_each(|ms| series.push((ms * 1e6) as u64, 0));
    phases(&series, &Options::default())
}

/// The mean of whole periods after the start-up.
pub fn running_mean(times_ms: &[f64]) -> f64 {
    let found = phases_of(times_ms);
    let running = &times_ms[(found.startup_ios_high as usize).min(times_ms.len())..];
    let period = found.period.map_or(1, |period| period.ios as usize);
    mean(&running[running.len() % period.clamp(1, running.len().max(1))..])
}

/// The arithmetic mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The same; none of no values.
pub fn median_if(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(median(values)) }
}

/// The largest value.
pub fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// The smallest value.
pub fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}
