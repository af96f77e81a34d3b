//! IO errors in words: what the system said about which IO, and what to do about it.

use flashscope_core::number::exact_size;
use flashscope_core::{ErrorKind, Flags, Op, Request, TargetError, TargetInfo};
use rustix::io::Errno;

/// A request that a system call refused or failed.
#[cold]
pub(super) fn failed(info: &TargetInfo, request: &Request, errno: Errno) -> TargetError {
    let is_atomic = request.op == Op::Write && request.flags.has(Flags::ATOMIC);
    let (kind, remedy) = match errno {
        Errno::INVAL | Errno::OPNOTSUPP if is_atomic => {
            (ErrorKind::Invalid, "the target does not store so much at once or not at all; leave out atomic")
        }
        Errno::PERM if request.priority != 0 => {
            (ErrorKind::Invalid, "only root may use priorities of the real-time class; choose class 2 or 3")
        }
        Errno::NODEV | Errno::NXIO | Errno::SHUTDOWN | Errno::NOMEDIUM => {
            (ErrorKind::Vanished, "the device disappeared; check its connection, then resume")
        }
        Errno::NOSPC | Errno::DQUOT => {
            (ErrorKind::Full, "its filesystem is full; free some space, then resume")
        }
        Errno::INVAL => (ErrorKind::Invalid, "use offsets and sizes that are multiples of its sector"),
        Errno::OPNOTSUPP => (ErrorKind::Invalid, "the target does not support this operation; leave it out"),
        Errno::BADF => (ErrorKind::Invalid, "the target was opened read-only; allow writing"),
        Errno::PERM | Errno::ROFS | Errno::ACCESS => {
            (ErrorKind::Invalid, "the target is write-protected; measure reads only")
        }
        Errno::NOMEM | Errno::AGAIN | Errno::FAULT => {
            (ErrorKind::Engine, "the system is short of memory; lower the queue depth or the IO size")
        }
        // EIO and its kin: EREMOTEIO, EILSEQ, ENODATA, ETIMEDOUT, ENOLINK, EBADE.
        _ => (ErrorKind::Device, "see `dmesg` and the drive's SMART log; measure a part that works"),
    };
    error(info, request, kind, std::io::Error::from(errno).to_string(), remedy)
}

/// A request of which only a part was done.
#[cold]
pub(super) fn cut_short(info: &TargetInfo, request: &Request, done_bytes: usize) -> TargetError {
    let cause = format!("only {} were transferred", exact_size(done_bytes as u64));
    error(
        info,
        request,
        ErrorKind::Device,
        cause,
        "the target shrank or is failing; check its size, see `dmesg`",
    )
}

/// System calls have no priority: the process has one.
#[cold]
pub(super) fn one_priority(info: &TargetInfo, request: &Request) -> TargetError {
    let cause = "its system calls have the priority of the process".into();
    error(info, request, ErrorKind::Invalid, cause, "use io_uring for priorities of single IOs")
}

fn error(info: &TargetInfo, request: &Request, kind: ErrorKind, cause: String, remedy: &str) -> TargetError {
    TargetError {
        kind,
        tag: (kind == ErrorKind::Device).then_some(request.tag),
        target: info.name.clone(),
        op: request.op,
        offset_bytes: request.offset_bytes,
        length_bytes: request.length_bytes,
        cause,
        remedy: remedy.into(),
    }
}

/// Refuses what no system call should see: an IO larger than its buffer, or past the end, where a write would
/// make a file grow.
#[inline]
pub(super) fn validate(info: &TargetInfo, request: &Request, io_bytes_max: u32) -> Result<(), TargetError> {
    let end = request.offset_bytes.checked_add(u64::from(request.length_bytes));
    if end.is_none_or(|end| end > info.size_bytes) {
        let cause = format!("the target ends at {}", exact_size(info.size_bytes));
        return Err(error(info, request, ErrorKind::Invalid, cause, "choose a smaller target space"));
    }
    if request.length_bytes > io_bytes_max && matches!(request.op, Op::Read | Op::Write) {
        let cause = format!("the engine was set up for IOs of up to {}", exact_size(io_bytes_max.into()));
        return Err(error(info, request, ErrorKind::Invalid, cause, "set it up for larger ones"));
    }
    if request.placement >= info.placements {
        let cause = format!("placement handle {}: this engine passes none on", request.placement);
        return Err(error(info, request, ErrorKind::Invalid, cause, "leave out placement"));
    }
    if request.tag >= info.queue_depth_max {
        let cause = format!("more than {} IOs in flight", info.queue_depth_max);
        return Err(error(info, request, ErrorKind::Invalid, cause, "lower the queue depth"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> TargetInfo {
        TargetInfo {
            name: "/dev/sdx".into(),
            size_bytes: 1 << 20,
            logical_block_bytes: 512,
            virtual_time: false,
            engine: "sync".into(),
            queue_depth_max: 4,
            placements: 1,
            zones: None,
        }
    }

    fn read(offset_bytes: u64, length_bytes: u32) -> Request {
        Request { offset_bytes, length_bytes, ..Request::default() }
    }

    #[test]
    fn errors_name_place_cause_and_way_out() {
        let expected = [
            (Errno::IO, ErrorKind::Device, "SMART"),
            (Errno::TIMEDOUT, ErrorKind::Device, "dmesg"),
            (Errno::NODEV, ErrorKind::Vanished, "connection"),
            (Errno::NXIO, ErrorKind::Vanished, "connection"),
            (Errno::NOSPC, ErrorKind::Full, "free some space"),
            (Errno::INVAL, ErrorKind::Invalid, "sector"),
        ];
        for (errno, kind, remedy) in expected {
            let error = failed(&target(), &read(8192, 4096), errno);
            let message = error.to_string();
            assert_eq!(error.kind, kind);
            assert_eq!(error.tag.is_some(), kind == ErrorKind::Device, "{kind:?} is of one IO");
            for part in ["/dev/sdx", "read of 4096 bytes", "offset 8192", remedy] {
                assert!(message.contains(part), "'{message}' lacks '{part}'");
            }
        }
        assert!(cut_short(&target(), &read(0, 4096), 512).to_string().contains("only 512 B"));
        let write = Request { op: Op::Write, flags: Flags::ATOMIC, ..read(0, 4096) };
        for errno in [Errno::OPNOTSUPP, Errno::INVAL] {
            assert!(failed(&target(), &write, errno).to_string().contains("leave out atomic"));
        }
        let urgent = Request { priority: 1 << 13, ..read(0, 4096) };
        assert!(failed(&target(), &urgent, Errno::PERM).to_string().contains("class 2 or 3"));
    }

    #[test]
    fn requests_outside_the_target_or_its_buffers_are_refused() {
        let check = |request: Request| validate(&target(), &request, 65536).map_err(|error| error.kind);
        assert_eq!(check(read((1 << 20) - 4096, 4096)), Ok(()));
        assert_eq!(check(read((1 << 20) - 4096, 4608)), Err(ErrorKind::Invalid));
        assert_eq!(check(read(u64::MAX, 512)), Err(ErrorKind::Invalid));
        assert_eq!(check(read(0, 65536 + 512)), Err(ErrorKind::Invalid));
        assert_eq!(check(Request { tag: 4, ..read(0, 512) }), Err(ErrorKind::Invalid));
        assert_eq!(check(Request { placement: 1, ..read(0, 512) }), Err(ErrorKind::Invalid));
    }
}
