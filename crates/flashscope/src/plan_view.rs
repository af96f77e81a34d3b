//! What a run will do and cost, in a few lines, before anything is written.

use std::time::Duration;

use flashscope_bench::plan::{ASSUMED_READ, ASSUMED_WRITE, RATED_DRIVE_WRITES};
use flashscope_bench::{Plan, Settings};
use flashscope_core::{Nanos, TargetInfo};
use flashscope_report::{counted, percent, size};

use crate::progress::rounded;

/// Rounds of the look at how long writes disturb the reads after them, at most.
const INTERFERENCE_ROUNDS: f64 = 4.0;

/// What the plan's own estimate leaves open: runs end when they know enough, which nobody knows before.
pub struct Cost {
    /// The most that may be written, if every run goes to its limit of IOs.
    pub written_bytes_max: u64,
    /// What ends a run, or all of them, at the latest.
    end: Option<String>,
}

impl Cost {
    /// Of a plan under these settings.
    pub fn of(plan: &Plan, settings: &Settings, info: &TargetInfo) -> Cost {
        let most = |step: &flashscope_bench::Step| {
            let pattern = &step.experiment.pattern;
            settings.effort.exploring(pattern).ios_max as f64 * pattern.write_share() * pattern.bs.0 as f64
        };
        let enforced = plan.enforcements as f64 * plan.frame.span.0 as f64;
        let interference = INTERFERENCE_ROUNDS * settings.effort.ios_max as f64 * plan.frame.bs.0 as f64;
        let written = plan.steps.iter().map(most).sum::<f64>() + enforced + interference;
        let end = match (settings.budget, settings.run_max) {
            _ if info.virtual_time => None,
            (Some(budget), _) if plan.duration >= budget => {
                Some(format!("the budget of {} may be too little for the whole plan", whole(budget)))
            }
            (Some(budget), _) => Some(format!("at most {}, the budget", whole(budget))),
            (None, Some(most)) => Some(format!("each run at most {}; --budget limits all", whole(most))),
            (None, None) => None,
        };
        Cost { written_bytes_max: if settings.write { written as u64 } else { 0 }, end }
    }
}

/// The plan, its cost, and what it leaves out.
pub fn plan_lines(plan: &Plan, cost: &Cost, info: &TargetInfo) -> Vec<String> {
    let again =
        if plan.enforcements > 1 { format!(", enforced {} times", plan.enforcements) } else { String::new() };
    let mut lines = vec![format!(
        "{} over {} of {} ({}), state: {}{again}",
        counted(plan.steps.len() as u64, "run"),
        size(plan.frame.span.0 as f64),
        info.name,
        size(info.size_bytes as f64),
        plan.state.name(),
    )];
    if plan.written_bytes > 0 {
        let part = |bytes: u64| {
            let share = bytes as f64 / (info.size_bytes as f64 * RATED_DRIVE_WRITES);
            format!("{} ({})", size(bytes as f64), percent(share))
        };
        let (least, most) = (part(plan.written_bytes), part(cost.written_bytes_max));
        let of = "in brackets: of the rated endurance of a typical drive of this size";
        lines.push(format!("at least about {least} written, at most {most}; {of}"));
    }
    if !info.virtual_time {
        let least = whole(plan.duration);
        let (read, write) = (nanos(ASSUMED_READ), nanos(ASSUMED_WRITE));
        let end = cost.end.as_ref().map_or(String::new(), |end| format!("; {end}"));
        lines.push(format!("at least about {least}, if a read takes {read} and a write {write}{end}"));
    }
    lines.extend(plan.notes.iter().map(|note| format!("note: {note}")));
    lines
}

/// A time without fractions that nobody needs.
fn whole(span: Nanos) -> String {
    let (s, ms) = (span.as_s() as u64, (span.as_s() * 1e3) as u64);
    let time = if s >= 10 { Duration::from_secs(s) } else { Duration::from_millis(ms) };
    humantime::format_duration(time).to_string()
}

fn nanos(span: Nanos) -> String {
    rounded(span.0 as f64)
}
