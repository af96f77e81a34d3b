//! Simulations side by side: one device each under the same workload, spread over the cores. Each is
//! deterministic and alone with its device, so that results do not depend on how many cores there are.

mod case;
mod changes;
mod folder;
mod report;
mod run;
mod tally;
mod workload;

use std::path::PathBuf;

use flashscope_core::{Bytes, Pattern};
use flashscope_sim::settings::Initial;

use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::time::fresh_seed;
use crate::traces::TraceInput;
use case::cases;
use run::{Common, check, run};
use workload::Workload;

pub use case::Case;
pub use changes::{Changes, between, flat, plain, shared};
pub use folder::StoredSweep;
pub use report::{Entry, LoadedState, NotRun, SimReport};
pub use run::Save;
pub use tally::ResponseUs as SweepResponseUs;

/// Which devices are simulated, and what they are given to do. Each list multiplies the devices; an empty one
/// leaves what the profile says.
#[derive(Clone)]
pub struct SweepSpec {
    /// A profile, with settings: `PROFILE?key=value&key=value`, or `FILE.toml`.
    pub profile: String,
    /// Flash translation layers.
    pub ftl: Vec<String>,
    /// Victim policies of the page FTL.
    pub gc: Vec<String>,
    /// Write buffers.
    pub buffer: Vec<String>,
    /// RAM of the write buffer.
    pub buffer_size: Vec<Bytes>,
    /// Bytes that the host sees.
    pub capacity: Vec<Bytes>,
    /// (physical - logical) / logical: 0.07 for 7 %.
    pub over_provisioning: Vec<f64>,
    /// Any settings, by their dotted keys.
    pub set: Vec<(String, String)>,
    /// What the devices hold at first; none: as the profile says.
    pub initial: Option<Initial>,
    /// Flush commands do nothing.
    pub ignore_flush: bool,
    /// What they are given to do.
    pub work: Work,
    /// IOs before the counts begin, over all streams; what they left in the buffer is evicted in the counted
    /// part. None: as many as the pattern ignores.
    pub warmup_ios: Option<u64>,
    /// Whether the buffer is flushed at the end, as paper 002's application does.
    pub final_flush: bool,
    /// A saved device to begin with, in place of all that is said of devices here.
    pub load_state: Option<PathBuf>,
    /// Simulations at the same time; none: one for each core.
    pub jobs: Option<usize>,
    /// Seed of everything random; none: a new one.
    pub seed: Option<u64>,
}

/// What the devices of a sweep are given to do.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a sweep has one")]
pub enum Work {
    /// A pattern; one pass over the device if it says neither size nor count.
    Pattern(Pattern),
    /// A trace, with so many requests in flight if they go as soon as there is room.
    Trace(Box<TraceInput>, u32),
}

impl Default for SweepSpec {
    /// One pass of random writes of 4 KiB over the device of paper 002.
    fn default() -> SweepSpec {
        let pattern = Pattern::baseline(flashscope_core::Rw::RandWrite, Bytes(0), Bytes(0));
        SweepSpec {
            profile: "bplru-board".into(),
            ftl: Vec::new(),
            gc: Vec::new(),
            buffer: Vec::new(),
            buffer_size: Vec::new(),
            capacity: Vec::new(),
            over_provisioning: Vec::new(),
            set: Vec::new(),
            initial: None,
            ignore_flush: false,
            work: Work::Pattern(Pattern { bs: Bytes(4096), ..pattern }),
            warmup_ios: None,
            final_flush: true,
            load_state: None,
            jobs: None,
            seed: None,
        }
    }
}

/// A sweep whose devices can be made and whose work fits them. Nothing has been simulated.
pub struct PlannedSweep {
    cases: Vec<Case>,
    workload: Workload,
    warmup_each_ios: u64,
    final_flush: bool,
    jobs: usize,
    seed: u64,
    gc_is_ignored: bool,
    buffer_size_is_ignored: bool,
}

/// What came of a sweep. It is stored as well if a folder was asked for.
pub struct SweepResult {
    /// One entry for each device.
    pub entries: Vec<Entry>,
    /// The error that ended it, or kept it from being stored.
    pub error: Option<Error>,
}

/// Simulates all devices of a sweep, and returns what each gave.
///
/// # Errors
/// A device that cannot be made, work that does not fit it, a trace that cannot be read.
///
/// ```
/// use flashscope_lab::{Interrupt, SweepSpec, simulate};
///
/// let buffer = ["none", "bplru"].map(String::from).to_vec();
/// let spec = SweepSpec { buffer, seed: Some(1), ..SweepSpec::default() };
/// for entry in simulate(&spec, &Interrupt::new())? {
///     let report = entry.report().expect("it was simulated");
///     println!("{}: write amplification {:.2?}", entry.name(), report.device.write_amplification);
/// }
/// # Ok::<(), flashscope_lab::Error>(())
/// ```
pub fn simulate(spec: &SweepSpec, interrupt: &Interrupt) -> Result<Vec<Entry>> {
    let planned = PlannedSweep::new(spec, false, interrupt)?;
    let SweepResult { entries, error } = planned.run(None, None, &mut |_| {}, interrupt);
    error.map_or(Ok(entries), Err)
}

impl PlannedSweep {
    /// Finds the devices and checks the work; `is_kept` says whether a folder will keep every IO, for which a
    /// trace is read twice.
    ///
    /// # Errors
    /// As [`simulate`].
    pub fn new(spec: &SweepSpec, is_kept: bool, interrupt: &Interrupt) -> Result<PlannedSweep> {
        let seed = spec.seed.unwrap_or_else(fresh_seed);
        let jobs = match spec.jobs {
            Some(0) => return Err(Error::setting("jobs", "must be at least 1")),
            Some(jobs) => jobs,
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let workload = Workload::new(&spec.work, seed, interrupt)?;
        let cases = cases(spec)?;
        let readers = if is_kept { 2 } else { 1 };
        workload.can_be_read(cases.len() * readers)?;
        let warmup_each_ios = workload.warmup_ios(spec.warmup_ios)?;
        for case in &cases {
            workload.fitted(&case.info()?)?.check_warmup(warmup_each_ios)?;
        }
        // A single one is refused soon enough.
        if cases.len() > 1 || is_kept {
            check(&cases)?;
        }
        let is_ignored = |key: &str| !cases.iter().any(|case| case::matters(key, &case.settings));
        Ok(PlannedSweep {
            gc_is_ignored: !spec.gc.is_empty() && is_ignored("gc"),
            buffer_size_is_ignored: !spec.buffer_size.is_empty() && is_ignored("ram.size"),
            cases,
            workload,
            warmup_each_ios,
            final_flush: spec.final_flush,
            jobs,
            seed,
        })
    }

    /// Its devices.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Whether no device has a victim policy, though some were asked for.
    pub fn ignores_gc(&self) -> bool {
        self.gc_is_ignored
    }

    /// Whether no device has a write buffer, though sizes were asked for.
    pub fn ignores_buffer_size(&self) -> bool {
        self.buffer_size_is_ignored
    }

    /// Simulates, and keeps every IO in the new folder `output`. `save` takes the device as it is at the end;
    /// `done` hears of every device that ends.
    pub fn run(
        self,
        output: Option<&std::path::Path>,
        save: Option<Save<'_>>,
        done: &mut dyn FnMut(&[Entry]),
        interrupt: &Interrupt,
    ) -> SweepResult {
        let PlannedSweep { cases, workload, warmup_each_ios, final_flush, jobs, seed, .. } = self;
        let mut entries: Vec<Entry> =
            cases.iter().map(|case| Entry::not_run(case, &workload.describe(), seed)).collect();
        let create = |path| folder::SweepFolder::create(path, &cases, &workload, seed, &entries);
        let mut folder = match output.map(create).transpose() {
            Ok(folder) => folder,
            Err(error) => return SweepResult { entries: Vec::new(), error: Some(error) },
        };
        let place = folder.as_ref().map(folder::SweepFolder::path);
        let common = Common {
            workload: &workload,
            seed,
            warmup_each_ios,
            final_flush,
            folder: place.as_deref(),
            save,
            interrupted: interrupt.flag(),
        };
        let outcome = run(&cases, &common, jobs, &mut entries, &mut |entries| {
            // Kept before anybody hears of it.
            let kept = folder.as_mut().map_or(Ok(()), |folder| folder.keep(entries));
            done(entries);
            kept
        });
        let kept = folder.map_or(Ok(()), |mut folder| folder.write(&entries));
        SweepResult { entries, error: outcome.and(kept).err() }
    }
}
