//! Latency under load, held against queues that are computed another way.

use flashscope_analysis::{Finished, Point, Reading, Support, points};
use flashscope_bench::{Alone, Scope, Settings, Suites, conduct};
use flashscope_core::{Bytes, Op, Rate};
use flashscope_sim::{Rig, RigSpec};

use crate::common::reading::{found, number, says};

const SERVICE_NS: f64 = 100_000.0;

/// So many servers, each of which takes 100 us for anything.
fn rig(servers: u32, seed: u64) -> Alone<Rig> {
    let text = format!(
        "size = \"16MiB\"\n[latency]\nsequential_read = [[\"0\", \"100us\"]]\n\
         sequential_write = [[\"0\", \"100us\"]]\n[parallel]\nchannels = {servers}\n"
    );
    Alone(Rig::new(RigSpec::parse("servers", &text).expect("a rig"), seed))
}

fn measured(lab: &mut Alone<Rig>, seed: u64, values: &[(&str, &str)]) -> (Vec<Finished>, Reading) {
    let suite = &Suites::builtin().find("load").expect("a suite").clone();
    let settings = Settings { write: true, seed, ..Settings::of(suite, Scope::Full) };
    let values: Vec<_> = values.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    conduct(suite, &values, lab, &settings).expect("it runs")
}

/// Uniform numbers of a generator that the project does not use otherwise (Knuth's MMIX).
struct Congruential(u64);

impl Congruential {
    fn exponential(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        -(((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64).ln()
    }
}

/// Response times of one server with Poisson arrivals, sorted: Lindley's recursion, one customer at a time.
fn queue(utilisation: f64, customers: usize) -> Vec<f64> {
    let mut random = Congruential(42);
    let mut wait = 0.0;
    let mut all: Vec<f64> = (0..customers)
        .map(|_| {
            let response = wait + SERVICE_NS;
            wait = f64::max(0.0, response - random.exponential() * SERVICE_NS / utilisation);
            response
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all
}

fn at(sorted: &[f64], percent: f64) -> f64 {
    sorted[((percent / 100.0 * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]
}

fn load<'a, 'b>(points: &'b [Point<'a>], curve: &str, label: &str) -> &'b Point<'a> {
    let is_it = |point: &&Point<'_>| {
        let of = point.experiment;
        (of.micro.as_str(), of.curve.as_str(), of.label.as_str()) == ("load", curve, label)
    };
    points.iter().find(is_it).unwrap_or_else(|| panic!("no {curve} at {label}"))
}

fn knee<'a>(reading: &'a Reading, curve: &str) -> &'a flashscope_analysis::Conclusion {
    let name = format!("load/{curve}/knee");
    reading.stated.iter().find(|stated| stated.name == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn a_single_server_has_the_waiting_times_of_queueing_theory() {
    let (finished, reading) = measured(&mut rig(1, 1), 1, &[("parts", "reads"), ("time", "20s")]);
    assert!((number(&reading, "maximum", "random reads", "IOPS") / 1e4 - 1.0).abs() < 0.001);
    let depth = reading.tables[0].cell("random reads", "queue depth").expect("a depth");
    assert_eq!(depth.value.map(|depth| (depth as u64).to_string()), Some(depth.text.clone()), "a count");
    let points = points(&finished);
    let mut told = 0;
    for percent in [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0] {
        let (label, share) = (format!("{percent}%"), percent / 100.0);
        let point = load(&points, "RR", &label);
        assert_eq!(point.runs.len(), 5);
        // Pollaczek and Khinchine: a mean wait of share / (1 - share) / 2 services.
        let mean_ns = SERVICE_NS * (1.0 + share / (1.0 - share) / 2.0);
        let means: Vec<f64> = point
            .runs
            .iter()
            .map(|run| run.kinds.iter().find(|kind| kind.op == Op::Read).expect("reads"))
            .map(|reads| reads.estimate.expect("a mean").mean_ns)
            .collect();
        let found_ns = means.iter().sum::<f64>() / means.len() as f64;
        assert!((found_ns / mean_ns - 1.0).abs() < 0.02, "{label}: mean {found_ns}, theory {mean_ns}");
        let truth = queue(share, 2_000_000);
        let row = flashscope_core::number::plain(percent);
        for (name, percent) in [("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p99.9", 99.9)] {
            let Some(ms) = found(&reading, "load-rr", &row, name) else {
                assert_eq!(name, "p99.9", "{label}: only what a run cannot bound is left out");
                continue;
            };
            told += 1;
            let (found_ns, truth_ns) = (ms * 1e6, at(&truth, percent));
            assert!((found_ns / truth_ns - 1.0).abs() < 0.05, "{label} {name}: {found_ns}, truth {truth_ns}");
        }
    }
    assert!(told > 3 * 8, "{told}: some p99.9 are known");
}

/// The load at which p99 is twice that at a tenth of the load, in %.
fn true_knee() -> f64 {
    let p99 = |percent: u32| at(&queue(f64::from(percent) / 100.0, 500_000), 99.0);
    let twice = 2.0 * p99(10);
    f64::from((11..100).find(|percent| p99(*percent) > twice).expect("the tail grows"))
}

#[test]
fn the_knee_of_a_single_server_lies_within_its_ends() {
    let truth = true_knee();
    let mut held = 0;
    for seed in 1..=20 {
        let (_, reading) = measured(&mut rig(1, seed), seed, &[("parts", "reads"), ("time", "2s")]);
        let knee = knee(&reading, "RR");
        let (Some(value), Some(low), Some(high)) = (knee.value, knee.low, knee.high) else {
            panic!("seed {seed}: {}", knee.claim)
        };
        assert_eq!(knee.state, Support::Supported, "seed {seed}: {}", knee.claim);
        assert!((value - truth).abs() < 10.0 && high - low <= 40.0, "{}, truth {truth}", knee.claim);
        held += u32::from((low..=high).contains(&truth));
        assert!(says(&reading, "Random reads: p99 stays within 2"), "{:?}", reading.sentences);
    }
    assert!(held >= 19, "{held} of 20 hold {truth}, seeds 1 to 20");
}

#[test]
fn where_the_tail_does_not_grow_there_is_no_knee() {
    // A server for each IO in flight: none ever waits.
    let wide = [("parts", "reads"), ("time", "10ms"), ("loads", "10,30,50,70")];
    let (_, reading) = measured(&mut rig(256, 1), 1, &wide);
    let none = knee(&reading, "RR");
    assert_eq!((none.value, none.state), (None, Support::Supported), "{}", none.claim);
    assert!(says(&reading, "Random reads: no knee up to 70 % load"), "{:?}", reading.sentences);
    // One server below its knee, in runs too short to tell much: chance draws none either.
    let short = [("parts", "reads"), ("time", "10ms"), ("ios", "600"), ("loads", "10,15,20,25")];
    let knees = (1..=100).filter(|seed| {
        let (_, reading) = measured(&mut rig(1, *seed), *seed, &short);
        knee(&reading, "RR").value.is_some()
    });
    let knees = knees.count();
    assert!(knees <= 5, "{knees} of 100, seeds 1 to 100");
}

#[test]
fn a_single_round_makes_a_knee_weak() {
    let suite = &Suites::builtin().find("load").expect("a suite").clone();
    let settings = Settings::of(suite, Scope::Quick);
    let values = [("time".to_string(), "5s".to_string())];
    let (finished, reading) = conduct(suite, &values, &mut rig(1, 3), &settings).expect("it runs");
    assert!(finished.iter().all(|done| done.run.written_bytes == 0), "no leave to write");
    let found = knee(&reading, "RR");
    assert_eq!(found.state, Support::Weak, "{}", found.claim);
    assert!(reading.stated.iter().all(|stated| !stated.name.contains("RW")), "{:?}", reading.stated);
}

/// Half of the service of one server goes to writes, and reads wait for them.
#[test]
fn writes_beside_reads_cost_them_what_theory_says() {
    let asked = [("parts", "reads,mixed"), ("loads", "10,40"), ("writes", "50"), ("time", "20s")];
    let (finished, reading) = measured(&mut rig(1, 1), 1, &asked);
    let curve = "RR beside RW at 50%";
    let all = points(&finished);
    for (label, total, truth_of) in [("10%", 0.6, 10), ("40%", 0.9, 40)] {
        let point = load(&all, curve, label);
        let beside = point.experiment.beside.as_ref().and_then(|load| load.rate_iops);
        let beside = beside.map(Rate::total_iops).expect("a load");
        assert!((beside / 5_000.0 - 1.0).abs() < 0.01, "{beside}");
        // Two Poisson streams are one.
        let truth_ns = at(&queue(total, 2_000_000), 99.0);
        let row = flashscope_core::number::plain(f64::from(truth_of));
        let found_ns = number(&reading, "load-rr-beside-rw-at-50", &row, "p99") * 1e6;
        assert!((found_ns / truth_ns - 1.0).abs() < 0.05, "{label}: p99 {found_ns}, truth {truth_ns}");
    }
    let cost = reading.stated.iter().find(|stated| stated.name.ends_with("/cost")).expect("a cost");
    let truth = at(&queue(0.6, 2_000_000), 99.0) / at(&queue(0.1, 2_000_000), 99.0);
    let value = cost.value.expect("a ratio");
    assert!(
        (value / truth - 1.0).abs() < 0.05 && cost.state == Support::Supported,
        "{}: {truth}",
        cost.claim
    );
}

#[test]
fn arrivals_beyond_what_is_served_are_called_a_queue_that_grows() {
    let asked = [("parts", "mixed"), ("loads", "10,80"), ("writes", "50"), ("time", "2s")];
    let (_, reading) = measured(&mut rig(1, 1), 1, &asked);
    let table = reading.tables.iter().find(|table| table.id == "load-rr-beside-rw-at-50").expect("a table");
    let queue = |row: &str| table.cell(row, "queue").map(|cell| cell.text.clone());
    assert_eq!(queue("80").as_deref(), Some("grows in 5 of 5 rounds"));
    assert_eq!(queue("10").as_deref(), Some(""));
    let knee = knee(&reading, "RR beside RW at 50%");
    assert_eq!((knee.low, knee.high, knee.state), (Some(10.0), Some(80.0), Support::Supported));
    let chart = reading.charts.iter().find(|chart| chart.id == table.id).expect("a chart");
    assert!(chart.series.iter().all(|curve| curve.points.iter().all(|point| point.x == 10.0)));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let suite = &Suites::builtin().find("load").expect("a suite").clone();
    let refused = |name: &str, value: &str, words: &str| {
        let settings = Settings { span: Some(Bytes(16 << 20)), ..Settings::of(suite, Scope::Full) };
        let error = conduct(suite, &[(name.into(), value.into())], &mut rig(1, 1), &settings).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    refused("loads", "50", "setting loads=50: write at least 2 values");
    refused("loads", "0,50", "setting loads=0: write % of the maximum, from 0.1 to 100");
    refused("loads", "10,120", "setting loads=120: write %");
    refused("ios", "0", "setting ios=0: write a number from 1");
    refused("parts", "trim", "reads, writes, mixed");
}

/// Reads and writes that fill the server together leave it no level: what has no percentile says why.
#[test]
fn a_load_without_percentiles_has_a_remark() {
    let mut without = 0;
    for seed in 1..=5 {
        let values = [("time", "10ms"), ("ios", "600"), ("loads", "10,50,90,100")];
        let (_, reading) = measured(&mut rig(1, seed), seed, &values);
        for table in reading.tables.iter().filter(|table| table.id.starts_with("load-")) {
            for row in &table.rows {
                let (percentiles, remark) = (&row[2..row.len() - 1], &row[row.len() - 1]);
                let has_none = percentiles.iter().all(|cell| cell.value.is_none());
                without += u32::from(has_none && row[0].value < Some(100.0));
                assert!(!has_none || !remark.text.is_empty(), "seed {seed}, {}: {row:?}", table.id);
            }
        }
    }
    assert!(without > 0, "some have none");
}
