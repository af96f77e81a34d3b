//! What is shown says what was measured.

use crate::common::{
    baselines, context, finished, indicators, keep_picture, manifest, random_writes, rounds,
};
use flashscope_analysis::reading::{Axis, Chart, Look, Point, Series};
use flashscope_analysis::{Advice, Context, Finished, Hint, Support, Warning};
use flashscope_core::seed::Random;
use flashscope_show::*;
use flashscope_store::{Responses, Stored};

const WIDE: Style = Style { width: 120, colour: false };

fn hints() -> Vec<Hint> {
    vec![Hint {
        text: "Keep random writes within 8 MiB: in a larger area they take 4.6 times as long.".into(),
        evidence: "locality: 0.8 ms inside, 9.3 ms outside; as paper 001's hint 4 says".into(),
        seen_in: vec!["locality".into()],
        state: Support::Supported,
    }]
}

fn advice() -> [Advice; 1] {
    [Advice {
        question: "write streams",
        answer: "at most 4".into(),
        because: "with 8, each write costs 23 times as much".into(),
        experiments: vec!["partitioning/SW/8".into()],
        state: Support::Weak,
    }]
}

fn show(style: Style) -> String {
    let warnings = vec![Warning { seen: "the clock jumped".into(), remedy: "measure again".into() }];
    let (context, done, indicators, hints) = (context(), baselines(1.0, 1), indicators(), hints());
    let findings = Findings {
        context: &context,
        finished: &done,
        indicators: &indicators,
        advice: &advice(),
        hints: &hints,
        suite: None,
        warnings: &warnings,
        folder: Some("./flashscope-mtron".as_ref()),
        page_bytes: Some(1_600_000),
    };
    result_view(&findings, style)
}

fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} where it belongs in:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

/// The end of the start-up as found: IO 128, or up to two cheap IOs of the cycle earlier.
fn startup_ios(done: &Finished) -> u64 {
    let found = done.run.outcome.phases.startup_ios;
    assert!((126..=128).contains(&found), "start-up of {found} IOs");
    found
}

#[test]
fn the_first_screen_has_the_row_of_table_3_the_hints_the_warnings_and_the_place() {
    let text = show(WIDE);
    in_order(
        &text,
        &["rig:mtron", "virtual device", "16 GiB", "random writes, 1x", "harness overhead 110 ns/IO"],
    );
    in_order(&text, &["seq read", "400 µs", "rand read", "500 µs", "seq write", "400 µs"]);
    in_order(&text, &["rand write", "9.27 ms", "9.0–9.5", "pause", "9.00 ms"]);
    in_order(&text, &["random writes within", "8 MiB (x2 seq write)", "(1.98–2.10)"]);
    in_order(&text, &["write streams", "4 (x1.5 latency)", "descending", "same", "rewrite", "same", "x2"]);
    in_order(&text, &["strided writes", "granularity", "32 KiB"]);
    in_order(
        &text,
        &[
            "Recommendations",
            "write streams: at most 4 (with 8",
            "Findings",
            "Keep random writes",
            "hint 4",
            "Caveats",
            "the clock jumped",
            "measure again",
        ],
    );
    in_order(&text, &["results in ./flashscope-mtron", "4 runs, 5,376 IOs"]);
    assert!(!text.contains('\x1b'));
}

#[test]
fn no_line_is_wider_than_the_terminal_and_colour_adds_no_words() {
    for width in [60, 80, 100, 120, 200] {
        let text = show(Style { width, colour: false });
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} columns of {width}:\n{text}");
        let coloured = show(Style { width, colour: true });
        let mut plain = String::new();
        for (i, part) in coloured.split('\x1b').enumerate() {
            plain.push_str(if i == 0 { part } else { part.split_once('m').unwrap().1 });
        }
        assert_eq!(plain, text);
    }
}

#[test]
fn the_screen_says_what_512_ios_would_have_said() {
    // 128 IOs at 0.4 ms and 384 in cycles of mean 9.27 ms: 7.05 ms, 24 % low.
    let startup_ios = startup_ios(&baselines(1.0, 1)[3]);
    let first = format!("the first {startup_ios} IOs take 40");
    in_order(&show(WIDE), &["2,304 IOs instead of 512", &first, "24 % too low"]);
}

#[test]
fn a_single_experiment_shows_its_mean_phases_period_and_end() {
    let values = random_writes(2304, 1.0, 4);
    let done = finished("measure", "RW", "32KiB", 0.0, &values);
    let text = measure_view(&context(), &done, &values, WIDE);
    in_order(&text, &["rw=randwrite", "mean", "9.2", "±", "95 % CI", "p50", "p99", "max 27."]);
    let startup = format!("{} IOs", startup_ios(&done));
    in_order(
        &text,
        &["warm-up", &startup, "MiB written", "period", "3 IOs", "2,304 (warm-up", "target precision"],
    );
    assert!(text.contains('▁') && text.contains('█'), "{text}");
}

#[test]
fn a_strip_is_as_high_as_its_values_and_flat_where_they_are() {
    assert_eq!(strip(&[1e6, 1e6, 1e9, 1e9], 4), "▁▁██");
    assert_eq!(strip(&[100.0, 101.0], 2), "▁▂");
    assert_eq!(strip(&[5.0; 300], 10), "▁".repeat(10));
}

/// A single run on either side is an observation: nothing of it is reported as a difference that holds.
#[test]
fn a_difference_between_single_runs_is_weak() {
    let stored = |scale: f64| Stored {
        path: "a".into(),
        manifest: manifest(),
        context: Some(context()),
        finished: baselines(scale, 1),
        warnings: vec![],
    };
    let (a, b) = (stored(1.0), stored(1.3));
    in_order(
        &compare_view(&a, &b, None, true, WIDE),
        &["Of 4 experiments, no supported difference", "weak evidence in 4", "slower (weak)"],
    );
    let json = flashscope_show::compare_json(&a, &b, None);
    assert_eq!(json["conclusions"][0]["state"], "weak");
}

#[test]
fn two_results_are_compared_in_plain_words() {
    let stored = |scale: f64, seed: u64, path: &str| Stored {
        path: path.into(),
        manifest: manifest(),
        context: Some(context()),
        finished: rounds(scale, seed),
        warnings: vec![],
    };
    let (a, slower) = (stored(1.0, 1, "a"), stored(1.3, 9, "b"));
    let text = compare_view(&a, &slower, None, true, WIDE);
    in_order(
        &text,
        &["B is faster in 0, slower in 4", "baseline/SR/32KiB", "x1.30", "slower", "baseline/RW/32KiB"],
    );
    in_order(
        &compare_view(&slower, &a, None, true, WIDE),
        &["B is faster in 4, slower in 0", "x0.769", "faster"],
    );
    let same = compare_view(&a, &a, None, true, WIDE);
    assert_eq!(same.matches("  the same\n").count(), 4, "{same}");
    in_order(&same, &["no supported difference; the same within 5.0 % in 4.", "x1.00"]);
    let mut part = stored(1.0, 1, "part");
    let alone = part.finished[1].experiment.id();
    part.finished.retain(|done| done.experiment.id() != alone);
    in_order(
        &compare_view(&a, &part, None, true, WIDE),
        &["no supported difference", "1 experiment only in A: ", &alone],
    );
    let json = flashscope_show::compare_json(&part, &slower, None);
    assert_eq!(json["experiments"].as_array().map(Vec::len), Some(3));
    assert_eq!((&json["experiments"][0]["verdict"], &json["only_b"][0]), (&"b_slower".into(), &alone.into()));
    assert_eq!(json["conclusions"][0]["state"], "supported");
    assert!(
        json["experiments"][0]["ratio"]["value"].as_f64().is_some_and(|ratio| (1.25..1.35).contains(&ratio))
    );
}

#[test]
fn the_json_of_measure_has_the_promised_keys() {
    let done = finished("measure", "RW", "32KiB", 0.0, &random_writes(2304, 1.0, 4));
    let json = measure_json(&context(), &done);
    for key in ["mean_ms", "ci_low_ms", "ci_high_ms", "p50_ms", "p99_ms", "max_ms", "iops"] {
        assert!(json[key].as_f64().is_some_and(|number| number > 0.0), "{key} in {json:#}");
    }
    let startup = startup_ios(&done);
    assert_eq!((&json["startup_ios"], &json["startup_bytes"]), (&startup.into(), &(startup * 32768).into()));
    assert_eq!((&json["period_ios"], &json["ios"]), (&3.into(), &2304.into()));
    assert_eq!(json["stopped_because"], "precision");
    assert!(json["ios_ignored"].as_u64().is_some_and(|ios| ios >= 128));
    let regimes = json["regimes"].as_array().unwrap();
    assert_eq!((regimes.len(), &regimes[1]["from_ios"]), (2, &startup.into()));
    assert!(regimes[0]["mean_ms"].as_f64().is_some_and(|mean| (0.39..0.41).contains(&mean)));
    // No gaps between IOs: the rate is what the mean says, not what the cheap start-up makes of it.
    let (iops, mean) = (json["iops"].as_f64().unwrap(), json["mean_ms"].as_f64().unwrap());
    assert!((iops * mean / 1000.0 - 1.0).abs() < 0.01, "{iops} IO/s at {mean} ms");
}

#[test]
fn the_rate_counts_pauses_that_were_asked_for_and_no_others() {
    let mut done = baselines(1.0, 1).remove(0);
    let mean_ns = done.run.outcome.estimate.unwrap().mean_ns;
    // Whatever flashscope did between the IOs.
    done.run.elapsed_ns *= 10;
    assert!((done.iops().unwrap() * mean_ns / 1e9 - 1.0).abs() < 1e-9);
    (done.experiment.pattern.thinktime, done.experiment.pattern.thinktime_blocks) =
        (flashscope_core::Nanos(3_000_000), 3);
    assert!((done.iops().unwrap() * (mean_ns + 1e6) / 1e9 - 1.0).abs() < 1e-9);
}

#[test]
fn ios_that_took_no_time_have_no_rate() {
    let mut done = baselines(1.0, 1).remove(0);
    done.run.elapsed_ns = 0;
    assert!(measure_json(&context(), &done)["iops"].is_null());
    let view = measure_view(&context(), &done, &[], Style { width: 100, colour: false });
    assert!(
        view.lines().any(|line| line.trim_start().starts_with("throughput") && line.ends_with(" –")),
        "{view}"
    );
}

#[test]
fn the_json_of_run_has_the_promised_keys_and_null_for_a_blank() {
    let (context, done, hints) = (context(), baselines(1.0, 1), hints());
    let indicators = flashscope_analysis::Indicators { pause_ms: None, ..indicators() };
    let findings = Findings {
        context: &context,
        finished: &done,
        indicators: &indicators,
        advice: &advice(),
        hints: &hints,
        suite: None,
        warnings: &[],
        folder: None,
        page_bytes: None,
    };
    let json = run_json(&findings);
    assert_eq!((&json["target"], &json["state"]), (&"rig:mtron".into(), &"random, enforced".into()));
    let keys = "sr_ms rr_ms sw_ms rw_ms pause_ms locality_mib locality_factor partitions partitions_factor \
                reverse_factor in_place_factor large_increment_factor granularity_bytes alignment_bytes \
                alignment_factor";
    let found = json["indicators"].as_object().unwrap();
    assert!(keys.split_whitespace().all(|key| found.contains_key(key)) && found.len() == 15, "{json:#}");
    assert!(found["pause_ms"].is_null());
    assert_eq!(found["rw_ms"]["value"], 9.27);
    assert!(
        json["hints"][0]["evidence"].is_string()
            && json["advice"][0]["answer"] == "at most 4"
            && json["warnings"].as_array().unwrap().is_empty()
    );
}

#[test]
fn pictures_are_well_formed_and_say_what_they_show() {
    let values = random_writes(1200, 1.0, 4);
    let svg = response_figure("Random writes, 32 KiB & rig:mtron", &Responses::of(&values), 128);
    keep_picture("response.svg", &svg);
    in_order(&svg, &["<svg", "&amp; rig:mtron", "IO number", "response time", "warm-up: 128 IOs", "</svg>"]);
}

fn chart(x: Axis, y: Axis, series: Vec<Series>) -> Chart {
    Chart::new("chart", "A chart", "", [x, y], series)
}

#[test]
fn a_chart_is_drawn_as_it_looks() {
    let axes = || (Axis::log("IO size", "bytes"), Axis::log("mean response time", "ns"));
    let point = |(i, name): (usize, &str)| Point {
        interval: Some([0.9e6, 1.2e6]),
        ..Point::at(512.0 * 2f64.powi(i as i32), 1e6).called(name)
    };
    let sizes = ["512B", "1KiB", "2KiB"];
    let curve = |name: &str| Series::new(name, Look::Line, sizes.into_iter().enumerate().map(point));
    let (x, y) = axes();
    let svg = chart_figure("Granularity", &chart(x, y, vec![curve("SR"), curve("a & b")])).unwrap();
    keep_picture("granularity.svg", &svg);
    in_order(&svg, &["<svg", "Granularity", ">512B<", ">2KiB<", "IO size", "mean response time"]);
    in_order(&svg, &[">SR<", ">a &amp; b<", "</svg>"]);
    let lines = |svg: &str| svg.matches("stroke-linejoin").count();
    let (dots, ends) =
        (svg.matches("stroke-width=\"6\"").count(), svg.matches("stroke-width=\"1.3\"").count());
    assert_eq!((lines(&svg), dots, ends), (2, 6, 6), "a line, and each point with its interval");

    let places = Axis::places("size", vec!["4 KiB".into(), "8 KiB".into()]);
    let shares = Series::new("reads", Look::Bars, [Point::at(0.0, 75.0), Point::at(1.0, 25.0)]);
    let svg = chart_figure("Sizes", &chart(places, Axis::linear("share", "%"), vec![shares])).unwrap();
    keep_picture("sizes.svg", &svg);
    in_order(&svg, &["Sizes", "40 %", ">4 KiB<", ">8 KiB<"]);
    assert_eq!((lines(&svg), svg.matches("fill-opacity").count()), (0, 2), "bars, and no line");
    // The heights of bars are as their values: pixels from the ground to the top.
    let height = |d: &str| {
        let [top, ground] = ["H", "V"].map(|at| d.split_once(at).expect("a bar"));
        let top: f64 = top.0.rsplit(' ').next().unwrap().parse().unwrap();
        let ground: f64 = ground.1.split('H').next().unwrap().parse().unwrap();
        ground - top
    };
    let bars: Vec<f64> =
        svg.split("<path d=\"").filter(|d| d.contains("fill-opacity=\"1")).map(height).collect();
    assert!((bars[0] / bars[1] - 3.0).abs() < 0.01, "{bars:?}");

    let rate =
        Series::new("read", Look::Steps, [Point::at(0.0, 2.0), Point::at(1.0, None), Point::at(2.0, 1.0)]);
    let axes = [Axis::linear("time", "s"), Axis::linear("rate", "requests/s")];
    let [x, y] = axes.clone();
    let svg = chart_figure("Rate", &chart(x, y, vec![rate])).unwrap();
    in_order(&svg, &[">2 s<", "rate, requests/s"]);
    let [x, y] = axes;
    assert_eq!(chart_figure("", &chart(x, y, vec![Series::line("", [(0.0, 0.0)])])), None);
}

#[test]
fn a_sweep_is_drawn_in_two_panels_with_a_line_for_each_curve() {
    let point = |curve: &str, mib: f64, throughput_mb_s: f64, block_erases: u64| SweepPoint {
        curve: curve.into(),
        value: mib * 1_048_576.0,
        label: format!("{mib} MiB"),
        throughput_mb_s,
        block_erases,
    };
    let sizes = [16.0, 1.0, 4.0];
    let points: Vec<_> = sizes
        .iter()
        .flat_map(|mib| {
            [point("lru", *mib, 0.85, 659_000), point("bplru & co", *mib, 1.0 + mib / 25.0, 300_000)]
        })
        .collect();
    let svg = sweep_figure("A sweep", "RAM", &points).unwrap();
    keep_picture("sweep.svg", &svg);
    let left = [
        "<svg",
        "A sweep",
        ">lru<",
        ">bplru &amp; co<",
        ">0.5<",
        ">1 MiB<",
        ">16 MiB<",
        "throughput in MB/s",
    ];
    in_order(&svg, &left);
    in_order(&svg, &["throughput in MB/s", ">200 k<", ">1 MiB<", "block erases", "</svg>"]);
    let lines = svg.matches("stroke-linejoin").count();
    assert_eq!(lines, 4, "two curves in two panels");
    // Sizes are given in any order, and the line goes from left to right.
    for line in svg.lines().filter(|line| line.contains("stroke-linejoin")) {
        let d = line.split('"').nth(1).unwrap();
        let xs: Vec<f64> =
            d.split(['M', 'L']).skip(1).map(|at| at.split(' ').next().unwrap().parse().unwrap()).collect();
        assert!(xs.len() == 3 && xs.is_sorted(), "{d}");
    }
    assert_eq!(sweep_figure("", "", &[]), None);
}

/// A whole run, noisy and with a long path, however wide the terminal is.
#[test]
fn the_first_screen_has_no_more_than_twenty_lines() {
    let context = Context { complete: false, ..context() };
    let done = rounds(1.0, 1);
    let advice = [advice(), advice(), advice()].concat();
    let hints = vec![hints(); 12].concat();
    let caveat = |n| Warning {
        seen: format!("{n} runs did not reach a steady state: a, b, c"),
        remedy: "wait".into(),
    };
    let warnings: Vec<Warning> = (0..9).map(caveat).collect();
    let findings = Findings {
        context: &context,
        finished: &done,
        indicators: &indicators(),
        advice: &advice,
        hints: &hints,
        suite: None,
        warnings: &warnings,
        folder: Some("./flashscope-mtron".as_ref()),
        page_bytes: None,
    };
    for width in [50, 80, 120, 200] {
        let text = brief_view(&findings, Style { width, colour: false });
        assert!(text.lines().count() <= LINES_MAX, "{} lines in {width}:\n{text}", text.lines().count());
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} of {width} columns:\n{text}");
        in_order(
            &text,
            &["IOPS", "random write", "write streams", "[weak]", "Incomplete run", "more findings"],
        );
        in_order(&text, &["7 more caveats", "results in ./flashscope-mtron"]);
        assert!(!text.contains('\u{1b}'));
        assert_eq!(strip_paint(&brief_view(&findings, Style { width, colour: true })), text);
    }
}

fn strip_paint(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap().to_string();
    first + &parts.map(|part| part.split_once('m').unwrap().1).collect::<String>()
}

#[test]
fn of_many_experiments_those_that_differ_most_come_first_and_in_twenty_lines() {
    let many = |scale: fn(usize) -> f64, path: &str| {
        let micro = |n: usize| {
            let mut some = rounds(scale(n), 1 + n as u64);
            some.iter_mut().for_each(|done| done.experiment.label = format!("{n}"));
            some
        };
        Stored {
            path: path.into(),
            manifest: manifest(),
            context: Some(context()),
            finished: (0..30).flat_map(micro).collect(),
            warnings: vec![],
        }
    };
    let (a, b) = (many(|_| 1.0, "a"), many(|n| if n == 17 { 3.0 } else { 1.0 }, "b"));
    let text = compare_view(&a, &b, None, false, Style { width: 80, colour: false });
    in_order(
        &text,
        &["Of 120 experiments, B is faster in 0, slower in 4", "B / A", "/17", "x3.0", "112 more"],
    );
    assert!(text.lines().count() <= 20, "{text}");
    assert_eq!(compare_view(&a, &b, None, true, WIDE).matches("baseline/").count(), 120);
    for width in [50, 60, 80, 120] {
        let text = compare_view(&a, &b, None, false, Style { width, colour: false });
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} of {width} columns:\n{text}");
        in_order(&text, &["Of 120 experiments", "B / A", "/17", "x3.0", "slower"]);
    }
}

/// Reads of 0.5 ms alone and of 0.8 ms with 8 in flight, each within a twentieth, in three rounds.
fn depths() -> Vec<Finished> {
    let round = |repeat: u32| {
        let of = move |(depth, ms): (u32, f64)| {
            let mut random = Random::new(u64::from(repeat * 100 + depth));
            let values: Vec<f64> =
                (0..3_000).map(|_| (ms * (0.95 + 0.1 * random.unit()) * 1e6).round()).collect();
            let mut done = finished("queue-depth", "RR", &depth.to_string(), f64::from(depth), &values);
            done.experiment.pattern.iodepth = depth;
            done.repeat = repeat;
            done
        };
        [(8, 0.8), (1, 0.5)].map(of)
    };
    (0..3).flat_map(round).collect()
}

#[test]
fn p99_over_queue_depth_is_in_the_details_and_in_json_as_on_the_page() {
    let (context, done, indicators) = (context(), depths(), indicators());
    let findings = Findings {
        context: &context,
        finished: &done,
        indicators: &indicators,
        advice: &[],
        hints: &[],
        suite: None,
        warnings: &[],
        folder: None,
        page_bytes: None,
    };
    let text = result_view(&findings, WIDE);
    in_order(
        &text,
        &["queue depth", "IOPS", "p99", "1", "random read", "IO/s", "µs (", "8", "random read", "µs ("],
    );
    let json = run_json(&findings);
    let found = json["queue_depths"].as_array().expect("a list");
    assert_eq!(found.iter().map(|one| one["iodepth"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(8)]);
    for (one, ms) in found.iter().zip([0.5, 0.8]) {
        let [value, low, high] =
            ["value", "low", "high"].map(|key| one["p99_ms"][key].as_f64().expect("a number"));
        // Of values spread evenly over a tenth, 99 % lie below 1.049.
        assert!((value / (ms * 1.049) - 1.0).abs() < 0.001, "{one}");
        assert!(low < value && value < high && one["name"] == "random read", "{one}");
    }
    let without = Findings { finished: &baselines(1.0, 1), ..findings };
    assert!(!result_view(&without, WIDE).contains("queue depth"));
    assert_eq!(run_json(&without)["queue_depths"], serde_json::json!([]));
}
