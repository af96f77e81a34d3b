//! Reading that ends before its end: once a flag is set, whether or not bytes come.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::error::TraceError;
use crate::follow::Reached;
use crate::records::{Records, Through};

/// How long a pipe that brings nothing is waited for before the flag is looked at again: 0.1 s.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// When a reading ends before the end of its trace. By default never.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    reading: Reading,
}

#[derive(Clone, Debug, Default)]
enum Reading {
    #[default]
    Only,
    /// Another reading follows this one.
    First(Arc<Reached>),
    /// It ends no earlier than the first one did; records read so far.
    Second(Arc<Reached>, Arc<AtomicU64>),
}

impl Stop {
    /// Once the flag is set.
    pub fn when(flag: Arc<AtomicBool>) -> Stop {
        Stop { flag, reading: Reading::Only }
    }

    /// The same; how far it is read is kept in `reached`, for a second reading.
    pub fn first(self, reached: Arc<Reached>) -> Stop {
        Stop { reading: Reading::First(reached), ..self }
    }

    /// The same, but no earlier than the `first` reading ended.
    pub fn second(self, first: Arc<Reached>) -> Stop {
        Stop { reading: Reading::Second(first, Arc::default()), ..self }
    }

    /// The same for a reading that has nothing to do with another.
    pub(crate) fn alone(&self) -> Stop {
        Stop::when(self.flag.clone())
    }

    /// Whether the reading is to end here.
    pub fn is_due(&self) -> bool {
        let is_over = || match &self.reading {
            Reading::Only | Reading::First(_) => true,
            Reading::Second(first, records) => first.is_cut_at(records.load(Ordering::Relaxed)),
        };
        self.flag.load(Ordering::Relaxed) && is_over()
    }

    fn count(&self, records: usize, is_cut: bool) {
        match &self.reading {
            Reading::Only => {}
            Reading::First(reached) => reached.add(records as u64, is_cut),
            Reading::Second(_, all) => drop(all.fetch_add(records as u64, Ordering::Relaxed)),
        }
    }

    /// These records, ended with [`TraceError::Interrupted`] where this says.
    pub fn end(self, records: Box<dyn Records>) -> impl Records {
        Through::new(records, move |records, batch| {
            batch.clear();
            let mut read = Err(TraceError::Interrupted);
            if !self.is_due() {
                read = records.next_batch(batch);
                if read.is_err() && self.is_due() {
                    read = Err(TraceError::Interrupted);
                }
            }
            self.count(batch.len(), read == Err(TraceError::Interrupted));
            read
        })
    }
}

/// Bytes of a file that end where a [`Stop`] says, also while a pipe brings none.
pub struct InterruptibleFile<F> {
    file: File,
    stop: Stop,
    on_read: F,
}

impl<F: FnMut(u64) + Send> InterruptibleFile<F> {
    /// `on_read` is called with the number of bytes of each read.
    pub fn new(file: File, stop: Stop, on_read: F) -> InterruptibleFile<F> {
        InterruptibleFile { file, stop, on_read }
    }
}

impl<F: FnMut(u64) + Send> Read for InterruptibleFile<F> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        loop {
            if self.stop.is_due() {
                // Not of the kind that asks to try again.
                return Err(Error::other("interrupted"));
            }
            let is_ready = poll(&mut [PollFd::new(&self.file, PollFlags::IN)], Some(&LOOK));
            match is_ready {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                // Where waiting is not possible, reading is.
                Ok(_) | Err(_) => {}
            }
            match self.file.read(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => {
                    (self.on_read)(*read.as_ref().unwrap_or(&0) as u64);
                    return read;
                }
            }
        }
    }
}
