//! Batch: pages gather until there is no room; then all but the newest ones are put in place at once, in the
//! order of their addresses (paper 000, section 3.3.2: what it believes of devices that write thousands of
//! pages fast, and then rearrange for seconds).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::Lists;
use super::pages::Pages;
use super::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::nand::{Lpn, NONE, Token};
use crate::settings::{Settings, check_share};

/// The table `[batch]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BatchSettings {
    /// Share of the buffer, from 0 to 1, that stays when a batch leaves: its newest pages.
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
    pages: Pages,
    order: Lists,
    /// Pages that stay.
    keep: u32,
}

const ORDER: u32 = 0;

impl Batch {
    /// The oldest pages leave until so many are here.
    fn leave(&mut self, keep: u32, out: &mut Evictions) {
        let first = out.pages.len();
        while self.pages.len() > keep {
            let node = self.order.last(ORDER);
            self.order.unlink(node);
            self.pages.evict(node, out);
            self.pages.release(node);
        }
        out.pages[first..].sort_unstable_by_key(|page| page.lpn);
    }
}

impl WriteBuffer for Batch {
    fn new(setup: &BufferSetup<'_>) -> Result<Batch, SimError> {
        let Settings { batch, .. } = setup.settings;
        check_share("batch.keep", batch.keep)?;
        let pages = Pages::new(setup, setup.pages);
        // One leaves at least, or there would be no room.
        let keep = ((batch.keep * f64::from(pages.nodes())).round() as u32).min(pages.nodes() - 1);
        Ok(Batch { order: Lists::new(1, pages.nodes()), keep, pages })
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.pages.find(lpn);
        if known != NONE {
            self.pages.write(known, token);
            return true;
        }
        if self.pages.len() == self.pages.nodes() {
            self.leave(self.keep, out);
        }
        let node = self.pages.take(lpn);
        self.order.push_first(ORDER, node);
        self.pages.write(node, token);
        false
    }

    #[inline]
    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        match self.pages.find(lpn) {
            NONE => None,
            node => Some(self.pages.token(node)),
        }
    }

    fn flush(&mut self, out: &mut Evictions) {
        self.leave(0, out);
    }

    fn discard(&mut self, lpn: Lpn) {
        let node = self.pages.find(lpn);
        if node != NONE {
            self.order.unlink(node);
            self.pages.release(node);
        }
    }

    fn dirty_pages(&self) -> u32 {
        self.pages.dirty_pages()
    }
}
