//! Pages that move within the flash.

use super::{Block, Cause, Moment, Nand, PageRead, Ppn};

impl Nand {
    /// Copies a page to the next one of `block`: a read and a program. Returns where, and when it is done.
    #[inline]
    pub fn copy(&mut self, from: Ppn, block: Block, cause: Cause, at: Moment) -> (Ppn, Moment) {
        let page = self.next_page(block);
        (self.first_page(block) + page, self.copy_into(from, (block, page), cause, at))
    }

    /// Copies a page to one that may be programmed: a read and a program. Returns when it is done.
    #[inline]
    pub fn copy_to(&mut self, from: Ppn, to: Ppn, cause: Cause, at: Moment) -> Moment {
        let block = self.block_of(to);
        self.copy_into(from, (block, to - self.first_page(block)), cause, at)
    }

    #[inline]
    fn copy_into(&mut self, from: Ppn, (block, page): (Block, u32), cause: Cause, at: Moment) -> Moment {
        let source = (self.block_of(from), self.page_of(from));
        if self.timing.copies_back(source, (block, page)) {
            return self.copy_back(from, (block, page), cause, at);
        }
        let read = self.read(from, cause, at);
        let lpn = self.owner(from);
        self.program_page(block, page, (lpn, read.token), cause, at, |timing| {
            timing.program(block, page, read.done)
        })
    }

    /// The die reads the page and programs it, and the bus knows nothing of it.
    #[cold]
    fn copy_back(&mut self, from: Ppn, (block, page): (Block, u32), cause: Cause, at: Moment) -> Moment {
        let source = (self.block_of(from), self.page_of(from));
        if !self.is_readable(source, cause) {
            return at;
        }
        self.counts.read(cause);
        self.note_read(source.0);
        let written = (self.owner(from), self.token(from));
        self.program_page(block, page, written, cause, at, |timing| {
            timing.copy_back(source, (block, page), at)
        })
    }

    /// Copies `pages`, all of one block, to the next ones of `block`, which has room for them. All that leave
    /// their dies are read first, as early as `at`. Returns where the first one went; the others follow.
    pub fn copy_all(&mut self, pages: &[Ppn], block: Block, cause: Cause, at: Moment) -> Ppn {
        let (page, count) = (self.next_page(block), pages.len() as u32);
        let first = self.first_page(block) + page;
        let source = pages.first().map_or(0, |from| self.block_of(*from));
        let source_first = self.first_page(source);
        let are_written = pages.iter().all(|from| from - source_first < self.next_page(source));
        if self.careful || !are_written || count > self.pages_per_block - page {
            self.copy_each(pages, block, cause, at);
            return first;
        }
        for (to, from) in (first as usize..).zip(pages) {
            self.owners[to] = self.owners[*from as usize];
        }
        self.blocks[block as usize].next_page = page + count;
        self.counts.copies(cause, u64::from(count));
        let sources = pages.iter().map(|from| (source, from - source_first));
        self.timing.copies(sources, (block, page), at);
        first
    }

    #[cold]
    #[inline(never)]
    fn copy_each(&mut self, pages: &[Ppn], block: Block, cause: Cause, at: Moment) {
        let first = self.next_page(block);
        let read = |(from, page): (&Ppn, u32)| {
            let source = (self.block_of(*from), self.page_of(*from));
            let leaves = !self.timing.copies_back(source, (block, page));
            leaves.then(|| self.read(*from, cause, at))
        };
        let reads: Vec<Option<PageRead>> = pages.iter().zip(first..).map(read).collect();
        for (from, read) in pages.iter().zip(reads) {
            match read {
                Some(read) => _ = self.append(block, self.owner(*from), read.token, cause, read.done),
                None => _ = self.copy_back(*from, (block, self.next_page(block)), cause, at),
            }
        }
    }
}
