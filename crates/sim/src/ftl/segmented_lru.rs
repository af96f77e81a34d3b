//! A cache directory in two segments, each in order of use: what came in once, and what was used again.
//!
//! A page comes into the *probationary* segment. Used again it moves to the *protected* one, whose oldest
//! page goes back when it is full. The victim is the oldest probationary page (reference: Karedla, Love,
//! Wherry 1994).

use serde::{Deserialize, Serialize};

use crate::nand::{Lpn, NONE};

const PROBATIONARY: usize = 0;
const PROTECTED: usize = 1;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    lpn: Lpn,
    newer: u32,
    older: u32,
    segment: usize,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Segment {
    newest: u32,
    oldest: u32,
    len: u32,
}

/// Which logical pages are cached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SegmentedLru {
    /// The node of each page.
    node_of: Vec<u32>,
    nodes: Vec<Node>,
    vacant: Vec<u32>,
    segments: [Segment; 2],
    capacity: u32,
}

impl SegmentedLru {
    /// Room for `capacity` of `logical_pages` pages; half of it can be protected.
    pub fn new(capacity: u32, logical_pages: u32) -> SegmentedLru {
        SegmentedLru {
            node_of: vec![NONE; logical_pages as usize],
            nodes: Vec::new(),
            vacant: Vec::new(),
            segments: [Segment { newest: NONE, oldest: NONE, len: 0 }; 2],
            capacity,
        }
    }

    /// Pages that it has room for.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    pub fn has(&self, lpn: Lpn) -> bool {
        self.node_of[lpn as usize] != NONE
    }

    pub fn is_full(&self) -> bool {
        self.segments[PROBATIONARY].len + self.segments[PROTECTED].len >= self.capacity
    }

    /// Uses a page. False if it is not there.
    pub fn touch(&mut self, lpn: Lpn) -> bool {
        let node = self.node_of[lpn as usize];
        if node == NONE {
            return false;
        }
        self.unlink(node);
        self.link(node, PROTECTED);
        if self.segments[PROTECTED].len > self.capacity / 2 {
            let oldest = self.segments[PROTECTED].oldest;
            self.unlink(oldest);
            self.link(oldest, PROBATIONARY);
        }
        true
    }

    /// Takes in a page that is not there.
    pub fn insert(&mut self, lpn: Lpn) {
        let node = self.vacant.pop().unwrap_or(self.nodes.len() as u32);
        if node as usize == self.nodes.len() {
            self.nodes.push(Node { lpn, newer: NONE, older: NONE, segment: PROBATIONARY });
        }
        self.nodes[node as usize].lpn = lpn;
        self.node_of[lpn as usize] = node;
        self.link(node, PROBATIONARY);
    }

    /// Takes out the victim.
    pub fn evict(&mut self) -> Option<Lpn> {
        let oldest = self.segments.iter().map(|segment| segment.oldest).find(|&oldest| oldest != NONE)?;
        self.unlink(oldest);
        self.vacant.push(oldest);
        let lpn = self.nodes[oldest as usize].lpn;
        self.node_of[lpn as usize] = NONE;
        Some(lpn)
    }

    fn unlink(&mut self, node: u32) {
        let Node { newer, older, segment, .. } = self.nodes[node as usize];
        let ends = &mut self.segments[segment];
        ends.len -= 1;
        match newer {
            NONE => ends.newest = older,
            _ => self.nodes[newer as usize].older = older,
        }
        match older {
            NONE => ends.oldest = newer,
            _ => self.nodes[older as usize].newer = newer,
        }
    }

    fn link(&mut self, node: u32, segment: usize) {
        let ends = &mut self.segments[segment];
        ends.len += 1;
        let older = std::mem::replace(&mut ends.newest, node);
        match older {
            NONE => ends.oldest = node,
            _ => self.nodes[older as usize].newer = node,
        }
        let Node { lpn, .. } = self.nodes[node as usize];
        self.nodes[node as usize] = Node { lpn, newer: NONE, older, segment };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_twice_outlives_what_was_used_once() {
        let mut cache = SegmentedLru::new(4, 10);
        (0..4).for_each(|lpn| cache.insert(lpn));
        assert!(cache.is_full() && cache.touch(0));
        assert_eq!((cache.evict(), cache.evict()), (Some(1), Some(2)));
        assert!(!cache.touch(1) && cache.has(0) && cache.has(3));
    }

    #[test]
    fn the_oldest_protected_page_goes_back_when_half_the_room_is_protected() {
        let mut cache = SegmentedLru::new(4, 10);
        (0..4).for_each(|lpn| cache.insert(lpn));
        assert!((0..3).all(|lpn| cache.touch(lpn)));
        // Protected: 1 and 2. Probationary, from the oldest: 3, and 0, which came back.
        let order: Vec<_> = (0..4).filter_map(|_| cache.evict()).collect();
        assert_eq!(order, [3, 0, 1, 2]);
        assert_eq!(cache.evict(), None);
    }
}
