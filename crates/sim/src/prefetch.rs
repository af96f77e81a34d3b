//! Asking the processor for memory ahead of its use: the one place of this crate with `unsafe` in it.
#![allow(unsafe_code, reason = "the instruction is an unsafe intrinsic")]

/// Brings the line of `items[index]` into the cache. Nothing happens if there is no such item, or on a
/// processor other than x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction; it reads nothing that the program could see,
        // and the address is that of a living item.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}
