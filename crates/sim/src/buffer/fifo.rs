//! FIFO: single pages leave in the order in which they came. A page that is written again keeps its place.

use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, Token};

/// Pages in one queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fifo(Queue);

impl WriteBuffer for Fifo {
    const NAME: &'static str = "fifo";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Fifo, SimError> {
        Ok(Fifo(Queue::new(setup)))
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        self.0.write(lpn, token, |queue| queue.evict(out))
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.0.read(lpn)
    }

    fn flush(&mut self, out: &mut Evictions) {
        self.0.evict_to(0, out);
    }

    fn discard(&mut self, lpn: Lpn) {
        self.0.discard(lpn);
    }

    fn dirty_pages(&self) -> u32 {
        self.0.dirty_pages()
    }
}
