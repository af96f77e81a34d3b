//! What the command line promises: wrong input is named with its remedy and its own exit status, changes
//! nothing, and standard output holds the result alone.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use crate::common::kernel::{Loop, Scratch, fingerprint, requires};
use crate::common::{Ended, call, ended, flashscope, folder, scratch, start, stored_runs, text};

const MIB: u64 = 1 << 20;

/// A file that holds somebody's data.
fn foreign(scratch: &Scratch, size_bytes: u64) -> PathBuf {
    let path = scratch.path("thesis.odt");
    fs::write(&path, vec![7; size_bytes as usize]).expect("a file can be written");
    path
}

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Arguments, status, words of the message.
type Case = (&'static str, i32, &'static [&'static str]);

const WRONG: &[Case] = &[
    ("measure null: --bogus", 2, &["--bogus", "--help"]),
    ("sing", 2, &["sing"]),
    ("measure null: --rw sideways", 2, &["--rw", "sideways", "randread"]),
    ("measure null: --bs 4q", 2, &["--bs", "4q"]),
    ("measure null: --number-ios -4", 2, &["--number-ios", "-4", "0 or more"]),
    ("measure null: --iodepth -4", 2, &["--iodepth", "-4"]),
    ("measure null: --bs 4k --size -1", 2, &["--size", "-1"]),
    ("measure null: --bs -4k", 2, &["--bs", "'-4k' is negative", "0 or more"]),
    ("measure null: --bs=-4k", 2, &["--bs", "'-4k' is negative"]),
    ("measure null: --stride -1 --thinktime -1ms", 2, &["--thinktime", "'-1ms' is negative"]),
    ("run --size -4k", 2, &["--size", "'-4k' is negative"]),
    ("create new -4k", 2, &["'-4k' is negative"]),
    ("trace cut a.csv b.csv --from-time -1s", 2, &["--from-time", "'-1s' is negative", "0 or more"]),
    ("trace cut a.csv b.csv --to-time -5", 2, &["--to-time", "'-5' is negative", "write a time"]),
    ("trace cut a.csv b.csv --sample -0.1", 2, &["--sample", "'-0.1' is negative", "write a share"]),
    ("trace cut a.csv b.csv --align -4096", 2, &["--align", "'-4096' is negative", "write a size"]),
    ("reproduce 004 --jobs 0", 2, &["--jobs", "'0' is not a count", "1 or more"]),
    ("trace cut a.csv b.csv --repeat -1", 2, &["--repeat", "'-1' is not a count", "0 or more"]),
    ("measure null: --stride -1 --bogus", 2, &["--bogus"]),
    ("measure null: --blocksize=4k", 2, &["--blocksize is fio's", "write --bs"]),
    ("measure null: --rate 8m", 2, &["--rate is fio's", "--rate-iops"]),
    ("measure null: --job a:blocksize=4k", 2, &["blocksize", "runtime", "startdelay"]),
    ("measure null: --size 0", 2, &["--size", "more than 0", "whole target"]),
    ("measure null: --size 4194303t --offset 4194303t", 2, &["size", "beyond the end of null:"]),
    ("measure thesis.odt --size 4194303t --offset 4194303t --shift 4194303t", 3, &["thesis.odt", "1MiB"]),
    ("measure null: --rw randread --stride -1", 2, &["stride", "rw=randread", "rw=read"]),
    ("measure null: --rw randwrite --partitions 4", 2, &["partitions", "rw=randwrite"]),
    ("measure null: --arrivals poisson", 2, &["arrivals", "rate_iops"]),
    ("measure null: --thinktime-blocks 4", 2, &["thinktime_blocks", "without thinktime"]),
    ("measure null: --explore-ios 5 --runtime 1s", 2, &["--explore-ios", "--runtime"]),
    ("measure rig:plain --engine io_uring", 2, &["--engine", "no effect", "rig:plain"]),
    ("run rig:plain --data zeros", 2, &["--data", "no effect", "rig:plain"]),
    ("run null: --quick", 2, &["null:", "flashscope measure null:"]),
    ("run --repeats -1", 2, &["--repeats", "-1"]),
    ("run --seed -1", 2, &["--seed", "-1"]),
    ("run --repeats 0", 2, &["--repeats", "more than 0"]),
    ("run --repeats 4294967295", 2, &["--repeats", "at most"]),
    ("run --budget 0s", 2, &["--budget", "more than 0"]),
    ("measure rig:plain --runtime 0s", 2, &["--runtime", "more than 0"]),
    ("measure rig:plain --rate-iops 1e300 --runtime 1s", 2, &["rate_iops", "1000000000"]),
    ("run --precision 0", 2, &["--precision", "more than 0"]),
    ("run --budget soon", 2, &["--budget", "soon"]),
    ("run --quick --full", 2, &["--quick", "--full", "cannot be used with"]),
    ("run --only sorting", 2, &["sorting", "granularity", "queue-depth"]),
    ("run --size 1m", 2, &["1MiB of rig:mtron", "at least 16MiB"]),
    ("run rig:nothing", 2, &["nothing", "mtron", ".toml"]),
    ("run rig:nothing.toml", 2, &["nothing.toml", "No such file"]),
    ("run rig:rig.toml", 2, &["rig.toml", "line 2, column 1", "bogus", "latency"]),
    ("measure null: --pattern pattern.toml", 2, &["pattern.toml", "line 2, column 1", "bss", "number_ios"]),
    ("measure null: --pattern nothing.toml", 2, &["nothing.toml", "No such file"]),
    ("measure null: --engine rocket", 2, &["rocket", "io_uring"]),
    ("measure null: --data song", 2, &["song", "zeros"]),
    ("measure thesis.odt --bs 1000", 2, &["1000", "512-byte sector", "thesis.odt"]),
    ("measure thesis.odt --bs 4k --offset 100", 2, &["100", "512"]),
    ("measure thesis.odt --bs 4k --size 2m", 3, &["1MiB", "2MiB", "smaller target space"]),
    ("measure null: --bs 4k --size 2TiB", 2, &["null:", "2TiB"]),
    ("measure rig:plain --bs 4k --size 1TiB", 2, &["rig:plain"]),
    ("measure nothing", 2, &["nothing", "No such file", "flashscope create"]),
    ("run nothing --write", 2, &["nothing", "No such file"]),
    ("check nothing", 2, &["nothing", "No such file"]),
    ("measure .", 3, &["directory", "block device or a regular file"]),
    ("run .", 3, &["directory"]),
    ("check .", 3, &[]),
    ("measure /dev/null", 3, &["refused"]),
    ("measure thesis.odt --rw write --bs 4k", 2, &["--write", "thesis.odt"]),
    ("measure thesis.odt --mix write:3 --bs 4k", 2, &["--write"]),
    ("run thesis.odt --state random", 2, &["--state", "--write"]),
    ("measure thesis.odt --rw write --bs 4k --write", 3, &["did not create", "--overwrite-existing-data"]),
    ("run thesis.odt --quick --write", 3, &["did not create", "--overwrite-existing-data"]),
    ("run thesis.odt --quick", 2, &["1MiB of thesis.odt", "at least 16MiB"]),
    ("create thesis.odt 1m", 1, &["thesis.odt", "another name"]),
    ("create new 1000", 2, &["1000", "4096"]),
    ("create new -5", 2, &["-5"]),
    ("show .", 1, &["not a flashscope result", "manifest.json"]),
    ("show nothing", 2, &["nothing", "No such file"]),
    ("compare newer nothing", 1, &["newer/manifest.json"]),
    ("compare nothing newer", 2, &["nothing", "No such file"]),
    ("create no/folder/new 1m", 2, &["no/folder/new", "No such file"]),
    ("show garbage", 1, &["garbage/manifest.json:1", "damaged"]),
    ("show newer", 1, &["newer/manifest.json", "schema version 999"]),
    ("compare garbage garbage", 1, &["garbage/manifest.json:1"]),
    ("run --resume garbage", 1, &["garbage/manifest.json:1"]),
    ("run --resume nothing", 2, &["nothing", "No such file"]),
    ("measure rig:plain --offset 4g", 2, &["no IO of 32KiB fits", "rig:plain (4GiB)"]),
    ("run --resume garbage -o other", 2, &["--resume", "--output"]),
    ("measure null: --number-ios 10 -o garbage", 2, &["garbage", "-o"]),
    ("measure null: --number-ios 10 -o occupied", 2, &["occupied", "not empty", "-o"]),
    ("measure null: --number-ios 10 -o thesis.odt", 1, &["thesis.odt", "another folder with -o"]),
    ("run rig:plain --only pause -o thesis.odt/inner", 1, &["thesis.odt/inner"]),
];

#[test]
fn wrong_input_is_named_with_its_remedy_and_changes_nothing() {
    let scratch = scratch();
    let thesis = foreign(&scratch, MIB);
    let write = |name: &str, text: &str| {
        fs::create_dir_all(scratch.path(name).parent().unwrap()).unwrap();
        fs::write(scratch.path(name), text).unwrap();
    };
    write("rig.toml", "latency_ns = 5\nbogus = 3\n");
    write("pattern.toml", "rw = \"read\"\nbss = \"4k\"\n");
    write("garbage/manifest.json", "{ \"schema_version\": }");
    write("newer/manifest.json", "{ \"schema_version\": 999 }");
    write("occupied/letter.txt", "dear");
    let before = (names(&folder(&scratch)), fingerprint(&thesis));
    for (line, status, words) in WRONG {
        let arguments: Vec<_> = line.split(' ').collect();
        let Ended { status: got, out, err } = call(&folder(&scratch), &arguments);
        assert_eq!(got, *status, "{line}: {out}{err}");
        assert!(out.is_empty() || line.starts_with("check"), "{line} printed a result: {out}");
        for word in *words {
            assert!(err.contains(word), "{line}: '{word}' is missing in: {err}");
        }
        assert!(!err.contains("panicked"), "{line}: {err}");
        let cause = err.matches("(os error").count();
        assert!(cause <= 1, "{line}: the cause is told {cause} times: {err}");
        assert_eq!((names(&folder(&scratch)), fingerprint(&thesis)), before, "{line} changed something");
    }
}

#[test]
fn an_unreadable_file_is_told_as_such() {
    if !requires(&[]) {
        return;
    }
    // A place that everybody may enter, with a program that everybody may run.
    let scratch = Scratch::new();
    let program = scratch.path("flashscope");
    fs::copy(env!("CARGO_BIN_EXE_flashscope"), &program).unwrap();
    let secret = scratch.path("secret");
    fs::write(&secret, vec![1; 8192]).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    for (arguments, words) in [
        (&["measure", "secret", "--bs", "4k"][..], &["secret", "no permission to read it"][..]),
        (&["measure", "null:", "--number-ios", "1", "-o", "mine"], &["mine", "writable folder", "-o"]),
    ] {
        let mut command = std::process::Command::new(&program);
        let nobody = command.args(arguments).uid(65534).gid(65534);
        let ended = ended(nobody, &folder(&scratch));
        assert!([1, 3].contains(&ended.status), "{ended:?}");
        let status = ended.status;
        ended.failed(status, words);
    }
    assert_eq!(names(&folder(&scratch)), ["flashscope", "secret"]);
}

#[test]
fn a_block_device_is_written_only_with_its_serial() {
    if !requires(&[]) {
        return;
    }
    let scratch = Scratch::new();
    let disk = Loop::attach(&scratch.image("disk", 32 * MIB), &[]);
    let write = ["measure", disk.name(), "--rw", "write", "--bs", "4k", "--number-ios", "10", "--write"];
    let before = fingerprint(&disk.image);
    let serial = text(&disk.image).to_string();
    for given in [&[][..], &["--confirm", "wrong"], &["--confirm", ""], &["--confirm", disk.name()]] {
        let arguments = [&write[..], given].concat();
        call(&folder(&scratch), &arguments).failed(3, &["not confirmed", &serial, "nothing was written"]);
        assert_eq!(fingerprint(&disk.image), before);
    }
    let run = ["run", disk.name(), "--quick", "--write", "-o", "never"];
    call(&folder(&scratch), &run).failed(3, &["not confirmed", &serial]);
    assert_eq!(fingerprint(&disk.image), before);
    assert_eq!(names(&folder(&scratch)), ["disk"], "a refused run leaves no folder");
    call(&folder(&scratch), &[&write[..], &["--confirm", &serial]].concat()).well();
    assert_ne!(fingerprint(&disk.image), before);
}

/// The bound of the plan, and one that was asked for.
#[test]
fn a_run_writes_no_more_than_its_plan_says() {
    const MIB: u64 = 1 << 20;
    let scratch = scratch();
    let at = folder(&scratch);
    call(&at, &["create", "target", "64MiB"]).well();
    let rough = ["--precision", "50%", "--repeats", "2", "--seed", "1", "--json"];
    let run = [&["run", "target", "--quick", "--write", "--only", "granularity"][..], &rough].concat();
    let most = |more: &[&str]| {
        let dry = call(&at, &[&run[..], more, &["--dry-run"]].concat()).well().json();
        let [about, most] =
            ["written_bytes", "written_bytes_max"].map(|key| dry[key].as_u64().expect("bytes"));
        assert!(most <= 4 * about, "{dry:#}");
        most
    };
    let written = |result: &str| {
        let runs = stored_runs(&scratch.path(result));
        runs.iter().map(|run| run["run"]["written_bytes"].as_u64().expect("bytes")).sum::<u64>()
    };
    let bound = most(&[]);
    call(&at, &[&run[..], &["-o", "all"]].concat()).well();
    assert!(64 * MIB + written("all") <= bound, "{} of {bound}", written("all"));

    let budget = ["--budget", "80MiB,10min"];
    assert_eq!(most(&budget), 80 * MIB);
    let ended = call(&at, &[&run[..], &budget, &["-o", "short"]].concat()).well();
    assert_eq!(ended.json()["complete"], false, "{ended:?}");
    assert!(ended.err.contains("The budget is used up") && ended.err.contains("--resume short"), "{ended:?}");
    assert!(written("short") <= 16 * MIB, "beside the state: {}", written("short"));
    let refused = call(&at, &[&run[..], &["--budget", "10g"]].concat());
    refused.failed(2, &["neither a time nor a size", "10min", "10GiB"]);
}

#[test]
fn a_dry_run_creates_and_writes_nothing() {
    let scratch = scratch();
    call(&folder(&scratch), &["create", "mine", "32MiB"]).well();
    let mine = scratch.path("mine");
    let before = fingerprint(&mine);
    let plan = call(&folder(&scratch), &["run", "mine", "--quick", "--write", "--dry-run"]).well().out;
    for word in ["runs over", "preconditioning: random", "about", "written, at most"] {
        assert!(plan.contains(word), "'{word}' is missing in: {plan}");
    }
    assert!(!plan.contains("endurance"), "a file's size says nothing of it: {plan}");
    let whole = call(&folder(&scratch), &["run", "--dry-run"]).well().out;
    assert!(whole.contains("endurance"), "{whole}");
    call(&folder(&scratch), &["check", "mine"]).well();
    assert_eq!(fingerprint(&mine), before);
    assert_eq!(names(&folder(&scratch)), ["mine"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let scratch = scratch();
    for arguments in [&["list"][..], &["run", "rig:plain", "--only", "baseline", "--quick", "--json"]] {
        let mut child = start(&folder(&scratch), arguments);
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}: {err}");
        assert!(!err.contains("error") && !err.contains("panicked"), "{err}");
    }
}

#[test]
fn no_colour_and_no_control_codes_where_there_is_no_terminal() {
    let scratch = scratch();
    let arguments = ["run", "rig:plain", "--only", "baseline", "--quick"];
    for no_colour in [false, true] {
        let mut command = flashscope(&arguments);
        if no_colour {
            command.env("NO_COLOR", "1");
        }
        let Ended { out, err, .. } = ended(&mut command, &folder(&scratch)).well();
        assert!(!out.contains('\x1b') && !err.contains('\x1b'), "{out}{err}");
        assert!(!out.is_empty() && !out.contains('\r'));
    }
    let quiet = call(&folder(&scratch), &["measure", "rig:plain", "--quiet"]).well();
    assert!(quiet.err.is_empty(), "{quiet:?}");
}

const MEASURE_KEYS: &[&str] = &[
    "mean_ms",
    "ci_low_ms",
    "ci_high_ms",
    "p50_ms",
    "p99_ms",
    "max_ms",
    "iops",
    "startup_ios",
    "startup_bytes",
    "period_ios",
    "regimes",
    "ios",
    "ios_ignored",
    "stopped_because",
];
const INDICATOR_KEYS: &[&str] = &[
    "alignment_bytes",
    "alignment_factor",
    "granularity_bytes",
    "in_place_factor",
    "large_increment_factor",
    "locality_factor",
    "locality_mib",
    "partitions",
    "partitions_factor",
    "pause_ms",
    "reverse_factor",
    "rr_ms",
    "rw_ms",
    "sr_ms",
    "sw_ms",
];

#[test]
fn the_json_of_measure_has_the_agreed_keys() {
    let scratch = scratch();
    let arguments = ["measure", "rig:mtron", "--rw", "randwrite", "--bs", "32k", "--json"];
    let json = call(&folder(&scratch), &arguments).well().json();
    for key in MEASURE_KEYS {
        assert!(json.get(key).is_some(), "{key} is missing in {json:#}");
    }
    assert!(json["ci_low_ms"].as_f64() <= json["mean_ms"].as_f64());
    assert!(json["mean_ms"].as_f64() <= json["ci_high_ms"].as_f64());
    let regimes = json["regimes"].as_array().unwrap();
    assert!(regimes.len() >= 2, "this rig has a start-up: {json:#}");
    for regime in regimes {
        let keys: Vec<_> = regime.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["from_bytes", "from_ios", "mean_ms"]);
    }
    let plain = call(&folder(&scratch), &["measure", "rig:plain", "--json"]).well().json();
    assert!(plain.get("period_ios").unwrap().is_null(), "no period is null, not absent");
}

/// 64 MiB of writes: after the disk's cache of 8 MiB each waits for the arm, half a turn of 8.33 ms and a
/// seek of at least 1 ms and 16 ms at most.
#[test]
fn a_virtual_disk_is_measured_beyond_its_write_cache() {
    let scratch = scratch();
    let arguments = ["measure", "sim:hdd-7200", "--rw", "randwrite", "--bs", "4k", "--seed", "1", "--json"];
    let mean_ms = call(&folder(&scratch), &arguments).well().json()["mean_ms"].as_f64().expect("a mean");
    let half_a_turn = 60_000.0 / 7_200.0 / 2.0;
    assert!((1.0 + half_a_turn..16.0 + half_a_turn).contains(&mean_ms), "{mean_ms} ms");
}

#[test]
fn the_json_of_a_chosen_block_size_has_the_same_keys() {
    let scratch = scratch();
    let json = call(&folder(&scratch), &["measure", "rig:plain", "--bs", "auto", "--json"]).well().json();
    for key in MEASURE_KEYS {
        assert!(json.get(key).is_some(), "{key} is missing in {json:#}");
    }
    let tried = json["tried"].as_array().expect("a list");
    let chosen = tried.iter().find(|row| row["bs_bytes"] == json["bs_bytes"]).expect("it was tried");
    assert_eq!(chosen["mean_ms"], json["mean_ms"]);
}

#[test]
fn the_json_of_run_has_the_agreed_keys() {
    let scratch = scratch();
    let json = call(&folder(&scratch), &["run", "rig:mtron", "--quick", "--json"]).well().json();
    for key in ["target", "state"] {
        assert!(json[key].is_string(), "{key} in {json:#}");
    }
    let indicators = json["indicators"].as_object().unwrap();
    let mut keys: Vec<_> = indicators.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, INDICATOR_KEYS);
    for (key, indicator) in indicators.iter().filter(|(_, value)| !value.is_null()) {
        let of = |part: &str| indicator[part].as_f64().unwrap_or_else(|| panic!("{key}.{part}"));
        assert!(of("ci_low") <= of("value") && of("value") <= of("ci_high"), "{key}: {indicator}");
    }
    for hint in json["hints"].as_array().unwrap() {
        assert!(hint["text"].is_string() && !hint["evidence"].is_null(), "{hint}");
    }
    assert!(json["warnings"].is_array());
}

/// A result without what names the place and the speed of the machine.
fn comparable(ended: &Ended) -> serde_json::Value {
    let mut json = ended.json();
    for key in ["folder", "generator_iops_max", "records"] {
        json.as_object_mut().unwrap().remove(key);
    }
    json
}

#[test]
fn the_same_seed_gives_the_same_result_and_another_seed_another() {
    let scratch = scratch();
    let run = |seed, name| {
        let arguments = ["run", "rig:mtron", "--quick", "--seed", seed, "--json", "-o", name];
        call(&folder(&scratch), &arguments).well()
    };
    let (first, again, other) = (run("11", "a"), run("11", "b"), run("12", "c"));
    assert_eq!(comparable(&first), comparable(&again));
    assert_ne!(comparable(&first), comparable(&other));
    let shown = call(&folder(&scratch), &["show", "a", "--json"]).well();
    assert_eq!(shown.json()["indicators"], first.json()["indicators"], "and is shown as it was");
    let compared = call(&folder(&scratch), &["compare", "a", "c"]).well();
    assert!(!compared.out.is_empty());
}
