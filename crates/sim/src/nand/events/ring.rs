//! What is not done yet, by running number: operations of the flash, and what waits for them.

use serde::{Deserialize, Serialize};

use super::agenda::NEVER;

/// The running number of a node.
pub(super) type Id = u64;

/// No node. A link is the low bits of a number and, in its lowest bit, at which of the two places of that
/// node the list goes on.
pub(super) const NO_LINK: u32 = u32::MAX;
const ID_MASK: u64 = (1 << 31) - 1;
/// Nodes that there is room for at first.
const ROOM: usize = 256;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub(super) enum Kind {
    /// Reads a page of group `b` of block `a`.
    Read,
    /// The same where such reads go first.
    UrgentRead,
    /// Takes a page, and programs for `a` ns then.
    Program,
    /// Programs what is in the register, for `b` ns.
    Finish,
    /// Erases a part of a block for `b` ns, on one die; `a` leads to the node of the whole.
    Erase,
    /// Is done with the last of the `b` ends that it waits for.
    Join,
    /// Is done `a` ns after what it waits for.
    Later,
    /// Reports the end of request number `a`.
    Request,
    /// Done, at `ns`.
    Done,
}

/// A node; 32 bytes, half a line of the cache.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Node {
    /// When it is ready, once that is known; when it is done, once it is. Of a join: the latest end so far.
    pub ns: u64,
    /// The first node that waits for this one.
    waiters: u32,
    /// The next ones that wait for what this one waits for. A node that is no join waits for one thing only;
    /// its second place has the number of the request whose end is reported with its own.
    next: [u32; 2],
    pub a: u32,
    pub b: u32,
    pub die: u16,
    pub kind: Kind,
}

impl Node {
    pub(super) fn new(kind: Kind, die: usize, a: u32, b: u32) -> Node {
        let next = [NO_LINK; 2];
        Node { ns: NEVER, waiters: NO_LINK, next, a, b, die: die as u16, kind }
    }

    /// One thing that it waits for ended. True if it was the last.
    #[inline]
    pub(super) fn one_ended(&mut self, ns: u64) -> bool {
        if self.kind != Kind::Join {
            self.ns = ns;
            return true;
        }
        self.ns = self.ns.max(ns);
        self.b -= 1;
        self.b == 0
    }
}

/// The first place of a node.
#[inline]
pub(super) fn link_to(id: Id) -> u32 {
    ((id & ID_MASK) as u32) << 1
}

/// Nodes from the oldest that may still be asked for to the newest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ring {
    /// A power of two of them; number `id` is at `id & (len - 1)`.
    nodes: Vec<Node>,
    first: Id,
    next: Id,
    /// All that left the ring had ended by then.
    past_ns: u64,
}

impl Ring {
    pub(super) fn new() -> Ring {
        let done = Node::new(Kind::Done, 0, 0, 0);
        Ring { nodes: vec![done; ROOM], first: 1, next: 1, past_ns: 0 }
    }

    #[inline]
    pub(super) fn get(&mut self, id: Id) -> &mut Node {
        let mask = self.nodes.len() as u64 - 1;
        &mut self.nodes[(id & mask) as usize]
    }

    /// When it ended; none if that is not known. What has left the ring lies in the past, and is said to have
    /// ended when the last of all that have left it did.
    #[inline]
    pub(super) fn end_of(&self, id: Id) -> Option<u64> {
        if id < self.first {
            return Some(self.past_ns);
        }
        let node = &self.nodes[(id & (self.nodes.len() as u64 - 1)) as usize];
        (node.kind == Kind::Done).then_some(node.ns)
    }

    /// Adds a node; `now` is the time that has been reached.
    #[inline]
    pub(super) fn push(&mut self, node: Node, now: u64) -> Id {
        if self.next - self.first == self.nodes.len() as u64 {
            self.make_room(now);
        }
        let id = self.next;
        self.next += 1;
        *self.get(id) = node;
        if id & ID_MASK == ID_MASK {
            // A link to it would look like none.
            (self.get(id).kind, self.get(id).ns) = (Kind::Done, now);
            return self.push(node, now);
        }
        id
    }

    /// Lets go of what is past, and grows if that is less than a quarter.
    #[cold]
    fn make_room(&mut self, now: u64) {
        let end = self.next;
        while self.first < end
            && let Some(ns) = self.end_of(self.first)
            && ns <= now
        {
            self.past_ns = self.past_ns.max(ns);
            self.first += 1;
        }
        let len = self.nodes.len() as u64;
        if end - self.first <= len - len / 4 {
            return;
        }
        let mut nodes = self.nodes.clone();
        nodes.extend_from_slice(&self.nodes);
        for id in self.first..end {
            nodes[(id & (2 * len - 1)) as usize] = self.nodes[(id & (len - 1)) as usize];
        }
        self.nodes = nodes;
    }

    /// Lets `waiter` wait for `id`, at its place 0 or 1. Each place waits for one.
    #[inline]
    pub(super) fn wait(&mut self, waiter: Id, place: u32, id: Id) {
        let link = link_to(waiter) | place;
        let next = std::mem::replace(&mut self.get(id).waiters, link);
        let node = self.get(waiter);
        node.next[place as usize] = next;
        if node.kind == Kind::Join {
            node.b += 1;
        }
    }

    /// The end of `id` is to be reported as that of request number `request`; false if it has no room for
    /// that.
    #[inline]
    pub(super) fn tell(&mut self, id: Id, request: u32) -> bool {
        let node = self.get(id);
        let is_free = node.kind != Kind::Join && node.next[1] == NO_LINK;
        if is_free {
            node.next[1] = request;
        }
        is_free
    }

    /// It ended: `each` is shown all that waited for it and waits for nothing more, the first one first.
    /// Returns the request whose end that is, or [`NO_LINK`].
    #[inline]
    pub(super) fn end(&mut self, id: Id, ns: u64, mut each: impl FnMut(Id, &mut Node)) -> u32 {
        let node = self.get(id);
        let request = if node.kind == Kind::Join { NO_LINK } else { node.next[1] };
        (node.kind, node.ns) = (Kind::Done, ns);
        let mut link = std::mem::replace(&mut node.waiters, NO_LINK);
        if link == NO_LINK {
            return request;
        }
        link = self.reversed(link);
        while link != NO_LINK {
            let (waiter, place) = self.at(link);
            let node = self.get(waiter);
            link = node.next[place];
            if node.one_ended(ns) {
                each(waiter, node);
            }
        }
        request
    }

    /// The list of waiters begins with the newest; this is the other way round.
    #[inline]
    fn reversed(&mut self, mut link: u32) -> u32 {
        let mut before = NO_LINK;
        while link != NO_LINK {
            let (waiter, place) = self.at(link);
            let next = std::mem::replace(&mut self.get(waiter).next[place], before);
            before = std::mem::replace(&mut link, next);
        }
        before
    }

    /// The node of a link. All nodes are within 2^31 numbers of the oldest.
    #[inline]
    pub(super) fn at(&self, link: u32) -> (Id, usize) {
        let low = u64::from(link >> 1);
        (self.first + (low.wrapping_sub(self.first) & ID_MASK), (link & 1) as usize)
    }
}
