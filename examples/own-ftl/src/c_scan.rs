//! A write buffer: pages leave in the order of their addresses, upwards and round again, a few at a time.

use std::collections::BTreeMap;

use flashscope_sim::SimError;
use flashscope_sim::buffer::{BufferSetup, Evictions, WriteBuffer};
use flashscope_sim::nand::{Lpn, Token};
use serde::{Deserialize, Serialize};

/// Settings of a [`CScan`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CScanOptions {
    /// Pages that leave when one needs room.
    pub pages_at_once: u32,
}

/// Pages by address, all of them dirty.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CScan {
    pages: BTreeMap<Lpn, Token>,
    pages_max: usize,
    /// Where the next page to leave is looked for.
    hand: Lpn,
    pages_at_once: u32,
}

impl CScan {
    fn evict(&mut self, out: &mut Evictions) {
        let next = self.pages.range(self.hand..).next().or_else(|| self.pages.first_key_value());
        if let Some((&lpn, &token)) = next {
            self.pages.remove(&lpn);
            self.hand = lpn + 1;
            out.write(lpn, token);
            out.victims += 1;
        }
    }
}

impl WriteBuffer for CScan {
    const NAME: &'static str = "c-scan";
    type Options = CScanOptions;

    fn new(setup: &BufferSetup<'_>, options: &CScanOptions) -> Result<CScan, SimError> {
        if options.pages_at_once == 0 {
            return Err(SimError::setting("pages_at_once", "is 0", "use 1 or more"));
        }
        let (pages_max, pages_at_once) = (setup.pages as usize, options.pages_at_once);
        Ok(CScan { pages: BTreeMap::new(), pages_max, hand: 0, pages_at_once })
    }

    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        let known = self.pages.contains_key(&lpn);
        if !known && self.pages.len() == self.pages_max {
            (0..self.pages_at_once).for_each(|_| self.evict(out));
        }
        self.pages.insert(lpn, token);
        known
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.pages.get(&lpn).copied()
    }

    fn flush(&mut self, out: &mut Evictions) {
        while !self.pages.is_empty() {
            self.evict(out);
        }
    }

    fn discard(&mut self, lpn: Lpn) {
        self.pages.remove(&lpn);
    }

    fn dirty_pages(&self) -> u32 {
        self.pages.len() as u32
    }
}
