//! How the kernel says that the processors spent their time: its ticks in `/proc/stat`.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Instant;

use flashscope_core::Nanos;

/// The kernel reports in hundredths of a second on every architecture, whatever its own clock is.
const TICK_NS: u64 = 10_000_000;

/// Ticks of all processors since the machine began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticks {
    /// Of programs; those of guests of this machine are contained.
    pub user: u64,
    /// That the host gave to other guests while this one wanted to run.
    pub stolen: u64,
    /// All, idle ones too.
    pub all: u64,
    /// How many processors there are.
    pub processors: u64,
}

impl Ticks {
    /// Of the text of `/proc/stat`: `cpu user nice system idle iowait irq softirq steal guest guest_nice`,
    /// then a line for each processor.
    pub fn of(stat: &str) -> Option<Ticks> {
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
        let stolen = *ticks.get(7)?;
        let processors = stat.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
        Some(Ticks {
            user: ticks[0] + ticks[1],
            stolen,
            all: ticks[..8].iter().sum(),
            processors: (processors.count() as u64).max(1),
        })
    }
}

/// In less time the kernel's ticks tell no share that matters.
const SPAN_MIN: Nanos = Nanos::from_ms(200);
/// Looks back that are kept: those of some runs.
const LOOKS: usize = 64;

/// Notes how much processor time other programs, and the host's other guests, have taken by now, and gives
/// the share of all processors that they had since the last look that is `span` and 0.2 s ago at least. None
/// where there was none, or the kernel does not say.
///
/// What the kernel does for this process is its own; what it does for others is not counted, for nothing
/// tells one from the other.
pub fn others_share(span: Nanos) -> Option<f64> {
    static LAST: Mutex<VecDeque<(Instant, u64)>> = Mutex::new(VecDeque::new());
    let (now, reading_ns) = (Instant::now(), others_ns()?);
    let mut last = LAST.lock().expect("nobody panics with it");
    // Two files are not read at one instant, so a reading may be some ticks short.
    let now_ns = last.back().map_or(reading_ns, |(_, before_ns)| reading_ns.max(*before_ns));
    let since = |then: &Instant| Nanos(now.saturating_duration_since(*then).as_nanos() as u64);
    let from = last.iter().rfind(|(then, _)| since(then) >= span.max(SPAN_MIN));
    let share = from.map(|(then, ns)| (now_ns - ns) as f64 / since(then).0 as f64);
    last.push_back((now, now_ns));
    if last.len() > LOOKS {
        last.pop_front();
    }
    share.map(|share| share.min(1.0))
}

/// So far, as a mean over all processors.
fn others_ns() -> Option<u64> {
    let own_user = own_user(&std::fs::read_to_string("/proc/self/stat").ok()?)?;
    let all = Ticks::of(&std::fs::read_to_string("/proc/stat").ok()?)?;
    let others = (all.user + all.stolen).saturating_sub(own_user);
    Some((u128::from(others) * u128::from(TICK_NS) / u128::from(all.processors)) as u64)
}

/// Field 14 of `/proc/PID/stat`. The name before it may hold spaces and brackets.
fn own_user(stat: &str) -> Option<u64> {
    let (_, behind_name) = stat.rsplit_once(") ")?;
    behind_name.split(' ').nth(11)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::process::Command;

    use super::*;

    #[test]
    fn ticks_are_read_as_the_kernel_writes_them() {
        let stat = "cpu  100 20 30 400 5 6 7 8 90 10\ncpu0 50 10 15 200 2 3 3 4 45 5\n\
                    cpu1 50 10 15 200 3 3 4 4 45 5\nintr 5\n";
        assert_eq!(Ticks::of(stat), Some(Ticks { user: 120, stolen: 8, all: 576, processors: 2 }));
        assert_eq!(Ticks::of("cpu  1 2 3\n"), None);
        assert_eq!(own_user("7 (a) b) R 1 7 7 0 -1 4194304 90 0 0 0 42 13 0 0 20"), Some(42));
    }

    fn ticks() -> Ticks {
        Ticks::of(&std::fs::read_to_string("/proc/stat").unwrap()).unwrap()
    }

    /// User time of children that have ended, in ticks: field 16.
    fn of_children() -> u64 {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        stat.rsplit_once(") ").unwrap().1.split(' ').nth(13).unwrap().parse().unwrap()
    }

    /// The kernel's own account of a child is the oracle. Others may be at work beside a test, so it is a
    /// lower bound.
    #[test]
    fn another_program_is_seen_for_as_long_as_it_was_busy() {
        let (before_ns, before) = (others_ns().unwrap(), of_children());
        let busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", busy]).status().unwrap().success());
        let own_ns = (of_children() - before) * TICK_NS;
        let seen_ns = others_ns().unwrap().saturating_sub(before_ns) * ticks().processors;
        assert!(own_ns >= 5 * TICK_NS, "the child is to be busy for a while, not {own_ns} ns");
        assert!(seen_ns + 3 * TICK_NS >= own_ns, "{seen_ns} ns seen of {own_ns} ns");
    }

    /// All user time less that of this thread is an upper bound.
    #[test]
    fn ones_own_time_is_not_that_of_others() {
        let cpu_ns = || {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        };
        let (before_ns, before) = (others_ns().unwrap(), ticks());
        let began_ns = cpu_ns();
        while cpu_ns() - began_ns < 500_000_000 {
            (0..100_000).for_each(|number| {
                black_box(number);
            });
        }
        let (seen_ns, after) = (others_ns().unwrap().saturating_sub(before_ns), ticks());
        let all_ns = (after.user + after.stolen - before.user - before.stolen) * TICK_NS;
        let others_ns_max = all_ns.saturating_sub(500_000_000) + 5 * TICK_NS;
        assert!(seen_ns * after.processors <= others_ns_max, "{seen_ns} ns; {others_ns_max} ns at most");
    }

    /// What was busy before a run belongs to it only where the run is too short to tell.
    #[test]
    fn a_share_is_that_of_the_time_asked_for() {
        let wait = |ms| std::thread::sleep(std::time::Duration::from_millis(ms));
        others_share(Nanos::ZERO);
        wait(250);
        let (whole, short) = (others_share(Nanos::from_ms(240)), others_share(Nanos::ZERO));
        let [whole, short] = [whole, short].map(|share| share.expect("a quarter of a second is enough"));
        assert!((0.0..=1.0).contains(&whole) && (short - whole).abs() < 0.2, "{whole} and {short}");
        assert_eq!(others_share(Nanos::from_s(1_000_000)), None, "no look is that old");
    }
}
