//! What a person sees while a run goes on: where it is, the estimate so far, and why it still runs.

use std::time::{Duration, Instant};

use flashscope_analysis::{Estimate, Finished, Stop};
use flashscope_bench::Event;
use flashscope_report::counted;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::screen::Screen;

/// A bar over bytes; invisible where nobody looks.
pub fn bytes_bar(screen: &Screen, total_bytes: u64, what: &'static str) -> ProgressBar {
    let bar = bar(screen, total_bytes);
    let template = "  {msg} {bar:30} {bytes} of {total_bytes}, {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("a fixed template"));
    bar.set_message(what);
    bar
}

/// A bar over the cases of a sweep.
pub fn cases_bar(screen: &Screen, cases: u64) -> ProgressBar {
    let bar = bar(screen, cases);
    let template = "  simulated {pos} of {len} {bar:30} {elapsed}, {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("a fixed template"));
    bar.tick();
    bar
}

/// A bar over the requests of a trace.
pub fn requests_bar(screen: &Screen, requests: u64) -> ProgressBar {
    let bar = bar(screen, requests);
    let template = "  replayed {human_pos} of {human_len} requests {bar:30} {elapsed}";
    bar.set_style(ProgressStyle::with_template(template).expect("a fixed template"));
    bar
}

/// A bar over the bytes of a trace that is read; without a length, only its message is shown.
pub fn reading_bar(screen: &Screen, total_bytes: Option<u64>) -> ProgressBar {
    let bar = bar(screen, total_bytes.unwrap_or(0));
    let template = match total_bytes {
        Some(_) => "  read {bytes} of {total_bytes} {bar:30} {msg}, {eta} left",
        None => "  read {msg} in {elapsed}",
    };
    bar.set_style(ProgressStyle::with_template(template).expect("a fixed template"));
    bar
}

fn bar(screen: &Screen, length: u64) -> ProgressBar {
    let target =
        if screen.is_live() { ProgressDrawTarget::stderr_with_hz(8) } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(Some(length), target)
}

/// Shows the events of a campaign.
pub struct Progress<'a> {
    screen: &'a Screen,
    bar: ProgressBar,
    started: Instant,
    title: String,
    state: Option<ProgressBar>,
}

impl<'a> Progress<'a> {
    /// Nothing shown yet.
    pub fn new(screen: &'a Screen) -> Progress<'a> {
        let bar = bar(screen, 1);
        let style = ProgressStyle::with_template("  [{pos}/{len}] {msg}  {bar:16} {prefix}");
        bar.set_style(style.expect("a fixed template").progress_chars("▰▰▱"));
        Progress { screen, bar, started: Instant::now(), title: String::new(), state: None }
    }

    /// Shows one event.
    pub fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned(plan) => self.bar.set_length(plan.steps.len() as u64),
            Event::Enforcing { done_bytes, total_bytes } => self.enforcing(*done_bytes, *total_bytes),
            Event::Interference => self.bar.set_message("measuring the pause to keep between runs"),
            Event::PauseKept(found) => {
                self.screen.detail(&format!("  pause between runs: {}", rounded(found.pause_ns as f64)));
            }
            Event::Started { number, of, experiment, repeat } => {
                self.title = format!("{} {} {}", experiment.micro, experiment.curve, experiment.label);
                if *repeat > 0 {
                    self.title += &format!(" (repeat {})", repeat + 1);
                }
                self.bar.set_length(*of as u64);
                self.bar.set_position(*number as u64 - 1);
                self.bar.set_prefix(self.left(*number, *of));
                self.bar.set_message(self.title.clone());
            }
            Event::Look { ios, estimate, why } => {
                let why = why.map_or(String::new(), |why| format!(" · {why}"));
                self.bar.set_message(format!("{}  {}{why}", self.title, so_far(*ios, *estimate)));
            }
            Event::Done(finished) => self.done(finished),
        }
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn enforcing(&mut self, done_bytes: u64, total_bytes: u64) {
        let screen = self.screen;
        let bar = self.state.get_or_insert_with(|| bytes_bar(screen, total_bytes, "enforcing the state"));
        bar.set_position(done_bytes);
        if done_bytes >= total_bytes {
            bar.finish_and_clear();
            self.state = None;
        }
    }

    fn done(&mut self, finished: &Finished) {
        self.bar.inc(1);
        self.screen.detail(&format!("  {}", one_line(finished)));
    }

    fn left(&self, number: usize, of: usize) -> String {
        let done = (number - 1) as f64;
        if done < 1.0 {
            return String::new();
        }
        let left = self.started.elapsed().mul_f64((of as f64 - done) / done);
        format!("{} left", humantime::format_duration(Duration::from_secs(left.as_secs())))
    }
}

/// One finished run in one line.
pub fn one_line(finished: &Finished) -> String {
    let outcome = &finished.run.outcome;
    let mean = outcome.estimate.map_or("no mean".into(), |estimate| mean(&estimate));
    let startup = match outcome.phases.startup_ios {
        0 => String::new(),
        ios => format!(", {} set aside", counted(ios, "start-up IO")),
    };
    let period = outcome.phases.period.map_or(String::new(), |period| format!(", cycle of {}", period.ios));
    let stopped = match outcome.stopped_because {
        Stop::Precision => String::new(),
        stop => format!(", stopped: {stop:?}").to_lowercase(),
    };
    format!("{:<34} {mean}{period}{startup}{stopped}", finished.experiment.id())
}

fn so_far(ios: u64, estimate: Option<Estimate>) -> String {
    match estimate {
        Some(estimate) => mean(&estimate),
        None => counted(ios, "IO"),
    }
}

fn mean(estimate: &Estimate) -> String {
    format!("{} ± {:.1} %", rounded(estimate.mean_ns), estimate.relative_half_width() * 100.0)
}

/// A time in three digits with its unit.
pub fn rounded(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns >= 1e9 => (ns / 1e9, "s"),
        ns if ns >= 1e6 => (ns / 1e6, "ms"),
        ns if ns >= 1e3 => (ns / 1e3, "µs"),
        ns => (ns, "ns"),
    };
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}
