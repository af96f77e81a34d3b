//! IO errors in words: what the system said about which IO, and what to do about it.

use flashscope_core::number::exact_size;
use flashscope_core::{ErrorKind, Op, Request, TargetError, TargetInfo};
use rustix::io::Errno;

/// A request that a system call refused or failed.
#[cold]
pub(super) fn failed(info: &TargetInfo, request: &Request, errno: Errno) -> TargetError {
    let (kind, remedy) = match errno {
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

fn error(info: &TargetInfo, request: &Request, kind: ErrorKind, cause: String, remedy: &str) -> TargetError {
    TargetError {
        kind,
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
            for part in ["/dev/sdx", "read of 4096 bytes", "offset 8192", remedy] {
                assert!(message.contains(part), "'{message}' lacks '{part}'");
            }
        }
        assert!(cut_short(&target(), &read(0, 4096), 512).to_string().contains("only 512 B"));
    }

    #[test]
    fn requests_outside_the_target_or_its_buffers_are_refused() {
        let check = |request: Request| validate(&target(), &request, 65536).map_err(|error| error.kind);
        assert_eq!(check(read((1 << 20) - 4096, 4096)), Ok(()));
        assert_eq!(check(read((1 << 20) - 4096, 4608)), Err(ErrorKind::Invalid));
        assert_eq!(check(read(u64::MAX, 512)), Err(ErrorKind::Invalid));
        assert_eq!(check(read(0, 65536 + 512)), Err(ErrorKind::Invalid));
        assert_eq!(check(Request { tag: 4, ..read(0, 512) }), Err(ErrorKind::Invalid));
    }
}
