//! What follows when the end of something is known.

use super::super::times::Times;
use super::Events;
use super::die::insert;
use super::ring::{Id, Kind, NO_LINK, Node};

impl Events {
    #[inline]
    pub(super) fn end(&mut self, id: Id, ns: u64) {
        let Events { ring, settled, told, .. } = self;
        let request = ring.end(id, ns, |waiter, node| match node.kind {
            Kind::Request => {
                told.push_back((node.a, ns));
                node.kind = Kind::Done;
            }
            _ => settled.push(waiter),
        });
        if request != NO_LINK {
            told.push_back((request, ns));
        }
    }

    /// What waits for nothing more goes on. A die begins when all is known that is ready at the same time: it
    /// takes the oldest.
    #[inline]
    pub(super) fn settle(&mut self, times: &Times) {
        while let Some(id) = self.settled.pop() {
            let Node { kind, ns, die, a, .. } = *self.ring.get(id);
            match kind {
                Kind::Read | Kind::UrgentRead => {
                    self.dies[usize::from(die)].unready_reads -= 1;
                    self.enqueue(times, id, usize::from(die));
                    self.touched.push(die);
                }
                Kind::Program | Kind::Finish | Kind::Erase => self.touched.push(die),
                Kind::Join => self.end(id, ns),
                Kind::Later => self.end(id, ns + u64::from(a)),
                Kind::Request | Kind::Done => {}
            }
        }
        while let Some(die) = self.touched.pop() {
            self.schedule(times, usize::from(die));
        }
    }

    /// A read is ready, and waits for its die.
    #[inline]
    pub(super) fn enqueue(&mut self, times: &Times, id: Id, die: usize) {
        let ns = self.ring.get(id).ns;
        let state = &mut self.dies[die];
        if ns > self.now_ns {
            insert(&mut state.later, (ns, id));
        } else if times.scheduler.reads_first {
            self.enqueue_ready(die, id);
        } else {
            insert(&mut state.ready, id);
        }
    }
}
