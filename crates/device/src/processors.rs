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
    /// Of the kernel, for programs and in threads of its own; interrupts are not contained.
    pub kernel: u64,
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
            kernel: ticks[2],
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

/// Processor time of others by now, nanoseconds as a mean over all processors.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// Of their own, and of the host's other guests.
    outside_kernel_ns: u64,
    /// That the kernel took, for them and for nobody in particular.
    in_kernel_ns: u64,
}

/// Notes how much processor time other programs, and the host's other guests, have taken by now, and gives
/// the share of all processors that they had since the last look that is `span` and 0.2 s ago at least. None
/// where there was none, or the kernel does not say.
///
/// What the kernel does for this process is its own. What it does besides is that of others only where it
/// has no threads at work for the target, which the caller knows: then it is counted too, but not before a
/// short span, for that may have been otherwise.
pub fn others_share(span: Nanos, is_kernel_counted: bool) -> Option<f64> {
    static LAST: Mutex<VecDeque<(Instant, Taken)>> = Mutex::new(VecDeque::new());
    let (now, read) = (Instant::now(), taken()?);
    let mut last = LAST.lock().expect("nobody panics with it");
    // Two files are not read at one instant, so a reading may be some ticks short.
    let before = last.back().map_or(Taken::default(), |(_, before)| *before);
    let taken = Taken {
        outside_kernel_ns: read.outside_kernel_ns.max(before.outside_kernel_ns),
        in_kernel_ns: read.in_kernel_ns.max(before.in_kernel_ns),
    };
    let since = |then: &Instant| Nanos(now.saturating_duration_since(*then).as_nanos() as u64);
    let from = last.iter().rfind(|(then, _)| since(then) >= span.max(SPAN_MIN));
    let share = from.map(|(then, before)| {
        let in_kernel_ns =
            if is_kernel_counted && span >= SPAN_MIN { taken.in_kernel_ns - before.in_kernel_ns } else { 0 };
        (taken.outside_kernel_ns - before.outside_kernel_ns + in_kernel_ns) as f64 / since(then).0 as f64
    });
    last.push_back((now, taken));
    if last.len() > LOOKS {
        last.pop_front();
    }
    share.map(|share| share.min(1.0))
}

/// So far.
fn taken() -> Option<Taken> {
    let [own_user, own_kernel] = own_ticks(&std::fs::read_to_string("/proc/self/stat").ok()?)?;
    let all = Ticks::of(&std::fs::read_to_string("/proc/stat").ok()?)?;
    let mean_ns = |ticks: u64| (u128::from(ticks) * u128::from(TICK_NS) / u128::from(all.processors)) as u64;
    Some(Taken {
        outside_kernel_ns: mean_ns((all.user + all.stolen).saturating_sub(own_user)),
        in_kernel_ns: mean_ns(all.kernel.saturating_sub(own_kernel)),
    })
}

/// Fields 14 and 15 of `/proc/PID/stat`: outside of the kernel and in it. The name before may hold spaces and
/// brackets.
fn own_ticks(stat: &str) -> Option<[u64; 2]> {
    let (_, behind_name) = stat.rsplit_once(") ")?;
    let mut fields = behind_name.split(' ').skip(11).map(str::parse);
    Some([fields.next()?.ok()?, fields.next()?.ok()?])
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
        assert_eq!(
            Ticks::of(stat),
            Some(Ticks { user: 120, kernel: 30, stolen: 8, all: 576, processors: 2 })
        );
        assert_eq!(Ticks::of("cpu  1 2 3\n"), None);
        assert_eq!(own_ticks("7 (a) b) R 1 7 7 0 -1 4194304 90 0 0 0 42 13 0 0 20"), Some([42, 13]));
    }

    fn ticks() -> Ticks {
        Ticks::of(&std::fs::read_to_string("/proc/stat").unwrap()).unwrap()
    }

    /// Time of children that have ended, outside of the kernel and in it, in ticks: fields 16 and 17.
    fn of_children() -> [u64; 2] {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        let mut fields =
            stat.rsplit_once(") ").unwrap().1.split(' ').skip(13).map(|field| field.parse().unwrap());
        [fields.next().unwrap(), fields.next().unwrap()]
    }

    /// The kernel's own account of a child is the oracle. Others may be at work beside a test, so it is a
    /// lower bound.
    #[test]
    fn another_program_is_seen_for_as_long_as_it_was_busy() {
        let computes = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
        let copies = "dd if=/dev/zero of=/dev/null bs=1M count=6000 2>/dev/null";
        for (place, busy) in [computes, copies].into_iter().enumerate() {
            let of = |taken: Taken| [taken.outside_kernel_ns, taken.in_kernel_ns][place];
            let (before_ns, before) = (of(taken().unwrap()), of_children()[place]);
            assert!(Command::new("sh").args(["-c", busy]).status().unwrap().success());
            let own_ns = (of_children()[place] - before) * TICK_NS;
            let seen_ns = of(taken().unwrap()).saturating_sub(before_ns) * ticks().processors;
            assert!(own_ns >= 5 * TICK_NS, "the child is to be busy for a while, not {own_ns} ns");
            assert!(seen_ns + 3 * TICK_NS >= own_ns, "{seen_ns} ns seen of {own_ns} ns");
        }
    }

    /// All user time less that of this thread is an upper bound.
    #[test]
    fn ones_own_time_is_not_that_of_others() {
        let cpu_ns = || {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        };
        let (before_ns, before) = (taken().unwrap().outside_kernel_ns, ticks());
        let began_ns = cpu_ns();
        while cpu_ns() - began_ns < 500_000_000 {
            (0..100_000).for_each(|number| {
                black_box(number);
            });
        }
        let (seen_ns, after) = (taken().unwrap().outside_kernel_ns.saturating_sub(before_ns), ticks());
        let all_ns = (after.user + after.stolen - before.user - before.stolen) * TICK_NS;
        let others_ns_max = all_ns.saturating_sub(500_000_000) + 5 * TICK_NS;
        assert!(seen_ns * after.processors <= others_ns_max, "{seen_ns} ns; {others_ns_max} ns at most");
    }

    /// What was busy before a run belongs to it only where the run is too short to tell.
    #[test]
    fn a_share_is_that_of_the_time_asked_for() {
        let wait = |ms| std::thread::sleep(std::time::Duration::from_millis(ms));
        others_share(Nanos::ZERO, false);
        wait(250);
        let (whole, short) = (others_share(Nanos::from_ms(240), false), others_share(Nanos::ZERO, false));
        let [whole, short] = [whole, short].map(|share| share.expect("a quarter of a second is enough"));
        assert!((0.0..=1.0).contains(&whole) && (short - whole).abs() < 0.2, "{whole} and {short}");
        assert_eq!(others_share(Nanos::from_s(1_000_000), true), None, "no look is that old");
    }
}
