//! A plot area with axes, in SVG.

use std::fmt::Write;

use flashscope_core::plain::plain;

pub(super) const WIDTH: f64 = 860.0;
pub(super) const HEIGHT: f64 = 430.0;
const LEFT: f64 = 78.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 56.0;

pub(super) const INK: &str = "#222222";
const GRID: &str = "#dddddd";
/// Okabe and Ito's palette, without yellow, which is too faint on white.
pub(super) const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

const DASHES: [&str; 3] = ["", r##"stroke-dasharray="8 4""##, r##"stroke-dasharray="2 4""##];

/// Colour and dashes of a curve.
pub(super) fn look(curve: usize) -> (&'static str, &'static str) {
    (COLOURS[curve % COLOURS.len()], DASHES[curve / 2 % DASHES.len()])
}

/// A range of values on one axis.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) is_log: bool,
}

impl Scale {
    /// A logarithmic one that holds these positive values with some room.
    pub(super) fn log_around(values: impl Iterator<Item = f64> + Clone) -> Scale {
        let positive = values.filter(|value| *value > 0.0);
        let low = positive.clone().fold(f64::INFINITY, f64::min);
        let high = positive.fold(0.0, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        let room = (high / low).powf(0.06).max(1.25);
        Scale { low: low / room, high: high * room, is_log: true }
    }

    /// Where a value lies, from 0 to 1.
    fn share(self, value: f64) -> f64 {
        let at = |value: f64| if self.is_log { value.max(f64::MIN_POSITIVE).ln() } else { value };
        ((at(value) - at(self.low)) / (at(self.high) - at(self.low))).clamp(0.0, 1.0)
    }

    /// Round values: 1, 2, 5 in every decade of a short logarithmic axis, else steps of these.
    pub(super) fn ticks(self) -> Vec<f64> {
        let nice = [1.0, 2.0, 5.0];
        if self.is_log {
            let decades = (self.high / self.low).log10();
            let per = if decades < 3.0 { &nice[..] } else { &nice[..1] };
            let first = self.low.log10().floor() as i32;
            let last = self.high.log10().ceil() as i32;
            let all = (first..=last).flat_map(|decade| per.iter().map(move |n| n * 10f64.powi(decade)));
            return all.filter(|tick| (self.low..=self.high).contains(tick)).collect();
        }
        self.steps(1.0)
    }

    /// Round values in equal steps of at least `step_min`.
    pub(super) fn steps(self, step_min: f64) -> Vec<f64> {
        let rough = (self.high - self.low) / 7.0;
        let decade = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|n| n * decade);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(rough).max(step_min);
        let first = (self.low / step).ceil() as u64;
        (first..).map(|i| i as f64 * step).take_while(|tick| *tick <= self.high).collect()
    }
}

/// A drawing, and the plot area in it that is being drawn.
pub(super) struct Plot {
    body: String,
    x: Scale,
    y: Scale,
    left: f64,
    right: f64,
}

impl Plot {
    pub(super) fn new(title: &str, x: Scale, y: Scale) -> Plot {
        let mut plot = Plot { body: String::new(), x, y, left: LEFT, right: WIDTH - RIGHT };
        let size = format!(r##"viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}""##);
        let font = format!(r##"font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{INK}""##);
        let _ = writeln!(plot.body, r##"<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>"##);
        let _ = writeln!(plot.body, r##"<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>"##);
        // A long title is set smaller: a bold letter is about 0.63 of its size wide.
        let points = (WIDTH - LEFT - RIGHT) / (0.63 * title.chars().count().max(1) as f64);
        let points = points.clamp(9.0, 16.0);
        plot.text(LEFT, 24.0, title, &format!(r##"font-size="{points:.0}" font-weight="bold""##));
        plot
    }

    /// Goes on in panel `number` of `panels` side by side, with scales of its own.
    pub(super) fn panel(&mut self, number: usize, panels: usize, x: Scale, y: Scale) {
        let width = WIDTH / panels as f64;
        (self.x, self.y) = (x, y);
        self.left = width * number as f64 + LEFT;
        self.right = width * (number + 1) as f64 - RIGHT;
    }

    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + self.x.share(value) * (self.right - self.left)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - TOP - BOTTOM)
    }

    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, attributes: &str) {
        let text = plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(self.body, r##"<text x="{x:.1}" y="{y:.1}" {attributes}>{text}</text>"##);
    }

    /// Grid, numbers and names of both axes. Draw it first.
    pub(super) fn axes(&mut self, x: &[(f64, String)], x_name: &str, y: &[(f64, String)], y_name: &str) {
        let (left, right, bottom) = (self.left, self.right, HEIGHT - BOTTOM);
        for (value, label) in y {
            let at = self.y(*value);
            self.path(&format!("M{left} {at:.1}H{right}"), GRID, "1", "");
            self.text(left - 8.0, at + 4.5, label, r##"text-anchor="end""##);
        }
        for (value, label) in x {
            let at = self.x(*value);
            self.path(&format!("M{at:.1} {bottom}v5"), INK, "1", "");
            self.text(at, bottom + 20.0, label, r##"text-anchor="middle""##);
        }
        self.path(&format!("M{left} {TOP}V{bottom}H{right}"), INK, "1", "");
        self.text((left + right) / 2.0, HEIGHT - 12.0, x_name, r##"text-anchor="middle""##);
        let middle = (TOP + bottom) / 2.0;
        let edge = left - LEFT + 14.0;
        let turned = format!(r##"text-anchor="middle" transform="rotate(-90 {edge} {middle:.1})""##);
        self.text(edge, middle, y_name, &turned);
    }

    pub(super) fn path(&mut self, d: &str, colour: &str, width: &str, more: &str) {
        let _ = writeln!(
            self.body,
            r##"<path d="{d}" fill="none" stroke="{colour}" stroke-width="{width}" {more}/>"##
        );
    }

    /// A line through points given as values.
    pub(super) fn line(
        &mut self,
        points: impl Iterator<Item = (f64, f64)>,
        colour: &str,
        width: &str,
        more: &str,
    ) {
        let mut d = String::new();
        for (x, y) in points {
            let command = if d.is_empty() { 'M' } else { 'L' };
            let _ = write!(d, "{command}{:.1} {:.1}", self.x(x), self.y(y));
        }
        self.path(&d, colour, width, &format!(r##"stroke-linejoin="round" {more}"##));
    }

    /// Fills an area, an SVG path in pixels; nothing if it is empty.
    pub(super) fn fill(&mut self, d: &str, colour: &str, opacity: f64) {
        if !d.is_empty() {
            let _ = writeln!(self.body, r##"<path d="{d}" fill="{colour}" fill-opacity="{opacity:.2}"/>"##);
        }
    }

    /// Shades the plot area between two values.
    pub(super) fn shade(&mut self, from: f64, to: f64, colour: &str) {
        let (left, right) = (self.x(from), self.x(to));
        let (width, height) = (right - left, HEIGHT - TOP - BOTTOM);
        let _ = writeln!(
            self.body,
            r##"<rect x="{left:.1}" y="{TOP}" width="{width:.1}" height="{height}" fill="{colour}"/>"##
        );
    }

    /// Names lines above the plot area: their colour, their dashes, their words.
    pub(super) fn legend(&mut self, entries: &[(&str, &str, String)]) {
        let mut at = LEFT;
        for (colour, more, words) in entries {
            self.path(&format!("M{at:.1} 45h26"), colour, "3", more);
            self.text(at + 32.0, 49.5, words, "");
            at += 32.0 + 7.2 * words.chars().count() as f64 + 18.0;
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }
}

/// Labels of an axis of times.
pub(super) fn time_ticks(scale: Scale) -> Vec<(f64, String)> {
    let label = |ns: f64| {
        let (value, unit) = match ns {
            ns if ns < 1e3 => (ns, "ns"),
            ns if ns < 1e6 => (ns / 1e3, "µs"),
            ns if ns < 1e9 => (ns / 1e6, "ms"),
            _ => (ns / 1e9, "s"),
        };
        format!("{:.0} {unit}", value)
    };
    scale.ticks().into_iter().map(|ns| (ns, label(ns))).collect()
}
