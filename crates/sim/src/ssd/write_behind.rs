//! What is on its way from the write buffer to the flash, and when its room can be used again.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// Pages that have left the buffer and may not be in the flash yet, at most `ram.write_behind` of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WriteBehind {
    pages_max: u64,
    pages: u64,
    /// The oldest first: when they are in the flash, and how many they are.
    leaving: VecDeque<(u64, u32)>,
    /// When the room that was made last can be used. A block that leaves makes room for many writes, and none
    /// of them has it earlier than the one that made it leave.
    room_from: u64,
}

impl WriteBehind {
    pub(super) fn new(settings: &Settings) -> WriteBehind {
        WriteBehind {
            pages_max: settings.ram.write_behind.0 / settings.nand.page.0,
            pages: 0,
            leaving: VecDeque::new(),
            room_from: 0,
        }
    }

    /// When a write that needs a page and makes `pages` leave has its room: they are in the flash at
    /// `written`, and the write came at `at`.
    #[inline]
    pub(super) fn room_at(&mut self, pages: u32, at: u64, written: u64) -> u64 {
        if pages > 0 {
            self.room_from = self.room_from.max(self.made_at(pages, at, written));
        }
        at.max(self.room_from)
    }

    fn made_at(&mut self, pages: u32, at: u64, written: u64) -> u64 {
        if self.pages_max == 0 {
            return written;
        }
        self.leaving.push_back((written, pages));
        self.pages += u64::from(pages);
        let mut room_at = at;
        while self.pages > self.pages_max
            && let Some((written, pages)) = self.leaving.pop_front()
        {
            self.pages -= u64::from(pages);
            room_at = room_at.max(written);
        }
        room_at
    }

    /// When all of it is in the flash.
    pub(super) fn empty_at(&self) -> u64 {
        self.leaving.iter().map(|(written, _)| *written).max().unwrap_or(0)
    }

    pub(super) fn restart(&mut self) {
        self.pages = 0;
        self.room_from = 0;
        self.leaving.clear();
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::Bytes;

    use super::*;

    fn room_of_two_pages() -> WriteBehind {
        let mut settings = Settings::default();
        settings.ram.write_behind = Bytes(2 * settings.nand.page.0);
        WriteBehind::new(&settings)
    }

    #[test]
    fn a_write_waits_for_the_oldest_page_once_the_room_is_used_up() {
        let mut behind = room_of_two_pages();
        let rooms: Vec<u64> = (1..=4).map(|i| behind.room_at(1, 0, i * 100)).collect();
        assert_eq!(rooms, [0, 0, 100, 200]);
        assert_eq!(behind.room_at(1, 900, 1_000), 900, "what is long in the flash is waited for no more");
    }

    #[test]
    fn a_block_that_leaves_makes_room_for_no_write_before_it_is_gone() {
        let mut behind = room_of_two_pages();
        assert_eq!(behind.room_at(64, 0, 5_000), 5_000);
        assert_eq!(behind.room_at(0, 10, 10), 5_000, "it came while the block was on its way");
        assert_eq!(behind.room_at(0, 6_000, 6_000), 6_000);
    }

    #[test]
    fn a_flush_waits_for_all_of_them() {
        let mut behind = room_of_two_pages();
        behind.room_at(1, 0, 500);
        behind.room_at(1, 0, 300);
        assert_eq!(behind.empty_at(), 500);
    }
}
