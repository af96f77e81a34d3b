//! What lies on a device before anything is written: filesystems, partition tables, volumes, swap. Asks
//! `wipefs -n -J` where it is installed, and always an own table of magic numbers as a cross-check.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::memory::AlignedBuffer;

/// Evidence that a device or file holds somebody's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// What it belongs to, such as `ext4` or `gpt`.
    pub kind: String,
    /// Where it was found.
    pub offset_bytes: u64,
    /// The label its owner gave it.
    pub label: Option<String>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(label) = &self.label {
            write!(f, " '{label}'")?;
        }
        write!(f, " at byte {}", self.offset_bytes)
    }
}

/// Bytes at the beginning that hold all signatures counted from there.
const HEAD_BYTES: u64 = (1 << 20) + 4096;
/// Bytes at the end that hold all signatures counted from there.
const TAIL_BYTES: u64 = 768 << 10;

/// Magic numbers at a fixed place from the beginning.
const HEAD: &[(&str, u64, &[u8])] = &[
    ("xfs", 0, b"XFSB"),
    ("btrfs", 0x10040, b"_BHRfS_M"),
    ("LVM2_member", 24, b"LVM2 001"),
    ("LVM2_member", 0x218, b"LVM2 001"),
    ("LVM2_member", 0x418, b"LVM2 001"),
    ("LVM2_member", 0x618, b"LVM2 001"),
    ("swap", 4086, b"SWAPSPACE2"),
    ("swap", 8182, b"SWAPSPACE2"),
    ("swap", 16374, b"SWAPSPACE2"),
    ("swap", 65526, b"SWAPSPACE2"),
    ("swap", 4086, b"SWAP-SPACE"),
    ("swsuspend", 4086, b"S1SUSPEND\0"),
    ("gpt", 512, b"EFI PART"),
    ("gpt", 4096, b"EFI PART"),
    ("bcache", 0x1018, &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca]),
    ("bcachefs", 0x1018, &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9]),
    ("crypto_LUKS", 0, b"LUKS\xba\xbe"),
    ("crypto_LUKS", 0x4000, b"SKUL\xba\xbe"),
    ("linux_raid_member", 0, &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("linux_raid_member", 4096, &[0xfc, 0x4e, 0x2b, 0xa9]),
    ("f2fs", 0x400, &[0x10, 0x20, 0xf5, 0xf2]),
    ("vfat", 54, b"FAT12   "),
    ("vfat", 54, b"FAT16   "),
    ("vfat", 82, b"FAT32   "),
    ("ntfs", 3, b"NTFS    "),
    ("exfat", 3, b"EXFAT   "),
    ("iso9660", 0x8001, b"CD001"),
    ("udf", 0x8801, b"NSR0"),
    ("udf", 0x8001, b"BEA01"),
    ("apfs", 32, b"NXSB"),
    ("hfsplus", 1024, b"H+\0\x04"),
    ("hfsplus", 1024, b"HX\0\x05"),
    ("squashfs", 0, b"hsqs"),
    ("erofs", 1024, &[0xe2, 0xe1, 0xf5, 0xe0]),
    ("reiserfs", 0x10034, b"ReIsEr"),
    ("jfs", 0x8000, b"JFS1"),
    ("gfs2", 0x10000, &[0x01, 0x16, 0x19, 0x70]),
    ("ocfs2", 0x1000, b"OCFSV2"),
    ("ocfs2", 0x2000, b"OCFSV2"),
    ("VMFS_volume_member", 0x100000, &[0x0d, 0xd0, 0x01, 0xc0]),
    ("ceph_bluestore", 0, b"bluestore block device"),
    ("stratis", 0x204, b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("DM_verity_hash", 0, b"verity\0\0"),
];

/// All signatures on an open device or file of `size_bytes`, by the own table alone.
///
/// # Errors
/// When it cannot be read: then nothing is known, which is no evidence of emptiness.
pub fn probe_table(file: &File, size_bytes: u64) -> io::Result<Vec<Signature>> {
    let head = read_window(file, 0, HEAD_BYTES.min(size_bytes))?;
    let tail_start = size_bytes.saturating_sub(TAIL_BYTES) & !4095;
    let tail = read_window(file, tail_start, size_bytes - tail_start)?;
    let mut found = Vec::new();
    let mut note = |kind: &str, offset_bytes| {
        found.push(Signature { kind: kind.into(), offset_bytes, label: None });
    };
    for (kind, offset, magic) in HEAD {
        if has(&head, *offset, magic) {
            note(kind, *offset);
        }
    }
    if is_ext(&head) {
        note("ext2/3/4", 0x438);
    }
    if is_mbr(&head) {
        note("dos", 510);
    }
    for (kind, offset, magic) in tail_table(size_bytes) {
        if offset.checked_sub(tail_start).is_some_and(|within| has(&tail, within, &magic)) {
            note(kind, offset);
        }
    }
    for (start, window) in [(0, &head), (tail_start, &tail)] {
        if let Some(offset) = zfs_uberblock(window, start, size_bytes) {
            note("zfs_member", offset);
        }
    }
    Ok(found)
}

fn has(window: &[u8], offset: u64, magic: &[u8]) -> bool {
    window.get(offset as usize..).is_some_and(|rest| rest.starts_with(magic))
}

/// The magic is two bytes only, so the superblock's block size and revision must make sense too.
fn is_ext(head: &[u8]) -> bool {
    let word =
        |offset: usize| head.get(offset..offset + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let plausible =
        word(0x418).is_some_and(|log| log <= 6) && word(0x44c).is_some_and(|revision| revision <= 1);
    has(head, 0x438, &[0x53, 0xef]) && plausible
}

/// A DOS partition table, or a boot sector: its magic is two bytes only, so one entry must make sense.
fn is_mbr(head: &[u8]) -> bool {
    let entries = head.get(446..510).unwrap_or_default();
    let plausible = |entry: &[u8]| entry[0] & 0x7f == 0;
    let used = |entry: &[u8]| entry[4] != 0 && entry[12..16] != [0; 4];
    has(head, 510, &[0x55, 0xaa])
        && entries.chunks_exact(16).all(plausible)
        && entries.chunks_exact(16).any(used)
}

/// Magic numbers whose place depends on the size: backup GPT, and RAID members that keep the start free.
fn tail_table(size_bytes: u64) -> Vec<(&'static str, u64, Vec<u8>)> {
    let raid = vec![0xfc, 0x4e, 0x2b, 0xa9];
    let before_end = |bytes: u64| size_bytes.checked_sub(bytes);
    let raid_090 = (size_bytes & !0xffff).checked_sub(0x10000);
    let raid_10 = before_end(8192).map(|offset| offset & !4095);
    let places = [
        ("gpt", before_end(512), b"EFI PART".to_vec()),
        ("gpt", before_end(4096), b"EFI PART".to_vec()),
        ("linux_raid_member", raid_090, raid.clone()),
        ("linux_raid_member", raid_10, raid),
        ("isw_raid_member", before_end(1024), b"Intel Raid ISM Cfg".to_vec()),
        ("ddf_raid_member", before_end(512), vec![0xde, 0x11, 0xde, 0x11]),
    ];
    places.into_iter().filter_map(|(kind, offset, magic)| Some((kind, offset?, magic))).collect()
}

/// ZFS keeps four labels of 256 KiB, two at each end; the second half of each is a ring of uberblocks.
fn zfs_uberblock(window: &[u8], window_start: u64, size_bytes: u64) -> Option<u64> {
    const LABEL: u64 = 256 << 10;
    let end = size_bytes & !(LABEL - 1);
    let labels = [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)];
    let uberblocks = labels
        .into_iter()
        .flatten()
        .flat_map(|label| (LABEL / 2..LABEL).step_by(1024).map(move |o| label + o));
    let magics = [0x00ba_b10c_u64.to_le_bytes(), 0x00ba_b10c_u64.to_be_bytes()];
    let is_magic = |offset: u64| {
        let within = offset.checked_sub(window_start);
        within.is_some_and(|within| magics.iter().any(|magic| has(window, within, magic)))
    };
    uberblocks.into_iter().find(|offset| is_magic(*offset))
}

/// Reads in a way that direct IO accepts too: aligned memory, aligned offset, whole blocks.
pub(crate) fn read_window(file: &File, offset: u64, length: u64) -> io::Result<AlignedBuffer> {
    let mut buffer = AlignedBuffer::zeroed((length as usize).next_multiple_of(4096));
    let mut filled = 0;
    while filled < length as usize {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if filled < length as usize {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends before its stated size"));
    }
    Ok(buffer)
}

/// The `wipefs` on `PATH`, or in the system folders that an ordinary user's `PATH` leaves out.
pub fn find_wipefs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    let mut folders = std::env::split_paths(&path).chain(system);
    folders.find_map(|folder| Some(folder.join("wipefs")).filter(|tool| tool.is_file()))
}

/// All signatures that `wipefs` sees; it is asked to change nothing.
///
/// # Errors
/// When it cannot be run, fails, or answers something else than its JSON.
pub fn probe_wipefs(wipefs: &Path, target: &Path) -> io::Result<Vec<Signature>> {
    let output = Command::new(wipefs).args(["-n", "-J", "--"]).arg(target).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_string()));
    }
    parse_wipefs(&output.stdout).ok_or_else(|| io::Error::other("wipefs answered in an unknown form"))
}

fn parse_wipefs(json: &[u8]) -> Option<Vec<Signature>> {
    if json.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    let document: serde_json::Value = serde_json::from_slice(json).ok()?;
    document.get("signatures")?.as_array()?.iter().map(wipefs_signature).collect()
}

fn wipefs_signature(entry: &serde_json::Value) -> Option<Signature> {
    let text = |key: &str| entry.get(key).and_then(|value| value.as_str());
    let offset = text("offset")?;
    Some(Signature {
        kind: text("type")?.to_string(),
        offset_bytes: u64::from_str_radix(offset.trim_start_matches("0x"), 16).ok()?,
        label: text("label").map(str::to_string),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    const SIZE: u64 = 4 << 20;

    /// A file of `SIZE` zeros with `bytes` at `offset`, already unlinked.
    fn file_with(offset: u64, bytes: &[u8]) -> File {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("flashscope-signature-{}-{number}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.set_len(SIZE).unwrap();
        file.write_all_at(bytes, offset).unwrap();
        file
    }

    #[test]
    fn zeros_carry_no_signature() {
        assert_eq!(probe_table(&file_with(0, &[]), SIZE).unwrap(), []);
    }

    #[test]
    fn every_magic_of_the_table_is_found_where_it_lies() {
        for (kind, offset, magic) in HEAD {
            let found = probe_table(&file_with(*offset, magic), SIZE).unwrap();
            assert!(found.iter().any(|s| s.kind == *kind && s.offset_bytes == *offset), "{kind} at {offset}");
        }
        for (kind, offset, magic) in tail_table(SIZE) {
            let found = probe_table(&file_with(offset, &magic), SIZE).unwrap();
            assert!(found.iter().any(|s| s.kind == kind && s.offset_bytes == offset), "{kind} at {offset}");
        }
    }

    #[test]
    fn zfs_is_found_at_either_end() {
        for offset in [(128 << 10) + 1024, SIZE - 4096] {
            let found = probe_table(&file_with(offset, &0x00ba_b10c_u64.to_le_bytes()), SIZE).unwrap();
            assert_eq!((found[0].kind.as_str(), found[0].offset_bytes), ("zfs_member", offset));
        }
    }

    #[test]
    fn a_device_smaller_than_the_windows_is_probed_whole() {
        let file = file_with(0, b"XFSB");
        assert_eq!(probe_table(&file, 8192).unwrap()[0].kind, "xfs");
        assert_eq!(probe_table(&file, 0).unwrap(), []);
        assert!(probe_table(&file, SIZE + 1).is_err(), "a stated size that is not there is no answer");
    }

    #[test]
    fn random_bytes_are_not_taken_for_somebodys_data() {
        let mut random = flashscope_core::seed::Random::new(11);
        for _ in 0..20 {
            let mut file = file_with(0, &[]);
            let bytes: Vec<u8> = (0..SIZE / 8).flat_map(|_| random.next_u64().to_le_bytes()).collect();
            file.write_all(&bytes).unwrap();
            assert_eq!(probe_table(&file, SIZE).unwrap(), [], "seed 11");
        }
    }

    #[test]
    fn the_answer_of_wipefs_is_read_and_anything_else_is_none() {
        let json = br#"{"signatures": [{"device":"loop0","offset":"0x438","type":"ext4","label":"home"}]}"#;
        let found = parse_wipefs(json).unwrap();
        assert_eq!(found[0].to_string(), "ext4 'home' at byte 1080");
        assert_eq!(parse_wipefs(b" \n"), Some(vec![]));
        assert_eq!(parse_wipefs(b"wipefs: segfault"), None);
        assert_eq!(parse_wipefs(br#"{"signatures": [{"offset":"?"}]}"#), None);
    }
}
