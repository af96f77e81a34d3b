//! Power, and its loss at any flash operation.

use serde::{Deserialize, Serialize};

/// The power switch. After a cut, programs and erases have no effect that [`super::Nand::restore_power`]
/// would find; the operation at which the power went leaves a page that is used up and unreadable, or an
/// erased block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Power {
    /// Programs and erases until it goes.
    left: Option<u64>,
    off: bool,
}

impl Power {
    /// Whether it is gone.
    pub fn is_off(&self) -> bool {
        self.off
    }

    pub(super) fn cut_after(&mut self, operations: u64) {
        *self = Power { left: Some(operations), off: false };
    }

    pub(super) fn restore(&mut self) {
        *self = Power::default();
    }

    /// Counts one operation; true if the power goes in the midst of it.
    pub(super) fn strikes(&mut self) -> bool {
        match &mut self.left {
            Some(0) => {
                *self = Power { left: None, off: true };
                true
            }
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }
}
