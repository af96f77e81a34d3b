//! io_uring made safe: the ring together with the buffers that the kernel uses while IOs are in flight.
//! All `unsafe` about io_uring is here.
//!
//! Invariant: while a tag is busy, the kernel may use its read or write buffer, and nothing else does. The
//! buffers outlive every IO: dropping the ring waits for what is in flight.
#![allow(unsafe_code, reason = "the ring is shared with the kernel")]

use std::fmt;
use std::io::{self, IoSliceMut};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use flashscope_core::{Flags, Nanos, Op, Request};
use io_uring::{IoUring, opcode, squeue, types};
use rustix::io::Errno;
use serde::Serialize;

use crate::data::WriteBuffers;
use crate::handle::Handle;
use crate::memory::AlignedBuffer;
use crate::write_flags::write_flags;

/// Which of io_uring's faster ways the kernel grants; for the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RingModes {
    /// Completions are worked off when asked for, without interrupting (Linux 6.1).
    pub deferred_completions: bool,
    /// The file is registered: no reference counting for each IO.
    pub registered_file: bool,
    /// The buffers are registered: their pages stay pinned.
    pub registered_buffers: bool,
}

/// A ring and its buffers, one of each kind for every tag.
pub(crate) struct Ring {
    ring: IoUring,
    modes: RingModes,
    /// The first submission enables the ring and so makes its thread the ring's only one.
    enabled: bool,
    busy: Box<[bool]>,
    in_flight: usize,
    reads: Vec<AlignedBuffer>,
    writes: WriteBuffers,
    /// The registered file's number or the descriptor, and the flag that tells which.
    file: (types::Fd, squeue::Flags),
    /// Keeps the descriptor open that requests refer to.
    _handle: Arc<Handle>,
}

impl Ring {
    /// A ring for `queue_depth` IOs of up to `io_bytes_max` each.
    ///
    /// # Errors
    /// When the kernel refuses io_uring altogether; its finer modes are given up one by one.
    pub fn new(
        handle: Arc<Handle>,
        queue_depth: u32,
        io_bytes_max: u32,
        writes: WriteBuffers,
    ) -> io::Result<Ring> {
        let (ring, deferred_completions) = build(queue_depth)?;
        let reads = (0..queue_depth).map(|_| AlignedBuffer::zeroed(io_bytes_max as usize)).collect();
        let busy = vec![false; queue_depth as usize].into_boxed_slice();
        let registered_file = ring.submitter().register_files(&[handle.file().as_raw_fd()]).is_ok();
        let modes = RingModes { deferred_completions, registered_file, registered_buffers: false };
        let file = match registered_file {
            true => (types::Fd(0), squeue::Flags::FIXED_FILE),
            false => (types::Fd(handle.file().as_raw_fd()), squeue::Flags::empty()),
        };
        let mut ring =
            Ring { ring, modes, file, enabled: false, busy, in_flight: 0, reads, writes, _handle: handle };
        ring.modes.registered_buffers = ring.register_buffers();
        Ok(ring)
    }

    pub fn modes(&self) -> RingModes {
        self.modes
    }

    /// Read buffers are numbered by tag, write buffers follow. May fail for want of lockable memory.
    fn register_buffers(&mut self) -> bool {
        let buffers = self.reads.iter_mut().chain(self.writes.slots());
        let slices: Vec<_> = buffers.map(|buffer| IoSliceMut::new(buffer)).collect();
        // SAFETY: IoSliceMut has the layout of iovec (a promise of std), and the array is as long as said.
        let vectors = unsafe { std::slice::from_raw_parts(slices.as_ptr().cast(), slices.len()) };
        // SAFETY: the buffers are owned by `self`, never reallocated, and freed after the ring is idle.
        unsafe { self.ring.submitter().register_buffers(vectors) }.is_ok()
    }

    /// What the last read of this tag brought; none while the tag is busy.
    pub fn read_contents(&self, tag: usize, length: usize) -> Option<&[u8]> {
        let is_free = self.busy.get(tag).is_some_and(|busy| !busy);
        self.reads.get(tag).filter(|_| is_free).and_then(|buffer| buffer.get(..length))
    }

    /// Queues a read, write or flush for the next [`Ring::enter`].
    ///
    /// # Panics
    /// If the request's tag is busy, or the request is larger than its buffer: the caller has checked.
    #[inline]
    pub fn push(&mut self, request: &Request) {
        let tag = request.tag as usize;
        assert!(!self.busy[tag], "tag {tag} is in flight already");
        let entry = self.entry(request).user_data(u64::from(request.tag));
        // SAFETY: the entry's buffer belongs to this tag, which is busy from here until its completion, and
        // its descriptor is held open by the handle.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        pushed.expect("the ring has room for every tag");
        self.busy[tag] = true;
        self.in_flight += 1;
    }

    #[inline]
    fn entry(&mut self, request: &Request) -> squeue::Entry {
        let (tag, bytes, offset) = (request.tag as usize, request.length_bytes, request.offset_bytes);
        let write_flags = write_flags(request.flags).bits() as i32;
        let (file, entry_flags, priority) = (self.file.0, self.file.1, request.priority);
        // The kernel takes no atomic write from a registered buffer.
        let is_atomic = request.flags.has(Flags::ATOMIC);
        let fixed = self.modes.registered_buffers && !is_atomic;
        let entry = match request.op {
            Op::Read => {
                let space = self.reads[tag][..bytes as usize].as_mut_ptr();
                match fixed {
                    true => opcode::ReadFixed::new(file, space, bytes, tag as u16)
                        .offset(offset)
                        .ioprio(priority)
                        .build(),
                    false => opcode::Read::new(file, space, bytes).offset(offset).ioprio(priority).build(),
                }
            }
            Op::Write => {
                let contents = self.writes.next(tag, bytes as usize, request.offset_bytes).as_ptr();
                let index = (self.busy.len() + tag) as u16;
                match fixed {
                    true => opcode::WriteFixed::new(file, contents, bytes, index)
                        .offset(offset)
                        .rw_flags(write_flags)
                        .ioprio(priority)
                        .build(),
                    false => opcode::Write::new(file, contents, bytes)
                        .offset(offset)
                        .rw_flags(write_flags)
                        .ioprio(priority)
                        .build(),
                }
            }
            Op::Flush => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
            Op::Trim => unreachable!("trims do not pass through the ring"),
        };
        entry.flags(entry_flags)
    }

    /// Hands all queued requests to the kernel and waits until `want` are complete, or for `limit` at most.
    ///
    /// # Errors
    /// What the kernel says, but for interruptions and the limit's end: the caller looks what has come.
    pub fn enter(&mut self, want: usize, limit: Option<Nanos>) -> io::Result<()> {
        if !self.enabled {
            self.ring.submitter().register_enable_rings()?;
            self.enabled = true;
        }
        let entered = match limit {
            None => self.ring.submitter().submit_and_wait(want),
            Some(limit) => {
                let limit = types::Timespec::from(Duration::from_nanos(limit.0));
                self.ring.submitter().submit_with_args(want, &types::SubmitArgs::new().timespec(&limit))
            }
        };
        let harmless = |error: &io::Error| {
            matches!(
                Errno::from_io_error(error),
                Some(Errno::INTR | Errno::TIME | Errno::AGAIN | Errno::BUSY)
            )
        };
        entered.map(drop).or_else(|error| if harmless(&error) { Ok(()) } else { Err(error) })
    }

    /// Takes the next completion: its tag, and its length in bytes or its negated error number.
    #[inline]
    pub fn completed(&mut self) -> Option<(u32, i32)> {
        let entry = self.ring.completion().next()?;
        let tag = entry.user_data() as u32;
        let was_busy = std::mem::replace(&mut self.busy[tag as usize], false);
        assert!(was_busy, "the kernel completed tag {tag} twice");
        self.in_flight -= 1;
        Some((tag, entry.result()))
    }

    /// Requests queued or in the kernel.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }
}

impl Drop for Ring {
    /// Waits for what is in flight, for the kernel still uses its buffers. Where that fails (on another
    /// thread than the ring's) the buffers are given up rather than freed.
    fn drop(&mut self) {
        while self.in_flight > 0 {
            if self.enter(1, None).is_err() {
                std::mem::forget(std::mem::take(&mut self.reads));
                std::mem::forget(std::mem::take(self.writes.slots()));
                return;
            }
            while self.completed().is_some() {}
        }
        // The kernel takes rings apart in the background; a registered device would stay claimed till then.
        let _ = self.ring.submitter().unregister_files();
    }
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").field("modes", &self.modes).field("in_flight", &self.in_flight).finish()
    }
}

/// The best ring that this kernel grants, and whether it defers completions.
fn build(queue_depth: u32) -> io::Result<(IoUring, bool)> {
    // Disabled until the first submission, so that it may be set up on one thread and used on another.
    let best = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .setup_coop_taskrun()
        .setup_submit_all()
        .setup_r_disabled()
        .build(queue_depth);
    if let Ok(ring) = best {
        return Ok((ring, true));
    }
    let cooperative = IoUring::builder().setup_coop_taskrun().setup_r_disabled().build(queue_depth);
    let plain = |_| IoUring::builder().setup_r_disabled().build(queue_depth);
    Ok((cooperative.or_else(plain)?, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DataPattern;
    use crate::guard::Intent;
    use crate::seal::Key;

    /// One write and one read through the ring; their results.
    fn write_and_read(ring: &mut Ring) -> Vec<(u32, i32)> {
        let write = Request { op: Op::Write, offset_bytes: 4096, length_bytes: 4096, ..Request::default() };
        let read =
            Request { op: Op::Read, offset_bytes: 0, length_bytes: 8192, tag: 1, ..Request::default() };
        let mut results = Vec::new();
        for request in [write, read] {
            ring.push(&request);
            ring.enter(1, None).unwrap();
            results.extend(std::iter::from_fn(|| ring.completed()));
        }
        results
    }

    /// Whatever this kernel grants, the other ways must work on kernels that grant less.
    #[test]
    fn data_pass_with_and_without_registration() {
        let path = std::env::temp_dir().join(format!("flashscope-ring-{}", std::process::id()));
        let intent = Intent { overwrite_existing_data: true, ..Intent::WRITE };
        for (registered_file, registered_buffers) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            std::fs::write(&path, vec![7; 8192]).unwrap();
            let handle = Arc::new(Handle::open(&path, &intent).unwrap());
            let writes = WriteBuffers::new(DataPattern::Counter, 2, 8192, 0, 0, Key::of_seed(0));
            let mut ring = Ring::new(Arc::clone(&handle), 2, 8192, writes).unwrap();
            ring.modes.registered_buffers &= registered_buffers;
            if !registered_file {
                ring.file = (types::Fd(handle.file().as_raw_fd()), squeue::Flags::empty());
            }
            assert_eq!(write_and_read(&mut ring), [(0, 4096), (1, 8192)]);
            let read = &ring.reads[1];
            assert!(read[..4096].iter().all(|byte| *byte == 7));
            assert!(read[4096..8192].iter().enumerate().all(|(n, byte)| *byte == n as u8));
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    #[should_panic(expected = "in flight already")]
    fn a_tag_in_flight_is_not_taken_twice() {
        let handle = Handle::open(&std::env::current_exe().unwrap(), &Intent::READ).unwrap();
        let writes = WriteBuffers::new(DataPattern::Zeros, 0, 4096, 0, 0, Key::of_seed(0));
        let mut ring = Ring::new(Arc::new(handle), 2, 4096, writes).unwrap();
        let read = Request { length_bytes: 4096, ..Request::default() };
        ring.push(&read);
        ring.push(&read);
    }
}
