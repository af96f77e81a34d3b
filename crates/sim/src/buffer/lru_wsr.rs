//! LRU-WSR: LRU with write sequence reordering (Jung et al. 2008). A dirty page at the tail gets a second
//! chance: it is called cold and goes to the head once more. A clean page, and a cold one, leaves.
//!
//! A page that is accessed is cold no more. Every page is put off once at most, so a victim is always found.

use super::recency::{ORDER, Order, Recency, Rule};

/// Pages in one list.
pub type LruWsr = Recency<SecondChance>;

const WARM: u8 = 0;
const COLD: u8 = 1;

/// The last one that is clean or cold leaves.
#[derive(Clone, Debug)]
pub enum SecondChance {}

impl Rule for SecondChance {
    const NAME: &'static str = "lru-wsr";

    #[inline]
    fn victim(Order { pages, list }: &mut Order) -> u32 {
        loop {
            let last = list.last(ORDER);
            if pages.mark(last) == COLD || !pages.is_dirty(last) {
                return last;
            }
            pages.set_mark(last, COLD);
            list.move_first(ORDER, last);
        }
    }

    #[inline]
    fn used(Order { pages, .. }: &mut Order, node: u32) {
        pages.set_mark(node, WARM);
    }
}
