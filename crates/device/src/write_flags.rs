//! Flags of a write as the kernel has them.

use flashscope_core::Flags;
use rustix::io::ReadWriteFlags;

/// What a write asks of the kernel.
pub fn write_flags(flags: Flags) -> ReadWriteFlags {
    /// `RWF_ATOMIC`, since Linux 6.11.
    const ATOMIC: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x40);
    let durable = if flags.has(Flags::FUA) { ReadWriteFlags::DSYNC } else { ReadWriteFlags::empty() };
    if flags.has(Flags::ATOMIC) { durable | ATOMIC } else { durable }
}
