//! Buffered pages one by one: the pool of nodes and the index by logical page, shared by the policies that
//! evict single pages. Orders are the policies' business. No allocation after construction.

use serde::{Deserialize, Serialize};

use super::{BufferSetup, Evictions};
use crate::nand::{Lpn, NO_TOKEN, NONE, Token};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Page {
    lpn: Lpn,
    dirty: bool,
    /// What the policy wants to remember of it.
    mark: u8,
}

/// Pages that the policy knows: those that are here, and ghosts that it only remembers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Pages {
    /// The node of each logical page.
    index: Vec<u32>,
    pages: Vec<Page>,
    /// What each node carries. Empty outside token mode.
    tokens: Vec<Token>,
    spare: Vec<u32>,
    dirty_pages: u32,
}

impl Pages {
    /// Room for `known` pages, ghosts included; never more than the device has.
    pub(super) fn new(setup: &BufferSetup<'_>, known: u32) -> Pages {
        let nodes = known.min(setup.logical_pages);
        Pages {
            index: vec![NONE; setup.logical_pages as usize],
            pages: vec![Page { lpn: NONE, dirty: false, mark: 0 }; nodes as usize],
            tokens: vec![NO_TOKEN; if setup.settings.nand.data { nodes as usize } else { 0 }],
            spare: (0..nodes).rev().collect(),
            dirty_pages: 0,
        }
    }

    /// Nodes that there are.
    pub(super) fn nodes(&self) -> u32 {
        self.pages.len() as u32
    }

    /// Nodes in use, ghosts included.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.nodes() - self.spare.len() as u32
    }

    #[inline]
    pub(super) fn dirty_pages(&self) -> u32 {
        self.dirty_pages
    }

    /// The node of a page; [`NONE`] if the policy does not know it.
    #[inline]
    pub(super) fn find(&self, lpn: Lpn) -> u32 {
        self.index[lpn as usize]
    }

    /// A node for a page that has none: clean, mark 0.
    #[inline]
    pub(super) fn take(&mut self, lpn: Lpn) -> u32 {
        let node = self.spare.pop().expect("a policy makes room first");
        self.pages[node as usize] = Page { lpn, dirty: false, mark: 0 };
        self.index[lpn as usize] = node;
        node
    }

    /// Gives a node back. What it held is forgotten.
    #[inline]
    pub(super) fn release(&mut self, node: u32) {
        let Page { lpn, dirty, .. } = self.pages[node as usize];
        self.dirty_pages -= u32::from(dirty);
        self.index[lpn as usize] = NONE;
        self.spare.push(node);
    }

    #[inline]
    pub(super) fn mark(&self, node: u32) -> u8 {
        self.pages[node as usize].mark
    }

    #[inline]
    pub(super) fn set_mark(&mut self, node: u32, mark: u8) {
        self.pages[node as usize].mark = mark;
    }

    #[inline]
    pub(super) fn is_dirty(&self, node: u32) -> bool {
        self.pages[node as usize].dirty
    }

    #[inline]
    pub(super) fn token(&self, node: u32) -> Token {
        self.tokens.get(node as usize).copied().unwrap_or(NO_TOKEN)
    }

    /// The host writes the page.
    #[inline]
    pub(super) fn write(&mut self, node: u32, token: Token) {
        let dirty = &mut self.pages[node as usize].dirty;
        self.dirty_pages += u32::from(!*dirty);
        *dirty = true;
        self.fill(node, token);
    }

    /// What the page holds in flash.
    #[inline]
    pub(super) fn fill(&mut self, node: u32, token: Token) {
        if let Some(slot) = self.tokens.get_mut(node as usize) {
            *slot = token;
        }
    }

    /// A victim: written back if it is dirty.
    #[inline]
    pub(super) fn evict(&mut self, node: u32, out: &mut Evictions) {
        out.victims += 1;
        let token = self.token(node);
        let Page { lpn, dirty, .. } = &mut self.pages[node as usize];
        if std::mem::take(dirty) {
            self.dirty_pages -= 1;
            out.write(*lpn, token);
        }
    }
}
