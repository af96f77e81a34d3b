//! No buffer: every host write goes to the flash at once.

use serde::{Deserialize, Serialize};

use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, Token};

/// Holds nothing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct NoBuffer;

impl WriteBuffer for NoBuffer {
    const NAME: &'static str = "none";
    type Options = ();

    fn new(_: &BufferSetup<'_>, _: &()) -> Result<NoBuffer, SimError> {
        Ok(NoBuffer)
    }

    #[inline]
    fn takes_writes(&self) -> bool {
        false
    }

    #[inline]
    fn write(&mut self, _: Lpn, _: Token, _: &mut Evictions) -> bool {
        false
    }

    #[inline]
    fn read(&mut self, _: Lpn) -> Option<Token> {
        None
    }

    fn flush(&mut self, _: &mut Evictions) {}

    fn discard(&mut self, _: Lpn) {}

    fn dirty_pages(&self) -> u32 {
        0
    }
}
