//! In rounds, in which each queue gives no more commands than its weight.

use super::Arbiter;
use super::round_robin::RoundRobin;

/// Each queue in turn, while it has credit; when none of those that wait has, a round begins, and all have
/// their weight as credit.
pub(super) struct Weighted {
    turns: RoundRobin,
    weights: Vec<u32>,
    credits: Vec<u32>,
    /// Commands that wait, of queues that have credit.
    waiting: Vec<u32>,
}

impl Weighted {
    /// The last weight holds for all queues that have none.
    pub(super) fn new(queues: u32, burst: u32, weights: &[u32]) -> Weighted {
        let last = weights.last().copied().unwrap_or(1);
        let weights: Vec<u32> =
            (0..queues as usize).map(|i| weights.get(i).copied().unwrap_or(last)).collect();
        let (credits, waiting) = (weights.clone(), weights.clone());
        Weighted { turns: RoundRobin::new(burst), weights, credits, waiting }
    }

    fn look_at(&mut self, waiting: &[u32]) {
        for ((here, waiting), credit) in self.waiting.iter_mut().zip(waiting).zip(&self.credits) {
            *here = if *credit > 0 { *waiting } else { 0 };
        }
    }
}

impl Arbiter for Weighted {
    fn next(&mut self, waiting: &[u32]) -> usize {
        self.look_at(waiting);
        if self.waiting.iter().all(|waiting| *waiting == 0) {
            self.credits.clone_from(&self.weights);
            self.look_at(waiting);
        }
        let queue = self.turns.next(&self.waiting);
        self.credits[queue] -= 1;
        queue
    }
}
