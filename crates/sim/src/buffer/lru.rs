//! LRU: single pages, the least recently written one leaves (paper 002, the baseline).

use serde::{Deserialize, Serialize};

use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    previous: u32,
    next: u32,
    lpn: Lpn,
    token: Token,
}

/// Pages in one list. Reads do not change the order: it is a write buffer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lru {
    /// Node of each logical page.
    index: Vec<u32>,
    /// Node 0 is the head of the ring.
    nodes: Vec<Node>,
    capacity: u32,
    spare: Vec<u32>,
}

const RING: u32 = 0;

impl Lru {
    #[inline]
    fn unlink(&mut self, node: u32) {
        let Node { previous, next, .. } = self.nodes[node as usize];
        self.nodes[previous as usize].next = next;
        self.nodes[next as usize].previous = previous;
    }

    #[inline]
    fn link_first(&mut self, node: u32) {
        let next = self.nodes[RING as usize].next;
        (self.nodes[node as usize].previous, self.nodes[node as usize].next) = (RING, next);
        self.nodes[next as usize].previous = node;
        self.nodes[RING as usize].next = node;
    }

    #[inline]
    fn evict(&mut self, out: &mut Evictions) -> u32 {
        let node = self.nodes[RING as usize].previous;
        let Node { lpn, token, .. } = self.nodes[node as usize];
        self.unlink(node);
        self.index[lpn as usize] = NONE;
        out.victims += 1;
        out.write(lpn, token);
        node
    }
}

impl WriteBuffer for Lru {
    fn new(setup: &BufferSetup<'_>) -> Result<Lru, SimError> {
        let ring = Node { previous: RING, next: RING, lpn: NONE, token: 0 };
        let mut nodes = Vec::with_capacity(setup.pages as usize + 1);
        nodes.push(ring);
        Ok(Lru {
            index: vec![NONE; setup.logical_pages as usize],
            nodes,
            capacity: setup.pages,
            spare: Vec::new(),
        })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.index[lpn as usize];
        if known != NONE {
            self.nodes[known as usize].token = token;
            self.unlink(known);
            self.link_first(known);
            return true;
        }
        let node = if let Some(node) = self.spare.pop() {
            node
        } else if self.nodes.len() as u32 <= self.capacity {
            self.nodes.push(Node { previous: RING, next: RING, lpn, token });
            self.nodes.len() as u32 - 1
        } else {
            self.evict(out)
        };
        (self.nodes[node as usize].lpn, self.nodes[node as usize].token) = (lpn, token);
        self.index[lpn as usize] = node;
        self.link_first(node);
        false
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        match self.index[lpn as usize] {
            NONE => None,
            node => Some(self.nodes[node as usize].token),
        }
    }

    fn flush(&mut self, out: &mut Evictions) {
        while self.nodes[RING as usize].previous != RING {
            let node = self.evict(out);
            self.spare.push(node);
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        let node = std::mem::replace(&mut self.index[lpn as usize], NONE);
        if node != NONE {
            self.unlink(node);
            self.spare.push(node);
        }
    }

    fn dirty_pages(&self) -> u32 {
        (self.nodes.len() - 1 - self.spare.len()) as u32
    }
}
