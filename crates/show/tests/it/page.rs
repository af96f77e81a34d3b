//! What the page of a run says, and what it says of a folder that was damaged.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Scratch, baselines, context, finished, manifest, random_writes, rounds};
use flashscope_analysis::{Finished, Support};
use flashscope_core::{Nanos, PatternSource, Record, RequestSource, Time};
use flashscope_show::html::dense::Trace;
use flashscope_show::html::document::{Block, Document, Table};
use flashscope_show::html::{
    Beside, Bundle, MicroDoc, comparison_page, is_measure, measure_page, page, remains, run_page,
};
use flashscope_store::{Origin, Recorder, ResultFolder, Stored};

const MICROS: &[MicroDoc] = &[
    MicroDoc { name: "baseline", doc: "the four patterns", parameter: "none" },
    MicroDoc { name: "granularity", doc: "response time against IO size", parameter: "IO size, bytes" },
    MicroDoc { name: "order", doc: "reverse", parameter: "stride, IOs" },
];

/// Writes the runs, each with a file of its IOs.
fn store(folder: &Path, runs: &[Finished]) {
    let mut result = ResultFolder::create(folder, &manifest()).unwrap();
    result.write_context(&context()).unwrap();
    for done in runs {
        let records = result.records(&done.experiment, done.repeat);
        let pattern = &done.experiment.pattern;
        let sources: Vec<Box<dyn RequestSource + Send>> = vec![Box::new(PatternSource::new(pattern, 0, 1))];
        let mut recorder = Recorder::create(&records.path, sources, &Origin::default()).unwrap();
        for i in 0..done.run.ios {
            recorder.push(Record::new(Time(i * 1000), Nanos(400 + i % 7), 0, i));
        }
        recorder.finish().unwrap();
        let mut done = done.clone();
        done.run.records = Some(records.relative);
        result.append(&done).unwrap();
    }
}

fn runs() -> Vec<Finished> {
    let mut all = baselines(1.0, 1);
    for (label, size) in [("16KiB", 16384.0), ("32KiB", 32768.0), ("64KiB", 65536.0)] {
        all.push(finished("granularity", "RW", label, size, &random_writes(2304, size / 32768.0, 9)));
    }
    for stride in [-1.0, 1.0] {
        all.push(finished("order", "SW", &format!("{stride}"), stride, &random_writes(600, 1.0, 3)));
    }
    all
}

/// The page as `flashscope report` makes it, and what was damaged.
fn shown(folder: &Path) -> (Bundle, Vec<String>) {
    let (stored, damage) = Stored::salvage(folder).unwrap();
    let beside = Beside {
        micros: MICROS,
        known: &[],
        resume: "flashscope run --resume x",
        remedy: |remedy, _| remedy.to_string(),
        damage: &damage,
        suite: None,
    };
    let document =
        if is_measure(&stored) { measure_page(&stored, &beside) } else { run_page(&stored, &beside) };
    let (bundle, missing) = Bundle::fill(document, folder, Bundle::room_bytes(1));
    (bundle, damage.into_iter().chain(missing).map(|warning| warning.seen).collect())
}

fn blocks(document: &Document) -> impl Iterator<Item = &Block> {
    document.sections.iter().flat_map(|section| &section.blocks)
}

fn alerts(document: &Document) -> String {
    let items = blocks(document).filter_map(|block| match block {
        Block::Items { items } | Block::Listed { items, .. } => Some(items),
        _ => None,
    });
    items.flatten().map(|item| format!("{} {}\n", item.text, item.detail)).collect()
}

fn ids(document: &Document) -> Vec<&str> {
    let id = |block| match block {
        &Block::Table(Table { ref id, .. }) => Some(id.as_str()),
        Block::Chart(chart) => Some(chart.id.as_str()),
        Block::Trace(trace) => Some(trace.id.as_str()),
        _ => None,
    };
    blocks(document).filter_map(id).collect()
}

/// Every way leads somewhere.
fn check_links(document: &Document) {
    let ids = ids(document);
    let json = serde_json::to_value(document).unwrap();
    let mut all = vec![&json];
    let mut seen = 0;
    while let Some(value) = all.pop() {
        let to = ["link", "to"].iter().filter_map(|key| value.get(key)?.as_str());
        for to in to {
            assert!(ids.contains(&to), "a link to {to}");
            seen += 1;
        }
        all.extend(value.as_array().into_iter().flatten());
        all.extend(value.as_object().into_iter().flat_map(|object| object.values()));
    }
    assert!(seen > 0);
}

fn folder_of_runs() -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    let folder = scratch.path("result");
    store(&folder, &runs());
    (scratch, folder)
}

#[test]
fn the_answers_come_first_unless_something_is_wrong_with_them() {
    let (_scratch, folder) = folder_of_runs();
    // Whether alerts stand above the tiles, which are the first thing else.
    let is_alerted = |folder: &Path| {
        let document = shown(folder).0.document;
        assert!(document.sections[0].is_summary, "{}", document.sections[0].id);
        let blocks = &document.sections[0].blocks;
        let tiles = blocks.iter().position(|block| matches!(block, Block::Tiles { .. }));
        match tiles {
            Some(0) => false,
            Some(1) => alerts(&document).contains("Damaged"),
            other => panic!("the tiles are block {other:?}"),
        }
    };
    assert!(!is_alerted(&folder));
    let runs = folder.join("runs.jsonl");
    let text = fs::read_to_string(&runs).unwrap();
    fs::write(&runs, format!("no run\n{text}")).unwrap();
    assert!(is_alerted(&folder));
}

#[test]
fn beside_one_another_stand_only_characteristics_that_one_of_them_has() {
    let (_scratch, folder) = folder_of_runs();
    let mut stored = Stored::read(&folder).unwrap();
    let rows = |of: &Stored| {
        let document = comparison_page(&[of.clone(), of.clone()]).unwrap();
        let table = |block: &Block| match block {
            Block::Table(table) if table.id == "side-by-side-table" => Some(table.rows.clone()),
            _ => None,
        };
        blocks(&document).find_map(table)
    };
    let whole = rows(&stored).unwrap();
    assert!(
        whole.iter().any(|row| row[0].text == "rand write, ms")
            && whole.iter().all(|row| !row[1].text.is_empty())
    );
    stored.finished.retain(|done| done.experiment.micro == "order");
    assert!(rows(&stored).is_none_or(|rows| rows.iter().all(|row| row[0].text != "rand write, ms")));
}

#[test]
fn a_run_shows_charts_traces_and_a_table_and_all_links_lead_somewhere() {
    let (_scratch, folder) = folder_of_runs();
    let (bundle, damage) = shown(&folder);
    assert_eq!(damage, [""; 0]);
    let document = &bundle.document;
    let found = ids(document);
    for id in [
        "characteristics-table",
        "chart-baseline",
        "chart-granularity",
        "chart-order",
        "trace-baseline-RW-32KiB-0",
        "trace-order-SW--1-0",
        "trace-order-SW-1-0",
        "experiments-table",
    ] {
        assert!(found.contains(&id), "{id} of {found:?}");
    }
    let mut once = found.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), found.len(), "an id is of one block");
    check_links(document);
    let ios: u64 = runs().iter().map(|done| done.run.ios).sum();
    assert_eq!(bundle.ios(), (ios, ios));
    assert!(alerts(document).contains("Expect periodic slow IOs"), "{}", alerts(document));
}

/// Nearest ranks of the IOs that were written, worked out by hand.
#[test]
fn headline_numbers_are_those_of_every_io_as_far_as_ten_lie_beyond() {
    let (_scratch, folder) = folder_of_runs();
    let (bundle, _) = shown(&folder);
    let summary = &bundle.document.sections[0];
    let tiles = summary.blocks.iter().find_map(|block| match block {
        Block::Tiles { tiles } => Some(tiles),
        _ => None,
    });
    let tile = tiles.unwrap().iter().find(|tile| tile.name == "Random write").unwrap();
    let done = runs().into_iter().find(|d| d.experiment.curve == "RW").unwrap();
    let mean_ns = done.run.outcome.estimate.unwrap().mean_ns;
    let iops: f64 = tile.value.replace(',', "").parse().unwrap();
    assert!((iops * mean_ns / 1e9 - 1.0).abs() < 0.01, "{iops} IOPS of {mean_ns} ns");
    // Response times are 400 to 406 ns in turn; one round is an observation and no more.
    let ios = done.run.ios - done.run.outcome.phases.startup_ios_high;
    let p99 = &tile.rows[1];
    assert_eq!((p99[0].as_str(), p99[1].starts_with("40")), ("p99", true), "{p99:?}");
    assert_eq!(tile.rows[2][1] == "–", ios < 10_000, "p99.9 of {ios} IOs: {:?}", tile.rows[2]);
    assert_eq!(tile.state, Some(Support::Weak));
    let curve = summary.blocks.iter().find_map(|block| match block {
        Block::Chart(chart) if chart.id == "chart-latency" => Some(&chart.series),
        _ => None,
    });
    for series in curve.unwrap() {
        let shares: Vec<f64> = series.points.iter().filter_map(|point| point.y).collect();
        assert!(shares.is_sorted() && shares.iter().all(|share| *share < 100.0), "{}", series.name);
    }
}

#[test]
fn points_carry_their_means_with_intervals_and_lead_to_their_ios() {
    let (_scratch, folder) = folder_of_runs();
    let (bundle, _) = shown(&folder);
    let charts =
        blocks(&bundle.document).filter_map(|b| if let Block::Chart(chart) = b { Some(chart) } else { None });
    let chart = charts.into_iter().find(|chart| chart.id == "chart-granularity").unwrap();
    let points = &chart.series[0].points;
    assert_eq!(points.iter().map(|point| point.x).collect::<Vec<_>>(), [16384.0, 32768.0, 65536.0]);
    let expected: Vec<_> = runs()
        .iter()
        .filter(|d| d.experiment.micro == "granularity")
        .map(|d| d.run.outcome.estimate.unwrap())
        .collect();
    for (point, mean) in points.iter().zip(expected) {
        assert_eq!((point.y, point.interval), (Some(mean.mean_ns), Some([mean.ci_low_ns, mean.ci_high_ns])));
    }
    assert_eq!(points[0].link.as_deref(), Some("trace-granularity-RW-16KiB-0"));
}

#[test]
fn two_results_are_compared_with_the_differences_that_hold() {
    let scratch = Scratch::new();
    for (name, scale) in [("a", 1.0), ("b", 2.0)] {
        store(&scratch.path(name), &rounds(scale, 1));
    }
    let stored = ["a", "b"].map(|name| Stored::read(&scratch.path(name)).unwrap());
    assert!(comparison_page(&stored[..1]).is_none());
    let document = comparison_page(&stored).unwrap();
    assert!(alerts(&document).contains("Of 4 experiments, B is faster in 0, slower in 4"));
    let tables =
        blocks(&document).filter_map(|b| if let Block::Table(table) = b { Some(table) } else { None });
    let table = tables.into_iter().find(|table| table.id == "difference-b").unwrap();
    for row in &table.rows {
        assert!(row.iter().all(|cell| cell.is_marked));
        let [low, high] = row[3].interval.unwrap();
        assert!((low..=high).contains(&2.0), "{row:?}");
    }
}

#[test]
fn an_empty_run_and_a_run_of_one_io_have_a_page() {
    let scratch = Scratch::new();
    store(&scratch.path("empty"), &[]);
    let (bundle, damage) = shown(&scratch.path("empty"));
    assert_eq!(damage, [""; 0]);
    assert!(alerts(&bundle.document).contains("No finished run"), "{}", alerts(&bundle.document));
    for micro in ["measure", "baseline"] {
        let one = finished(micro, "RW", "32KiB", 32768.0, &[400.0]);
        store(&scratch.path(micro), &[one]);
        let (bundle, _) = shown(&scratch.path(micro));
        assert_eq!(bundle.ios(), (1, 1), "{micro}");
        assert!(page(&[bundle]).contains("too short for a mean"));
    }
}

#[test]
fn a_killed_run_shows_what_it_has_and_how_to_finish_it() {
    let (_scratch, folder) = folder_of_runs();
    fs::remove_file(folder.join("context.json")).unwrap();
    let (bundle, _) = shown(&folder);
    assert!(ids(&bundle.document).contains(&"chart-granularity"));
    let alerts = alerts(&bundle.document);
    assert!(alerts.contains("was killed") && alerts.contains("flashscope run --resume x"), "{alerts}");
}

#[test]
fn of_a_damaged_folder_the_rest_is_shown() {
    for (file, keep, lost) in [
        ("manifest.json", 40, "manifest.json:"),
        ("context.json", 40, "context.json:"),
        ("runs.jsonl", 3000, "runs.jsonl:"),
    ] {
        let (_scratch, folder) = folder_of_runs();
        let text = fs::read(folder.join(file)).unwrap();
        let mut cut = text[..keep].to_vec();
        if file == "runs.jsonl" {
            // A damaged first line, and the others.
            let end = text.iter().position(|byte| *byte == b'\n').unwrap();
            cut = [&text[..end / 2], &text[end..]].concat();
        }
        fs::write(folder.join(file), cut).unwrap();
        assert!(Stored::read(&folder).is_err(), "{file}");
        let (bundle, damage) = shown(&folder);
        assert!(damage.iter().any(|seen| seen.contains(lost)), "{file}: {damage:?}");
        assert!(ids(&bundle.document).contains(&"chart-granularity"), "{file}");
        assert!(alerts(&bundle.document).contains("Damaged"), "{file}");
        check_links(&bundle.document);
    }
}

#[test]
fn a_missing_or_cut_file_of_ios_leaves_everything_else() {
    let (_scratch, folder) = folder_of_runs();
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("ios")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    fs::remove_file(&files[0]).unwrap();
    let whole = fs::read(&files[1]).unwrap();
    fs::write(&files[1], &whole[..whole.len() / 2]).unwrap();
    let (bundle, damage) = shown(&folder);
    assert_eq!(damage.len(), 2, "{damage:?}");
    let found = ids(&bundle.document);
    assert!(!found.contains(&"trace-baseline-SR-32KiB-0") && found.contains(&"trace-baseline-RW-32KiB-0"));
    assert!(alerts(&bundle.document).contains("baseline/SR/32KiB: its IOs cannot be shown"));
    check_links(&bundle.document);
}

#[test]
fn no_damage_within_a_file_of_ios_ends_in_a_panic() {
    let (_scratch, folder) = folder_of_runs();
    let file = fs::read_dir(folder.join("ios")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    let (document, mut damaged) = (shown_empty(), 0);
    for i in 0..400u64 {
        let mut bytes = whole.clone();
        let at = flashscope_core::seed::derive(5, i) as usize % bytes.len();
        bytes[at] ^= 1 << (i % 8);
        fs::write(&file, &bytes).unwrap();
        let name = file.strip_prefix(&folder).unwrap().display().to_string();
        let mut document = document.clone();
        document.sections[0].blocks = vec![Block::Trace(Trace::unread("t".into(), "t".into(), name))];
        damaged += Bundle::fill(document, &folder, 100_000).1.len();
    }
    assert!(damaged > 0, "some damage is seen");
}

fn shown_empty() -> Document {
    let scratch = Scratch::new();
    store(&scratch.path("empty"), &[]);
    shown(&scratch.path("empty")).0.document
}

#[test]
fn another_version_and_other_folders_are_told_apart() {
    let (scratch, folder) = folder_of_runs();
    let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
    fs::write(
        folder.join("manifest.json"),
        text.replacen("\"schema_version\": 1", "\"schema_version\": 2", 1),
    )
    .unwrap();
    let error = Stored::salvage(&folder).unwrap_err().to_string();
    assert!(error.contains("schema version 2; this flashscope reads 1"), "{error}");
    let document = remains(&folder, &error).unwrap();
    assert_eq!((document.kind, document.title.as_str()), ("remains", "rig:mtron"));
    assert!(alerts(&document).contains("schema version 2"));
    assert!(ids(&document).contains(&"files"));

    for (name, manifest) in
        [("nothing", None), ("other", Some(r#"{"name": "a web application", "icons": []}"#))]
    {
        let folder = scratch.path(name);
        fs::create_dir(&folder).unwrap();
        manifest.into_iter().for_each(|text| fs::write(folder.join("manifest.json"), text).unwrap());
        let error = Stored::salvage(&folder).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("not a flashscope result"), "{error}");
        assert!(remains(&folder, &error).is_none());
    }
    let missing = Stored::salvage(&scratch.path("missing")).unwrap_err();
    assert!(missing.is_missing());
}
