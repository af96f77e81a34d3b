//! Text kept as it is while somebody reads it.

use std::io::{Read, Result, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::output::{Compress, Output};

/// Writes all that is read through it to a file, compressed or not, and ends the file when the text ends.
pub struct Verbatim<R> {
    input: R,
    output: Option<Output>,
    failure: WriteFailure,
}

/// Why the file could not be written, separate from the reader's error.
#[derive(Clone, Debug, Default)]
pub struct WriteFailure(Arc<Mutex<Option<String>>>);

impl WriteFailure {
    /// What the system said; `None` as long as all went well.
    pub fn cause(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<R: Read> Verbatim<R> {
    /// Text from `input`, kept in `output`.
    ///
    /// # Errors
    /// When the compression cannot be set up.
    pub fn new(input: R, output: impl Write + Send + 'static, compress: Compress) -> Result<Verbatim<R>> {
        let output = Some(Output::new(Box::new(output), compress)?);
        Ok(Verbatim { input, output, failure: WriteFailure::default() })
    }

    /// Tells afterwards whether the file was written.
    pub fn failure(&self) -> WriteFailure {
        self.failure.clone()
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.output {
            Some(output) if !bytes.is_empty() => output.write_all(bytes),
            _ => self.output.take().map_or(Ok(()), Output::finish),
        }
    }
}

impl<R: Read> Read for Verbatim<R> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let count = self.input.read(bytes)?;
        self.keep(&bytes[..count]).inspect_err(|error| {
            let mut cause = self.failure.0.lock().unwrap_or_else(PoisonError::into_inner);
            cause.get_or_insert(error.to_string());
        })?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_cannot_be_kept_is_told_apart_from_what_cannot_be_read() {
        let mut text = Verbatim::new(&b"some text"[..], Full, Compress::No).unwrap();
        let failure = text.failure();
        assert_eq!(failure.cause(), None);
        text.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(failure.cause(), Some(std::io::Error::from(std::io::ErrorKind::StorageFull).to_string()));
    }
}
