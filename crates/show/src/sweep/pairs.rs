//! Two sweeps side by side, device by device. A simulation has no interval: its numbers are exact for its
//! seed.

use std::collections::BTreeMap;

use flashscope_core::number::{counted, digits};
use flashscope_store::SCHEMA_VERSION;
use serde_json::{Value, json};

use super::table::{aligned, time};
use super::view::{common_workload, set_for_all};
use flashscope_lab::sweep::StoredSweep;
use flashscope_lab::sweep::{Changes, between, plain};
use flashscope_lab::sweep::{Entry, SimReport};

/// Settings in which a pair differs that are named; the rest are counted.
const DIFFER_MAX: usize = 8;

/// Devices of both sweeps, and of one alone.
pub struct Pairs<'a> {
    a: &'a StoredSweep,
    b: &'a StoredSweep,
    both: Vec<Pair<'a>>,
    only_a: Vec<&'a str>,
    only_b: Vec<&'a str>,
}

struct Pair<'a> {
    name: String,
    a: &'a SimReport,
    b: &'a SimReport,
    /// The settings in which the devices differ, with the value of each.
    differ: BTreeMap<String, [Value; 2]>,
}

impl<'a> Pair<'a> {
    fn new(name: String, a: &Device<'a>, b: &Device<'a>) -> Pair<'a> {
        let mut differ = between(a.settings, b.settings);
        let mut also = |key: &str, of: fn(&SimReport) -> Value| {
            let values = [of(a.report), of(b.report)];
            if values[0] != values[1] {
                differ.insert(key.into(), values);
            }
        };
        also("profile", |report| json!(report.profile));
        also("loaded state", |report| json!(report.loaded_state.as_ref().map(|state| &state.checksum)));
        Pair { name, a: a.report, b: b.report, differ }
    }

    /// The same for a person: `buffer lru | fab`.
    fn differences(&self) -> String {
        let text = |value: &Value| if value.is_null() { "-".into() } else { plain(value) };
        let one = |(key, [a, b]): (&String, &[Value; 2])| format!("{key} {} | {}", text(a), text(b));
        let more = self.differ.len().saturating_sub(DIFFER_MAX);
        let rest = (more > 0).then(|| format!("and {more} more in the JSON document"));
        self.differ.iter().take(DIFFER_MAX).map(one).chain(rest).collect::<Vec<_>>().join(", ")
    }
    /// B over A.
    fn throughput_ratio(&self) -> Option<f64> {
        let (a, b) = (self.a.throughput_mb_s, self.b.throughput_mb_s);
        a.zip(b).filter(|(a, _)| *a > 0.0).map(|(a, b)| b / a)
    }

    fn is_same_work(&self) -> bool {
        let work = |report: &SimReport| (report.workload.clone(), report.warmup_ios, report.ios);
        work(self.a) == work(self.b)
    }

    fn cells(&self) -> Vec<String> {
        let both = |cell: &dyn Fn(&SimReport) -> Option<String>| {
            [self.a, self.b].map(|report| cell(report).unwrap_or_default())
        };
        let [rate_a, rate_b] = both(&|r| Some(r.throughput_mb_s.map_or("-".into(), digits)));
        let ratio = self.throughput_ratio().map_or(String::new(), |ratio| format!("x{}", digits(ratio)));
        let mark = if self.is_same_work() { "" } else { " *" };
        let rest = [
            both(&|r| r.response_us.map(|us| time(us.mean))),
            both(&|r| r.device.write_amplification.map(digits)),
            both(&|r| Some(r.device.block_erases.to_string())),
        ];
        let first = [format!("{}{mark}", self.name), rate_a, rate_b, ratio];
        first.into_iter().chain(rest.into_iter().flatten()).collect()
    }

    fn json(&self) -> Value {
        let side = |report: &SimReport| {
            json!({
                "throughput_mb_s": report.throughput_mb_s,
                "response_us": report.response_us,
                "write_amplification": report.device.write_amplification,
                "block_erases": report.device.block_erases,
                "ios": report.ios,
                "seed": report.seed,
            })
        };
        json!({
            "simulation": self.name,
            "a": side(self.a),
            "b": side(self.b),
            "throughput_ratio": self.throughput_ratio(),
            "same_workload": self.is_same_work(),
            "settings_differ": self.differ,
        })
    }
}

const TITLES: [&str; 10] =
    ["simulation", "MB/s: A", "B", "B / A", "mean: A", "B", "WA: A", "B", "erases: A", "B"];

impl<'a> Pairs<'a> {
    /// Pairs what has the same label; two sweeps of one device each are a pair whatever they are called.
    pub fn of(a: &'a StoredSweep, b: &'a StoredSweep) -> Pairs<'a> {
        let (of_a, mut of_b) = (whole(a), whole(b));
        if let ([a_alone], [b_alone]) = (&of_a[..], &of_b[..]) {
            let (name_a, name_b) = (a_alone.name, b_alone.name);
            let name = if name_a == name_b { name_a.to_string() } else { format!("{name_a} | {name_b}") };
            let both = vec![Pair::new(name, a_alone, b_alone)];
            return Pairs { a, b, both, only_a: Vec::new(), only_b: Vec::new() };
        }
        let (mut both, mut only_a) = (Vec::new(), Vec::new());
        for device in of_a {
            match of_b.iter().position(|other| other.name == device.name) {
                Some(at) => both.push(Pair::new(device.name.into(), &device, &of_b.remove(at))),
                None => only_a.push(device.name),
            }
        }
        let only_b = of_b.into_iter().map(|device| device.name).collect();
        Pairs { a, b, both, only_a, only_b }
    }

    /// For a person.
    pub fn view(&self) -> String {
        let mut lines: Vec<String> =
            [("A", self.a), ("B", self.b)].iter().map(|(letter, sweep)| side(letter, sweep)).collect();
        lines.push(String::new());
        if self.both.is_empty() {
            lines.push("  No device was fully simulated in both.".into());
        } else {
            let rows: Vec<Vec<String>> = self.both.iter().map(Pair::cells).collect();
            let column =
                |(i, title): (usize, &&str)| cells_of(title, rows.iter().map(|row| row[i].clone()).collect());
            let columns: Vec<Vec<String>> = TITLES.iter().enumerate().map(column).collect();
            lines.push(aligned(&columns));
        }
        for (letter, names) in [("A", &self.only_a), ("B", &self.only_b)] {
            if !names.is_empty() {
                let count = counted(names.len() as u64, "simulation");
                lines.push(format!("  ! {count} only in {letter}: {}", names.join(", ")));
            }
        }
        if self.both.iter().any(|pair| !pair.is_same_work()) {
            lines.push("  * The workloads differ: compare with care.".into());
        }
        lines.extend(self.differing());
        lines.join("\n")
    }

    /// One line for all devices that differ in the same way.
    fn differing(&self) -> Vec<String> {
        let mut ways: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for pair in self.both.iter().filter(|pair| !pair.differ.is_empty()) {
            ways.entry(pair.differences()).or_default().push(&pair.name);
        }
        let line = |(way, names): (String, Vec<&str>)| {
            let is_all = names.len() == self.both.len();
            let which = if is_all { String::new() } else { format!(" ({})", names.join(", ")) };
            format!("  ! The devices of A and B differ{which}: {way}")
        };
        ways.into_iter().map(line).collect()
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let side = |sweep: &StoredSweep| {
            json!({
                "folder": sweep.path.display().to_string(),
                "complete": sweep.entries.iter().all(Entry::is_complete),
            })
        };
        json!({
            "schema_version": SCHEMA_VERSION,
            "a": side(self.a),
            "b": side(self.b),
            "simulations": self.both.iter().map(Pair::json).collect::<Vec<_>>(),
            "only_a": self.only_a,
            "only_b": self.only_b,
        })
    }
}

/// A device that came to an end.
struct Device<'a> {
    name: &'a str,
    report: &'a SimReport,
    settings: &'a Changes,
}

fn whole(sweep: &StoredSweep) -> Vec<Device<'_>> {
    let all = sweep.entries.iter().zip(&sweep.settings).filter(|(entry, _)| entry.is_complete());
    all.filter_map(|(entry, settings)| Some(Device { name: entry.name(), report: entry.report()?, settings }))
        .collect()
}

fn cells_of(title: &str, cells: Vec<String>) -> Vec<String> {
    std::iter::once(title.to_string()).chain(cells).collect()
}

fn side(letter: &str, sweep: &StoredSweep) -> String {
    let all = sweep.entries.len();
    let whole = whole(sweep);
    let reports: Vec<&SimReport> = whole.iter().map(|device| device.report).collect();
    let what = reports.first().map_or(String::new(), |first| {
        let set: String = set_for_all(&reports, &[]).iter().map(|set| format!(" · {set}")).collect();
        format!(" · sim:{}{set} · {} · seed {}", first.profile, common_workload(&reports), first.seed)
    });
    let partial =
        if whole.len() < all { format!(" · PARTIAL: {} of {all}", whole.len()) } else { String::new() };
    format!("  {letter} {}{what}{partial}", sweep.path.display())
}
