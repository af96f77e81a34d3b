//! What a person sees while a run goes on: where it is, the estimate so far, and why it still runs.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flashscope_analysis::{Context, Estimate, Finished, Stop, Why};
use flashscope_bench::Event;
use flashscope_core::number::{counted, percent, span};
use flashscope_core::plain::plain;
use flashscope_show::{Style, numbers_so_far};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::screen::{Screen, TICK};

/// A bar over bytes; invisible where nobody looks.
pub fn bytes_bar(screen: &Screen, total_bytes: u64, what: &'static str) -> ProgressBar {
    let bar = bar(screen, total_bytes);
    bar.set_style(style("  {msg} {bar:30} {bytes} of {total_bytes} {left}"));
    bar.set_message(what);
    bar
}

/// A bar over the cases of a sweep.
pub fn cases_bar(screen: &Screen, cases: u64) -> ProgressBar {
    let bar = bar(screen, cases);
    bar.set_style(style("  simulated {pos} of {len} {bar:30} {elapsed} {left}"));
    ticking(&bar);
    bar
}

/// A bar over studies of the papers.
pub fn studies_bar(screen: &Screen, studies: u64) -> ProgressBar {
    let bar = bar(screen, studies);
    let template = "  {pos} of {len} studies {bar:30} {elapsed}";
    bar.set_style(style(template));
    ticking(&bar);
    bar
}

/// A bar over the requests of a trace.
pub fn requests_bar(screen: &Screen, requests: u64) -> ProgressBar {
    let bar = bar(screen, requests);
    bar.set_style(style("  replayed {human_pos} of {human_len} requests {bar:30} {elapsed}"));
    ticking(&bar);
    bar
}

/// A bar over the bytes of a trace that is read; without a length, only its message is shown.
pub fn reading_bar(screen: &Screen, total_bytes: Option<u64>) -> ProgressBar {
    let bar = bar(screen, total_bytes.unwrap_or(0));
    let template = match total_bytes {
        Some(_) => "  read {bytes} of {total_bytes} {bar:30} {msg} {left}",
        None => "  read {msg} in {elapsed}",
    };
    bar.set_style(style(template));
    ticking(&bar);
    bar
}

/// The look that all bars share; `{left}` is nothing until something is done.
fn style(template: &str) -> ProgressStyle {
    let remains = |state: &ProgressState, out: &mut dyn Write| {
        if state.pos() > 0 {
            let _ = out.write_str(&left(state.elapsed(), state.pos(), state.len().unwrap_or(0)));
        }
    };
    let style = ProgressStyle::with_template(template).expect("a fixed template");
    style.progress_chars("▰▰▱").with_key("left", remains)
}

/// Its time goes on where nothing else does.
fn ticking(bar: &ProgressBar) {
    if !bar.is_hidden() {
        bar.enable_steady_tick(TICK);
    }
}

fn bar(screen: &Screen, length: u64) -> ProgressBar {
    let target =
        if screen.is_live() { ProgressDrawTarget::stderr_with_hz(8) } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(Some(length), target)
}

/// What is below a campaign's first line.
struct Below {
    /// The mean so far; nothing before there is one.
    estimate: String,
    /// Since when it is missing.
    begun: Instant,
    /// The four numbers of the run, as far as they are known.
    four: String,
}

impl Below {
    fn text(&self) -> String {
        let waited = self.begun.elapsed();
        let estimate = match self.estimate.as_str() {
            "" if waited >= TICK => format!("{} s", waited.as_secs()),
            text => text.to_string(),
        };
        if self.four.is_empty() { estimate } else { format!("{estimate}\n\n{}", self.four.trim_end()) }
    }
}

/// Shows the events of a campaign in two lines: which run of how many and when all will be over; below, the
/// mean so far with its interval, drawn as it narrows. Under them a table of the four numbers fills.
pub struct Progress<'a> {
    screen: &'a Screen,
    bar: ProgressBar,
    /// When the first run began, and how many were over by then: neither enforcing the state nor what was
    /// measured before an interruption says how long runs take.
    started: Option<(Instant, u64)>,
    below: Arc<Mutex<Below>>,
    state: Option<ProgressBar>,
    /// Of which campaign the four numbers are, and what is known of them.
    four: Option<(Context, Vec<Finished>)>,
}

impl<'a> Progress<'a> {
    /// Nothing shown yet.
    pub fn new(screen: &'a Screen) -> Progress<'a> {
        let bar = bar(screen, 1);
        let empty = Below { estimate: String::new(), begun: Instant::now(), four: String::new() };
        let below = Arc::new(Mutex::new(empty));
        let shown = Arc::clone(&below);
        let text = move |_: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&shown.lock().unwrap_or_else(PoisonError::into_inner).text());
        };
        let style = style("  {wide_msg} {bar:16} {prefix:>11}\n  {below}");
        bar.set_style(style.with_key("below", text));
        Progress { screen, bar, started: None, below, state: None, four: None }
    }

    /// With a table of the four numbers of a run.
    pub fn with_four(screen: &'a Screen, context: &Context, before: &[Finished]) -> Progress<'a> {
        let mut progress = Progress { four: Some((context.clone(), Vec::new())), ..Progress::new(screen) };
        before.iter().for_each(|finished| progress.fill(finished));
        progress
    }

    /// Shows one event.
    pub fn hear(&mut self, event: &Event<'_>) {
        match event {
            // Nothing of it goes on yet, so there is nothing to draw.
            Event::Planned(_) => {}
            Event::Enforcing { done_bytes, total_bytes } => self.enforcing(*done_bytes, *total_bytes),
            Event::Preparing(preparation) => self.step(&preparation.to_string()),
            Event::Interference => self.step("measuring the pause needed between runs"),
            Event::PauseKept(found) => {
                self.screen.detail(&format!("  pause between runs: {}", span(found.pause_ns as f64)));
            }
            Event::Started { number, of, experiment, repeat } => {
                let mut title = format!("{} {} {}", experiment.micro, experiment.curve, experiment.label);
                if *repeat > 0 {
                    title += &format!(" (repeat {})", repeat + 1);
                }
                self.started.get_or_insert_with(|| (Instant::now(), *number as u64 - 1));
                // The words first: each of these may be drawn.
                self.step(&plain(&format!("[{number}/{of}] {title}")));
                self.bar.set_length(*of as u64);
                self.bar.set_position(*number as u64 - 1);
                self.show_estimate(String::new());
            }
            Event::Look { ios, estimate, why } => {
                self.show_estimate(second_line(*ios, *estimate, why.as_ref()));
            }
            Event::Done(finished) => self.done(finished),
        }
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Something else begins.
    fn step(&self, what: &str) {
        let mut below = self.below.lock().unwrap_or_else(PoisonError::into_inner);
        (below.estimate, below.begun) = (String::new(), Instant::now());
        drop(below);
        ticking(&self.bar);
        self.bar.set_message(what.to_string());
    }

    fn enforcing(&mut self, done_bytes: u64, total_bytes: u64) {
        let screen = self.screen;
        let bar = self.state.get_or_insert_with(|| bytes_bar(screen, total_bytes, "preconditioning"));
        bar.set_position(done_bytes);
        if done_bytes >= total_bytes {
            bar.finish_and_clear();
            self.state = None;
        }
    }

    fn done(&mut self, finished: &Finished) {
        self.fill(finished);
        self.bar.inc(1);
        self.screen.detail(&format!("  {}", one_line(finished)));
    }

    /// A baseline is one of the four numbers.
    fn fill(&mut self, finished: &Finished) {
        let Some((context, known)) = self.four.as_mut().filter(|_| self.screen.is_live()) else { return };
        if finished.experiment.micro == "baseline" {
            known.push(finished.clone());
            let style = Style { width: self.screen.live_columns(), colour: false };
            let four = numbers_so_far(context, known, style);
            self.below.lock().unwrap_or_else(PoisonError::into_inner).four = four;
        }
    }

    fn show_estimate(&self, text: String) {
        self.below.lock().unwrap_or_else(PoisonError::into_inner).estimate = text;
        self.bar.set_prefix(self.left());
        self.bar.tick();
    }

    /// By the mean of the runs that are over; nothing before there is one.
    fn left(&self) -> String {
        let (done, of) = (self.bar.position(), self.bar.length().unwrap_or(0));
        match self.started {
            Some((start, first)) if done > first => left(start.elapsed(), done - first, of - first),
            _ => String::new(),
        }
    }
}

/// What remains if the runs to come take as long as those that are over; one that has begun may be nearly
/// done.
fn left(elapsed: Duration, done: u64, of: u64) -> String {
    let each = elapsed.as_secs_f64() / (done as f64 + 0.5);
    let seconds = each * (of.saturating_sub(done) as f64 - 0.5).max(0.5);
    match seconds.ceil() as u64 {
        seconds @ ..60 => format!("~{seconds} s left"),
        seconds @ 60..3600 => format!("~{} min left", seconds.div_ceil(60)),
        seconds => format!("~{:.1} h left", seconds as f64 / 3600.0),
    }
}

/// The columns of the second line; with its indent it fits the narrowest terminal in use.
const COLUMNS: usize = 76;

/// The interval drawn, the mean, and what it still waits for.
fn second_line(ios: u64, estimate: Option<Estimate>, why: Option<&Why>) -> String {
    let drawn = estimate.map_or(String::new(), |estimate| whisker(estimate.relative_half_width()));
    let waits = match why {
        Some(Why::Wide { asked, .. }) => format!(" (target ± {})", percent(*asked)),
        Some(why) => format!(" · {why}"),
        None => String::new(),
    };
    let text = format!("{drawn:WHISKER$} {}{waits}", so_far(ios, estimate));
    if text.chars().count() <= COLUMNS {
        return text;
    }
    text.chars().take(COLUMNS - 1).chain(['…']).collect()
}

/// Columns of an interval as wide as the mean itself.
const WHISKER: usize = 17;

/// An interval around its mean, as wide as its half width is great beside the mean; by its root, so that the
/// last per cents still show.
fn whisker(share: f64) -> String {
    let reach = WHISKER / 2;
    let arm = (share.clamp(0.0, 1.0).sqrt() * reach as f64).round() as usize;
    let side = |end: &str| if arm == 0 { String::new() } else { end.to_string() };
    let line = "─".repeat(arm.saturating_sub(1));
    format!("{}{}{line}●{line}{}", " ".repeat(reach - arm), side("├"), side("┤"))
}

/// One finished run in one line.
pub fn one_line(finished: &Finished) -> String {
    let outcome = &finished.run.outcome;
    let mean = outcome.estimate.map_or("no mean".into(), |estimate| mean(&estimate));
    let startup = match outcome.phases.startup_ios {
        0 => String::new(),
        ios => format!(", warm-up {}", counted(ios, "IO")),
    };
    let period = outcome.phases.period.map_or(String::new(), |period| format!(", cycle of {}", period.ios));
    let stopped = match outcome.stopped_because {
        Stop::Precision => String::new(),
        stop => format!(", stopped: {stop:?}").to_lowercase(),
    };
    let errors = match finished.run.errors.count {
        0 => String::new(),
        errors => format!(", {}", counted(errors, "IO error")),
    };
    format!("{:<34} {mean}{period}{startup}{errors}{stopped}", finished.experiment.id())
}

fn so_far(ios: u64, estimate: Option<Estimate>) -> String {
    match estimate {
        Some(estimate) => mean(&estimate),
        None => counted(ios, "IO"),
    }
}

fn mean(estimate: &Estimate) -> String {
    format!("{} ± {}", span(estimate.mean_ns), percent(estimate.relative_half_width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_narrows_around_its_mean() {
        let drawn = [1.0, 0.5, 0.05, 0.0].map(whisker);
        assert_eq!(drawn, ["├───────●───────┤", "  ├─────●─────┤", "      ├─●─┤", "        ●"]);
        assert!([f64::INFINITY, 9.0].map(whisker).iter().all(|drawn| drawn.chars().count() == WHISKER));
    }

    #[test]
    fn the_time_left_shrinks_to_nothing_and_is_rounded_up() {
        let after = |seconds, done| left(Duration::from_secs(seconds), done, 10);
        assert_eq!(after(3, 1), "~17 s left");
        assert_eq!(after(190, 9), "~10 s left");
        assert_eq!(after(600, 2), "~30 min left");
        assert_eq!(after(7200, 1), "~11.3 h left");
    }

    #[test]
    fn the_second_line_fits_eighty_columns() {
        let why = Why::StartupNotOver { startup_ios: 1 << 40, ios: 1 << 41, need_ios: 1 << 42 };
        let line = second_line(1 << 41, None, Some(&why));
        assert!(line.chars().count() <= COLUMNS && line.ends_with('…'), "{line}");
    }
}
