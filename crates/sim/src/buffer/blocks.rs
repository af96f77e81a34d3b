//! Buffered pages grouped by logical block: the two-level index of paper 002 (section 3.4, figure 6), shared
//! by the policies that evict whole blocks.
//!
//! The first level is a table of headers by logical block, the second a table in the header by page of the
//! block. A page of the second level is a bit; what it carries is stored beside it in token mode only. Orders
//! are the policies' business.

use serde::{Deserialize, Serialize};

use super::{BufferSetup, Evictions};
use crate::nand::divide::Divisor;
use crate::nand::{Lpn, NO_TOKEN, NONE, Token};

/// What a header says of its block.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Header {
    block: u32,
    /// Pages of it that are here, clean ones included.
    pages: u32,
}

/// Blocks with pages in the buffer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Blocks {
    /// The header of each logical block.
    table: Vec<u32>,
    headers: Vec<Header>,
    spare: Vec<u32>,
    /// Which pages are here: `words` words for each header.
    present: Vec<u64>,
    /// Which of them equal the flash. Empty where reads are not cached.
    clean: Vec<u64>,
    /// What they carry: a block of tokens for each header. Empty outside token mode.
    tokens: Vec<Token>,
    words: u32,
    per_block: Divisor,
    pages_per_block: u32,
    logical_pages: u32,
    pages: u32,
    clean_pages: u32,
}

impl Blocks {
    pub(super) fn new(setup: &BufferSetup<'_>, caches_reads: bool) -> Blocks {
        let BufferSetup { pages_per_block, logical_pages, .. } = *setup;
        let blocks = logical_pages.div_ceil(pages_per_block);
        let headers = setup.pages.min(blocks);
        let words = pages_per_block.div_ceil(64);
        let bits = headers as usize * words as usize;
        let tokens = if setup.settings.nand.data { headers as usize * pages_per_block as usize } else { 0 };
        Blocks {
            table: vec![NONE; blocks as usize],
            headers: vec![Header { block: NONE, pages: 0 }; headers as usize],
            spare: (0..headers).rev().collect(),
            present: vec![0; bits],
            clean: vec![0; if caches_reads { bits } else { 0 }],
            tokens: vec![NO_TOKEN; tokens],
            words,
            per_block: Divisor::new(pages_per_block),
            pages_per_block,
            logical_pages,
            pages: 0,
            clean_pages: 0,
        }
    }

    /// Whether it takes pages that equal the flash.
    pub(super) fn caches_reads(&self) -> bool {
        !self.clean.is_empty()
    }

    /// Headers that there can be.
    pub(super) fn headers_max(&self) -> u32 {
        self.headers.len() as u32
    }

    /// Headers in use.
    #[inline]
    pub(super) fn headers(&self) -> u32 {
        self.headers_max() - self.spare.len() as u32
    }

    /// Pages that are here.
    #[inline]
    pub(super) fn pages(&self) -> u32 {
        self.pages
    }

    pub(super) fn dirty_pages(&self) -> u32 {
        self.pages - self.clean_pages
    }

    /// Logical block and page of it.
    #[inline]
    pub(super) fn locate(&self, lpn: Lpn) -> (u32, u32) {
        let block = self.per_block.quotient(lpn);
        (block, lpn - block * self.pages_per_block)
    }

    /// The header of a logical block; [`NONE`] if no page of it is here.
    #[inline]
    pub(super) fn header(&self, block: u32) -> u32 {
        self.table[block as usize]
    }

    /// Pages of this block that are here.
    #[inline]
    pub(super) fn count(&self, header: u32) -> u32 {
        self.headers[header as usize].pages
    }

    /// Pages that the block has: fewer than the others for the last one of an odd device.
    #[inline]
    pub(super) fn pages_of(&self, header: u32) -> u32 {
        let first = self.headers[header as usize].block * self.pages_per_block;
        self.pages_per_block.min(self.logical_pages - first)
    }

    #[inline]
    fn bit(&self, header: u32, page: u32) -> (usize, u64) {
        ((header * self.words + page / 64) as usize, 1 << (page % 64))
    }

    /// Whether the page is here. `header` may be [`NONE`].
    #[inline]
    pub(super) fn holds(&self, header: u32, page: u32) -> bool {
        if header == NONE {
            return false;
        }
        let (word, bit) = self.bit(header, page);
        self.present[word] & bit != 0
    }

    /// A header for a block that has none.
    #[inline]
    pub(super) fn open(&mut self, block: u32) -> u32 {
        let header = self.spare.pop().expect("a header for each page or block");
        self.headers[header as usize] = Header { block, pages: 0 };
        self.table[block as usize] = header;
        header
    }

    /// Puts a page in, or something newer into a page that is here.
    #[inline]
    pub(super) fn put(&mut self, header: u32, page: u32, token: Token) {
        let (word, bit) = self.bit(header, page);
        let new = self.present[word] & bit == 0;
        self.present[word] |= bit;
        self.headers[header as usize].pages += u32::from(new);
        self.pages += u32::from(new);
        if let Some(clean) = self.clean.get_mut(word) {
            self.clean_pages -= u32::from(*clean & bit != 0);
            *clean &= !bit;
        }
        self.set_token(header, page, token);
    }

    /// Puts a page in that equals the flash.
    pub(super) fn put_clean(&mut self, header: u32, page: u32, token: Token) {
        self.put(header, page, token);
        let (word, bit) = self.bit(header, page);
        self.clean[word] |= bit;
        self.clean_pages += 1;
    }

    #[inline]
    fn set_token(&mut self, header: u32, page: u32, token: Token) {
        if !self.tokens.is_empty() {
            self.tokens[header as usize * self.pages_per_block as usize + page as usize] = token;
        }
    }

    #[inline]
    pub(super) fn token(&self, header: u32, page: u32) -> Token {
        let place = header as usize * self.pages_per_block as usize + page as usize;
        self.tokens.get(place).copied().unwrap_or(NO_TOKEN)
    }

    /// Takes out one page, which is here. The header stays, perhaps without pages.
    pub(super) fn remove(&mut self, header: u32, page: u32) {
        let (word, bit) = self.bit(header, page);
        self.present[word] &= !bit;
        self.headers[header as usize].pages -= 1;
        self.pages -= 1;
        if let Some(clean) = self.clean.get_mut(word) {
            self.clean_pages -= u32::from(*clean & bit != 0);
            *clean &= !bit;
        }
    }

    /// Writes back one page, which is here and dirty. The header leaves with its last page.
    pub(super) fn evict_page(&mut self, header: u32, page: u32, out: &mut Evictions) {
        let first = self.headers[header as usize].block * self.pages_per_block;
        out.write(first + page, self.token(header, page));
        self.remove(header, page);
        if self.count(header) == 0 {
            self.clear(header);
        }
    }

    /// Writes back the dirty pages in ascending order and drops the rest: the block leaves.
    #[inline]
    pub(super) fn evict(&mut self, header: u32, out: &mut Evictions) {
        self.write_back(header, out);
        self.clear(header);
    }

    /// As [`Blocks::evict`], and reads what is missing: every page of the block is written, in order.
    #[inline]
    pub(super) fn evict_padded(&mut self, header: u32, out: &mut Evictions) {
        let first = self.headers[header as usize].block * self.pages_per_block;
        for page in 0..self.pages_of(header) {
            if self.holds(header, page) {
                out.write(first + page, self.token(header, page));
            } else {
                out.pad(first + page);
            }
        }
        self.clear(header);
    }

    /// Writes back the dirty pages in ascending order and takes them out. The header stays. Returns how many
    /// there were.
    pub(super) fn evict_dirty(&mut self, header: u32, out: &mut Evictions) -> u32 {
        let dirty = self.write_back(header, out);
        self.pages -= dirty;
        self.headers[header as usize].pages -= dirty;
        for word in self.words_of(header) {
            self.present[word] = self.clean.get(word).copied().unwrap_or(0);
        }
        dirty
    }

    #[inline]
    fn words_of(&self, header: u32) -> std::ops::Range<usize> {
        let first = header as usize * self.words as usize;
        first..first + self.words as usize
    }

    /// Returns how many there were.
    #[inline]
    fn write_back(&self, header: u32, out: &mut Evictions) -> u32 {
        let first = self.headers[header as usize].block * self.pages_per_block;
        let mut written = 0;
        for (i, word) in self.words_of(header).enumerate() {
            let mut dirty = self.present[word] & !self.clean.get(word).copied().unwrap_or(0);
            written += dirty.count_ones();
            while dirty != 0 {
                let page = i as u32 * 64 + dirty.trailing_zeros();
                out.write(first + page, self.token(header, page));
                dirty &= dirty - 1;
            }
        }
        written
    }

    /// Drops all pages of a block, and its header.
    pub(super) fn clear(&mut self, header: u32) {
        let Header { block, pages } = self.headers[header as usize];
        let words = self.words_of(header);
        self.present[words.clone()].fill(0);
        if !self.clean.is_empty() {
            let clean = &mut self.clean[words];
            self.clean_pages -= clean.iter().map(|word| word.count_ones()).sum::<u32>();
            clean.fill(0);
        }
        self.pages -= pages;
        self.table[block as usize] = NONE;
        self.spare.push(header);
    }
}
