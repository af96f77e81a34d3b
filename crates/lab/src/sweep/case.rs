//! Which devices are simulated: a profile, and the product of all lists on top of it.

use std::io::Read;
use std::path::Path;

use flashscope_core::{Target, TargetInfo};
use flashscope_sim::{Profile, Settings, Ssd};

use super::SweepSpec;
use super::changes::{Changes, changes};
use super::report::LoadedState;
use flashscope_store::kind_name;

use crate::error::{Error, Remedy, Result};
use crate::target::{TargetSpec, profile, split_overrides};

/// One device of a sweep.
#[derive(Clone, Debug)]
pub struct Case {
    /// The profile's name.
    pub profile: String,
    /// What makes it differ from the others: `ftl=page buffer=lru`.
    pub label: String,
    /// The device.
    pub settings: Settings,
    /// The settings in which it differs from its profile.
    pub changes: Changes,
    /// Its saved state, if it does not begin anew.
    pub state: Option<Vec<u8>>,
    /// Where that was found.
    pub loaded: Option<LoadedState>,
}

impl Case {
    /// What the host sees of it.
    ///
    /// # Errors
    /// Its settings make no device.
    pub fn info(&self) -> Result<TargetInfo> {
        Ok(self.settings.target_info(&format!("sim:{}", self.profile))?)
    }
}

/// Enough of a file to know a saved state by.
const HEAD_BYTES: u64 = 256;

/// A key and its value.
type Pair = (String, String);

/// The keys that lists vary, with their values.
fn axes(spec: &SweepSpec) -> Vec<(&'static str, Vec<String>)> {
    let text = |list: &[flashscope_core::Bytes]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let numbers = |list: &[f64]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let axes = [
        ("capacity", text(&spec.capacity)),
        ("over_provisioning", numbers(&spec.over_provisioning)),
        ("ftl", spec.ftl.clone()),
        ("gc", spec.gc.clone()),
        ("buffer", spec.buffer.clone()),
        ("ram.size", text(&spec.buffer_size)),
    ];
    axes.into_iter().filter(|(_, values)| !values.is_empty()).collect()
}

/// Every device of the sweep, in the order of the lists. All settings are checked before the first IO.
pub fn cases(spec: &SweepSpec) -> Result<Vec<Case>> {
    if let Some(path) = &spec.load_state {
        return Ok(vec![saved(path)?]);
    }
    combinations(spec)
}

/// The device that was saved in a file.
fn saved(path: &Path) -> Result<Case> {
    let shown = path.display();
    let unread = |error: std::io::Error| Error::usage(format!("cannot read {shown}: {error}"));
    let refuse = |problem: &str| Error::usage(format!("{shown}: {problem}")).with(Remedy::SavedState);
    let there = path.metadata().map_err(unread)?;
    if !there.is_file() {
        return Err(refuse(&format!("it is {}", kind_name(there.file_type()))));
    }
    let mut head = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head))
        .map_err(unread)?;
    if !Ssd::is_state(&head) {
        return Err(refuse("it is not a saved state"));
    }
    let bytes = std::fs::read(path).map_err(unread)?;
    let device = Ssd::load(&bytes).map_err(|error| Error::usage(format!("{shown}: {error}")))?;
    let name = device.info().name.clone();
    let name = name.strip_prefix("sim:").unwrap_or(&name).to_string();
    let settings = device.settings().clone();
    // A profile's file may be gone; then all that is not usual is named.
    let plain = match profile(&name, &[]) {
        Ok(Profile::Ssd(plain)) => *plain,
        _ => Settings::default(),
    };
    let changes = changes(&plain, &settings);
    // A state ends with the sum of all its bytes.
    let sum = bytes.iter().rev().take(8).map(|byte| format!("{byte:02x}")).collect();
    let loaded = Some(LoadedState { file: shown.to_string(), checksum: sum });
    Ok(Case { profile: name, label: String::new(), settings, changes, state: Some(bytes), loaded })
}

/// A profile as it was named: alone, or as a TARGET.
fn named(text: &str) -> Result<&str> {
    match TargetSpec::from(text) {
        TargetSpec::Sim(_) => Ok(&text["sim:".len()..]),
        TargetSpec::Path(_) => Ok(text),
        TargetSpec::Rig(_) | TargetSpec::Null => {
            Err(Error::usage(format!("{text} is not a simulated SSD")).with(Remedy::MeasureTarget))
        }
    }
}

fn combinations(spec: &SweepSpec) -> Result<Vec<Case>> {
    let (name, mut common) = split_overrides(named(&spec.profile)?)?;
    common.extend(spec.set.iter().cloned());
    if let Some(initial) = spec.initial {
        common.push(("initial".into(), format!("{initial:?}").to_lowercase()));
    }
    if spec.ignore_flush {
        common.push(("host.ignore_flush".into(), "true".into()));
    }
    let Profile::Ssd(plain) = profile(name, &[])? else {
        return Err(Error::usage(format!("{name} is a hard disk, not an SSD")).with(Remedy::MeasureTarget));
    };
    let mut rows: Vec<Vec<Pair>> = vec![Vec::new()];
    for (key, values) in axes(spec) {
        let with = |row: &Vec<Pair>, value: &String| {
            row.iter().cloned().chain([(key.to_string(), value.clone())]).collect()
        };
        rows = rows.iter().flat_map(|row| values.iter().map(move |value| with(row, value))).collect();
    }
    let mut cases: Vec<Case> = Vec::new();
    for row in rows {
        let case = case(name, &plain, &common, row)?;
        if !cases.iter().any(|other| other.label == case.label) {
            cases.push(case);
        }
    }
    Ok(cases)
}

fn case(name: &str, plain: &Settings, common: &[Pair], row: Vec<Pair>) -> Result<Case> {
    let overrides: Vec<_> = common.iter().chain(&row).cloned().collect();
    let Profile::Ssd(settings) = profile(name, &overrides)? else {
        return Err(Error::usage(format!("{name} is a hard disk, not an SSD")).with(Remedy::MeasureTarget));
    };
    settings.check()?;
    let heard = row.iter().filter(|(key, _)| matters(key, &settings));
    let label = heard.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
    let changes = changes(plain, &settings);
    Ok(Case { profile: name.into(), label, settings: *settings, changes, state: None, loaded: None })
}

/// Whether the device listens to a key of a list: devices that differ in another one are the same.
pub(super) fn matters(key: &str, settings: &Settings) -> bool {
    match key {
        "gc" => settings.reads_gc(),
        "ram.size" => settings.buffer != "none",
        _ => true,
    }
}
