//! Which devices are simulated: a profile, and the product of all lists on top of it.

use std::path::Path;

use anyhow::Result;
use flashscope_core::{Target, TargetInfo};
use flashscope_sim::ssd::{QUEUE_DEPTH_MAX, SECTOR_BYTES};
use flashscope_sim::{Profile, Settings, Ssd};

use super::changes::{Changes, changes};
use super::product::{head, kind};
use super::report::LoadedState;
use crate::cli::SimArgs;
use crate::exit::Usage;
use flashscope_lab::{TargetSpec, override_pair, profile, split_overrides};

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
    pub fn info(&self) -> Result<TargetInfo, Usage> {
        let (geometry, logical_pages) = self.settings.geometry().map_err(|e| Usage(e.to_string()))?;
        Ok(TargetInfo {
            name: format!("sim:{}", self.profile),
            size_bytes: u64::from(logical_pages) * u64::from(geometry.page_bytes),
            logical_block_bytes: SECTOR_BYTES,
            virtual_time: true,
            engine: "sim".into(),
            queue_depth_max: QUEUE_DEPTH_MAX,
        })
    }
}

/// A key and its value.
type Pair = (String, String);

/// The keys that lists vary, with their values.
fn axes(args: &SimArgs) -> Vec<(&'static str, Vec<String>)> {
    let text = |list: &[flashscope_core::Bytes]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let numbers = |list: &[f64]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    let axes = [
        ("capacity", text(&args.capacity)),
        ("over_provisioning", numbers(&args.over_provisioning)),
        ("ftl", args.ftl.clone()),
        ("gc", args.gc.clone()),
        ("buffer", args.buffer.clone()),
        ("ram.size", text(&args.buffer_size)),
    ];
    axes.into_iter().filter(|(_, values)| !values.is_empty()).collect()
}

/// Every device of the sweep, in the order of the lists. All settings are checked before the first IO.
pub fn cases(args: &SimArgs) -> Result<Vec<Case>> {
    if let Some(path) = &args.load_state {
        return Ok(vec![saved(path)?]);
    }
    let cases = combinations(args)?;
    if args.save_state.is_some() && cases.len() > 1 {
        let message = format!("--save-state keeps one device, and the lists make {}", cases.len());
        return Err(Usage(message).into());
    }
    Ok(cases)
}

/// The device that was saved in a file.
fn saved(path: &Path) -> Result<Case> {
    let shown = path.display();
    let unread = |error: std::io::Error| Usage(format!("cannot read {shown}: {error}"));
    let refuse = |problem: &str| Usage(format!("{shown}: {problem}; name what --save-state made"));
    let there = path.metadata().map_err(unread)?;
    if !there.is_file() {
        return Err(refuse(&format!("it is {}", kind(there.file_type()))).into());
    }
    if !Ssd::is_state(&head(path).map_err(unread)?) {
        return Err(refuse("it is no saved state").into());
    }
    let bytes = std::fs::read(path).map_err(unread)?;
    let device = Ssd::load(&bytes).map_err(|error| Usage(format!("{shown}: {error}")))?;
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
fn named(text: &str) -> Result<&str, Usage> {
    match TargetSpec::from(text) {
        TargetSpec::Sim(_) => Ok(&text["sim:".len()..]),
        TargetSpec::Path(_) => Ok(text),
        TargetSpec::Rig(_) | TargetSpec::Null => {
            let message = format!(
                "{text} is no simulated SSD: `flashscope measure {text}` and `run {text}` take it; \
                 `flashscope list profiles` shows what `sim` takes"
            );
            Err(Usage(message))
        }
    }
}

fn combinations(args: &SimArgs) -> Result<Vec<Case>> {
    let (name, mut common) = split_overrides(named(&args.profile)?)?;
    for text in &args.set {
        common.push(override_pair(text)?);
    }
    if let Some(initial) = args.initial {
        common.push(("initial".into(), initial.name().into()));
    }
    if args.ignore_flush {
        common.push(("host.ignore_flush".into(), "true".into()));
    }
    let Profile::Ssd(plain) = profile(name, &[])? else {
        let message = format!(
            "{name} is a hard disk, and `sim` and its flags are for SSDs; `flashscope measure sim:{name}` \
             takes it"
        );
        return Err(Usage(message).into());
    };
    let mut rows: Vec<Vec<Pair>> = vec![Vec::new()];
    for (key, values) in axes(args) {
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
        return Err(Usage(format!("{name} is a hard disk, and `sim` is for SSDs")).into());
    };
    settings.check().map_err(|error| Usage(error.to_string()))?;
    let heard = row.iter().filter(|(key, _)| matters(key, &settings));
    let label = heard.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
    let changes = changes(plain, &settings);
    Ok(Case { profile: name.into(), label, settings: *settings, changes, state: None, loaded: None })
}

/// Whether the device listens to a key of a list: devices that differ in another one are the same.
fn matters(key: &str, settings: &Settings) -> bool {
    match key {
        "gc" => settings.ftl == "page",
        "ram.size" => settings.buffer != "none",
        _ => true,
    }
}

/// Flags that no device of the sweep listens to, and why.
pub fn unheard(args: &SimArgs, cases: &[Case]) -> Vec<&'static str> {
    let deaf = |key: &str| !cases.iter().any(|case| matters(key, &case.settings));
    let gc = (!args.gc.is_empty() && deaf("gc"))
        .then_some("--gc has no effect: of all FTLs, `page` alone has a victim policy");
    let size = (!args.buffer_size.is_empty() && deaf("ram.size"))
        .then_some("--buffer-size has no effect: there is no buffer; choose one with --buffer");
    gc.into_iter().chain(size).collect()
}
