//! The clock that stamps IOs: where it comes from, what a reading costs, how exact it is.

use flashscope_core::number::{digits, span};

use crate::clock::ClockSource;
use crate::doctor::scene::Scene;
use crate::doctor::{Check, Remark};

pub(super) const CHECK: Check =
    Check { name: "clock", about: "source, overhead and resolution of the timestamps", examine };

const FOLDER: &str = "sys/devices/system/clocksource/clocksource0";
/// Two readings enclose each IO; beyond this they are no longer small beside the fastest drives' 10 µs.
const COST_NS_MAX: f64 = 200.0;

fn examine(scene: &Scene) -> Vec<Remark> {
    let clock = &scene.clock;
    let kernels = scene.text(&format!("{FOLDER}/current_clocksource"));
    let source = match clock.source {
        ClockSource::Tsc => "time stamp counter".to_string(),
        ClockSource::Monotonic => {
            format!("clock_gettime on {}", kernels.as_deref().unwrap_or("an unknown clock"))
        }
    };
    let found = format!(
        "{source}, {} a reading, rate error within {} ppm",
        span(clock.cost_ns),
        digits(clock.rate_error_ppm)
    );
    if clock.cost_ns <= COST_NS_MAX {
        return vec![Remark::ok(found)];
    }
    let matters = "each response time includes one clock reading, which also limits high IOPS: a few per \
        cent at 10 µs an IO";
    let choices = scene.text(&format!("{FOLDER}/available_clocksource")).unwrap_or_default();
    let remark = Remark::warning(found, matters);
    let has_better = kernels.as_deref() != Some("tsc") && choices.split(' ').any(|choice| choice == "tsc");
    vec![match has_better {
        true => remark.mend(format!("echo tsc | sudo tee /{FOLDER}/current_clocksource")),
        false => remark,
    }]
}
