//! Target, machine, device state, and the method.

use flashscope_core::total;
use serde_json::Value;

use super::Scene;
use crate::html::document::{Block, Item, Section};
use crate::view::state_words;
use flashscope_core::number::{counted, percent, size, span};

pub(super) fn section(scene: &Scene<'_>) -> Section {
    let rows = identity(scene).into_iter().chain(circumstances(scene));
    let facts = Block::facts(rows.filter(|(_, value)| !value.is_empty()));
    let method = METHOD.iter().map(|text| Block::text(*text));
    Section::new("device", "Device and method", std::iter::once(facts).chain(method).collect())
}

/// Who the drive is and in which state, in one line.
pub(super) fn in_a_line(scene: &Scene<'_>) -> String {
    let Scene { context, stored, runs, .. } = scene;
    let word = |pointer: &str| stored.manifest.device.pointer(pointer).and_then(Value::as_str);
    let on = word("/filesystem/name").map(|name| format!("file on {name}"));
    let model = word("/hardware/model").map(|model| model.trim().to_string());
    let who = if context.target.virtual_time { Some("simulated".into()) } else { on.or(model) };
    let bytes = context.target.size_bytes;
    let ios = total(runs.iter().map(|done| done.run.ios));
    let parts = [
        who.unwrap_or_default(),
        if bytes == 0 { String::new() } else { size(bytes as f64) },
        state_words(&context.state),
        stored.manifest.created.get(..10).unwrap_or_default().into(),
        format!("{} in {}", counted(ios, "IO"), counted(runs.len() as u64, "run")),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// What of the result is not there.
pub(super) fn alerts(scene: &Scene<'_>) -> Vec<Item> {
    let damage = scene.beside.damage.iter();
    let mut items: Vec<Item> =
        damage.map(|one| Item::alert(format!("Damaged: {}", one.seen), one.remedy.to_string())).collect();
    if scene.stored.context.is_none() {
        let text = "The run was killed before its summary was written.";
        items.push(Item::alert(text, format!("Resume it with: {}", scene.beside.resume)));
    } else if !scene.context.complete && !scene.runs.is_empty() {
        let text = "Incomplete run: missing results may not have been measured yet.";
        items.push(Item::alert(text, ""));
    }
    if scene.runs.is_empty() {
        items.push(Item::alert("No finished run.", ""));
    }
    items
}

/// Who the device is.
fn identity(scene: &Scene<'_>) -> Vec<(&'static str, String)> {
    let target = &scene.context.target;
    let device = &scene.stored.manifest.device;
    let word = |pointer: &str| {
        device.pointer(pointer).and_then(Value::as_str).map(str::trim).unwrap_or_default().to_string()
    };
    let bytes = |bytes: u64| if bytes == 0 { String::new() } else { size(bytes as f64) };
    let physical = scene.context.physical_block_bytes.map_or(0, u64::from);
    vec![
        ("target", target.name.clone()),
        ("model", word("/hardware/model")),
        ("serial", word("/hardware/serial")),
        ("firmware", word("/hardware/firmware")),
        ("size", bytes(target.size_bytes)),
        ("logical block", bytes(u64::from(target.logical_block_bytes))),
        ("physical block (reported)", bytes(physical)),
        ("write cache", word("/hardware/write_cache")),
        ("file system", word("/filesystem/name")),
    ]
}

/// How it was measured.
fn circumstances(scene: &Scene<'_>) -> Vec<(&'static str, String)> {
    let (context, manifest) = (&scene.context, &scene.stored.manifest);
    let of = |key: &str| manifest.clock.get(key);
    let clock = [
        of("source").and_then(Value::as_str).map(String::from),
        of("cost_ns").and_then(Value::as_f64).map(|ns| format!("{} a reading", span(ns))),
    ];
    let clock = if context.target.virtual_time {
        "virtual time".to_string()
    } else {
        clock.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    let pause = context.interference.map_or(String::new(), |found| match found.pause_ns {
        0 => "none: random writes do not slow down subsequent IOs".into(),
        pause_ns => format!("{} (random writes slow down subsequent IOs)", span(pause_ns as f64)),
    });
    let ios = total(scene.runs.iter().map(|done| done.run.ios));
    let measured = format!("{}, {}", counted(scene.runs.len() as u64, "run"), counted(ios, "IO"));
    let complete = if context.complete { "yes" } else { "no" };
    let seed = if manifest.flashscope_version.is_empty() { String::new() } else { manifest.seed.to_string() };
    vec![
        ("device state", state_words(&context.state)),
        ("pause between runs", pause),
        ("engine", manifest.engine.clone()),
        ("data written", manifest.data_pattern.clone()),
        ("kernel", manifest.kernel.clone()),
        ("scheduler", manifest.scheduler.clone().unwrap_or_default()),
        ("clock", clock),
        ("harness overhead", overhead(scene)),
        ("begun", manifest.created.clone()),
        ("measured", measured),
        ("complete", complete.into()),
        ("seed", seed),
        ("folder", scene.stored.path.display().to_string()),
    ]
}

fn overhead(scene: &Scene<'_>) -> String {
    let Some(limit) = scene.context.generator_iops_max.filter(|limit| *limit > 0.0) else {
        return String::new();
    };
    let most = scene.runs.iter().filter_map(|done| done.iops_per_thread()).fold(0.0, f64::max);
    if scene.context.target.virtual_time {
        return format!("{}/IO", span(1e9 / limit));
    }
    format!("{}/IO ({} of the time)", span(1e9 / limit), percent(most / limit))
}

const METHOD: &[&str] = &[
    "Response times are from submission to completion of an IO. Every IO of every run is recorded; nothing \
     is averaged before it is stored.",
    "The first IOs after a change of pattern are often faster or slower than the steady state. This warm-up \
     is detected in the data and excluded from every mean. Means cover whole periods where response times \
     oscillate. Their 95 % CI accounts for oscillation and correlation.",
    "Differences are reported only if they are significant. A blank indicator: no effect found, or not \
     measured; \"same\": no significant difference. Findings link to the experiments they are derived from.",
    "IOs of a trace are numbered from 0 in submission order. Traces with too many IOs for single points show \
     columns of many IOs: a histogram of their response times, with the exact minimum and maximum. The file \
     named below a trace has every IO.",
];
