//! What a paper says, as something that can be held against a measured number: a claim, and what is accepted
//! as the same. A claim is data; only [`Claim::verdict`] decides, and only from a number.

use flashscope_core::number::{digits, plain};
use serde::Serialize;

use crate::measure::Measure;

/// One table, figure or quantitative sentence of a paper, reduced to a number.
#[derive(Debug)]
pub struct Claim {
    /// Unique within its study: lower case, digits and `-`.
    pub name: &'static str,
    /// What the paper says, in short.
    pub words: &'static str,
    /// What is published.
    pub published: Published,
    /// Unit of the measured value; `x` for a ratio, empty for a count.
    pub unit: &'static str,
    /// The values that are the published figure again; none if only the kind can be met.
    near: Option<Range>,
    /// The values that show the same order or shape.
    kind: Option<Range>,
    /// Why these ranges.
    pub tolerance: &'static str,
    /// What is known of a difference, or why it cannot be run.
    pub reason: &'static str,
    /// Where the number comes from that is held against it.
    pub basis: Basis,
    /// Whether its range ends where values do.
    is_one_sided: bool,
    /// Table, figure, section, where the study has several and this is of one of them.
    pub place: Option<&'static str>,
}

/// What a measured value is evidence of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Emergent: the device could have behaved otherwise.
    Found,
    /// By construction: a setting that was chosen for this claim decides it, whether it is the published
    /// value, one that implies it, or one that was fitted until it came out.
    Set,
    /// Model arithmetic, or a property of a workload or a plan.
    Computed,
}

impl Basis {
    /// The note behind a verdict.
    pub fn note(self) -> &'static str {
        match self {
            Basis::Found => "",
            Basis::Set => " (by construction)",
            Basis::Computed => " (computed)",
        }
    }
}

/// What a claim is judged on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// The simulated device that the study was written for.
    Paper,
    /// Another simulated device: as if it were the paper's.
    Simulated,
    /// A real one, on which only shapes can be compared.
    Real,
}

/// What a paper prints.
#[derive(Clone, Copy, Debug)]
pub enum Published {
    /// A number in the claim's unit.
    Figure(f64),
    /// A relation, or several numbers, in words.
    Words(&'static str),
}

/// Why what the data sheet of a chip says cannot be run.
pub const CHIP_DATA: &str = "a figure of the chip's data sheet, which is a setting of the simulator";
/// Why the points of a printed picture cannot be held against ours.
pub const LOST_PICTURES: &str =
    "the figures' values are not in the text; only the text's statements about them are compared";

/// From the first value to the second, both included.
type Range = (f64, f64);

/// A range is narrow if its ends are less than this far apart, as a factor.
const RANGE_MAX: f64 = 5.0;
/// No upper end.
pub const ANY: f64 = f64::INFINITY;
/// The tolerance of what is counted.
pub const EXACTLY: &str = "a count: exactly";

impl Claim {
    /// A figure with its unit. Nothing meets it yet: see [`Claim::within`], [`Claim::near`], [`Claim::kind`].
    pub const fn figure(name: &'static str, words: &'static str, figure: f64, unit: &'static str) -> Claim {
        let published = Published::Figure(figure);
        Claim {
            name,
            words,
            published,
            unit,
            near: None,
            kind: None,
            tolerance: "",
            reason: "",
            basis: Basis::Found,
            is_one_sided: false,
            place: None,
        }
    }

    /// A relation. Nothing meets it yet: add [`Claim::near`] or [`Claim::kind`].
    pub const fn shape(
        name: &'static str,
        words: &'static str,
        published: &'static str,
        unit: &'static str,
    ) -> Claim {
        Claim { published: Published::Words(published), ..Claim::figure(name, words, 0.0, unit) }
    }

    /// The published figure within this factor, either way; in kind within `kind`.
    pub const fn within(self, factor: f64, kind: f64, tolerance: &'static str) -> Claim {
        let Published::Figure(figure) = self.published else { panic!("only a figure has a factor") };
        let claim = self.near(figure / factor, figure * factor, tolerance);
        claim.kind(figure / kind, figure * kind)
    }

    /// What is the published figure again, and why.
    pub const fn near(self, low: f64, high: f64, tolerance: &'static str) -> Claim {
        Claim { near: Some((low, high)), tolerance, ..self }
    }

    /// What is the same order or shape.
    pub const fn kind(self, low: f64, high: f64) -> Claim {
        Claim { kind: Some((low, high)), ..self }
    }

    /// Why these ranges, of a claim whose figure nothing can meet: see [`Claim::kind`].
    pub const fn tolerated(self, tolerance: &'static str) -> Claim {
        Claim { tolerance, ..self }
    }

    /// Why it is met in kind only, or not at all.
    pub const fn because(self, reason: &'static str) -> Claim {
        Claim { reason, ..self }
    }

    /// Where in the paper it is, if not everywhere where its study is.
    pub const fn at(self, place: &'static str) -> Claim {
        Claim { place: Some(place), ..self }
    }

    /// One end of its range is where values end: it can be missed on the other side alone.
    pub const fn one_sided(self) -> Claim {
        Claim { is_one_sided: true, ..self }
    }

    /// A setting that was chosen for it decides it: see [`Basis::Set`].
    pub const fn set(self) -> Claim {
        Claim { basis: Basis::Set, ..self }
    }

    /// It concerns no device: see [`Basis::Computed`].
    pub const fn computed(self) -> Claim {
        Claim { basis: Basis::Computed, ..self }
    }

    /// A claim that cannot be run, and why.
    pub const fn not_here(
        name: &'static str,
        words: &'static str,
        published: &'static str,
        reason: &'static str,
    ) -> Claim {
        Claim { reason, ..Claim::shape(name, words, published, "") }
    }

    /// What the paper says, behind the place that is this claim's own.
    pub fn sentence(&self) -> String {
        self.place.map_or(String::new(), |place| format!("{place}: ")) + self.words
    }

    /// What is published, as a person reads it.
    pub fn published(&self) -> String {
        match self.published {
            Published::Figure(figure) => joined(figure.to_string(), self.unit),
            Published::Words(words) => words.into(),
        }
    }

    /// The values that are the published figure again, and those that are of its kind.
    pub const fn accepted(&self) -> [Option<(f64, f64)>; 2] {
        [self.near, self.kind]
    }

    /// What agrees on a device that is not the paper's, as a person reads it.
    pub fn accepted_range(&self) -> String {
        let ends = [self.near, self.kind].into_iter().flatten();
        self.in_words(ends.fold((ANY, -ANY), |all, range| (range.0.min(all.0), range.1.max(all.1))))
    }

    /// What is accepted as the published figure, or at least as its kind, as a person reads it.
    pub fn accepted_in_words(&self) -> String {
        match (self.near, self.kind) {
            (Some(near), _) => self.in_words(near),
            (None, Some(kind)) => format!("qualitatively: {}", self.in_words(kind)),
            (None, None) => "–".into(),
        }
    }

    fn in_words(&self, (low, high): Range) -> String {
        let [least, most] = [low, high].map(|end| with_unit(end, self.unit));
        // A unit behind the number is said once.
        let least_alone = if self.unit == "x" { least.clone() } else { with_unit(low, "") };
        match (low.is_finite(), high.is_finite()) {
            (true, true) if low == high => least,
            (true, true) => format!("{least_alone} to {most}"),
            (true, false) => format!("{least} or more"),
            _ => format!("{most} or less"),
        }
    }

    /// The least that it can be measured as: only changes in per cent fall below 0.
    pub fn least(&self) -> f64 {
        if ["%", "points"].contains(&self.unit) { -ANY } else { 0.0 }
    }

    /// Whether a value in the interval would be judged otherwise than the measured one.
    pub fn straddles(&self, measure: &Measure, device: DeviceKind) -> bool {
        let Some([low, high]) = measure.interval else { return false };
        let bounds = [self.near, self.kind].into_iter().flatten().flat_map(|(low, high)| [low, high]);
        let inside = bounds.filter(|bound| (low..=high).contains(bound)).chain([low, high]);
        let verdict = self.verdict(measure.value, device);
        inside.into_iter().any(|value| self.verdict(value, device) != verdict)
    }

    /// Whether it can be run at all.
    pub const fn can_be_run(&self) -> bool {
        self.near.is_some() || self.kind.is_some()
    }

    /// Whether it is a figure that the device found for itself and could have missed on either side: not set,
    /// not computed, with a range that has two ends and is narrow.
    pub fn is_prediction(&self) -> bool {
        let is_found = self.basis == Basis::Found && !self.is_one_sided;
        is_found && self.near.is_some_and(|near| self.can_be_missed(near))
    }

    /// Whether values on both sides of a range are possible, and likely enough. A range that begins at 0,
    /// at x1 or with all of so many, or ends there, is open: a best over a worst is never below x1, a share
    /// never above 100 %. A wide one spans a factor of five, or more than half of what a count can be.
    fn can_be_missed(&self, (low, high): Range) -> bool {
        let (is_ratio, is_percent) = (self.unit == "x", self.unit.starts_with('%'));
        let is_at_end = |end: f64| end == 0.0 || is_ratio && end == 1.0 || is_percent && end.abs() == 100.0;
        let most = count_most(self.unit);
        let is_two_sided = low > self.least() && high < most && low.is_finite();
        let is_open = low != high && (is_at_end(low) || is_at_end(high)) || high == 0.0;
        let is_wide = low > 0.0 && high >= RANGE_MAX * low || 2.0 * (high - low) > most;
        is_two_sided && !is_open && !is_wide
    }

    /// Why nothing that is found there says anything of it.
    pub fn says_nothing_of(&self, device: DeviceKind) -> Option<&'static str> {
        let is_figure = matches!(self.published, Published::Figure(_)) && !is_relative(self.unit);
        let is_of_its_device = is_figure || is_of_speed(self.unit);
        match device {
            DeviceKind::Simulated | DeviceKind::Real if self.basis == Basis::Computed => {
                Some("independent of the device: model arithmetic, or a property of the workload")
            }
            DeviceKind::Real if is_of_its_device => Some("a value of the paper's device"),
            _ => None,
        }
    }

    /// What a measured value says of it. On a device that is not the paper's only the shape is compared.
    pub fn verdict(&self, value: f64, device: DeviceKind) -> Verdict {
        let holds = |range: Option<Range>| range.is_some_and(|(low, high)| (low..=high).contains(&value));
        match (holds(self.near), holds(self.kind)) {
            _ if !self.can_be_run() || self.says_nothing_of(device).is_some() => Verdict::NotHere,
            (true, _) if device == DeviceKind::Paper || self.kind.is_none() => Verdict::Reproduced,
            (true, _) | (_, true) => Verdict::InKind,
            (false, false) => Verdict::Differs,
        }
    }
}

/// Whether a number in this unit compares measured things, so that it needs no device of the same speed.
fn is_relative(unit: &str) -> bool {
    ["x", "%", "points"].contains(&unit) || unit.starts_with("of ")
}

/// The most that a count in this unit can be: 5 of "sizes of 5".
fn count_most(unit: &str) -> f64 {
    let all = unit.split_once("of ").and_then(|(_, all)| all.split(' ').next()?.parse().ok());
    all.unwrap_or(ANY)
}

/// Whether a number in this unit is how fast a device is: a time, or a rate.
fn is_of_speed(unit: &str) -> bool {
    ["us", "ms", "s", "min", "h", "days", "years", "MB/s"].contains(&unit)
}

/// A number with its unit as a person reads it.
pub fn with_unit(value: f64, unit: &str) -> String {
    let is_whole = value == value.round() && value.abs() < 1e6;
    joined(if is_whole { plain(value) } else { digits(value) }, unit)
}

fn joined(number: String, unit: &str) -> String {
    match unit {
        "" => number,
        "x" => format!("x{number}"),
        "us" => format!("{number} µs"),
        _ => format!("{number} {unit}"),
    }
}

/// What became of a claim; the better ones are less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The figure.
    Reproduced,
    /// The order and shape, not the figure.
    InKind,
    /// Neither.
    Differs,
    /// Not run, for a reason.
    NotHere,
}

impl Verdict {
    /// All, best first.
    pub const ALL: [Verdict; 4] = [Verdict::Reproduced, Verdict::InKind, Verdict::Differs, Verdict::NotHere];

    /// Whether the claim holds, at least in kind.
    pub fn agrees(self) -> bool {
        self <= Verdict::InKind
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::InKind => "qualitatively reproduced",
            Verdict::Differs => "differs",
            Verdict::NotHere => "cannot be run here",
        }
    }

    /// So many claims with it, in words.
    pub fn of(self, count: usize) -> String {
        match (self, count) {
            (Verdict::Differs, count) if count != 1 => format!("{count} differ"),
            _ => format!("{count} {}", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAD: Claim =
        Claim::figure("lead", "faster by 43 %", 43.0, "%").near(35.0, 65.0, "another trace").kind(5.0, ANY);

    #[test]
    fn a_value_is_the_figure_or_of_its_kind_or_neither() {
        assert_eq!(LEAD.verdict(58.8, DeviceKind::Paper), Verdict::Reproduced);
        assert_eq!(LEAD.verdict(90.0, DeviceKind::Paper), Verdict::InKind);
        assert_eq!(LEAD.verdict(-3.0, DeviceKind::Paper), Verdict::Differs);
        assert_eq!(LEAD.verdict(f64::NAN, DeviceKind::Paper), Verdict::Differs);
    }

    #[test]
    fn on_another_device_only_the_shape_counts() {
        for device in [DeviceKind::Simulated, DeviceKind::Real] {
            assert_eq!(LEAD.verdict(43.0, device), Verdict::InKind);
            assert_eq!(LEAD.verdict(4.0, device), Verdict::Differs);
        }
    }

    #[test]
    fn an_interval_that_reaches_across_a_bound_is_told() {
        // On another device 5 and more agrees.
        let straddles = |value, interval| LEAD.straddles(&Measure { value, interval }, DeviceKind::Real);
        assert!(straddles(6.0, Some([4.0, 8.0])));
        assert!(straddles(4.0, Some([2.0, 6.0])), "and one that differs by its mean alone");
        assert!(!straddles(6.0, Some([5.5, 6.5])));
        assert!(
            !straddles(40.0, Some([30.0, 50.0])),
            "35 is a bound of the figure, which is not judged there"
        );
        assert!(!straddles(6.0, None));
    }

    #[test]
    fn what_agrees_is_told_in_words() {
        assert_eq!(LEAD.accepted_range(), "5 % or more");
        let claim = Claim::figure("hours", "", 4.0, "h").within(2.0, 4.0, "");
        assert_eq!(claim.accepted_range(), "1 to 16 h");
        assert_eq!(Claim::shape("same", "", "", "x").near(1.0, 1.0, "").accepted_range(), "x1");
    }

    #[test]
    fn a_real_device_is_not_held_against_the_speed_of_the_papers() {
        let claim = Claim::figure("access", "takes 0.1 ms", 0.1, "ms").within(1.5, 3.0, "one digit");
        assert_eq!(claim.verdict(10.0, DeviceKind::Simulated), Verdict::Differs);
        assert_eq!(claim.verdict(0.1, DeviceKind::Real), Verdict::NotHere);
        let claim = Claim::shape("writes", "more than 100 ms", "100 ms", "ms").near(100.0, ANY, "as told");
        assert_eq!(claim.verdict(0.02, DeviceKind::Real), Verdict::NotHere);
        assert_eq!(claim.verdict(0.02, DeviceKind::Simulated), Verdict::Differs);
    }

    #[test]
    fn arithmetic_is_no_matter_of_a_device() {
        let claim = Claim::figure("rows", "nine rows", 9.0, "").within(1.0, 1.0, "a count").computed();
        assert_eq!(claim.verdict(9.0, DeviceKind::Paper), Verdict::Reproduced);
        assert_eq!(claim.verdict(9.0, DeviceKind::Simulated), Verdict::NotHere);
    }

    #[test]
    fn a_prediction_is_found_and_could_have_been_missed_on_both_sides() {
        let near = |low, high| Claim::figure("hours", "", 4.0, "h").near(low, high, "");
        assert!(near(2.0, 8.0).is_prediction());
        assert!(!near(2.0, 8.0).set().is_prediction());
        assert!(!near(2.0, 8.0).computed().is_prediction());
        assert!(!near(2.0, 8.0).one_sided().is_prediction());
        assert!(!near(2.0, ANY).is_prediction(), "no upper end");
        assert!(!near(0.0, 8.0).is_prediction(), "no lower one: nothing takes less than 0");
        assert!(!near(1.0, 5.0).is_prediction(), "as wide as a factor of five");
        assert!(!Claim::figure("hours", "", 4.0, "h").kind(2.0, 8.0).is_prediction(), "met in kind alone");
        let of = |low, high| Claim::shape("sizes", "", "", "sizes of 5").near(low, high, "").is_prediction();
        assert!(of(2.0, 3.0) && !of(5.0, 5.0) && !of(1.0, 4.0));
        let percent = |low, high| Claim::shape("change", "", "", "%").near(low, high, "").is_prediction();
        assert!(percent(-5.0, 5.0) && !percent(0.0, 5.0), "how far something is off is never below 0");
        assert!(percent(20.0, 60.0) && !percent(20.0, 100.0), "nothing is more than all");
        let ratio = |low, high| Claim::shape("spread", "", "", "x").near(low, high, "").is_prediction();
        assert!(ratio(0.8, 1.25) && !ratio(1.0, 1.3), "nothing is faster than the fastest");
    }

    #[test]
    fn what_cannot_be_run_is_never_reproduced() {
        let claim = Claim::not_here("wear", "worn out", "1", "takes years");
        assert_eq!(claim.verdict(1.0, DeviceKind::Paper), Verdict::NotHere);
    }
}
