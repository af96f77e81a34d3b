//! Bytes of a trace as they come: from a file or a pipe, with their compression taken away.

use std::io::{BufReader, Cursor, ErrorKind, Read};

use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;

use crate::error::TraceError;

/// Something to read from, and the bytes that were read ahead.
pub(crate) struct Input {
    pub(crate) read: Box<dyn Read + Send>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: usize,
}

impl Input {
    /// Reads until there are `wanted` bytes; returns whether the input ended.
    pub(crate) fn fill_to(&mut self, wanted: usize) -> Result<bool, TraceError> {
        while self.end < wanted {
            let read = read_some(&mut self.read, &mut self.bytes[self.end..])?;
            self.end += read;
            if read == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads until there are `wanted` bytes; returns whether the input ended, and the error that kept it from
    /// being read on, if there are bytes before it.
    ///
    /// # Errors
    /// There is no byte.
    pub(crate) fn fill_head(&mut self, wanted: usize) -> Result<(bool, Option<TraceError>), TraceError> {
        match self.fill_to(wanted) {
            Err(error) if self.end > 0 => Ok((false, Some(error))),
            Ok(_) if self.end == 0 => Err(TraceError::Empty),
            filled => filled.map(|at_end| (at_end, None)),
        }
    }
}

/// Reads at least a byte, or none at the end. An error is one before the first line.
pub(crate) fn read_some(input: &mut dyn Read, bytes: &mut [u8]) -> Result<usize, TraceError> {
    loop {
        match input.read(bytes) {
            Ok(length) => return Ok(length),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(TraceError::Read { line: 0, cause: error.into() }),
        }
    }
}

/// The decompressed input; the method is detected from its first bytes.
pub(crate) fn uncompressed(read: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, TraceError> {
    const MAGIC_BYTES: usize = 6;
    let mut input = Input { read, bytes: vec![0; MAGIC_BYTES], end: 0 };
    input.fill_to(MAGIC_BYTES)?;
    input.bytes.truncate(input.end);
    let magic = input.bytes.clone();
    let whole = Cursor::new(input.bytes).chain(input.read);
    match &magic[..] {
        [0x1f, 0x8b, ..] => Ok(Box::new(MultiGzDecoder::new(BufReader::with_capacity(AHEAD_BYTES, whole)))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let decoder = zstd::stream::read::Decoder::new(whole);
            Ok(Box::new(decoder.map_err(|error| TraceError::Read { line: 0, cause: error.into() })?))
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Ok(Box::new(XzDecoder::new_multi_decoder(whole))),
        [b'B', b'Z', b'h', ..] => Err(TraceError::Compressed { method: "bzip2", command: "bzip2 -dc" }),
        _ => Ok(Box::new(whole)),
    }
}

/// Compressed bytes read at once.
const AHEAD_BYTES: usize = 64 << 10;
