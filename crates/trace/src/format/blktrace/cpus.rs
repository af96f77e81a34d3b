//! The files that blktrace writes for one device, one for each CPU, as one stream in the order of time.

use std::io::{Read, Result};

use super::{Entry, HEAD_BYTES, begins_entry, next_magic};
use crate::error::TraceError;
use crate::input::uncompressed;

/// Bytes of each file that are held, and more than any entry.
const BUFFER_BYTES: usize = 128 << 10;

/// The time of an entry whose file ends within it: it comes last, so that no other is taken for its data.
const CUT: u64 = u64::MAX;

/// The entries of several files, each file's in its own order, the earliest first; of files that are equally
/// early, the first. What is no entry comes out as it stands, for the reader to refuse or count.
pub struct CpuFiles {
    files: Vec<CpuFile>,
    /// The file whose piece is coming out.
    current: usize,
}

struct CpuFile {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    /// Bytes of the piece at the front, an entry mostly; 0 at the end of the file.
    piece: usize,
    time_ns: u64,
}

impl CpuFiles {
    /// Begins to read these, compressed or not.
    ///
    /// # Errors
    /// One that cannot be read, or is compressed in a way that is not known.
    pub fn new(inputs: Vec<Box<dyn Read + Send>>) -> std::result::Result<CpuFiles, TraceError> {
        let mut files = Vec::new();
        for input in inputs {
            let buffer = vec![0; BUFFER_BYTES];
            let input = uncompressed(input)?;
            let mut file = CpuFile { input, buffer, start: 0, end: 0, at_end: false, piece: 0, time_ns: 0 };
            file.find_piece().map_err(|error| TraceError::Read { line: 0, cause: error.into() })?;
            files.push(file);
        }
        let mut files = CpuFiles { files, current: 0 };
        files.choose();
        Ok(files)
    }

    /// The file whose next piece is the earliest.
    fn choose(&mut self) {
        let left = self.files.iter().enumerate().filter(|(_, file)| file.piece > 0);
        self.current = left.min_by_key(|(_, file)| file.time_ns).map_or(0, |(number, _)| number);
    }
}

impl Read for CpuFiles {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let mut done = 0;
        while done < bytes.len() {
            let Some(file) = self.files.get_mut(self.current).filter(|file| file.piece > 0) else { break };
            let length = file.piece.min(bytes.len() - done);
            bytes[done..done + length].copy_from_slice(&file.buffer[file.start..file.start + length]);
            done += length;
            file.start += length;
            file.piece -= length;
            if file.piece == 0 {
                file.find_piece()?;
                self.choose();
            }
        }
        Ok(done)
    }
}

impl CpuFile {
    /// Finds the end of the next piece.
    fn find_piece(&mut self) -> Result<()> {
        self.fill_to(HEAD_BYTES)?;
        let bytes = &self.buffer[self.start..self.end];
        if let Some((entry, _)) = Entry::of(bytes) {
            let length = entry.length();
            self.time_ns = entry.time_ns;
            self.fill_to(length)?;
            self.piece = length.min(self.end - self.start);
            if self.piece < length {
                self.time_ns = CUT;
            }
            return Ok(());
        }
        // It keeps the time of the entry before it, and so comes at once.
        self.piece = match next_magic(bytes) {
            Some(at) => at,
            None if begins_entry(bytes) => {
                self.time_ns = CUT;
                bytes.len()
            }
            None if self.at_end => bytes.len(),
            None => bytes.len() - 3,
        };
        Ok(())
    }

    /// Reads until so many bytes are there, or the file ends.
    fn fill_to(&mut self, wanted: usize) -> Result<()> {
        while self.end - self.start < wanted && !self.at_end {
            if self.start + wanted > self.buffer.len() {
                self.buffer.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(length) => {
                    self.end += length;
                    self.at_end = length == 0;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
