//! The synchronous engine, uFLIP's own (paper 001, section 3.1): one IO at a time by `pread` and `pwrite`,
//! past the page cache. Two clock readings enclose each system call and nothing else.

use std::sync::Arc;

use flashscope_core::{Completion, Op, Request, Target, TargetError, TargetInfo, Time};
use rustix::fs::{FallocateFlags, fallocate, fdatasync};
use rustix::io::{Errno, pread, pwrite, pwritev2, retry_on_intr};

use super::failure::{cut_short, failed, one_priority, validate};
use super::{Engine, EngineSpec, info, write_buffers};
use crate::clock::Clock;
use crate::data::WriteBuffers;
use crate::handle::Handle;
use crate::identify::Kind;
use crate::memory::AlignedBuffer;
use crate::sys;
use crate::write_flags::write_flags;

/// A file or device behind system calls that wait.
#[derive(Debug)]
pub struct SyncTarget {
    info: TargetInfo,
    handle: Arc<Handle>,
    clock: Clock,
    io_bytes_max: u32,
    read_buffer: AlignedBuffer,
    write_buffers: WriteBuffers,
    done: Option<Completion>,
}

impl SyncTarget {
    /// An engine on an opened target; of the spec's queue depth it uses one.
    pub fn new(handle: Arc<Handle>, spec: &EngineSpec, clock: Clock) -> SyncTarget {
        let io_bytes_max = spec.io_bytes_max as usize;
        let slots = usize::from(handle.writable());
        SyncTarget {
            info: info(&handle, Engine::Sync, 1),
            clock,
            io_bytes_max: spec.io_bytes_max,
            read_buffer: AlignedBuffer::zeroed(io_bytes_max),
            write_buffers: write_buffers(spec, slots, &handle),
            handle,
            done: None,
        }
    }

    /// As [`super::DeviceTarget::read_contents`].
    pub(super) fn read_contents(&self, length: usize) -> Option<&[u8]> {
        self.read_buffer.get(..length)
    }

    #[inline]
    fn perform(&mut self, request: &Request) -> Result<Completion, TargetError> {
        validate(&self.info, request, self.io_bytes_max)?;
        if request.priority != 0 {
            return Err(one_priority(&self.info, request));
        }
        let length = request.length_bytes as usize;
        let offset = request.offset_bytes;
        let (submitted, result) = match request.op {
            Op::Read => {
                let buffer = &mut self.read_buffer[..length];
                let file = self.handle.file();
                (self.clock.now(), retry_on_intr(|| pread(file, &mut *buffer, offset)))
            }
            Op::Write if !self.handle.writable() => (Time::ZERO, Err(Errno::BADF)),
            Op::Write => {
                let contents = self.write_buffers.next(0, length, offset);
                let submitted = self.clock.now();
                (submitted, write(&self.handle, contents, request))
            }
            Op::Flush => (self.clock.now(), fdatasync(self.handle.file()).map(|()| length)),
            Op::Trim => (self.clock.now(), trim(&self.handle, request).map(|()| length)),
        };
        let completed = self.clock.now().max(submitted);
        match result {
            Ok(count) if count == length => Ok(Completion { tag: request.tag, submitted, completed }),
            Ok(count) => Err(cut_short(&self.info, request, count)),
            Err(errno) => Err(failed(&self.info, request, errno)),
        }
    }
}

#[inline]
fn write(handle: &Handle, contents: &[u8], request: &Request) -> rustix::io::Result<usize> {
    let flags = write_flags(request.flags);
    if flags.is_empty() {
        return retry_on_intr(|| pwrite(handle.file(), contents, request.offset_bytes));
    }
    let contents = [std::io::IoSlice::new(contents)];
    retry_on_intr(|| pwritev2(handle.file(), &contents, request.offset_bytes, flags))
}

/// Discards a device's range, or punches a hole into a file, which passes it on where the filesystem can.
pub(super) fn trim(handle: &Handle, request: &Request) -> rustix::io::Result<()> {
    let (offset, length) = (request.offset_bytes, u64::from(request.length_bytes));
    match handle.identity().kind {
        _ if !handle.writable() => Err(Errno::BADF),
        Kind::BlockDevice => sys::discard(handle.file(), offset, length),
        _ => {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            fallocate(handle.file(), flags, offset, length)
        }
    }
}

impl Target for SyncTarget {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    #[inline]
    fn now(&mut self) -> Time {
        self.clock.now()
    }

    /// Does the IO at once: when it returns, the completion is there to reap.
    #[inline]
    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            assert!(self.done.is_none(), "the synchronous engine holds one IO at a time");
            self.done = Some(self.perform(request)?);
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _min: usize, _until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        out.extend(self.done.take());
        Ok(())
    }

    #[inline]
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        self.perform(request)
    }

    fn wait_until(&mut self, time: Time) {
        self.clock.wait_until(time);
    }
}
