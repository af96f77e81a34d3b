//! What the kernel counts of a thread: how long it ran, and how long it waited for a processor.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The counts of one thread, whoever reads them. Zero where the kernel does not say.
#[derive(Debug)]
pub(super) struct SchedStat(Option<File>);

/// Threads that are watched: to read their counts takes time, and each takes descriptors.
pub(super) const THREADS_MAX: usize = 64;

impl SchedStat {
    /// Those of the calling thread.
    pub fn own() -> SchedStat {
        SchedStat(File::open("/proc/thread-self/schedstat").ok())
    }

    /// Of a thread that nobody watches: it takes no descriptor.
    pub fn none() -> SchedStat {
        SchedStat(None)
    }

    /// For another reader.
    pub fn clone(&self) -> SchedStat {
        SchedStat(self.0.as_ref().and_then(|file| file.try_clone().ok()))
    }

    /// Nanoseconds on a processor so far; none where the kernel does not say.
    pub fn ran_ns(&self) -> Option<u64> {
        self.field(0)
    }

    /// Nanoseconds of waiting for one so far.
    pub fn waited_ns(&self) -> u64 {
        self.field(1).unwrap_or(0)
    }

    fn field(&self, number: usize) -> Option<u64> {
        let mut text = [0; 96];
        let length = self.0.as_ref()?.read_at(&mut text, 0).ok()?;
        String::from_utf8_lossy(&text[..length]).split_whitespace().nth(number)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn time_on_a_processor_is_counted_and_sleep_is_not() {
        let own = SchedStat::own();
        let Some(before) = own.ran_ns() else { return };
        let begin = Instant::now();
        std::thread::sleep(Duration::from_millis(20));
        let slept = own.clone().ran_ns().unwrap() - before;
        while begin.elapsed() < Duration::from_millis(60) {
            std::hint::spin_loop();
        }
        let (spent, waited) = (own.ran_ns().unwrap() - before, own.waited_ns());
        assert!(slept < 10_000_000, "{slept} ns of a processor while asleep");
        assert!(spent > slept && spent <= begin.elapsed().as_nanos() as u64, "{spent} ns, {waited} waited");
    }
}
