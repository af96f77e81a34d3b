//! The pages of sweeps, replays and described traces: what is in the folder is on the page, with units and in
//! the right places; what is missing is said.

use std::fs;
use std::path::Path;

use crate::common::call;
use crate::common::kernel::Scratch;
use serde_json::Value;

fn words(folder: &Path, line: &str) -> crate::common::Ended {
    call(folder, &line.split_whitespace().collect::<Vec<_>>())
}

/// The document of the page that a command left in a folder.
fn left(folder: &Path, name: &str) -> Value {
    document(&folder.join(name).join("report.html"))
}

fn document(path: &Path) -> Value {
    let html = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let begin = "data-flashscope=\"document\" data-result=\"0\">";
    let from = html.find(begin).expect("it holds a document") + begin.len();
    let text = &html[from..from + html[from..].find("</script>").unwrap()];
    serde_json::from_str(text).unwrap()
}

fn blocks<'a>(document: &'a Value, kind: &str) -> Vec<&'a Value> {
    let sections = document["sections"].as_array().unwrap();
    let all = sections.iter().flat_map(|section| section["blocks"].as_array().unwrap());
    all.filter(|block| block["block"] == kind).collect()
}

fn by_id<'a>(document: &'a Value, kind: &str, id: &str) -> &'a Value {
    let found = blocks(document, kind).into_iter().find(|block| block["id"] == id);
    found.unwrap_or_else(|| panic!("no {kind} {id}"))
}

fn texts(document: &Value) -> String {
    let lists = ["listed", "items"].into_iter().flat_map(|kind| blocks(document, kind));
    let items = lists.flat_map(|block| block["items"].as_array().unwrap());
    let items = items.map(|item| format!("{}|{}|{}\n", item["tone"], item["text"], item["detail"]));
    let text = blocks(document, "text").into_iter().map(|block| format!("{}\n", block["text"]));
    items.chain(text).collect()
}

/// The cells of a column, as they are sorted.
fn column(table: &Value, label: &str) -> Vec<f64> {
    let columns = table["columns"].as_array().unwrap();
    let at = columns.iter().position(|column| column["label"] == label);
    let at = at.unwrap_or_else(|| panic!("no column {label} in {columns:?}"));
    let rows = table["rows"].as_array().unwrap();
    rows.iter().map(|row| row[at]["value"].as_f64().unwrap_or(f64::NAN)).collect()
}

/// The area below the steps of a series, in units of y times seconds.
fn area(series: &Value) -> f64 {
    let points = series["points"].as_array().unwrap();
    let x = |point: &Value| point["x"].as_f64().unwrap();
    points.windows(2).map(|pair| pair[0]["y"].as_f64().unwrap() * (x(&pair[1]) - x(&pair[0])) / 1e9).sum()
}

const SWEEP: &str = "sim bplru-board --capacity 32m --over-provisioning 0.2 --initial random --seed 7 \
                     --ftl page,log-block --buffer bplru --buffer-size 1m,2m,4m --rw randwrite --bs 8k \
                     --number-ios 3000";

#[test]
fn the_page_of_a_sweep_says_what_its_entries_say() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let swept = words(&folder, &format!("{SWEEP} --json -o a")).well().json();
    let entries = swept["devices"].as_array().unwrap();
    let page = left(&folder, "a");
    assert_eq!((page["kind"].as_str(), page["title"].as_str()), (Some("sim"), Some("sim:bplru-board")));
    let table = by_id(&page, "table", "devices");
    for (label, key) in [("throughput", "throughput_mb_s"), ("block erases", "block_erases"), ("IOs", "ios")]
    {
        let told: Vec<f64> = entries.iter().map(|entry| entry[key].as_f64().unwrap()).collect();
        assert_eq!(column(table, label), told, "{label}");
    }
    // One line for each FTL, a point for each size.
    for id in ["sweep-throughput", "sweep-amplification", "sweep-erases", "sweep-response", "sweep-p99"] {
        let series = by_id(&page, "chart", id)["series"].as_array().unwrap();
        assert_eq!(series.len(), 2, "{id}");
        for one in series {
            let places: Vec<f64> =
                one["points"].as_array().unwrap().iter().map(|point| point["x"].as_f64().unwrap()).collect();
            assert_eq!(places, [1, 2, 4].map(|mib| f64::from(mib << 20)), "{id}");
        }
    }
    let traces = blocks(&page, "trace");
    assert_eq!(traces.len(), entries.len());
    for (trace, entry) in traces.iter().zip(entries) {
        assert_eq!(trace["ios"], entry["ios"]);
        let group = trace["group"].as_str().unwrap();
        let chart = by_id(&page, "chart", &format!("{group}-programs"));
        assert_eq!((chart["group"].as_str(), chart["y"]["unit"].as_str()), (Some(group), Some("pages/s")));
        let programs: f64 = chart["series"].as_array().unwrap().iter().map(area).sum();
        let exact = entry["page_programs"].as_f64().unwrap();
        assert!((programs / exact - 1.0).abs() < 0.002, "{programs} pages of {exact} in {group}");
        let wear = by_id(&page, "heat", &format!("{group}-wear"));
        let worst = wear["values"].as_array().unwrap().iter().filter_map(Value::as_f64).fold(0.0, f64::max);
        assert_eq!(worst, entry["wear"]["max"].as_f64().unwrap());
    }
    assert!(fs::metadata(folder.join("a/report.html")).unwrap().len() < 2_000_000);
}

#[test]
fn what_did_not_come_to_its_end_is_said_and_has_no_point() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    words(&folder, &format!("{SWEEP} -o a")).well();
    let file = folder.join("a/sim.json");
    let mut entries: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    entries[1]["complete"] = false.into();
    let keys = ["profile", "label", "workload", "seed", "settings", "loaded_state", "complete", "error"];
    for (number, error) in [(2, "the flash is worn out".into()), (3, Value::Null)] {
        let entry = entries[number].as_object_mut().unwrap();
        entry.insert("complete".into(), false.into());
        entry.insert("error".into(), error);
        entry.retain(|key, _| keys.contains(&key.as_str()));
    }
    // An older folder: nothing is told of the inside of the last device.
    fs::remove_file(folder.join("a").join(entries[5]["inside"].as_str().unwrap())).unwrap();
    entries[5].as_object_mut().unwrap().remove("inside");
    fs::write(&file, serde_json::to_string(&entries).unwrap()).unwrap();
    words(&folder, "report a -o b.html").well();
    let page = document(&folder.join("b.html"));
    let said = texts(&page);
    for needed in [
        "was interrupted: results",
        "the flash is worn out",
        "before 1 simulation started",
        "were not stored",
    ] {
        assert!(said.contains(needed), "'{needed}' is missing in: {said}");
    }
    let state = by_id(&page, "table", "devices")["rows"].as_array().unwrap().iter();
    let state: Vec<&str> =
        state.map(|row| row.as_array().unwrap().last().unwrap()["text"].as_str().unwrap()).collect();
    assert_eq!(state, ["", "interrupted", "failed", "not run", "", ""]);
    let series = by_id(&page, "chart", "sweep-throughput")["series"].as_array().unwrap();
    let points: usize = series.iter().map(|one| one["points"].as_array().unwrap().len()).sum();
    assert_eq!(points, 3, "those that came to their end");
}

#[test]
fn a_sweep_over_names_has_bars_and_a_single_device_no_comparison() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let work = "--capacity 32m --over-provisioning 0.2 --rw randwrite --bs 4k --number-ios 400 --seed 1";
    words(&folder, &format!("sim bplru-board {work} --ftl page,log-block --buffer lru,fab,bplru -o a"))
        .well();
    let page = left(&folder, "a");
    let chart = by_id(&page, "chart", "sweep-throughput");
    assert_eq!(chart["x"]["labels"], serde_json::json!(["lru", "fab", "bplru"]));
    let names: Vec<&str> =
        chart["series"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["page", "log-block"]);
    words(&folder, &format!("sim bplru-board {work} --buffer none -o b")).well();
    let page = left(&folder, "b");
    assert!(blocks(&page, "chart").iter().all(|chart| !chart["id"].as_str().unwrap().starts_with("sweep-")));
    assert_eq!(blocks(&page, "trace").len(), 1);
}

const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples/install-ext3.tracefs.gz");

#[test]
fn the_page_of_a_replay_has_the_verdict_the_percentiles_and_every_io() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let report =
        words(&folder, &format!("replay {TRACE} sim:bplru-board --fit modulo --seed 3 --verify --json -o r"));
    let report = report.well().json();
    let page = left(&folder, "r");
    assert_eq!(page["kind"], "replay");
    let verdict = report["verdict"].as_str().unwrap();
    let said = texts(&page).to_lowercase();
    assert!(said.lines().next().unwrap().contains(&verdict.to_lowercase()), "{verdict} in {said}");
    assert!(said.contains("\"good\"|\"verified"), "{said}");
    let chart = by_id(&page, "chart", "percentiles");
    for one in chart["series"].as_array().unwrap() {
        let values: Vec<f64> =
            one["points"].as_array().unwrap().iter().filter_map(|point| point["y"].as_f64()).collect();
        assert!(values.is_sorted(), "{}: {values:?}", one["name"]);
        if one["name"] == "writes" {
            assert_eq!(*values.last().unwrap() / 1e3, report["write_us"]["max"].as_f64().unwrap());
        }
    }
    assert_eq!(blocks(&page, "trace")[0]["ios"], report["ios"]);
    assert_eq!(by_id(&page, "chart", "lateness")["group"], "replay");
    assert_eq!(by_id(&page, "chart", "replay-programs")["group"], "replay");
}

#[test]
fn the_page_of_a_trace_has_what_the_description_has() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let stats = words(&folder, &format!("trace stats {TRACE} --json -o s")).well().json();
    let page = left(&folder, "s");
    assert_eq!(page["kind"], "trace");
    let table = by_id(&page, "table", "operations");
    let requests: f64 = column(table, "requests").iter().sum();
    assert_eq!(requests, stats["requests"].as_f64().unwrap());
    let written = by_id(&page, "chart", "throughput")["series"].as_array().unwrap();
    let written = written.iter().find(|one| one["name"] == "written").unwrap();
    let points = written["points"].as_array().unwrap();
    let step_s = points[1]["x"].as_f64().unwrap();
    let all: f64 =
        points[..points.len() - 1].iter().map(|point| point["y"].as_f64().unwrap() * step_s * 1e6).sum();
    let exact = stats["written_bytes"].as_f64().unwrap();
    assert!((all / exact - 1.0).abs() < 0.01, "{all} of {exact} bytes");
    let heat = by_id(&page, "heat", "map-writes");
    let count: f64 = heat["values"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
    assert_eq!(count, stats["writes"].as_f64().unwrap());
    // As an older version left it.
    fs::remove_file(folder.join("s/addresses.json")).unwrap();
    words(&folder, "report s -o b.html").well();
    let page = document(&folder.join("b.html"));
    assert!(blocks(&page, "heat").is_empty() && texts(&page).contains("address map was not stored"));
}

#[test]
fn a_measurement_of_a_simulated_ssd_has_its_inside_below_the_trace_and_one_of_a_rig_has_none() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let target = "sim:bplru-board?capacity=32m&over_provisioning=0.2&initial=random";
    words(&folder, &format!("measure {target} --rw randwrite --bs 4k --number-ios 900 --seed 3 -o m")).well();
    words(&folder, "report m -o m.html").well();
    let page = document(&folder.join("m.html"));
    let trace = blocks(&page, "trace")[0];
    let group = trace["group"].as_str().expect("it shares its axis of time");
    let chart = by_id(&page, "chart", &format!("{group}-programs"));
    assert_eq!((chart["group"].as_str(), trace["ios"].as_u64()), (Some(group), Some(900)));
    words(&folder, "measure rig:mtron --rw randread --number-ios 50 --seed 3 -o rig").well();
    words(&folder, "report rig -o rig.html").well();
    let page = document(&folder.join("rig.html"));
    let ids = blocks(&page, "chart").into_iter().map(|chart| chart["id"].to_string());
    assert!(blocks(&page, "heat").is_empty() && ids.clone().all(|id| !id.contains("-programs")));
}
