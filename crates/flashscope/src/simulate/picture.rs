//! The picture of a sweep: which list is the axis, and which line each device lies on.

use std::path::Path;

use flashscope_core::Bytes;
use flashscope_report::{SweepPoint, percent, size, sweep_figure};

use super::case::Case;
use super::report::SimReport;
use crate::exit::Usage;

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
    /// The axis of this sweep.
    ///
    /// # Errors
    /// None of the lists of numbers has two values.
    pub fn of(cases: &[Case]) -> Result<Axis, Usage> {
        let labels: Vec<&str> = cases.iter().map(|case| case.label.as_str()).collect();
        let axis = AXES.into_iter().find(|(key, _)| varies(&labels, key));
        axis.map(|(key, name)| Axis { key, name }).ok_or_else(|| {
            Usage(
                "--figure needs an axis: two or more values of --buffer-size, --capacity or \
                 --over-provisioning, such as --buffer-size 1m,2m,4m"
                    .into(),
            )
        })
    }

    /// Draws the sweep as SVG; nothing if nothing ran.
    pub fn draw(self, reports: &[SimReport]) -> Option<String> {
        let first = reports.first()?;
        let labels: Vec<&str> = reports.iter().map(|report| report.label.as_str()).collect();
        let points: Vec<_> = reports.iter().filter_map(|report| self.point(report, &labels)).collect();
        let workload = match first.workload.strip_prefix("trace ").map(Path::new).and_then(Path::file_name) {
            Some(file) => file.to_string_lossy().into_owned(),
            None => first.workload.clone(),
        };
        sweep_figure(&format!("sim:{}, {workload}", first.profile), self.name, &points)
    }

    fn point(self, report: &SimReport, labels: &[&str]) -> Option<SweepPoint> {
        let (_, text) = words(&report.label).find(|(key, _)| *key == self.key)?;
        let (value, label) = self.place(text)?;
        Some(SweepPoint {
            curve: self.curve(report, labels),
            value,
            label,
            throughput_mb_s: report.throughput_mb_s,
            block_erases: report.device.block_erases,
        })
    }

    fn place(self, text: &str) -> Option<(f64, String)> {
        if self.key == "over_provisioning" {
            let share: f64 = text.parse().ok()?;
            return Some((share, percent(share)));
        }
        let bytes = text.parse::<Bytes>().ok()?.0 as f64;
        Some((bytes, size(bytes)))
    }

    /// What tells the device's line from the others.
    fn curve(self, report: &SimReport, labels: &[&str]) -> String {
        let others = || words(&report.label).filter(|(key, _)| *key != self.key);
        let join = |values: Vec<&str>| values.join(" ");
        let varied = join(others().filter(|(key, _)| varies(labels, key)).map(|(_, value)| value).collect());
        let all = join(others().map(|(_, value)| value).collect());
        [varied, all].into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| report.profile.clone())
    }
}

/// Keys and values of a label.
fn words(label: &str) -> impl Iterator<Item = (&str, &str)> {
    label.split_whitespace().filter_map(|word| word.split_once('='))
}

fn varies(labels: &[&str], key: &str) -> bool {
    let mut values = labels.iter().filter_map(|label| words(label).find(|(name, _)| *name == key));
    let first = values.next();
    values.any(|value| Some(value) != first)
}
