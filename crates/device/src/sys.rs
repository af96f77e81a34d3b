//! The few kernel calls that neither std nor rustix wraps. All `unsafe` about ioctls is here.
#![allow(unsafe_code, reason = "ioctls take raw memory")]

use std::os::fd::AsFd;

use rustix::io::{Errno, Result};
use rustix::ioctl::{Getter, Opcode, Setter, ioctl, opcode};

use crate::sysfs::DevId;

/// What a loop device stands on, from the kernel and not from a path that may have moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoopBacking {
    /// The filesystem that holds the backing file.
    pub device: DevId,
    /// The backing file's inode on it.
    pub inode: u64,
    /// The backing device, where the loop stands on a block device.
    pub block_device: Option<DevId>,
}

/// `LOOP_GET_STATUS64` on an open loop device.
///
/// # Errors
/// ENXIO where nothing is attached, ENOTTY where it is no loop device.
pub(crate) fn loop_backing<Fd: AsFd>(loop_device: Fd) -> Result<LoopBacking> {
    const LOOP_GET_STATUS64: Opcode = 0x4C05;
    // SAFETY: the call fills a `struct loop_info64`, 232 bytes of plain numbers without padding.
    let info = unsafe { ioctl(loop_device, Getter::<LOOP_GET_STATUS64, [u64; 29]>::new()) }?;
    // The first three words: lo_device, lo_inode, lo_rdevice.
    let block_device = (info[2] != 0).then(|| huge_decode(info[2]));
    Ok(LoopBacking { device: huge_decode(info[0]), inode: info[1], block_device })
}

/// The kernel's `huge_encode_dev` backwards, the layout of device numbers in `loop_info64`.
fn huge_decode(raw: u64) -> DevId {
    DevId { major: ((raw >> 8) & 0xfff) as u32, minor: ((raw & 0xff) | ((raw >> 12) & 0xffff_ff00)) as u32 }
}

/// `BLKDISCARD`: the range holds no data any more.
///
/// # Errors
/// EOPNOTSUPP where the device cannot discard, EINVAL where the range is not of whole sectors.
pub(crate) fn discard<Fd: AsFd>(device: Fd, offset_bytes: u64, length_bytes: u64) -> Result<()> {
    if length_bytes == 0 {
        return Err(Errno::INVAL);
    }
    const BLKDISCARD: Opcode = opcode::none(0x12, 119);
    // SAFETY: BLKDISCARD reads two u64 from its argument and writes nothing to this process.
    unsafe { ioctl(device, Setter::<BLKDISCARD, [u64; 2]>::new([offset_bytes, length_bytes])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_device_numbers_decode_to_major_and_minor() {
        assert_eq!(huge_decode(0xfe00), DevId { major: 254, minor: 0 });
        assert_eq!(huge_decode(0x0010_0705), DevId { major: 7, minor: 0x105 });
    }

    #[test]
    fn what_is_no_loop_device_has_no_backing() {
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        assert_eq!(loop_backing(&file), Err(Errno::NOTTY));
        assert_eq!(discard(&file, 0, 4096), Err(Errno::NOTTY));
    }
}
