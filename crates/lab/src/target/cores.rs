//! The processors that this process may use, and threads that keep to one of them.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// One processor for each of several threads, where there are enough.
#[derive(Clone, Debug)]
pub(super) struct Cores(Vec<usize>);

impl Cores {
    /// For this many threads.
    pub fn for_threads(threads: u32) -> Cores {
        let Ok(allowed) = sched_getaffinity(None) else { return Cores(Vec::new()) };
        let cores: Vec<_> = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect();
        Cores(if cores.len() >= threads as usize { cores } else { Vec::new() })
    }

    /// Keeps the calling thread to the core of its number, if it has one. Where that is not granted the
    /// scheduler decides, as without it.
    pub fn pin(&self, thread: u16) {
        if let Some(core) = self.0.get(usize::from(thread)) {
            let mut one = CpuSet::new();
            one.set(*core);
            let _ = sched_setaffinity(None, &one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_a_core_of_its_own_or_none_has() {
        let allowed = sched_getaffinity(None).unwrap().count();
        let cores = Cores::for_threads(allowed);
        let pinned = |thread: u16| {
            let cores = cores.clone();
            let on_it = move || {
                cores.pin(thread);
                sched_getaffinity(None).unwrap()
            };
            std::thread::spawn(on_it).join().unwrap()
        };
        let sets: Vec<_> = (0..allowed as u16).map(pinned).collect();
        assert!(sets.iter().all(|set| set.count() == 1));
        let distinct = (0..CpuSet::MAX_CPU).filter(|core| sets.iter().any(|set| set.is_set(*core)));
        assert_eq!(distinct.count(), allowed as usize);
        assert!(Cores::for_threads(allowed + 1).0.is_empty());
    }
}
