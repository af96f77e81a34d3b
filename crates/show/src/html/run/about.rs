//! What was measured, on which machine, in which state; and how to read the page.

use flashscope_core::total;
use serde_json::Value;

use super::Scene;
use crate::html::document::{Block, Item, Section};
use flashscope_core::number::{counted, iops, percent, size, span};

pub(super) fn device(scene: &Scene<'_>) -> Section {
    let alerts: Vec<Item> = alerts(scene);
    let mut blocks = Vec::new();
    if !alerts.is_empty() {
        blocks.push(Block::Items { items: alerts });
    }
    let rows = identity(scene).into_iter().chain(circumstances(scene));
    blocks.push(Block::facts(rows.filter(|(_, value)| !value.is_empty())));
    Section::new("device", "The device and its state", blocks)
}

/// Whether everything that was to be measured is there.
pub(super) fn is_whole(scene: &Scene<'_>) -> bool {
    alerts(scene).is_empty()
}

/// What of the result is not there.
fn alerts(scene: &Scene<'_>) -> Vec<Item> {
    let damage = scene.beside.damage.iter();
    let mut items: Vec<Item> =
        damage.map(|one| Item::alert(format!("Damaged: {}", one.seen), one.remedy.to_string())).collect();
    if scene.stored.context.is_none() {
        let text = "The run was killed before it had written what is known of the whole.";
        items.push(Item::alert(text, format!("Finish it with: {}", scene.beside.resume)));
    } else if !scene.context.complete && !scene.runs.is_empty() {
        let text = "The run is not complete: what is missing here may not have been measured yet.";
        items.push(Item::alert(text, ""));
    }
    if scene.runs.is_empty() {
        items.push(Item::alert("Nothing was measured: the result holds no finished run.", ""));
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
        ("physical block, as the device states it", bytes(physical)),
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
        0 => "none needed: random writes do not slow down what comes after them".into(),
        pause_ns => format!("{}, for what random writes leave behind", span(pause_ns as f64)),
    });
    let ios = total(scene.runs.iter().map(|done| done.run.ios));
    let measured = format!("{}, {}", counted(scene.runs.len() as u64, "run"), counted(ios, "IO"));
    let complete = if context.complete { "yes" } else { "no" };
    let seed = if manifest.flashscope_version.is_empty() { String::new() } else { manifest.seed.to_string() };
    vec![
        ("state", context.state.clone()),
        ("pause between runs", pause),
        ("engine", manifest.engine.clone()),
        ("content of writes", manifest.data_pattern.clone()),
        ("kernel", manifest.kernel.clone()),
        ("scheduler", manifest.scheduler.clone().unwrap_or_default()),
        ("clock", clock),
        ("what flashscope itself could do", limit(scene)),
        ("begun", manifest.created.clone()),
        ("measured", measured),
        ("complete", complete.into()),
        ("seed", seed),
        ("folder", scene.stored.path.display().to_string()),
    ]
}

fn limit(scene: &Scene<'_>) -> String {
    let Some(limit) = scene.context.generator_iops_max.filter(|limit| *limit > 0.0) else {
        return String::new();
    };
    let most = scene.runs.iter().filter_map(|done| done.iops()).fold(0.0, f64::max);
    if scene.context.target.virtual_time {
        return iops(limit);
    }
    format!("{}, of which {} were used", iops(limit), percent(most / limit))
}

const METHOD: &[&str] = &[
    "A response time runs from the submission of an IO to its completion. Every IO of every run was \
     recorded; nothing was averaged before it was stored.",
    "The first IOs after a change of pattern are often cheaper or dearer than what follows. This start-up is \
     found in the data and left out of every mean. The mean is taken over whole periods where response times \
     go up and down, and its interval holds the true mean in 95 of 100 cases, oscillation and correlation \
     accounted for.",
    "A difference is called one only where intervals say so. An indicator that is blank means that no effect \
     was seen or that nothing was measured; = means no different. Hints are derived from the points they \
     name; follow their links to see them.",
    "In a trace, IOs are numbered from 0 in the order of submission. Where there are too many to show one by \
     one, columns of many IOs show how often each response time came, and their fastest and slowest IO \
     exactly; the file named below a trace has all of them.",
];

pub(super) fn method() -> Section {
    let blocks = METHOD.iter().map(|text| Block::text(*text)).collect();
    Section::new("method", "How to read this page", blocks)
}
