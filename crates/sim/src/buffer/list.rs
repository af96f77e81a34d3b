//! Doubly linked lists in one pool of nodes, for the orders that the policies keep. No allocation after
//! construction; every operation takes constant time.

use serde::{Deserialize, Serialize};

use crate::nand::NONE;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Link {
    previous: u32,
    next: u32,
}

/// Lists of nodes `0..nodes`, each of which is in one list at most. First means most recent, last is what
/// leaves next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lists {
    /// The nodes, and behind them a ring's anchor for each list: no operation asks whether a list is empty.
    links: Vec<Link>,
    nodes: u32,
}

impl Lists {
    pub(super) fn new(lists: u32, nodes: u32) -> Lists {
        Lists { links: (0..nodes + lists).map(|i| Link { previous: i, next: i }).collect(), nodes }
    }

    #[inline]
    pub(super) fn unlink(&mut self, node: u32) {
        let Link { previous, next } = self.links[node as usize];
        self.links[previous as usize].next = next;
        self.links[next as usize].previous = previous;
    }

    #[inline]
    pub(super) fn push_first(&mut self, list: u32, node: u32) {
        self.insert_after(self.nodes + list, node);
    }

    #[inline]
    pub(super) fn push_last(&mut self, list: u32, node: u32) {
        let anchor = self.nodes + list;
        self.insert_after(self.links[anchor as usize].previous, node);
    }

    #[inline]
    pub(super) fn move_first(&mut self, list: u32, node: u32) {
        self.unlink(node);
        self.push_first(list, node);
    }

    /// Puts `node` behind `place`, towards the last.
    #[inline]
    pub(super) fn insert_after(&mut self, place: u32, node: u32) {
        let next = self.links[place as usize].next;
        self.links[node as usize] = Link { previous: place, next };
        self.links[next as usize].previous = node;
        self.links[place as usize].next = node;
    }

    /// The last node of a list; [`NONE`] if it is empty.
    #[inline]
    pub(super) fn last(&self, list: u32) -> u32 {
        self.before(self.nodes + list)
    }

    /// The node before `node`, towards the first; [`NONE`] if it is the first.
    #[inline]
    pub(super) fn before(&self, node: u32) -> u32 {
        let previous = self.links[node as usize].previous;
        if previous < self.nodes { previous } else { NONE }
    }
}
