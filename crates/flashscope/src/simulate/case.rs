//! Which devices are simulated: a profile, and the product of all lists on top of it.

use std::path::Path;

use anyhow::Result;
use flashscope_core::Target;
use flashscope_sim::{Profile, Settings, Ssd};

use crate::cli::SimArgs;
use crate::exit::Usage;
use crate::target::{override_pair, profile, split_overrides};

/// One device of a sweep.
#[derive(Clone, Debug)]
pub struct Case {
    /// The profile's name.
    pub profile: String,
    /// What makes it differ from the others: `ftl=page buffer=lru`.
    pub label: String,
    /// The device.
    pub settings: Settings,
    /// Its saved state, if it does not begin anew.
    pub state: Option<Vec<u8>>,
}

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
    let bytes = std::fs::read(path).map_err(|error| Usage(format!("cannot read {shown}: {error}")))?;
    let device = Ssd::load(&bytes).map_err(|error| Usage(format!("{shown}: {error}")))?;
    let name = device.info().name.clone();
    let profile = name.strip_prefix("sim:").unwrap_or(&name).to_string();
    Ok(Case { profile, label: String::new(), settings: device.settings().clone(), state: Some(bytes) })
}

fn combinations(args: &SimArgs) -> Result<Vec<Case>> {
    let (name, mut common) = split_overrides(&args.profile)?;
    for text in &args.set {
        common.push(override_pair(text)?);
    }
    if let Some(initial) = args.initial {
        common.push(("initial".into(), initial.name().into()));
    }
    if args.ignore_flush {
        common.push(("host.ignore_flush".into(), "true".into()));
    }
    let mut rows: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (key, values) in axes(args) {
        let with = |row: &Vec<(String, String)>, value: &String| {
            row.iter().cloned().chain([(key.to_string(), value.clone())]).collect()
        };
        rows = rows.iter().flat_map(|row| values.iter().map(move |value| with(row, value))).collect();
    }
    rows.into_iter().map(|row| case(name, &common, row)).collect()
}

fn case(name: &str, common: &[(String, String)], row: Vec<(String, String)>) -> Result<Case> {
    let label = row.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
    let overrides: Vec<_> = common.iter().cloned().chain(row).collect();
    let Profile::Ssd(settings) = profile(name, &overrides)? else {
        let message = format!("{name} is a hard disk; `flashscope sim` is for SSDs: measure sim:{name}");
        return Err(Usage(message).into());
    };
    let checked = settings.geometry().and_then(|_| settings.buffer_pages());
    checked.map_err(|error| Usage(error.to_string()))?;
    Ok(Case { profile: name.into(), label, settings: *settings, state: None })
}
