//! A job's settings as flags of `measure`, and as programs that start it.

use flashscope_lab::fio_job::{Job, NumaMemory, Starter};
use flashscope_lab::{DataPattern, OnError};

/// The flags beside the pattern's, each behind a space.
pub fn flags(job: &Job) -> String {
    let value =
        |name: &str, value: Option<String>| value.map_or(String::new(), |value| format!(" --{name} {value}"));
    let alone = |name: &str, is_given: bool| if is_given { format!(" --{name}") } else { String::new() };
    let percent = |share: f64| format!("{}%", (share * 1e8).round() / 1e6);
    let data = (job.data != DataPattern::Random).then(|| job.data.to_string());
    let on_error = match job.on_error {
        OnError::Stop => None,
        OnError::Continue { share_max } => Some(format!("continue={}", percent(share_max))),
    };
    [
        value("engine", job.engine.map(|engine| engine.to_string())),
        value("seed", job.seed.map(|seed| seed.to_string())),
        value("latency-target", job.latency_target.map(|target| target.latency.to_string())),
        value("latency-percentile", job.latency_target.map(|target| percent(target.share))),
        value("latency-window", job.latency_target.map(|target| target.window.to_string())),
        value("precision", job.precision.map(|share| percent(share.0))),
        value("runtime", job.runtime.map(|time| time.to_string())),
        value("budget", job.budget.map(|time| time.to_string())),
        alone("buffered", job.buffered),
        value("data", data),
        value("on-error", on_error),
        alone("write", job.pattern.writes()),
    ]
    .concat()
}

/// The program that sets it.
pub fn starter(starter: &Starter) -> String {
    match starter {
        Starter::IoPriority { class, level: Some(level) } => format!("ionice -c {class} -n {level}"),
        Starter::IoPriority { class, level: None } => format!("ionice -c {class}"),
        Starter::Numa { processors, memory } => {
            let processors =
                processors.as_ref().map_or(String::new(), |nodes| format!(" --cpunodebind={nodes}"));
            format!("numactl{processors}{}", memory.as_ref().map_or(String::new(), node_flag))
        }
        Starter::Processors(list) => format!("taskset --cpu-list {list}"),
        Starter::Niceness(nice) => format!("nice -n {nice}"),
    }
}

fn node_flag(memory: &NumaMemory) -> String {
    match memory {
        NumaMemory::Local => " --localalloc".into(),
        NumaMemory::Preferred(node) => format!(" --preferred={node}"),
        NumaMemory::Bound(nodes) => format!(" --membind={nodes}"),
        NumaMemory::Interleaved(nodes) => format!(" --interleave={nodes}"),
    }
}
