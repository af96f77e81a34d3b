//! LRU: single pages, the least recently written one leaves (paper 002, the baseline).

use super::recency::{ORDER, Order, Recency, Rule};

/// Pages in one list.
pub type Lru = Recency<Last>;

/// The last one leaves.
#[derive(Clone, Debug)]
pub enum Last {}

impl Rule for Last {
    const NAME: &'static str = "lru";

    #[inline]
    fn victim(order: &mut Order) -> u32 {
        order.list.last(ORDER)
    }
}
