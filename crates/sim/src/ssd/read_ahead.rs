//! Reading ahead: after a read that begins where the last one ended, the pages behind it are read too, while
//! its data travel to the host. Any write drops what was read ahead.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::nand::{Lpn, PageRead};
use crate::settings::Settings;

/// Pages that were read before they were asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ReadAhead {
    pages_max: u32,
    /// Where a read goes on in order.
    next: Lpn,
    /// The first page that is held; the others follow.
    first: Lpn,
    held: VecDeque<PageRead>,
}

impl ReadAhead {
    pub(super) fn new(settings: &Settings) -> ReadAhead {
        let pages_max = (settings.ram.read_ahead.0 / settings.nand.page.0).min(u64::from(u32::MAX)) as u32;
        ReadAhead { pages_max, next: 0, first: 0, held: VecDeque::new() }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.pages_max > 0
    }

    /// The page, if it was read ahead. It is held until a later one is asked for: reads may be smaller.
    pub(super) fn take(&mut self, lpn: Lpn) -> Option<PageRead> {
        while self.first < lpn && self.held.pop_front().is_some() {
            self.first += 1;
        }
        self.held.front().copied().filter(|_| self.first == lpn)
    }

    /// A read of these pages is served. The pages to read now, none unless it went on in order.
    pub(super) fn after(&mut self, first: Lpn, last: Lpn, logical_pages: u32) -> std::ops::Range<Lpn> {
        let in_order = first == self.next || first + 1 == self.next;
        self.next = last + 1;
        if !in_order || self.held.is_empty() {
            self.held.clear();
            self.first = self.next;
        }
        let end = if in_order { self.next.saturating_add(self.pages_max).min(logical_pages) } else { 0 };
        self.first + self.held.len() as u32..end
    }

    /// The page after those that are held.
    pub(super) fn push(&mut self, read: PageRead) {
        self.held.push_back(read);
    }

    #[inline]
    pub(super) fn drop_all(&mut self) {
        if self.pages_max > 0 {
            self.held.clear();
        }
    }
}
