//! One next event for each die, and which is the first: a tournament of which every match is remembered.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    ns: u64,
    die: u32,
}

/// A tree of winners. The leaves are the dies; above two of them is the one that comes first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Agenda {
    /// The winner of all is at 1, the children of `i` are at `2 i` and `2 i + 1`.
    tree: Vec<Entry>,
}

/// Nothing will happen.
pub(super) const NEVER: u64 = u64::MAX;

impl Agenda {
    pub(super) fn new(dies: usize) -> Agenda {
        let leaves = dies.next_power_of_two();
        let mut tree = vec![Entry { ns: NEVER, die: 0 }; 2 * leaves];
        for (die, leaf) in (0..).zip(&mut tree[leaves..]) {
            leaf.die = die;
        }
        for i in (1..leaves).rev() {
            tree[i] = tree[2 * i];
        }
        Agenda { tree }
    }

    /// When the next event is, and of which die; the lower number first.
    #[inline]
    pub(super) fn first(&self) -> (u64, usize) {
        let Entry { ns, die } = self.tree[1];
        (ns, die as usize)
    }

    #[inline]
    pub(super) fn of(&self, die: usize) -> u64 {
        self.tree[self.tree.len() / 2 + die].ns
    }

    #[inline]
    pub(super) fn set(&mut self, die: usize, ns: u64) {
        let mut i = self.tree.len() / 2 + die;
        let tree = &mut self.tree[..];
        tree[i].ns = ns;
        while i > 1 {
            i /= 2;
            let (left, right) = (tree[2 * i], tree[2 * i + 1]);
            // Selected, not branched to: who wins cannot be foreseen.
            let is_left = left.ns <= right.ns;
            let ns = if is_left { left.ns } else { right.ns };
            let die = if is_left { left.die } else { right.die };
            tree[i] = Entry { ns, die };
        }
    }
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;

    #[test]
    fn the_first_is_the_least_of_all() {
        for (seed, dies) in (0..).zip([1, 2, 3, 8, 60, 64, 100]) {
            let mut random = Random::new(seed);
            let (mut agenda, mut times) = (Agenda::new(dies), vec![NEVER; dies]);
            for _ in 0..2_000 {
                let die = random.below(dies as u64) as usize;
                times[die] = if random.below(4) == 0 { NEVER } else { random.below(50) };
                agenda.set(die, times[die]);
                let least = *times.iter().min().expect("there are dies");
                let first = times.iter().position(|ns| *ns == least).expect("it is one of them");
                assert_eq!(agenda.first().0, least, "{dies} dies, seed {seed}");
                assert!(least == NEVER || agenda.first().1 == first, "{dies} dies, seed {seed}");
            }
        }
    }
}
