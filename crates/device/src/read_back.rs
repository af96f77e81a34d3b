//! What is on a target, read after a run to be compared with what was written. Not timed.

use std::sync::Arc;

use rustix::io::{pread, retry_on_intr};

use crate::error::DeviceError;
use crate::handle::Handle;
use crate::memory::AlignedBuffer;

/// Reads a target's contents, past the page cache.
#[derive(Debug)]
pub struct ReadBack {
    handle: Arc<Handle>,
    buffer: AlignedBuffer,
}

impl ReadBack {
    /// The most that is read at once.
    pub const BYTES_MAX: usize = 1 << 20;

    /// Nothing is read yet.
    pub fn new(handle: Arc<Handle>) -> ReadBack {
        ReadBack { handle, buffer: AlignedBuffer::zeroed(ReadBack::BYTES_MAX) }
    }

    /// The `length` bytes at `offset_bytes`, both multiples of the target's logical block.
    ///
    /// # Errors
    /// When the target cannot be read there.
    ///
    /// # Panics
    /// If `length` is more than [`ReadBack::BYTES_MAX`].
    pub fn read(&mut self, offset_bytes: u64, length: usize) -> Result<&[u8], DeviceError> {
        let path = &self.handle.identity().canonical_path;
        let buffer = &mut self.buffer[..length];
        let read = retry_on_intr(|| pread(self.handle.file(), &mut *buffer, offset_bytes));
        let read = read.map_err(|errno| DeviceError::path("read back from", path, errno))?;
        if read < length {
            let short = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
            return Err(DeviceError::path("read back from", path, short));
        }
        Ok(buffer)
    }
}
