//! Traces that end when the person interrupts, and whose progress is seen.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flashscope_trace::{Records, Through, TraceError};
use indicatif::ProgressBar;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::followed::Reached;
use crate::signal;

/// How often a pipe that brings nothing is left to look for Ctrl-C: ten times a second.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Where reading ends before its end.
#[derive(Clone, Debug, Default)]
pub enum Until {
    /// At Ctrl-C.
    #[default]
    CtrlC,
    /// At Ctrl-C, and another reading follows this one.
    First(Arc<Reached>),
    /// At Ctrl-C, but not before it has as many records as the first one.
    Again(Arc<Reached>, Arc<AtomicU64>),
}

impl Until {
    fn is_over(&self) -> bool {
        let is_over = || match self {
            Until::CtrlC | Until::First(_) => true,
            Until::Again(first, records) => first.is_cut_at(records.load(Ordering::Relaxed)),
        };
        signal::flag().load(Ordering::Relaxed) && is_over()
    }

    fn take_note(&self, count: usize, is_cut: bool) {
        match self {
            Until::CtrlC => {}
            Until::First(reached) => reached.add(count as u64, is_cut),
            Until::Again(_, records) => drop(records.fetch_add(count as u64, Ordering::Relaxed)),
        }
    }
}

/// Bytes that end at Ctrl-C, however long they tell of no request, or do not come at all.
pub struct HeedingFile {
    /// What is read.
    pub file: File,
    /// Where it ends.
    pub until: Until,
    /// Moves by the bytes that were read.
    pub bar: ProgressBar,
}

impl Read for HeedingFile {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        loop {
            if self.until.is_over() {
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
                    self.bar.inc(*read.as_ref().unwrap_or(&0) as u64);
                    return read;
                }
            }
        }
    }
}

/// Records that end where `until` says, with [`TraceError::Interrupted`].
pub fn heeding(records: Box<dyn Records>, until: Until) -> impl Records {
    Through::new(records, move |records, batch| {
        batch.clear();
        let mut read = Err(TraceError::Interrupted);
        if !until.is_over() {
            read = records.next_batch(batch);
            if read.is_err() && until.is_over() {
                read = Err(TraceError::Interrupted);
            }
        }
        until.take_note(batch.len(), read == Err(TraceError::Interrupted));
        read
    })
}
