//! The suite `modern` on random simulated drives: what it states is right within a tenth, or it says that it
//! does not know, on every one. A drive is drawn from a seed that is printed; the code that reads sees its
//! answers to requests and nothing else.
//!
//! `FLASHSCOPE_SEED=7` draws others, `FLASHSCOPE_DRIVE=12` reads that one alone:
//!
//! ```text
//! cargo test --release -p flashscope-bench --test it -- modern_drives --ignored --nocapture
//! ```
#![allow(missing_docs, clippy::print_stdout)]

mod draw;

use std::collections::BTreeMap;

use draw::{Draw, Truth};
use flashscope_analysis::Reading;
use flashscope_bench::{Alone, Scope, Settings, Suites, conduct};
use flashscope_core::Bytes;
use flashscope_core::seed::derive;
use flashscope_sim::{Settings as Device, Ssd};

/// A stated value may be so far off.
const OFF_MAX: f64 = 0.1;
const KNEE: &str = "queue-depth knee";
/// A knee below this is none.
const KNEE_MIN: f64 = 1.3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Right,
    RightlyNone,
    Unknown,
    Wrong,
}

fn cell(reading: &Reading, quantity: &str, heading: &str) -> (Option<f64>, String) {
    let table = reading.tables.iter().find(|table| table.id == "found");
    let cell = table.and_then(|table| table.cell(quantity, heading));
    cell.map_or((None, String::new()), |cell| (cell.value, cell.text.clone()))
}

fn verdict(reading: &Reading, quantity: &str, truth: Option<f64>) -> Verdict {
    let (value, _) = cell(reading, quantity, "value");
    let (_, state) = cell(reading, quantity, "state");
    match (state.as_str(), value, truth) {
        ("supported" | "weak", Some(value), Some(truth)) if (value / truth - 1.0).abs() <= OFF_MAX => {
            Verdict::Right
        }
        ("not applicable", None, None) => Verdict::RightlyNone,
        ("not applicable", None, Some(knee)) if quantity == KNEE && knee < KNEE_MIN => Verdict::RightlyNone,
        ("unknown", None, _) => Verdict::Unknown,
        _ => Verdict::Wrong,
    }
}

fn read(drive: Ssd) -> Reading {
    let suite = &Suites::builtin().find("modern").expect("a suite").clone();
    let values =
        [("parts", "depth,buffer,fill,spare"), ("time", "50ms"), ("rest", "60s"), ("buffer_max", "128MiB")];
    let values = values.map(|(key, value)| (key.to_string(), value.to_string()));
    let settings = Settings {
        write: true,
        can_trim: true,
        repeats: 1,
        bs: Bytes(4 << 10),
        ..Settings::of(suite, Scope::Table1)
    };
    conduct(suite, &values, &mut Alone(drive), &settings).expect("it runs").1
}

/// What came out, by quantity; and what was wrong.
#[derive(Default)]
struct Tally {
    verdicts: BTreeMap<&'static str, BTreeMap<Verdict, u32>>,
    wrong: Vec<String>,
}

impl Tally {
    fn judge(&mut self, seed: u64, number: u64, capacity_mib: (f64, f64)) {
        let mut draw = Draw::new(derive(seed, number));
        let device = draw.drive(capacity_mib);
        let truth = Truth::of(&device);
        println!("drive {seed}/{number}: {}", shape(&device));
        let reading = read(Ssd::new("drive", device.clone(), derive(seed, 1_000 + number)).expect("a drive"));
        for (quantity, truth) in [
            (KNEE, Some(truth.knee)),
            ("write buffer", truth.buffer_mib),
            ("SLC cache", truth.cache_gib),
            ("effective over-provisioning", Some(truth.over_provisioning)),
        ] {
            let verdict = verdict(&reading, quantity, truth);
            let (value, _) = cell(&reading, quantity, "value");
            let id = format!("modern/{}", quantity.to_lowercase().replace(' ', "-"));
            let because = reading.stated.iter().find(|said| said.name == id).map(|said| &said.claim);
            let told = format!("  {verdict:?}: {quantity} {value:.3?}, in truth {truth:.3?}: {because:?}");
            println!("{told}");
            *self.verdicts.entry(quantity).or_default().entry(verdict).or_default() += 1;
            if verdict == Verdict::Wrong {
                self.wrong.push(format!("{seed}/{number}{told}\n{}", shape(&device)));
            }
        }
    }

    fn show(&self) {
        println!("\n{:20} {:>6} {:>13} {:>8} {:>6}", "", "right", "rightly none", "unknown", "wrong");
        for (quantity, verdicts) in &self.verdicts {
            let count = |verdict| verdicts.get(&verdict).copied().unwrap_or(0);
            let [right, none, unknown, wrong] =
                [Verdict::Right, Verdict::RightlyNone, Verdict::Unknown, Verdict::Wrong].map(count);
            println!("{quantity:20} {right:6} {none:13} {unknown:8} {wrong:6}");
        }
    }

    fn told(&self, quantity: &str) -> u32 {
        let count =
            |verdict| self.verdicts.get(quantity).and_then(|all| all.get(&verdict)).copied().unwrap_or(0);
        count(Verdict::Right) + count(Verdict::RightlyNone)
    }
}

fn shape(device: &Device) -> String {
    let Device { nand, host, ram, slc_cache, background, page, .. } = device;
    let parts = format!(
        "{} {} {:.3} spare, gc {}({}), {page:?}, initial {:?}",
        device.ftl,
        device.capacity,
        device.over_provisioning,
        device.gc,
        device.victim.choices,
        device.initial
    );
    format!(
        "{parts}\n  buffer {}: {ram:?}, {slc_cache:?}, {background:?}\n  {nand:?}\n  {host:?}",
        device.buffer
    )
}

fn on_drives(seed: u64, count: u64, capacity_mib: (f64, f64)) -> Tally {
    let mut tally = Tally::default();
    let only: Option<u64> = std::env::var("FLASHSCOPE_DRIVE").ok().and_then(|number| number.parse().ok());
    let numbers = (0..count).filter(|number| only.is_none_or(|only| only == *number));
    numbers.for_each(|number| tally.judge(seed, number, capacity_mib));
    tally.show();
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    tally
}

#[test]
fn on_a_few_random_drives_what_is_stated_is_right() {
    on_drives(1, 6, (512.0, 1024.0));
}

#[test]
#[ignore = "a few minutes: bash .ci/nightly"]
fn on_60_random_drives_what_is_stated_is_right() {
    let seed = std::env::var("FLASHSCOPE_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    let tally = on_drives(seed, 60, (768.0, 3072.0));
    for (quantity, least) in
        [(KNEE, 40), ("write buffer", 20), ("SLC cache", 10), ("effective over-provisioning", 2)]
    {
        let told = tally.told(quantity);
        assert!(told >= least, "{quantity} was found on {told} drives of 60: it is of no use");
    }
}
