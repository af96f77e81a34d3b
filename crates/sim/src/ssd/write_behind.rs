//! What is on its way from the write buffer to the flash, and when its room can be used again.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::nand::{Moment, Nand};
use crate::settings::Settings;

/// Pages that have left the buffer and may not be in the flash yet, at most `ram.write_behind` of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WriteBehind {
    pages_max: u64,
    pages: u64,
    /// The oldest first: when they are in the flash, and how many they are.
    leaving: VecDeque<(Moment, u32)>,
    /// When the room that was made last can be used. A block that leaves makes room for many writes, and none
    /// of them has it earlier than the one that made it leave.
    room_from: Moment,
}

impl WriteBehind {
    pub(super) fn new(settings: &Settings) -> WriteBehind {
        WriteBehind {
            pages_max: settings.ram.write_behind.0 / settings.nand.page.0,
            pages: 0,
            leaving: VecDeque::new(),
            room_from: Moment::START,
        }
    }

    /// When a write that needs a page and makes `pages` leave has its room: they are in the flash at
    /// `written`, and the write came at `at`.
    #[inline]
    pub(super) fn room_at(&mut self, nand: &mut Nand, pages: u32, at: Moment, written: Moment) -> Moment {
        if pages > 0 {
            let made = self.made_at(nand, pages, at, written);
            self.room_from = nand.both(self.room_from, made);
        }
        nand.both(at, self.room_from)
    }

    fn made_at(&mut self, nand: &mut Nand, pages: u32, at: Moment, written: Moment) -> Moment {
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
            room_at = nand.both(room_at, written);
        }
        room_at
    }

    /// When all of it is in the flash.
    pub(super) fn empty_at(&self, nand: &mut Nand) -> Moment {
        self.leaving.iter().fold(Moment::START, |last, (written, _)| nand.both(last, *written))
    }

    pub(super) fn restart(&mut self) {
        self.pages = 0;
        self.room_from = Moment::START;
        self.leaving.clear();
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::Bytes;

    use super::*;

    /// Room for two pages, and flash whose clock it shares.
    struct Room(WriteBehind, Nand);

    impl Room {
        fn room_at(&mut self, pages: u32, at: u64, written: u64) -> u64 {
            let Room(behind, nand) = self;
            let room = behind.room_at(nand, pages, Moment::at(at), Moment::at(written));
            nand.time_of(room)
        }
    }

    fn room_of_two_pages() -> Room {
        let mut settings = Settings::default();
        settings.ram.write_behind = Bytes(2 * settings.nand.page.0);
        let (geometry, _) = settings.geometry().expect("a good geometry");
        Room(WriteBehind::new(&settings), Nand::new(geometry, settings.timing(&geometry), false))
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
        let Room(behind, mut nand) = behind;
        assert_eq!(behind.empty_at(&mut nand), Moment::at(500));
    }
}
