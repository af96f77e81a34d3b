//! What the host said of the pages that a write buffer holds: their placement handles, for when they leave
//! it. Buffers know nothing of handles.

use serde::{Deserialize, Serialize};

use crate::nand::Lpn;

/// The handle of the last write to each logical page; empty where there is only one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Placements {
    of_page: Vec<u16>,
}

impl Placements {
    pub(super) fn new(placements: u16, buffers: bool, logical_pages: u32) -> Placements {
        let pages = if placements > 1 && buffers { logical_pages } else { 0 };
        Placements { of_page: vec![0; pages as usize] }
    }

    #[inline]
    pub(super) fn note(&mut self, lpn: Lpn, placement: u16) {
        if let Some(noted) = self.of_page.get_mut(lpn as usize) {
            *noted = placement;
        }
    }

    #[inline]
    pub(super) fn of(&self, lpn: Lpn) -> u16 {
        self.of_page.get(lpn as usize).copied().unwrap_or(0)
    }
}
