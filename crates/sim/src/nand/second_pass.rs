//! Flash that is programmed in two passes, as cells of four bits are.
//!
//! The first pass brings the cells near to where they shall be; the second makes it exact, after their
//! neighbours have had their first one, which would disturb them. Both take all data, so the controller keeps
//! them so long, and answers reads. What is between its passes when the power goes is taken to survive there.

use serde::{Deserialize, Serialize};

use super::geometry::NandSettings;

/// The second pass of the groups of a block.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct SecondPass {
    pub ns: u64,
    /// The group that a program makes ready is so many before its own.
    behind: u32,
    /// The next group on the same die is so many ahead.
    step: u32,
    groups: u32,
}

impl SecondPass {
    /// None if there is one pass.
    pub(super) fn new(nand: &NandSettings, group_pages: u32, dies_in_set: u32) -> Option<SecondPass> {
        let groups = nand.pages_per_block * nand.stripe_blocks() / group_pages;
        let second = SecondPass {
            ns: (nand.second_program_us * 1e3).round() as u64,
            behind: nand.second_program_after.saturating_mul(dies_in_set),
            step: dies_in_set,
            groups,
        };
        (second.ns > 0).then_some(second)
    }

    /// How many groups have their second pass after the first one of `group`: one, or all that are left on
    /// its die if it is the last one of the block there.
    pub(super) fn passes_after(&self, group: u32) -> u32 {
        let is_last = group + self.step >= self.groups;
        let before = group.min(self.behind) / self.step;
        match is_last {
            true => before + 1,
            false => u32::from(group >= self.behind),
        }
    }

    /// The group of which the first pass is followed by the second of `group`.
    pub(super) fn finishes(&self, group: u32) -> u32 {
        let last = group + (self.groups - 1 - group) / self.step * self.step;
        last.min(group.saturating_add(self.behind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each group has its second pass once, after the group that [`SecondPass::finishes`] names.
    #[test]
    fn every_group_of_a_block_has_one_second_pass() {
        for (groups, step, after) in
            [(8, 1, 1), (8, 1, 3), (12, 4, 1), (12, 4, 5), (7, 2, 2), (3, 4, 1), (1, 1, 1)]
        {
            let second = SecondPass { ns: 1, behind: after * step, step, groups };
            let mut passed = vec![false; groups as usize];
            for group in 0..groups {
                let ready: Vec<u32> = (0..=group)
                    .filter(|&earlier| (group - earlier) % step == 0 && second.finishes(earlier) == group)
                    .collect();
                assert_eq!(ready.len() as u32, second.passes_after(group), "{second:?}, group {group}");
                for earlier in ready {
                    assert!(!std::mem::replace(&mut passed[earlier as usize], true));
                }
            }
            assert!(passed.into_iter().all(|passed| passed), "{second:?}");
        }
    }
}
