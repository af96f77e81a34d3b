//! What becomes of a trace before it is used, in the one order that makes sense.
//!
//! Requests are put in the order of their times first. Then, whatever is set: time window, devices,
//! operations, address range, sample; repeat; time scale, idle gaps; align, shift; fit; split. So what is
//! selected is selected by the trace's own times and addresses, each pass of a repeated trace selects the
//! same, and requests are cut only once they lie where they stay.

use std::sync::{Arc, Mutex, PoisonError};

use flashscope_core::{Bytes, Nanos, Op, Share};

use crate::error::{LINEAR_BYTES_MIN, PipelineError, Setting, TraceError};
use crate::records::Records;
use crate::transform::{
    Across, Align, CapIdle, Factor, Fit, FitMode, Layout, Origin, Repeat, Sample, ScaleTime, SelectDevices,
    SelectOps, SelectRange, Shift, Sort, Split, TimeWindow, Transform, Transformed, Written, sort,
};

/// What is changed of a trace. The default changes nothing but to sort requests that are out of order by
/// little.
///
/// ```
/// use flashscope_core::{Nanos, Op};
/// use flashscope_trace::{Pipeline, Records, samples};
///
/// let pipeline = Pipeline { ops: vec![Op::Write], to: Some(Nanos(1_000_000_000)), ..Pipeline::default() };
/// let mut writes = pipeline.apply(samples::open("mp3-ext3")?)?;
/// let mut batch = Vec::new();
/// while writes.next_batch(&mut batch)? > 0 {
///     assert!(batch.iter().all(|record| record.op == Op::Write));
/// }
/// # Ok::<(), flashscope_trace::TraceError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Keep only these devices of the trace; empty keeps all.
    pub devices: Vec<String>,
    /// Only what comes at this time or later.
    pub from: Option<Nanos>,
    /// Only what comes before this time.
    pub to: Option<Nanos>,
    /// What [`Pipeline::from`] and [`Pipeline::to`] are counted from.
    pub origin: Origin,
    /// Keep only these operations; empty keeps all.
    pub ops: Vec<Op>,
    /// Only these addresses, from the first to before the second, in bytes.
    pub range: Option<std::ops::Range<u64>>,
    /// What becomes of a request that lies partly in [`Pipeline::range`].
    pub across: Across,
    /// Only this share of the addresses, chosen by their hash (SHARDS); above 0.
    pub sample: Option<Share>,
    /// What a sample keeps or leaves out as one.
    pub sample_unit: Bytes,
    /// The trace so many times, one behind the other; at least once.
    pub repeat: u64,
    /// Times between requests are so many times as long.
    pub time_scale: Option<Factor>,
    /// No gap between two requests is longer.
    pub idle_max: Option<Nanos>,
    /// Requests become whole blocks of this size: starts go down, ends up.
    pub align: Option<Bytes>,
    /// How far all addresses move, in bytes.
    pub shift_bytes: i128,
    /// How addresses are fitted to a device of [`Pipeline::size`].
    pub fit: Option<FitMode>,
    /// Size of the device to fit to. None only for a compact fit: then what the trace reads or writes.
    pub size: Option<Bytes>,
    /// The devices of the trace are laid one behind the other, as one device, before they are fitted.
    pub concatenate: bool,
    /// What a compact fit squeezes out as one.
    pub chunk: Bytes,
    /// Requests are cut at the multiples of this size.
    pub split: Option<Bytes>,
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline {
            devices: Vec::new(),
            from: None,
            to: None,
            origin: Origin::FirstRecord,
            ops: Vec::new(),
            range: None,
            across: Across::Clip,
            sample: None,
            sample_unit: Bytes(64 << 10),
            repeat: 1,
            time_scale: None,
            idle_max: None,
            align: None,
            shift_bytes: 0,
            fit: None,
            size: None,
            concatenate: false,
            chunk: Bytes(4 << 10),
            split: None,
        }
    }
}

/// A trace that can be opened anew, each time from its beginning.
pub trait Reopen: Send + Sync {
    /// Opens it.
    ///
    /// # Errors
    /// As for any trace.
    fn open(&self) -> Result<Box<dyn Records>, TraceError>;

    /// Opens it for a look at the whole of it beforehand.
    ///
    /// # Errors
    /// As for any trace.
    fn open_for_survey(&self) -> Result<Box<dyn Records>, TraceError> {
        self.open()
    }

    /// Whether it can in truth be opened only once, as a pipe.
    fn is_read_once(&self) -> bool {
        false
    }
}

impl<F: Fn() -> Result<Box<dyn Records>, TraceError> + Send + Sync> Reopen for F {
    fn open(&self) -> Result<Box<dyn Records>, TraceError> {
        self()
    }
}

/// Where the whole of a trace reaches, looked up by the first who needs it and kept for all who open it again
/// through the same pipeline, whatever the size of the device.
#[derive(Clone, Debug, Default)]
pub struct LayoutCache(Arc<Mutex<Option<Arc<Layout>>>>);

impl LayoutCache {
    fn layout(&self, survey: impl FnOnce() -> Result<Layout, TraceError>) -> Result<Arc<Layout>, TraceError> {
        // Others wait meanwhile: to read it as well would take as long.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = &*known {
            return Ok(layout.clone());
        }
        Ok(known.insert(Arc::new(survey()?)).clone())
    }
}

impl Pipeline {
    /// Refuses settings that make no sense.
    ///
    /// # Errors
    /// The first of them.
    pub fn check(&self) -> Result<(), PipelineError> {
        let is_zero = |bytes: Option<Bytes>| bytes == Some(Bytes(0));
        let zeros = [
            (Setting::To, self.to.is_some_and(|to| to.0 == 0)),
            (Setting::SampleUnit, is_zero(Some(self.sample_unit))),
            (Setting::Align, is_zero(self.align)),
            (Setting::Chunk, is_zero(Some(self.chunk))),
            (Setting::Split, is_zero(self.split)),
            (Setting::Size, is_zero(self.size)),
            (Setting::Sample, self.sample.is_some_and(|share| share.0 <= 0.0)),
            (Setting::Repeat, self.repeat == 0),
        ];
        if let Some((setting, _)) = zeros.iter().find(|(_, is_zero)| *is_zero) {
            return Err(PipelineError::Zero(*setting));
        }
        if self.to.is_some_and(|to| to <= self.from.unwrap_or_default()) {
            return Err(PipelineError::EmptyWindow);
        }
        if self.range.as_ref().is_some_and(|range| range.is_empty()) {
            return Err(PipelineError::EmptyRange);
        }
        match (self.fit, self.size) {
            (Some(FitMode::Linear), Some(size)) if size.0 < LINEAR_BYTES_MIN => Err(PipelineError::SmallSize),
            (Some(FitMode::Modulo | FitMode::Linear), None) => Err(PipelineError::NoSize),
            _ => Ok(()),
        }
    }

    /// The setting because of which the trace has to be read more than once; none if once is enough.
    pub fn reads_again(&self) -> Option<Setting> {
        match self.fit {
            _ if self.repeat > 1 => Some(Setting::Repeat),
            Some(FitMode::Modulo) => self.concatenate.then_some(Setting::Concatenate),
            Some(FitMode::Compact) => Some(Setting::CompactFit),
            Some(FitMode::Linear) => Some(Setting::LinearFit),
            None => None,
        }
    }

    /// The records changed.
    ///
    /// # Errors
    /// Settings that make no sense, or for which the trace would have to be read again.
    pub fn apply(&self, records: Box<dyn Records>) -> Result<Box<dyn Records>, TraceError> {
        self.check()?;
        if let Some(setting) = self.reads_again() {
            return Err(PipelineError::ReadTwice(setting).into());
        }
        let records = self.placed(self.timed(self.selected(records)));
        let fit = self.fit.map(|mode| self.fit(mode, None)).transpose()?;
        Ok(self.cut(records, fit))
    }

    /// The records of `source` changed; it is opened as often as that takes. What `layouts` know of it is not
    /// looked up again.
    ///
    /// # Errors
    /// Settings that make no sense, and what opening or surveying the trace brings.
    pub fn apply_to(
        &self,
        source: Arc<dyn Reopen>,
        layouts: &LayoutCache,
    ) -> Result<Box<dyn Records>, TraceError> {
        self.check()?;
        if let Some(setting) = self.reads_again().filter(|_| source.is_read_once()) {
            return Err(PipelineError::ReadTwice(setting).into());
        }
        let mut first = Some(source.open()?);
        let layout = match self.reads_again() {
            None => None,
            Some(_) if self.fit.is_none_or(|mode| mode == FitMode::Modulo && !self.concatenate) => None,
            Some(_) => Some(layouts.layout(|| self.survey(&*source))?),
        };
        let mut pass = {
            let pipeline = self.clone();
            move || Ok(pipeline.selected(first.take().map_or_else(|| source.open(), Ok)?))
        };
        let records = match self.repeat {
            1 => pass()?,
            times => Box::new(Repeat::new(Box::new(pass), times)?),
        };
        let fit = self.fit.map(|mode| self.fit(mode, layout)).transpose()?;
        Ok(self.cut(self.placed(self.timed(records)), fit))
    }

    /// Repeated, a trace reaches no other addresses, and times do not matter.
    fn survey(&self, source: &dyn Reopen) -> Result<Layout, TraceError> {
        let mut records = self.placed(self.selected(source.open_for_survey()?));
        Layout::survey(&mut *records, self.chunk.0)
    }

    /// What is left of each pass over the trace, in order.
    fn selected(&self, records: Box<dyn Records>) -> Box<dyn Records> {
        let records = Box::new(Sort::new(records, sort::WINDOW));
        let (from, to) = (self.from.unwrap_or_default(), self.to.unwrap_or(Nanos(u64::MAX)));
        let is_timed = self.from.is_some() || self.to.is_some();
        let window = is_timed.then(|| TimeWindow::new(self.origin, from.0, to.0));
        let devices = (!self.devices.is_empty()).then(|| SelectDevices::new(self.devices.iter().cloned()));
        let ops = (!self.ops.is_empty()).then(|| SelectOps::new(self.ops.iter().copied()));
        let range = self.range.as_ref().map(|range| SelectRange::new(range.start, range.end, self.across));
        let sample = self.sample.map(|rate| Sample::new(rate.0, self.sample_unit.0));
        then(then(then(then(then(records, window), devices), ops), range), sample)
    }

    /// When requests come.
    fn timed(&self, records: Box<dyn Records>) -> Box<dyn Records> {
        let records = then(records, self.time_scale.map(ScaleTime::new));
        then(records, self.idle_max.map(|gap| CapIdle::new(gap.0)))
    }

    /// Where requests lie, before they are fitted.
    fn placed(&self, records: Box<dyn Records>) -> Box<dyn Records> {
        let records = then(records, self.align.map(|block| Align::new(block.0)));
        then(records, (self.shift_bytes != 0).then(|| Shift::new(self.shift_bytes)))
    }

    fn fit(&self, mode: FitMode, layout: Option<Arc<Layout>>) -> Result<Fit, TraceError> {
        let footprint_bytes = layout.as_ref().map_or(0, |layout| layout.footprint_bytes(self.concatenate));
        let size_bytes = self.size.map_or(footprint_bytes, |size| size.0).max(1);
        Fit::new(mode, size_bytes, layout, self.concatenate)
    }

    /// Fitted and split; device writes are counted where the size is known.
    fn cut(&self, records: Box<dyn Records>, fit: Option<Fit>) -> Box<dyn Records> {
        let size_bytes = self.size.map(|size| size.0);
        let written = (fit.is_some() || self.repeat > 1).then(|| Written::new(size_bytes));
        let records = then(records, fit);
        let records = then(records, self.split.map(|block| Split::new(block.0)));
        then(records, written)
    }
}

/// Behind a transform, if there is one.
fn then(records: Box<dyn Records>, transform: Option<impl Transform + 'static>) -> Box<dyn Records> {
    match transform {
        Some(transform) => Box::new(Transformed::new(records, transform)),
        None => records,
    }
}
