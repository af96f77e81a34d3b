//! One queue after the other.

use super::Arbiter;

/// Each queue in turn.
pub(super) struct RoundRobin {
    burst: u32,
    /// Whose turn it is, and how many commands it gave.
    turn: usize,
    given: u32,
}

impl RoundRobin {
    /// Up to `burst` commands in a turn.
    pub(super) fn new(burst: u32) -> RoundRobin {
        RoundRobin { burst, turn: 0, given: 0 }
    }
}

impl Arbiter for RoundRobin {
    fn next(&mut self, waiting: &[u32]) -> usize {
        if waiting[self.turn] == 0 || self.given == self.burst {
            let others = (self.turn + 1..waiting.len()).chain(0..=self.turn);
            self.turn = others.into_iter().find(|queue| waiting[*queue] > 0).unwrap_or(self.turn);
            self.given = 0;
        }
        self.given += 1;
        self.turn
    }
}
