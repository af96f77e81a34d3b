//! The picture of a sweep: which list is the axis, and which line each device lies on.

use std::path::Path;

use crate::{SweepPoint, sweep_figure};
use flashscope_core::Bytes;
use flashscope_core::number::{percent, size};

use super::view::common_workload;
use flashscope_lab::sweep::Case;
use flashscope_lab::sweep::{Entry, SimReport};

/// The lists of numbers that can be an axis, the first one that varies first: key, name.
const AXES: [(&str, &str); 3] = [
    ("ram.size", "RAM of the write buffer"),
    ("capacity", "capacity"),
    ("over_provisioning", "over-provisioning"),
];

/// The axis of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    key: &'static str,
    name: &'static str,
}

impl Axis {
    /// The axis of this sweep; none if no list of numbers has two values.
    pub fn of(cases: &[Case]) -> Option<Axis> {
        let labels: Vec<&str> = cases.iter().map(|case| case.label.as_str()).collect();
        Axis::among(&labels)
    }

    /// The first list of numbers that varies among devices of these labels.
    pub fn among(labels: &[&str]) -> Option<Axis> {
        let axis = AXES.into_iter().find(|(key, _)| varies(labels, key));
        axis.map(|(key, name)| Axis { key, name })
    }

    /// What a person calls it.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether it is this list.
    pub(super) fn is(self, key: &str) -> bool {
        self.key == key
    }

    /// Whether its places are shares of 1 and not bytes.
    pub fn is_share(self) -> bool {
        self.key == "over_provisioning"
    }

    /// Draws what came to its end as SVG; nothing if nothing did.
    pub fn draw(self, entries: &[Entry]) -> Option<String> {
        let whole = entries.iter().filter(|entry| entry.is_complete());
        let reports: Vec<&SimReport> = whole.filter_map(Entry::report).collect();
        let first = reports.first()?;
        let labels: Vec<&str> = reports.iter().map(|report| report.label.as_str()).collect();
        let points: Vec<_> = reports.iter().flat_map(|report| self.points(report, &labels)).collect();
        let workload = common_workload(&reports);
        let file = workload.strip_prefix("trace ").map(Path::new).and_then(Path::file_name);
        let workload = file.map_or(workload.clone(), |file| file.to_string_lossy().into_owned());
        let partial = match entries.len() - reports.len() {
            0 => String::new(),
            missing => format!(" (partial: {missing} of {} missing)", entries.len()),
        };
        sweep_figure(&format!("sim:{}, {workload}{partial}", first.profile), self.name, &points)
    }

    fn points(self, report: &SimReport, labels: &[&str]) -> Vec<SweepPoint> {
        let Some(throughput_mb_s) = report.throughput_mb_s else { return Vec::new() };
        let point = |(value, label)| SweepPoint {
            curve: self.curve(report, labels),
            value,
            label,
            throughput_mb_s,
            block_erases: report.device.block_erases,
        };
        self.places(report, labels).into_iter().map(point).collect()
    }

    /// Where a device lies, and what the axis says there: one place, or all of them for one that has no value
    /// on the axis, such as one without a buffer: a level line.
    pub fn places(self, report: &SimReport, labels: &[&str]) -> Vec<(f64, String)> {
        let mut values: Vec<&str> = self.values(&report.label).collect();
        if values.is_empty() {
            values.extend(labels.iter().flat_map(|label| self.values(label)));
            values.sort_unstable();
            values.dedup();
        }
        values.into_iter().filter_map(|text| self.place(text)).collect()
    }

    fn values(self, label: &str) -> impl Iterator<Item = &str> {
        words(label).filter(move |(key, _)| *key == self.key).map(|(_, value)| value)
    }

    fn place(self, text: &str) -> Option<(f64, String)> {
        if self.is_share() {
            let share: f64 = text.parse().ok()?;
            return Some((share, percent(share)));
        }
        let bytes = text.parse::<Bytes>().ok()?.0 as f64;
        Some((bytes, size(bytes)))
    }

    /// What tells the device's line from the others.
    pub fn curve(self, report: &SimReport, labels: &[&str]) -> String {
        let others = || words(&report.label).filter(|(key, _)| *key != self.key);
        let join = |values: Vec<&str>| values.join(" ");
        let varied = join(others().filter(|(key, _)| varies(labels, key)).map(|(_, value)| value).collect());
        let all = join(others().map(|(_, value)| value).collect());
        [varied, all].into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| report.profile.clone())
    }
}

/// Keys and values of a label.
pub fn words(label: &str) -> impl Iterator<Item = (&str, &str)> {
    label.split_whitespace().filter_map(|word| word.split_once('='))
}

/// Whether a key has several values.
pub fn varies(labels: &[&str], key: &str) -> bool {
    let mut values = labels.iter().filter_map(|label| words(label).find(|(name, _)| *name == key));
    let first = values.next();
    values.any(|value| Some(value) != first)
}
