//! What is between the host and the write buffer: the controller, which has to understand a command, and the
//! link, which carries its data.

use serde::{Deserialize, Serialize};

use crate::line::Line;
use crate::settings::HostSettings;

/// The controller: a command takes it `command_us`, and it works on `parallel_commands` at a time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Controller {
    command_ns: u64,
    /// When each lane is free. All commands take the same time, so the next one's lane is the oldest.
    lanes: Vec<u64>,
    next: usize,
}

impl Controller {
    pub(super) fn new(host: &HostSettings) -> Controller {
        Controller {
            command_ns: (host.command_us * 1e3).round() as u64,
            lanes: vec![0; host.parallel_commands as usize],
            next: 0,
        }
    }

    /// When a command that comes at `at` is understood. Commands come in the order of time.
    #[inline]
    pub(super) fn accept(&mut self, at: u64) -> u64 {
        if self.command_ns == 0 {
            return at;
        }
        let lane = &mut self.lanes[self.next];
        *lane = at.max(*lane) + self.command_ns;
        let accepted = *lane;
        self.next = if self.next + 1 == self.lanes.len() { 0 } else { self.next + 1 };
        accepted
    }

    /// From when on it can understand another command.
    pub(super) fn free_ns(&self) -> u64 {
        self.lanes[self.next]
    }

    pub(super) fn restart(&mut self) {
        self.lanes.fill(0);
        self.next = 0;
    }
}

/// The link, which carries data both ways at the same time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Link {
    /// Picoseconds that a byte takes; 0 without a limit.
    byte_ps: u64,
    to_device: Line,
    to_host: Line,
}

impl Link {
    pub(super) fn new(host: &HostSettings) -> Link {
        Link {
            byte_ps: if host.mb_s > 0.0 { (1e6 / host.mb_s).round() as u64 } else { 0 },
            to_device: Line::default(),
            to_host: Line::default(),
        }
    }

    /// Whether it carries everything at once.
    #[inline]
    pub(super) fn is_free(&self) -> bool {
        self.byte_ps == 0
    }

    /// When written data that may go at `ready` are in the device.
    #[inline]
    pub(super) fn carry_in(&mut self, length_bytes: u32, ready: u64) -> u64 {
        if self.byte_ps == 0 { ready } else { self.to_device.take(ready, self.data_ns(length_bytes)) }
    }

    /// When read data that are there at `ready` are with the host.
    #[inline]
    pub(super) fn carry_out(&mut self, length_bytes: u32, ready: u64) -> u64 {
        if self.byte_ps == 0 { ready } else { self.to_host.take(ready, self.data_ns(length_bytes)) }
    }

    fn data_ns(&self, length_bytes: u32) -> u64 {
        u64::from(length_bytes) * self.byte_ps / 1000
    }

    pub(super) fn restart(&mut self) {
        (self.to_device, self.to_host) = (Line::default(), Line::default());
    }
}
