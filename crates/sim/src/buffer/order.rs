//! Least recently written: the order of blocks, or of single pages, that have a header in [`super::blocks`].

use serde::{Deserialize, Serialize};

use super::list::Lists;

/// What has its own place in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unit {
    /// Blocks: any page of one stands for it.
    #[default]
    Block,
    /// Pages.
    Page,
}

/// Blocks or pages in one list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    list: Lists,
    /// Nodes that a header has: one, or one for each of its pages.
    per_header: u32,
}

const LIST: u32 = 0;

impl Order {
    pub(super) fn of(unit: Unit, headers: u32, pages_per_block: u32) -> Order {
        let per_header = if unit == Unit::Block { 1 } else { pages_per_block };
        Order { list: Lists::new(1, headers * per_header), per_header }
    }

    #[inline]
    fn node(&self, header: u32, page: u32) -> u32 {
        header * self.per_header + page.min(self.per_header - 1)
    }

    /// Header and page of the least recent one; page 0 stands for a block. There must be one.
    #[inline]
    pub(super) fn least_recent(&self) -> (u32, u32) {
        let node = self.list.last(LIST);
        (node / self.per_header, node % self.per_header)
    }

    /// Takes in what has no place yet, as the most recent.
    #[inline]
    pub(super) fn push_first(&mut self, header: u32, page: u32) {
        self.list.push_first(LIST, self.node(header, page));
    }

    /// It was written.
    #[inline]
    pub(super) fn move_first(&mut self, header: u32, page: u32) {
        self.list.move_first(LIST, self.node(header, page));
    }

    /// It leaves next.
    #[inline]
    pub(super) fn move_last(&mut self, header: u32, page: u32) {
        let node = self.node(header, page);
        self.list.unlink(node);
        self.list.push_last(LIST, node);
    }

    #[inline]
    pub(super) fn unlink(&mut self, header: u32, page: u32) {
        self.list.unlink(self.node(header, page));
    }
}
