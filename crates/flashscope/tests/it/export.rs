//! Exports from outside: what other programs read in them. DuckDB is the oracle of numbers, fio of shapes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::kernel::{Mounted, Scratch, requires, run};
use crate::common::python::{python_ok, python_with};
use crate::common::{call, interrupt, start, text, wait_for};
use serde_json::Value;

/// A characterisation with several queue depths and numbers of jobs, and its exports.
fn exported(scratch: &Scratch, format: &str, more: &[&str]) -> PathBuf {
    let folder = scratch.path("");
    let only = "--only=queue-depth,parallelism,mix";
    call(&folder, &["run", "rig:mtron", only, "--quick", "--seed", "7", "-q", "-o", "result"]).well();
    let out = scratch.path(format);
    call(&folder, &[&["export", "result", "--to", format, "-o", text(&out)][..], more].concat()).well();
    out
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("JSON")
}

fn runs(result: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(result.join("runs.jsonl")).expect("runs are stored");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files_below(&path, extension)),
            false if path.extension().is_some_and(|of| of == extension) => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

const NUMBERS: &str = r#"
import duckdb, json, pathlib, sys
result, out = map(pathlib.Path, sys.argv[1:])
KEYS = ["micro", "curve", "label"]
lines = [json.loads(line) for line in (result / "runs.jsonl").read_text().splitlines()]
place = lambda line: ("/".join(line["experiment"][key] for key in KEYS), line["repeat"])
runs = {place(line): line for line in lines}
checked = 0
for file in sorted(out.rglob("*.json")):
    job = json.loads(file.read_text())["jobs"][0]
    known = job["flashscope"]
    run = runs[(known["experiment"], known["repeat"])]["run"]
    path = result / run["records"]
    for op in ["read", "write"]:
        side = job[op]
        row = duckdb.sql(f"""select count(*), coalesce(sum(length_bytes), 0), min(response_ns),
            max(response_ns), avg(response_ns), stddev_samp(response_ns)
            from '{path}' where op = '{op}'""").fetchall()[0]
        count, size, low, high, mean, stddev = row
        assert (side["total_ios"], side["io_bytes"]) == (count, size), (file, op, row)
        if count == 0:
            assert side["runtime"] == 0 and side["clat_ns"]["N"] == 0
            continue
        for times in [side["clat_ns"], side["lat_ns"]]:
            assert (times["N"], times["min"], times["max"]) == (count, low, high), (file, row, times)
            assert abs(times["mean"] - mean) <= 1e-9 * mean, (file, mean, times)
            assert abs(times["stddev"] - (stddev or 0)) <= 1e-6 * mean, (file, stddev, times)
        seconds = run["elapsed_ns"] / 1e9
        assert abs(side["iops"] - count / seconds) < 1e-6 * side["iops"]
        assert abs(side["bw_bytes"] - size / seconds) <= 1
        for percent, value in side["clat_ns"]["percentile"].items():
            exact, = duckdb.sql(f"""select quantile_disc(response_ns, {float(percent) / 100})
                from '{path}' where op = '{op}'""").fetchall()[0]
            assert abs(value - exact) <= 0.01 * exact, (file, percent, value, exact)
        # A window's rate times its length is its IOs: the whole windows hold them all but for the last part.
        window = int(job["job options"]["iopsavgtime"]) / 1e3
        counted = side["iops_mean"] * side["iops_samples"] * window
        done, = duckdb.sql(f"""select count(*) from '{path}' where op = '{op}'
            and (submit_ns + response_ns) // 1000000
            < {side["iops_samples"]} * {int(window * 1000)}""").fetchall()[0]
        assert abs(counted - done) < 1e-6 * max(done, 1), (file, counted, done)
        checked += 1
    bins = sum(sum(job[key].values()) for key in ["latency_ns", "latency_us", "latency_ms"])
    assert abs(bins - 100) < 1e-6, (file, bins)
    below, = duckdb.sql(f"select 100 * avg((response_ns < 1000000)::int) from '{path}'").fetchall()[0]
    assert abs(100 - sum(job["latency_ms"].values()) - below) < 1e-6, file
    log = file.parent / f"{job['jobname']}_clat{'.1' if job['job options']['numjobs'] == '1' else ''}.log"
    rows = [tuple(map(int, line.split(", "))) for line in log.read_text().splitlines()]
    exact = duckdb.sql(f"""select (submit_ns + response_ns) // 1000000, response_ns, (op = 'write')::int,
        length_bytes, 0 from '{path}'""").fetchall()
    assert rows == exact, file
print(checked)
"#;

#[test]
fn fio_numbers_are_those_of_duckdb() {
    let Some(python) = python_with("duckdb") else { return };
    let scratch = Scratch::new();
    let out = exported(&scratch, "fio", &[]);
    let done = python_ok(&python, NUMBERS, &[text(&scratch.path("result")), text(&out)]);
    let checked: usize = done.trim().parse().expect("a count");
    assert!(checked >= 20, "{checked} sides of runs");
}

/// Every key of a document, with its place: `jobs.read.clat_ns.mean`.
fn keys(place: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let place = format!("{place}.{key}");
                keys(&place, value, found);
                found.insert(place);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| keys(place, value, found)),
        _ => {}
    }
}

/// What only fio itself knows: its processes, its queue, its latency target.
const FIO_ALONE: [&str; 11] = [
    "ctx",
    "majf",
    "minf",
    "iodepth_level",
    "iodepth_submit",
    "iodepth_complete",
    "latency_depth",
    "latency_target",
    "latency_percentile",
    "latency_window",
    "job options",
];

#[test]
fn fio_json_has_every_key_of_fios_own() {
    if !requires(&["fio"]) {
        return;
    }
    let scratch = Scratch::new();
    let out = exported(&scratch, "fio", &[]);
    let file = format!("--filename={}", text(&scratch.path("file")));
    let theirs = "--name=x --rw=randrw --bs=4k --size=1m --ioengine=psync --output-format=json";
    let theirs = run("fio", &[theirs.split(' ').collect(), vec![file.as_str()]].concat());
    let theirs: Value = serde_json::from_str(&theirs[theirs.find('{').expect("JSON")..]).expect("JSON");
    let (mut asked, mut found) = (BTreeSet::new(), BTreeSet::new());
    keys("", &theirs, &mut asked);
    let mixed = files_below(&out, "json").into_iter().find(|path| text(path).contains("randrw"));
    keys("", &json(&mixed.expect("a mix of random reads and writes")), &mut found);
    let is_fios = |key: &&String| {
        let place = key.trim_start_matches(".jobs.");
        key.starts_with(".disk_util") || FIO_ALONE.iter().any(|alone| place.starts_with(alone))
    };
    let missing: Vec<_> = asked.iter().filter(|key| !found.contains(*key) && !is_fios(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every kind of picture that fio-plot has for one folder.
#[test]
fn fio_plot_draws_runs_with_several_depths_and_jobs_and_a_single_one() {
    let Some(python) = python_with("fio_plot") else { return };
    let scratch = Scratch::new();
    let out = exported(&scratch, "fio", &[]);
    let folder = scratch.path("");
    let mut grid = Vec::new();
    for (depth, jobs) in [(1, 1), (1, 4), (8, 1), (8, 4)] {
        let name = format!("m-{depth}-{jobs}");
        let flags = format!(
            "measure rig:mtron --rw=randread --bs=4k --number-ios=2000 --seed 1 --iodepth={depth} \
             --numjobs={jobs}"
        );
        call(&folder, &[flags.split(' ').collect(), vec!["-q", "-o", &name]].concat()).well();
        grid.push(name);
    }
    let grid: Vec<&str> = grid.iter().map(String::as_str).collect();
    call(&folder, &[&["export"], &grid[..], &["--to", "fio", "-o", "grid"]].concat()).well();
    call(&folder, &["export", "m-1-1", "--to", "fio"]).well();
    let (depths, jobs) = (out.join("queue-depth-round-1"), out.join("parallelism-round-1"));
    let (grid, single) = (scratch.path("grid/measure"), scratch.path("m-1-1-fio/measure"));
    for (number, (from, flags)) in [
        (&grid, "-L -t iops -r randread -d 1 8 -n 1 4"),
        (&grid, "-L -t lat -r randread -d 1 8 -n 1 4"),
        (&depths, "-l -r randread -d 1 32 -n 1"),
        (&jobs, "-N -r randwrite -d 1 -n 1 4 16"),
        (&depths, "-g -t lat iops bw -r randwrite -d 1 32 -n 1"),
        (&jobs, "-g -t clat -r randread -d 1 -n 1 16"),
        (&single, "-g -t lat iops -r randread -d 1 -n 1"),
        (&single, "-H -r randread -d 1 -n 1"),
        (&single, "-l -r randread -d 1 -n 1"),
    ]
    .into_iter()
    .enumerate()
    {
        let picture = scratch.path(&format!("{number}.png"));
        let mut command = Command::new(&python);
        command.args(["-m", "fio_plot", "-i", text(from), "-T", "a title", "-o", text(&picture)]);
        let drawn = command.args(flags.split(' ')).env("MPLBACKEND", "Agg").output().expect("it starts");
        let said = String::from_utf8_lossy(&drawn.stdout) + String::from_utf8_lossy(&drawn.stderr);
        assert!(drawn.status.success() && picture.is_file(), "{flags}: {said}");
        assert!(!said.contains("WARNING") && !said.contains("rror"), "{flags}: {said}");
        // Bars or lines in colours, not an empty frame in black and grey.
        let coloured = "import sys, PIL.Image as i
p = i.open(sys.argv[1]).convert('RGB').getdata()
print(sum(max(c) - min(c) > 60 for c in p))";
        let dots: u64 = python_ok(&python, coloured, &[text(&picture)]).trim().parse().expect("a count");
        assert!(dots > 500, "{flags}: {dots} coloured dots");
    }
}

#[test]
fn csv_has_a_row_for_each_run_and_every_io() {
    let scratch = Scratch::new();
    let out = exported(&scratch, "csv", &["--ios"]);
    let runs = runs(&scratch.path("result"));
    let table = fs::read_to_string(out.join("experiments.csv")).expect("a table");
    assert_eq!(table.lines().count(), 1 + runs.len());
    assert_eq!(files_below(&out.join("ios"), "csv").len(), runs.len());
    let Some(python) = python_with("duckdb") else { return };
    let program = r#"
import csv, duckdb, json, pathlib, sys
result, out = map(pathlib.Path, sys.argv[1:])
lines = [json.loads(line) for line in (result / "runs.jsonl").read_text().splitlines()]
rows = list(csv.DictReader(open(out / "experiments.csv", newline="")))
for line, row in zip(lines, rows, strict=True):
    run, estimate = line["run"], line["run"]["outcome"]["estimate"]
    assert int(row["ios"]) == run["ios"] and row["label"] == line["experiment"]["label"], row
    assert (float(row["mean_ms"]) == estimate["mean_ns"] / 1e6) if estimate else row["mean_ms"] == "", row
    assert row["stopped_because"] == run["outcome"]["stopped_because"]
    theirs = out / row["records"].replace(".parquet", ".csv")
    same = duckdb.sql(f"""select count(*) from ((select * from '{result / row["records"]}' except all
        select * from '{theirs}') union all (select * from '{theirs}' except all
        select * from '{result / row["records"]}'))""").fetchall()[0]
    assert same == (0,), (row["records"], same)
indicators = {row["indicator"]: row for row in csv.DictReader(open(out / "indicators.csv", newline=""))}
shown = json.loads(pathlib.Path(result / "shown.json").read_text())
for name, indicator in shown["indicators"].items():
    row = indicators[name]
    assert [row["value"], row["ci_low"], row["ci_high"]] == ["", "", ""] if indicator is None else all(
        float(row[key]) == indicator[key] for key in ["value", "ci_low", "ci_high"]), (row, indicator)
hints = list(csv.DictReader(open(out / "hints.csv", newline="")))
assert [hint["text"] for hint in shown["hints"]] == [row["hint"] for row in hints]
print(len(rows))
"#;
    let shown = call(&scratch.path(""), &["show", "result", "--json"]).well();
    fs::write(scratch.path("result/shown.json"), shown.out).expect("written");
    python_ok(&python, program, &[text(&scratch.path("result")), text(&out)]);
}

/// Python's own reader of CSV says what stands in a cell; every number and text of the documents is in one.
const DOCUMENTS: &str = r#"
import csv, json, pathlib, sys
folder, out = map(pathlib.Path, sys.argv[1:])
def flat(value, place=""):
    if not isinstance(value, dict):
        return {place: value}
    parts = [flat(part, f"{place}.{key}" if place else key) for key, part in value.items()]
    return {key: cell for part in parts for key, cell in part.items()}
for table, kind, names in [("replays.csv", "replay.json", ["r1", "r2"]), ("traces.csv", "stats.json", ["s"])]:
    rows = list(csv.DictReader(open(out / table, newline="")))
    for row, name in zip(rows, names, strict=True):
        assert None not in row and row.pop("folder") == name, row
        theirs = flat(json.loads((folder / name / kind).read_text()))
        assert len(theirs) > 10, theirs
        for place, value in theirs.items():
            cell = row.pop(place)
            if isinstance(value, (bool, list)):
                assert json.loads(cell) == value, (place, cell, value)
            elif isinstance(value, (int, float)):
                assert float(cell) == value, (place, cell, value)
            else:
                assert cell == (value or ""), (place, cell, value)
        assert not any(row.values()), row
"#;

#[test]
fn csv_has_a_row_for_each_replay_and_each_trace_that_was_looked_at() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let line = |number: u64| {
        format!("{},{},{},4096\n", number * 50, ["read", "write"][number as usize % 2], number * 8192)
    };
    let trace: String = (0..300).map(line).collect();
    let name = "a, \"quoted\" trace.csv";
    fs::write(scratch.path(name), format!("time_us,op,offset_bytes,length_bytes\n{trace}")).expect("written");
    call(&folder, &["replay", name, "rig:plain", "--seed", "1", "-q", "-o", "r1"]).well();
    call(&folder, &["replay", name, "rig:plain", "--timing", "asap", "--seed", "1", "-q", "-o", "r2"]).well();
    call(&folder, &["trace", "stats", name, "-o", "s"]).well();
    call(&folder, &["export", "r1", "r2", "s", "--to", "csv", "--ios", "-o", "out"]).well();
    for (result, is_due) in [("r1", true), ("r2", false)] {
        let ios = files_below(&scratch.path("out/ios").join(result), "csv");
        let table = fs::read_to_string(&ios[0]).expect("text");
        let mut lines = table.lines();
        let heading = lines.next().expect("a heading");
        assert_eq!(heading, "submit_ns,response_ns,op,offset_bytes,length_bytes,stream,due_ns");
        let lines: Vec<&str> = lines.collect();
        assert_eq!((ios.len(), lines.len()), (1, 300));
        for (number, line) in lines.iter().enumerate() {
            let cells: Vec<&str> = line.split(',').collect();
            let due_ns = if is_due { (number * 50_000).to_string() } else { String::new() };
            let op = ["read", "write"][number % 2];
            assert_eq!((cells[2], cells[3], cells[4]), (op, (number * 8192).to_string().as_str(), "4096"));
            assert_eq!(cells[6], due_ns, "{result}: {line}");
        }
    }
    let Some(python) = python_with("csv") else { return };
    python_ok(&python, DOCUMENTS, &[text(&folder), text(&scratch.path("out"))]);
}

#[test]
fn uflip_details_have_a_line_for_each_io_in_its_four_columns() {
    let scratch = Scratch::new();
    let out = exported(&scratch, "uflip", &[]);
    let runs = runs(&scratch.path("result"));
    let results: Vec<String> = files_below(&out.join("RESULTS"), "csv")
        .iter()
        .flat_map(|path| {
            fs::read_to_string(path).expect("text").lines().skip(1).map(String::from).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(results.len(), runs.len(), "a line for each run");
    // The lines of one experiment are in the order of its rounds.
    let line_of = |id: &str, repeat: u64| {
        let mut of = results.iter().filter(|line| line.split(';').nth(2) == Some(id));
        of.nth(repeat as usize - 1).expect("its line")
    };
    let details = files_below(&out.join("DETAILS"), "csv");
    assert_eq!(details.len(), runs.len());
    let mut mixed = 0;
    for (run, (b, e)) in runs.iter().zip(numbers(&runs)) {
        let repeat = run["repeat"].as_u64().expect("a number") + 1;
        let text =
            fs::read_to_string(out.join(format!("DETAILS/DET_{b}_{e}_{repeat}.csv"))).expect("its IOs");
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(';').collect()).collect();
        // IOs in flight when the run had enough are in its file, but not in its count.
        let more = lines.len() as u64 - run["run"]["ios"].as_u64().expect("a count");
        assert!(more < 64, "{more} more IOs than were counted");
        assert!(lines.iter().all(|line| line.len() == 4 && line[2].parse::<u64>().is_ok()));
        let curve = run["experiment"]["curve"].as_str().expect("a curve");
        let kinds: BTreeSet<String> = lines.iter().map(|line| format!("{}{}", line[0], line[1])).collect();
        // SR is sequential reads in the paper's letters, and `S;R` here; a mix has both.
        let expected = curve.split('/').map(|of| of.chars().map(String::from).collect::<Vec<_>>().concat());
        assert_eq!(kinds, expected.collect(), "{curve}");
        mixed += u64::from(kinds.len() == 2);
        let id =
            ["micro", "curve", "label"].map(|key| run["experiment"][key].as_str().unwrap_or("")).join("/");
        let ignored: usize =
            line_of(&id, repeat).split(';').nth(14).expect("IOIgnore").parse().expect("a count");
        let mean_us: f64 = line_of(&id, repeat).split(';').nth(17).expect("Mean").parse().expect("a mean");
        let counted = lines.iter().skip(ignored).map(|line| line[3].parse::<f64>().expect("us"));
        let mean = counted.clone().sum::<f64>() / counted.count() as f64;
        assert!((mean - mean_us).abs() < 0.6, "{id}: {mean} and {mean_us}, for whole microseconds");
    }
    assert!(mixed > 0);
}

/// Numbers of the micro-benchmark and of the experiment in it, in the order of the runs.
fn numbers(runs: &[Value]) -> Vec<(usize, usize)> {
    let mut known: Vec<(String, Vec<String>)> = Vec::new();
    let mut number = |run: &Value| {
        let word = |key: &str| run["experiment"][key].as_str().expect("a word").to_string();
        let (micro, id) = (word("micro"), word("curve") + "/" + &word("label"));
        if known.last().is_none_or(|_| known.iter().all(|(of, _)| *of != micro)) {
            known.push((micro.clone(), Vec::new()));
        }
        let b = known.iter().position(|(of, _)| *of == micro).expect("just put there");
        let experiments = &mut known[b].1;
        if !experiments.contains(&id) {
            experiments.push(id.clone());
        }
        (b + 1, experiments.iter().position(|of| *of == id).expect("just put there") + 1)
    };
    runs.iter().map(&mut number).collect()
}

#[test]
fn what_a_format_cannot_hold_is_counted_or_refused() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let only = "--only=order,mix";
    call(&folder, &["run", "rig:plain", only, "--quick", "--seed", "7", "-q", "-o", "result"]).well();
    let told = call(&folder, &["export", "result", "--to", "fio"]).well();
    let runs = runs(&scratch.path("result"));
    let mixes = |run: &&Value| {
        let curve = run["experiment"]["curve"].as_str().expect("a curve");
        matches!(curve.split_once('/'), Some((a, b)) if a[1..] == b[1..] || a[..1] != b[..1])
    };
    let left_out = runs.iter().filter(mixes).count();
    assert!(
        told.err.contains("runs dropped: fio cannot mix")
            && told.err.contains(&format!("or reads with reads: {left_out}")),
        "{told:?}"
    );
    assert!(told.err.contains("runs without the order of their addresses (stride"), "{told:?}");
    let one = "measure rig:plain --rw read --stride 2 --number-ios 100 --seed 1 -q -o one";
    call(&folder, &one.split(' ').collect::<Vec<_>>()).well();
    let told = call(&folder, &["export", "one", "--to", "fio"]).well();
    assert!(told.err.contains("fio has no such option: 1"), "{told:?}");
    assert_eq!(files_below(&scratch.path("result-fio"), "json").len(), runs.len() - left_out);

    call(&folder, &["export", "result", "--to", "fio"])
        .failed(2, &["result-fio exists and is not empty", "-o"]);
    call(&folder, &["export", "result", "--to", "xls"]).failed(2, &["'xls'", "fio", "uflip", "csv"]);
    call(&folder, &["export", "result", "--to", "fio", "--ios"]).failed(2, &["--ios", "always includes"]);
    call(&folder, &["export", "nowhere", "--to", "csv"]).failed(2, &["nowhere"]);
    call(
        &folder,
        &["sim", "--buffer", "lru,fab", "--number-ios", "2000", "--seed", "1", "-q", "-o", "sweep"],
    )
    .well();
    for format in ["fio", "uflip"] {
        call(&folder, &["export", "sweep", "--to", format]).failed(2, &["simulations", "--to csv"]);
        assert!(!scratch.path(&format!("sweep-{format}")).exists(), "nothing is left behind");
    }
    call(&folder, &["export", "sweep", "--to", "csv", "--ios"]).well();
    let table = fs::read_to_string(scratch.path("sweep-csv/simulations.csv")).expect("a table");
    assert!(table.lines().count() == 3 && table.contains("wear.max") && table.contains("response_us.p99"));
    let ios = files_below(&scratch.path("sweep-csv/ios"), "csv");
    let lines = |path: &PathBuf| fs::read_to_string(path).expect("text").lines().count();
    assert_eq!(ios.iter().map(lines).collect::<Vec<_>>(), [2001, 2001]);
}

#[test]
fn a_full_disk_or_an_interruption_leaves_nothing() {
    let scratch = Scratch::new();
    let folder = scratch.path("");
    let long = "measure rig:plain --rw randread --bs 512 --number-ios 1500000 --seed 1 -q -o long";
    call(&folder, &long.split(' ').collect::<Vec<_>>()).well();
    if requires(&["mount", "umount"]) {
        let small = Mounted::memory("1m", scratch.path("small"));
        let out = scratch.path("small/out");
        let full = call(&folder, &["export", "long", "--to", "uflip", "-o", text(&out)]);
        full.failed(1, &["No space left", "free some space"]);
        assert_eq!(fs::read_dir(scratch.path("small")).expect("a folder").count(), 0, "nothing is left");
        drop(small);
    }
    let child = start(&folder, &["export", "long", "--to", "fio"]);
    let is_part = |name: &str| name.starts_with("long-fio.") && name.ends_with(".part");
    let parts = || {
        let entries = fs::read_dir(&folder).expect("a folder").flatten();
        entries.filter(|entry| is_part(&entry.file_name().to_string_lossy())).count()
    };
    wait_for("the first files", || parts() == 1);
    let ended = interrupt(child);
    assert_eq!(ended.status, 130, "{ended:?}");
    assert!(ended.err.contains("long-fio was not written"), "{ended:?}");
    assert_eq!(parts() + usize::from(scratch.path("long-fio").exists()), 0, "nothing is left");
}
