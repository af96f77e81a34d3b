//! The transforms that commands apply to a trace, as flags and as what they build.
//!
//! Requests are put in the order of their times first. Then, whatever the order of the flags: time window,
//! devices, operations, address range, sample; repeat; time scale, idle gaps; align, shift; fit; split.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use clap::{Args, ValueEnum};
use flashscope_core::{Bytes, Nanos, Op, Share};
use flashscope_trace::transform::{
    Across, Align, CapIdle, Factor, Fit, FitMode, Layout, Origin, Repeat, Sample, ScaleTime, SelectDevices,
    SelectOps, SelectRange, Shift, Sort, Split, TimeWindow, Transform, Transformed, Written, sort,
};
use flashscope_trace::{Records, TraceError};
use indicatif::ProgressBar;

use super::followed::Reached;
use super::heeding::Until;
use super::open::{ReadArgs, is_read_once, named, open, open_until};
use crate::exit::{Interrupted, Usage, not_zero};

/// Flags that change a trace on its way.
#[derive(Clone, Debug, Args)]
pub struct PipelineArgs {
    /// Only these devices of the trace
    #[arg(long, value_name = "NAME")]
    pub device: Vec<String>,
    /// Only what comes so long after the first request, or later
    #[arg(long, value_name = "TIME")]
    pub from_time: Option<Nanos>,
    /// Only what comes earlier than so long after the first request
    #[arg(long, value_name = "TIME")]
    pub to_time: Option<Nanos>,
    /// --from-time and --to-time are times of the trace itself, not from its first request on
    #[arg(long)]
    pub absolute_times: bool,
    /// Only these operations: read, write, flush, trim
    #[arg(long, value_delimiter = ',', value_name = "OP,...")]
    pub op: Vec<OpArg>,
    /// Only these addresses, such as 0..1GiB, 1GiB.. or ..512MiB
    #[arg(long, value_name = "FROM..TO")]
    pub range: Option<AddressRange>,
    /// What becomes of a request that lies partly in --range
    #[arg(long, value_name = "HOW", default_value = "clip", requires = "range")]
    pub across: AcrossArg,
    /// Only this share of the addresses, chosen by their hash (SHARDS)
    #[arg(long, value_name = "RATE")]
    pub sample: Option<Share>,
    /// What --sample keeps or leaves out as one
    #[arg(long, value_name = "SIZE", default_value = "64KiB", requires = "sample")]
    pub sample_unit: Bytes,
    /// The trace so many times, one behind the other
    #[arg(long, value_name = "N", default_value = "1")]
    pub repeat: u64,
    /// Times between requests are so many times as long: 0.5 is twice as fast
    #[arg(long, value_name = "X")]
    pub time_scale: Option<Factor>,
    /// No gap between two requests is longer than this
    #[arg(long, value_name = "TIME")]
    pub idle_max: Option<Nanos>,
    /// Make requests whole blocks of this size: starts go down, ends up
    #[arg(long, value_name = "SIZE")]
    pub align: Option<Bytes>,
    /// How addresses are fitted to the size of the target
    #[arg(long, value_name = "HOW")]
    pub fit: Option<FitArg>,
    /// Lay the devices of the trace one behind the other, as one device, before they are fitted
    #[arg(long, requires = "fit")]
    pub concatenate: bool,
    /// What --fit compact squeezes out as one
    #[arg(long, value_name = "SIZE", default_value = "4KiB", requires = "fit")]
    pub chunk: Bytes,
    /// Cut requests at the multiples of this size
    #[arg(long, value_name = "SIZE")]
    pub split: Option<Bytes>,
}

/// What not every command takes from a flag.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// Bytes of the device to fit to; none only for `--fit compact`.
    pub size_bytes: Option<u64>,
    /// How far all addresses move.
    pub shift_bytes: i128,
}

/// An operation, as a flag names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpArg {
    /// Reads
    Read,
    /// Writes
    Write,
    /// Flushes
    Flush,
    /// Trims
    Trim,
}

/// What becomes of a request across an end of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AcrossArg {
    /// The part inside is kept
    #[default]
    Clip,
    /// It is left out
    Drop,
}

/// How addresses are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FitArg {
    /// Modulo the size; what lies a multiple of the size apart collides
    Modulo,
    /// What is never read or written is squeezed out; the file is read twice
    Compact,
    /// First addresses times size / span; the file is read twice
    Linear,
}

/// Addresses from one (included) to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    from_bytes: u64,
    to_bytes: u64,
}

impl std::fmt::Display for AddressRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.to_bytes {
            u64::MAX => write!(f, "{}..", self.from_bytes),
            to_bytes => write!(f, "{}..{to_bytes}", self.from_bytes),
        }
    }
}

impl FromStr for AddressRange {
    type Err = String;

    fn from_str(text: &str) -> Result<AddressRange, String> {
        let (from, to) =
            text.split_once("..").ok_or_else(|| format!("'{text}' is no range; write 0..1GiB"))?;
        let size = |text: &str, none: u64| match text.trim() {
            "" => Ok(none),
            text => text.parse::<Bytes>().map(|bytes| bytes.0).map_err(|error| error.to_string()),
        };
        let range = AddressRange { from_bytes: size(from, 0)?, to_bytes: size(to, u64::MAX)? };
        match range.from_bytes < range.to_bytes {
            true => Ok(range),
            false => Err(format!("'{text}' is empty; write the lower address first")),
        }
    }
}

/// Where the whole of a trace reaches, looked up by the first who needs it and kept for all who open it again
/// through the same pipeline, whatever the target.
#[derive(Clone, Debug, Default)]
pub struct Surveyed(Arc<Mutex<Option<Arc<Layout>>>>);

impl Surveyed {
    fn layout(&self, survey: impl FnOnce() -> Result<Layout>) -> Result<Arc<Layout>> {
        // Who comes meanwhile waits: reading it as well would take as long.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(layout) = &*known {
            return Ok(layout.clone());
        }
        Ok(known.insert(Arc::new(survey()?)).clone())
    }
}

/// A trace file that can be opened again. Reading it ends at Ctrl-C.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    read: ReadArgs,
    until: Until,
}

impl Source {
    /// The file of this name.
    pub fn new(path: &Path, read: &ReadArgs) -> Source {
        Source { path: path.into(), read: read.clone(), until: Until::CtrlC }
    }

    /// The same, and how far it is read is told in `reached`, for who follows.
    pub fn followed(self, reached: Arc<Reached>) -> Source {
        Source { until: Until::First(reached), ..self }
    }

    /// The same, read as far as the `first` one.
    pub fn again(self, first: Arc<Reached>) -> Source {
        Source { until: Until::Again(first, Arc::default()), ..self }
    }

    /// An error of the trace, with its name.
    pub fn named(&self, error: TraceError) -> anyhow::Error {
        named(&self.path, error)
    }

    fn open(&self) -> Result<Box<dyn Records>> {
        open_until(&self.path, &self.read, self.until.clone(), &ProgressBar::hidden())
    }

    /// For a look at the whole of it beforehand.
    fn open_first(&self) -> Result<Box<dyn Records>> {
        open(&self.path, &self.read)
    }

    fn open_again(&self) -> Result<Box<dyn Records>, TraceError> {
        self.open().map_err(|error| match error.is::<Interrupted>() {
            true => TraceError::Interrupted,
            false => TraceError::Read { line: 0, cause: error.to_string() },
        })
    }

    /// Refuses what has to be read more than once and cannot be.
    fn check_again(&self, flag: &str) -> Result<()> {
        if is_read_once(&self.path) {
            let message = format!("{flag} reads the trace more than once, and a pipe cannot be; give a file");
            return Err(Usage(message).into());
        }
        Ok(())
    }
}

impl PipelineArgs {
    /// Whether anything is to be changed.
    pub fn is_given(&self) -> bool {
        let PipelineArgs { device, op, from_time, to_time, range, sample, repeat, time_scale, .. } = self;
        let selects = !device.is_empty() || !op.is_empty() || range.is_some() || sample.is_some();
        let times = from_time.is_some() || to_time.is_some() || time_scale.is_some();
        let moves = self.idle_max.is_some() || self.align.is_some() || self.fit.is_some();
        selects || times || moves || self.absolute_times || *repeat != 1 || self.split.is_some()
    }

    /// What is to be changed, as flags: `--fit modulo`.
    pub fn flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = self.device.iter().map(|name| format!("--device {name}")).collect();
        let ops: Vec<_> = self.op.iter().map(|op| Op::ALL[*op as usize].name()).collect();
        let ops = (!ops.is_empty()).then(|| ops.join(","));
        let set = |is_set: bool| is_set.then(String::new);
        let all = [
            ("--from-time", self.from_time.map(|time| time.to_string())),
            ("--to-time", self.to_time.map(|time| time.to_string())),
            ("--absolute-times", set(self.absolute_times)),
            ("--op", ops),
            ("--range", self.range.map(|range| range.to_string())),
            ("--across", (self.across != AcrossArg::Clip).then(|| name(self.across))),
            ("--sample", self.sample.map(|share| share.0.to_string())),
            ("--sample-unit", self.sample.map(|_| self.sample_unit.to_string())),
            ("--repeat", (self.repeat != 1).then(|| self.repeat.to_string())),
            ("--time-scale", self.time_scale.map(|factor| factor.to_string())),
            ("--idle-max", self.idle_max.map(|gap| gap.to_string())),
            ("--align", self.align.map(|block| block.to_string())),
            ("--fit", self.fit.map(name)),
            ("--concatenate", set(self.concatenate)),
            ("--chunk", self.fit.filter(|fit| *fit == FitArg::Compact).map(|_| self.chunk.to_string())),
            ("--split", self.split.map(|block| block.to_string())),
        ];
        let given = all.into_iter().filter_map(|(flag, value)| Some(format!("{flag} {}", value?)));
        flags.extend(given.map(|flag| flag.trim_end().to_string()));
        flags
    }

    /// The records of `source`, changed as the flags ask. What was `surveyed` of it is not looked up again.
    ///
    /// # Errors
    /// Flags that make no sense, and what opening or surveying the trace brings.
    pub fn build(&self, source: &Source, place: Place, surveyed: &Surveyed) -> Result<Box<dyn Records>> {
        self.check(source, place)?;
        // The first error of a wrong name or format is told as for every command.
        let first = source.open()?;
        let records = match self.repeat {
            1 => self.selected(first),
            times => {
                let (args, source_again) = (self.clone(), source.clone());
                let open = move || source_again.open_again().map(|records| args.selected(records));
                Box::new(Repeat::new(Box::new(open), times).map_err(|error| source.named(error))?)
            }
        };
        let records = self.placed(self.timed(records), place);
        let fit = self.fit.map(|fit| self.fit(fit, source, place, surveyed)).transpose()?;
        let written = (fit.is_some() || self.repeat > 1).then(|| Written::new(place.size_bytes));
        let records = then(records, fit);
        let records = then(records, self.split.map(|block| Split::new(block.0)));
        Ok(then(records, written))
    }

    fn check(&self, source: &Source, place: Place) -> Result<()> {
        not_zero("--to-time", self.to_time)?;
        if self.to_time.is_some_and(|to| to <= self.from_time.unwrap_or_default()) {
            return Err(Usage("--to-time must be later than --from-time".into()).into());
        }
        if self.absolute_times && self.from_time.is_none() && self.to_time.is_none() {
            return Err(Usage("--absolute-times is for --from-time and --to-time; give one".into()).into());
        }
        let sizes = [
            ("--sample-unit", Some(self.sample_unit)),
            ("--align", self.align),
            ("--chunk", Some(self.chunk)),
            ("--split", self.split),
            ("--size", place.size_bytes.map(Bytes)),
        ];
        if let Some((flag, _)) = sizes.iter().find(|(_, size)| *size == Some(Bytes(0))) {
            return Err(Usage(format!("{flag} must be at least 1 byte")).into());
        }
        if self.sample.is_some_and(|share| share.0 <= 0.0) {
            return Err(Usage("--sample must be more than 0".into()).into());
        }
        match self.repeat {
            0 => return Err(Usage("--repeat must be at least 1".into()).into()),
            1 => {}
            _ => source.check_again("--repeat")?,
        }
        match (self.fit, place.size_bytes) {
            (Some(FitArg::Linear), Some(size)) if size < 4096 => {
                Err(Usage("--fit linear needs a --size of at least 4096 bytes".into()).into())
            }
            (Some(FitArg::Modulo | FitArg::Linear), None) => {
                Err(Usage("--fit needs the size of the device to fit to; add --size".into()).into())
            }
            (Some(FitArg::Modulo), _) if !self.concatenate => Ok(()),
            (Some(FitArg::Modulo), _) => source.check_again("--concatenate"),
            (Some(FitArg::Compact), _) => source.check_again("--fit compact"),
            (Some(FitArg::Linear), _) => source.check_again("--fit linear"),
            (None, _) => Ok(()),
        }
    }

    /// What is left of each pass over the trace, in order.
    fn selected(&self, records: Box<dyn Records>) -> Box<dyn Records> {
        let records = Box::new(Sort::new(records, sort::WINDOW));
        let origin = if self.absolute_times { Origin::Trace } else { Origin::FirstRecord };
        let (from, to) = (self.from_time.unwrap_or_default(), self.to_time.unwrap_or(Nanos(u64::MAX)));
        let is_timed = self.from_time.is_some() || self.to_time.is_some();
        let window = is_timed.then(|| TimeWindow::new(origin, from.0, to.0));
        let devices = (!self.device.is_empty()).then(|| SelectDevices::new(self.device.iter().cloned()));
        let ops =
            (!self.op.is_empty()).then(|| SelectOps::new(self.op.iter().map(|op| Op::ALL[*op as usize])));
        let across = if self.across == AcrossArg::Clip { Across::Clip } else { Across::Drop };
        let range = self.range.map(|range| SelectRange::new(range.from_bytes, range.to_bytes, across));
        let sample = self.sample.map(|rate| Sample::new(rate.0, self.sample_unit.0));
        then(then(then(then(then(records, window), devices), ops), range), sample)
    }

    /// When requests come.
    fn timed(&self, records: Box<dyn Records>) -> Box<dyn Records> {
        let records = then(records, self.time_scale.map(ScaleTime::new));
        then(records, self.idle_max.map(|gap| CapIdle::new(gap.0)))
    }

    /// Where requests lie, before they are fitted.
    fn placed(&self, records: Box<dyn Records>, place: Place) -> Box<dyn Records> {
        let records = then(records, self.align.map(|block| Align::new(block.0)));
        then(records, (place.shift_bytes != 0).then(|| Shift::new(place.shift_bytes)))
    }

    fn fit(&self, fit: FitArg, source: &Source, place: Place, surveyed: &Surveyed) -> Result<Fit> {
        let mode = match fit {
            FitArg::Modulo => FitMode::Modulo,
            FitArg::Compact => FitMode::Compact,
            FitArg::Linear => FitMode::Linear,
        };
        let layout = match mode == FitMode::Modulo && !self.concatenate {
            true => None,
            // Repeated, a trace reaches no other addresses, and times do not matter.
            false => Some(surveyed.layout(|| {
                let mut records = self.placed(self.selected(source.open_first()?), place);
                Layout::survey(&mut *records, self.chunk.0).map_err(|error| source.named(error))
            })?),
        };
        let footprint_bytes = layout.as_ref().map_or(0, |layout| layout.footprint_bytes(self.concatenate));
        let size_bytes = place.size_bytes.unwrap_or(footprint_bytes).max(1);
        Fit::new(mode, size_bytes, layout, self.concatenate).map_err(|error| source.named(error))
    }
}

/// As the command line spells it.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().into())
}

/// Behind a transform, if there is one.
fn then(records: Box<dyn Records>, transform: Option<impl Transform + 'static>) -> Box<dyn Records> {
    match transform {
        Some(transform) => Box::new(Transformed::new(records, transform)),
        None => records,
    }
}
