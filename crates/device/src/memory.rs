//! Memory fit for direct IO: page-aligned, so that any device accepts it.

use std::ops::{Deref, DerefMut};

/// Alignment of every buffer; at least the logical block of any device in use.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Page-aligned bytes that do not move as long as they live.
#[derive(Debug)]
pub(crate) struct AlignedBuffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl AlignedBuffer {
    /// `length` zero bytes.
    pub fn zeroed(length: usize) -> AlignedBuffer {
        let bytes = vec![0; length + PAGE_BYTES];
        let start = bytes.as_ptr().align_offset(PAGE_BYTES);
        AlignedBuffer { bytes, start, length }
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_start_on_a_page_wherever_they_move() {
        let buffer = AlignedBuffer::zeroed(10_000);
        let address = buffer.as_ptr() as usize;
        let moved = Box::new(buffer);
        assert_eq!((moved.as_ptr() as usize, address % PAGE_BYTES, moved.len()), (address, 0, 10_000));
    }
}
