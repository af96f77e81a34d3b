//! Batch: pages gather until there is no room; then all but the newest ones are put in place at once, in the
//! order of their addresses (paper 000, section 3.3.2: what it believes of devices that write thousands of
//! pages fast, and then rearrange for seconds).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, Token};
use crate::settings::{Settings, check_share};

/// The table `[batch]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BatchSettings {
    /// Share of the buffer, from 0 to 1, kept at an eviction: the newest pages.
    pub keep: f64,
}

impl Default for BatchSettings {
    fn default() -> BatchSettings {
        BatchSettings { keep: 0.0 }
    }
}

/// Pages in one queue.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    queue: Queue,
    /// Pages that stay.
    keep: u32,
}

/// The oldest pages leave until so many are here, in the order of their addresses.
fn leave(queue: &mut Queue, keep: u32, out: &mut Evictions) {
    let first = out.pages.len();
    queue.evict_to(keep, out);
    out.pages[first..].sort_unstable_by_key(|page| page.lpn);
}

impl WriteBuffer for Batch {
    const NAME: &'static str = "batch";
    type Options = ();

    fn new(setup: &BufferSetup<'_>, _: &()) -> Result<Batch, SimError> {
        let Settings { batch, .. } = setup.settings;
        check_share("batch.keep", batch.keep)?;
        let queue = Queue::new(setup);
        // One leaves at least, or there would be no room.
        let keep = ((batch.keep * f64::from(queue.capacity())).round() as u32).min(queue.capacity() - 1);
        Ok(Batch { queue, keep })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let keep = self.keep;
        self.queue.write(lpn, token, |queue| leave(queue, keep, out))
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.queue.read(lpn)
    }

    fn flush(&mut self, out: &mut Evictions) {
        leave(&mut self.queue, 0, out);
    }

    fn discard(&mut self, lpn: Lpn) {
        self.queue.discard(lpn);
    }

    fn dirty_pages(&self) -> u32 {
        self.queue.dirty_pages()
    }
}
