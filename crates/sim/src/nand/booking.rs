//! Time by booking: each operation takes its die and its bus when it is asked for, and knows its end at once.
//!
//! That is exact as long as no operation is ready before another one that was asked for earlier on the same
//! die: see [`Settings::is_booking_exact`](crate::Settings::is_booking_exact). Where it is, it is fastest. It
//! knows no program beside which a die takes data.

use serde::{Deserialize, Serialize};

use super::times::{Place, Times};
use crate::line::Line;

/// What each die's register holds after a program or an erase.
pub(super) const EMPTY: (u32, u32) = (u32::MAX, u32::MAX);

/// What is busy until when.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Booking {
    pub(super) die_busy: Vec<u64>,
    pub(super) bus: Vec<Line>,
    /// The page group in each die's register: reading its other pages takes the bus alone.
    pub(super) register: Vec<(u32, u32)>,
}

impl Booking {
    pub(super) fn new(times: &Times) -> Booking {
        Booking {
            die_busy: vec![0; times.dies as usize],
            bus: vec![Line::default(); times.channels_count as usize],
            register: vec![EMPTY; times.dies as usize],
        }
    }

    pub(super) fn restart(&mut self) {
        self.die_busy.fill(0);
        self.bus.fill(Line::default());
        self.register.fill(EMPTY);
    }

    /// When the last operation so far is done.
    pub(super) fn idle_from(&self) -> u64 {
        let dies = self.die_busy.iter().copied().max().unwrap_or(0);
        dies.max(self.bus.iter().map(Line::idle_from).max().unwrap_or(0))
    }

    pub(super) fn read(&mut self, times: &Times, Place { block, group, die }: Place, at: u64) -> u64 {
        let start = self.die_busy[die].max(at);
        let held = times.group > 1 && self.register[die] == (block, group);
        self.register[die] = Place::held((block, group));
        let sensed = if held { start } else { start + times.sensing_ns(self.register[die].1) };
        let done = self.bus[times.channel(die)].take(sensed, times.transfer_ns);
        self.die_busy[die] = done;
        done
    }

    pub(super) fn program(&mut self, times: &Times, die: usize, program_ns: u64, at: u64) -> u64 {
        let sent = self.bus[times.channel(die)].take(self.die_busy[die].max(at), times.transfer_ns);
        self.register[die] = EMPTY;
        self.die_busy[die] = sent + program_ns;
        sent + program_ns
    }

    pub(super) fn erase(&mut self, times: &Times, block: u32, at: u64) -> u64 {
        let mut done = at;
        for die in times.dies_of(block) {
            done = done.max(self.occupy(die, times.erasing_ns(block), at));
        }
        done
    }

    /// A die works for so long, without its bus.
    pub(super) fn occupy(&mut self, die: usize, ns: u64, at: u64) -> u64 {
        self.die_busy[die] = self.die_busy[die].max(at) + ns;
        self.register[die] = EMPTY;
        self.die_busy[die]
    }
}
