//! Files that hold several events of one request: which of them counts as the request.
//!
//! A request is queued, perhaps merged or split, issued and completed, and a tracer may write each down. Only
//! what was issued reached the device, so that counts unless another stage is asked for. A trace may lack it.
//! So events of other stages wait until the first issue, or until [`TRIAL`] of them, or the end, show that
//! it has none; then the stage nearest to it counts, and what has waited goes on. No trace is ever a mix.

use crate::devices::Devices;
use crate::reading::Stage;
use crate::record::Record;
use crate::text::Problem;

/// So many events of other stages show that the trace lacks the best one.
const TRIAL: usize = 16 << 10;

/// An event of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Before merging and splitting.
    Queued,
    /// Into the scheduler's queue.
    Inserted,
    /// To the device.
    Issued,
    /// By the device.
    Completed,
}

impl Event {
    fn stage(self) -> Stage {
        match self {
            Event::Queued | Event::Inserted => Stage::Queued,
            Event::Issued => Stage::Issued,
            Event::Completed => Stage::Completed,
        }
    }
}

/// Which event is the request.
pub struct Choice {
    /// What may be taken, the best first.
    order: &'static [Event],
    taken: Option<Event>,
    /// Events that wait; a line may stand for several records, of which one is the first.
    waiting: Vec<(Event, Record, bool)>,
    /// Of those that wait.
    devices: Devices,
    late: u64,
}

impl Default for Choice {
    fn default() -> Choice {
        let order = &[Event::Issued, Event::Inserted, Event::Queued, Event::Completed];
        Choice { order, taken: None, waiting: Vec::new(), devices: Devices::default(), late: 0 }
    }
}

impl Choice {
    /// Takes this stage alone; false if there is no such stage.
    pub(crate) fn want(&mut self, stage: Stage) -> bool {
        self.order = match stage {
            Stage::Queued => &[Event::Queued, Event::Inserted],
            Stage::Issued => &[Event::Issued],
            Stage::Completed => &[Event::Completed],
            Stage::Unknown => return false,
        };
        true
    }

    /// The stage that is taken; none before that is decided.
    pub(crate) fn stage(&self) -> Option<Stage> {
        self.taken.or(self.order.first().copied().filter(|_| self.order.len() == 1)).map(Event::stage)
    }

    /// Whether it is known which event is the request.
    #[inline]
    pub(crate) fn is_decided(&self) -> bool {
        self.taken.is_some()
    }

    /// Whether an event is certainly not taken, so that nobody needs to look at it closely.
    #[inline]
    pub(crate) fn skips(&self, event: Event) -> bool {
        match self.taken {
            Some(taken) => taken != event,
            None => !self.order.contains(&event),
        }
    }

    /// The number of the device of an event. One that only waits names no device of the trace.
    #[inline]
    pub(crate) fn device(
        &mut self,
        event: Event,
        name: &[u8],
        devices: &mut Devices,
    ) -> Result<u32, Problem> {
        match self.taken.is_some() || self.order.first() == Some(&event) {
            true => devices.number(name),
            false => self.devices.number(name),
        }
    }

    /// Takes the records from `from` on, which are those of one event, or lets them wait.
    #[inline]
    pub(crate) fn take(
        &mut self,
        event: Event,
        from: usize,
        records: &mut Vec<Record>,
        devices: &mut Devices,
    ) -> Result<(), Problem> {
        if self.taken.is_some() || records.len() == from {
            return Ok(());
        }
        if self.order.first() == Some(&event) {
            self.taken = Some(event);
            self.waiting = Vec::new();
            return Ok(());
        }
        for (at, record) in records.drain(from..).enumerate() {
            self.waiting.push((event, record, at == 0));
        }
        if self.waiting.len() >= TRIAL {
            self.end(records, devices)?;
            // The line itself is no late one.
            self.late -= u64::from(self.taken == Some(event));
        }
        Ok(())
    }

    /// Nothing follows: takes the best of what waits.
    #[cold]
    pub(crate) fn end(&mut self, records: &mut Vec<Record>, devices: &mut Devices) -> Result<(), Problem> {
        let has = |event: &Event| self.waiting.iter().any(|(of, ..)| of == event);
        let Some(best) = self.order.iter().copied().find(has).filter(|_| self.taken.is_none()) else {
            return Ok(());
        };
        self.taken = Some(best);
        for (_, record, is_first) in std::mem::take(&mut self.waiting).iter().filter(|(of, ..)| *of == best) {
            let name = &self.devices.names()[record.device as usize];
            records.push(Record { device: devices.number(name.as_bytes())?, ..*record });
            self.late += u64::from(*is_first);
        }
        Ok(())
    }

    /// Records that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Lines that turned out to be requests after they had passed, since somebody asked.
    pub(crate) fn late(&mut self) -> u64 {
        std::mem::take(&mut self.late)
    }
}
