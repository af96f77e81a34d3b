//! How long one IO takes: every rule of a rig in the order in which they compose.

use flashscope_core::{Op, Time};

use super::background::Backlog;
use super::classify::{WriteClass, WriteClassifier};
use super::cycle::Turn;
use super::lingering::AfterEffect;
use super::noise::Noise;
use super::regimes::Levels;
use super::spec::{Baseline, RigSpec};
use super::streams::{Placement, Streams};

/// The costs of one IO size, looked up once for a run of IOs of that size.
#[derive(Clone, Copy)]
struct Costs {
    length_bytes: u64,
    sequential_read_ns: u64,
    random_read_ns: u64,
    sequential_write_ns: u64,
    random_write_ns: u64,
}

impl Costs {
    fn new(spec: &RigSpec, length_bytes: u64) -> Costs {
        let latency = &spec.latency;
        Costs {
            length_bytes,
            sequential_read_ns: latency.sequential_read.at(length_bytes),
            random_read_ns: latency.random_read().at(length_bytes),
            sequential_write_ns: latency.sequential_write.at(length_bytes),
            random_write_ns: latency.random_write().at(length_bytes),
        }
    }
}

/// What the device does with IOs, one after the other; it knows nothing of queues.
pub(super) struct Service {
    spec: RigSpec,
    costs: Costs,
    reads: Streams,
    writes: WriteClassifier,
    /// The first read after a rest, served as a sequential one, and its size: the next one tells whether
    /// it was.
    unsettled_read: Option<u64>,
    /// The first write after a rest, likewise.
    unsettled_write: Option<u64>,
    backlog: Option<Backlog>,
    cycles: [Option<Turn>; 4],
    levels: Option<Levels>,
    after_effect: Option<AfterEffect>,
    noise: Noise,
    /// Bits of an address that alignment looks at.
    unit_mask: u64,
    /// The price of misalignment by baseline.
    misaligned: [f64; 4],
}

/// Reads are followed in as many streams as this, whatever the limit of writes.
pub(super) const READ_STREAMS: u32 = 16;

impl Service {
    pub(super) fn new(spec: RigSpec, seed: u64) -> Service {
        let cycles = [
            spec.cycle.sequential_read,
            spec.cycle.random_read,
            spec.cycle.sequential_write,
            spec.cycle.random_write,
        ];
        Service {
            costs: Costs::new(&spec, 0),
            reads: Streams::new(READ_STREAMS),
            writes: WriteClassifier::new(&spec),
            unsettled_read: None,
            unsettled_write: None,
            backlog: Backlog::new(&spec),
            cycles: cycles.map(|cycle| cycle.map(Turn::new)),
            levels: spec.regimes.clone().map(Levels::new),
            after_effect: spec.lingering.map(AfterEffect::new),
            noise: Noise::new(&spec.noise, seed),
            unit_mask: spec.alignment.as_ref().map_or(0, |alignment| alignment.unit.0 - 1),
            misaligned: misalignment_factors(&spec),
            spec,
        }
    }

    /// The device was idle for this long.
    pub(super) fn idle(&mut self, span_ns: u64) {
        if let Some(backlog) = &mut self.backlog {
            backlog.idle(span_ns);
        }
        if let Some(levels) = &mut self.levels {
            levels.idle(span_ns);
        }
        if span_ns >= self.spec.forget_after.0 {
            self.reads.forget();
            self.writes.forget();
            self.unsettled_read = None;
            self.unsettled_write = None;
        }
    }

    /// When an IO that begins at `start` is done.
    #[inline]
    pub(super) fn serve(&mut self, op: Op, offset: u64, length: u64, start: Time) -> Time {
        if length != self.costs.length_bytes {
            self.costs = Costs::new(&self.spec, length);
        }
        let misaligned = (offset | length) & self.unit_mask != 0;
        let (cost_ns, random_write) = match op {
            Op::Read => (self.read(offset, length, misaligned, start), false),
            Op::Write => self.write(offset, length, misaligned),
            Op::Flush | Op::Trim => return start,
        };
        let end = Time(start.0 + self.noise.apply(cost_ns).max(1));
        if let Some(after_effect) = &mut self.after_effect
            && random_write
        {
            after_effect.random_write(end);
        }
        end
    }

    #[inline]
    fn read(&mut self, offset: u64, length: u64, misaligned: bool, start: Time) -> u64 {
        let placement = self.reads.place(offset, length);
        let unsettled = self.unsettled_read.take();
        let mut cost_ns = match placement {
            Placement::Elsewhere => {
                let make_up_ns = unsettled.map_or(0, |first| {
                    self.spec.latency.random_read().at(first) as i64
                        - self.spec.latency.sequential_read.at(first) as i64
                });
                let cost_ns = self.turn(Baseline::RandomRead, self.costs.random_read_ns, misaligned);
                cost_ns.saturating_add_signed(make_up_ns)
            }
            Placement::First | Placement::Continues { .. } => {
                self.turn(Baseline::SequentialRead, self.costs.sequential_read_ns, misaligned)
            }
        };
        if placement == Placement::First {
            self.unsettled_read = Some(length);
        }
        if let Some(after_effect) = &mut self.after_effect {
            cost_ns = scaled(cost_ns, after_effect.read(start));
        }
        cost_ns
    }

    /// The cost of a write and whether it is one of the random ones.
    #[inline]
    fn write(&mut self, offset: u64, length: u64, misaligned: bool) -> (u64, bool) {
        let (class, first) = self.writes.classify(offset, length);
        let level = self.levels.as_mut().map_or(1.0, |levels| levels.write(length));
        let mut cost_ns = self.price(class, self.costs, level, misaligned);
        if let Some(earlier) = self.unsettled_write.take()
            && !matches!(class, WriteClass::Sequential { .. })
        {
            let costs = Costs::new(&self.spec, earlier);
            let owed_ns = self.price(class, costs, level, misaligned) as i64;
            cost_ns =
                cost_ns.saturating_add_signed(owed_ns - scaled(costs.sequential_write_ns, level) as i64);
        }
        if first {
            self.unsettled_write = Some(length);
        }
        (cost_ns, matches!(class, WriteClass::Random | WriteClass::LargeIncrement))
    }

    #[inline]
    fn price(&mut self, class: WriteClass, costs: Costs, level: f64, misaligned: bool) -> u64 {
        let sequential_ns = scaled(costs.sequential_write_ns, level);
        let order = &self.spec.order;
        let by_sequential = |factor| {
            let aligned_ns = scaled(sequential_ns, factor);
            self.aligned(Baseline::SequentialWrite, aligned_ns, misaligned)
        };
        match class {
            WriteClass::Sequential { switched } => {
                let factor = if switched { self.spec.streams.factor } else { 1.0 };
                let mean_ns = scaled(sequential_ns, factor);
                self.turn(Baseline::SequentialWrite, mean_ns, misaligned)
            }
            WriteClass::InPlace => by_sequential(order.in_place),
            WriteClass::Reverse => by_sequential(order.reverse),
            WriteClass::Local => by_sequential(self.spec.locality.map_or(1.0, |locality| locality.factor)),
            WriteClass::Random | WriteClass::LargeIncrement => {
                let factor = if class == WriteClass::Random { 1.0 } else { order.large_increment };
                self.random(scaled(costs.random_write_ns, level * factor), sequential_ns, misaligned)
            }
        }
    }

    /// A write priced by the random curve: at once what a sequential one costs, the rest later.
    #[inline]
    fn random(&mut self, mean_ns: u64, sequential_ns: u64, misaligned: bool) -> u64 {
        let mean_ns = self.aligned(Baseline::RandomWrite, mean_ns, misaligned);
        match &mut self.backlog {
            Some(backlog) => {
                let at_once_ns = sequential_ns.min(mean_ns);
                at_once_ns + backlog.put_off(mean_ns - at_once_ns)
            }
            None => self.turn(Baseline::RandomWrite, mean_ns, false),
        }
    }

    #[inline]
    fn aligned(&self, baseline: Baseline, cost_ns: u64, misaligned: bool) -> u64 {
        if misaligned { scaled(cost_ns, self.misaligned[baseline as usize]) } else { cost_ns }
    }

    /// The cost in this turn of the baseline's cycle.
    #[inline]
    fn turn(&mut self, baseline: Baseline, mean_ns: u64, misaligned: bool) -> u64 {
        let mean_ns = self.aligned(baseline, mean_ns, misaligned);
        match &mut self.cycles[baseline as usize] {
            Some(turn) => turn.next(mean_ns),
            None => mean_ns,
        }
    }
}

/// The factor of misaligned IOs, by baseline.
pub(super) fn misalignment_factors(spec: &RigSpec) -> [f64; 4] {
    let mut factors = [1.0; 4];
    if let Some(alignment) = &spec.alignment {
        for baseline in &alignment.concerns {
            factors[*baseline as usize] = alignment.factor;
        }
    }
    factors
}

/// A cost times a factor, to the nearest nanosecond.
#[inline]
pub(super) fn scaled(cost_ns: u64, factor: f64) -> u64 {
    if factor == 1.0 { cost_ns } else { (cost_ns as f64 * factor + 0.5) as u64 }
}
