//! The queue depth that a latency target allows.

use flashscope_analysis::Stop;
use flashscope_bench::{Event, MeasuredRun, Measurement, WithinTarget, deepest, measure_on};
use flashscope_core::Pattern;

use super::{BegunMeasurement, experiment};
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::journal::Listener;

impl BegunMeasurement<'_> {
    /// The pattern's queue depth, or the largest up to it that meets the latency target. Each is tried for a
    /// window, whose IOs are counted and not stored.
    pub(super) fn iodepth(&mut self, listener: Listener<'_>, interrupt: &Interrupt) -> Result<u32> {
        let most = self.pattern.iodepth;
        let Some(target) = self.request.latency_target else { return Ok(most) };
        let (mut number, mut first) = (0, None);
        let found = deepest(most, |iodepth| {
            number += 1;
            let seen = self.window(iodepth, number, &mut *listener, interrupt)?;
            first.get_or_insert(seen);
            Ok::<_, Error>(target.is_met(&seen))
        })?;
        found.ok_or_else(|| {
            let share = first.map_or(0.0, |seen: WithinTarget| 100.0 * seen.share());
            let (limit, asked) = (target.latency, 100.0 * target.share);
            let problem =
                format!("{share:.2} % of the IOs took at most {limit} at queue depth 1, not {asked:.2} %");
            Error::failed(problem)
        })
    }

    /// The IOs of a window at this queue depth.
    fn window(
        &mut self,
        iodepth: u32,
        number: usize,
        listener: Listener<'_>,
        interrupt: &Interrupt,
    ) -> Result<WithinTarget> {
        let target = self.request.latency_target.expect("it is asked for");
        let pattern = Pattern { iodepth, ..self.pattern.clone() };
        let experiment = experiment(&pattern);
        listener(&Event::Started { number, of: number, experiment: &experiment, repeat: 0 });
        let request = Measurement {
            runtime: Some((target.window, Stop::Runtime)),
            writes: self.writes.as_ref(),
            on_error: self.request.on_error,
            seed: self.target.seed(),
            ..Measurement::new(&pattern, interrupt.flag())
        };
        let mut seen = WithinTarget::new(&target);
        let mut look = |ios, estimate, why| listener(&Event::Look { ios, estimate, why });
        let MeasuredRun { run, error } = measure_on(&mut self.target, &request, &mut seen, &mut look)?;
        match (error, run.outcome.stopped_because) {
            (Some(error), _) => Err(error.into()),
            (None, Stop::Interrupted) => Err(Error::interrupted()),
            (None, Stop::Bytes) => {
                Err(Error::failed("the write budget ended before a queue depth was found"))
            }
            (None, _) => Ok(seen),
        }
    }
}
