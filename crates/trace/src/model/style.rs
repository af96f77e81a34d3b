//! What file systems differ in: where their metadata lie, and when they write what.
//!
//! Blocks are pages of 4 KiB everywhere, the unit of the page cache. Real volumes of the time began at sector
//! 63, so that nothing was aligned; shift a trace to see that.

/// Bytes of a block.
pub(super) const BLOCK_BYTES: u64 = 4096;
/// Blocks of an ext group, as many as a bitmap of one block tells of; an inode for each 16 KiB.
const GROUP_BLOCKS: u64 = 32_768;
const GROUP_INODES: u64 = 8192;
const INODES_PER_BLOCK: u64 = 32;
/// Superblock, descriptors, two bitmaps, the inode table.
const GROUP_HEAD_BLOCKS: u64 = 4 + GROUP_INODES / INODES_PER_BLOCK;
/// FAT16 with clusters of 32 KiB: two bytes each, at most 65,524; two copies behind the boot block.
const FAT_BLOCKS: u64 = 32;
const ROOT_BLOCKS: u64 = 4;

const SECOND_NS: u64 = 1_000_000_000;

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Linux 2.6: block groups, a journal of whole metadata blocks, data written before they are logged
    /// (`data=ordered`), a commit every 5 s, metadata in place half a minute later.
    Ext3,
    /// Windows XP: two file allocation tables at the start, no journal, the lazy writer every second.
    Fat16,
    /// Windows XP: the MFT at a third of the volume, a log of changes, the lazy writer every second.
    Ntfs,
}

impl Style {
    /// All of them, as they are named.
    pub(crate) const NAMES: [&'static str; 3] = ["ext3", "fat16", "ntfs"];

    /// The one of this name, one of [`Style::NAMES`].
    pub(crate) fn of(name: &str) -> Style {
        match name {
            "ext3" => Style::Ext3,
            "fat16" => Style::Fat16,
            _ => Style::Ntfs,
        }
    }

    /// The smallest volume that the model holds.
    pub(crate) fn bytes_min(self) -> u64 {
        64 << 20
    }

    /// The largest volume.
    pub(crate) fn bytes_max(self) -> u64 {
        match self {
            Style::Fat16 => 2 << 30,
            Style::Ext3 | Style::Ntfs => 1 << 40,
        }
    }

    /// Blocks that are allocated as one.
    pub(super) fn cluster_blocks(self) -> u64 {
        if self == Style::Fat16 { 8 } else { 1 }
    }

    /// The longest request, in blocks: 512 KiB on Linux, 64 KiB on XP.
    pub(super) fn request_blocks_max(self) -> u64 {
        if self == Style::Ext3 { 128 } else { 16 }
    }

    /// How often dirty blocks are looked at.
    pub(super) fn pass_ns(self) -> u64 {
        if self == Style::Ext3 { 5 * SECOND_NS } else { SECOND_NS }
    }

    /// How long a block is dirty at least before a pass writes it; ext3's metadata only, its data go with the
    /// commit.
    pub(super) fn age_ns(self) -> u64 {
        if self == Style::Ext3 { 30 * SECOND_NS } else { SECOND_NS }
    }

    /// Where the journal lies, in blocks: first and count; none is empty.
    pub(super) fn journal(self, blocks: u64) -> (u64, u64) {
        let count = (blocks / 32).min(8192);
        match self {
            Style::Ext3 => (GROUP_HEAD_BLOCKS, count),
            Style::Fat16 => (0, 0),
            Style::Ntfs => (blocks / 3 - 1024 - count / 8, count / 8),
        }
    }

    /// Blocks that hold no data, as ranges of first and end.
    pub(super) fn reserved(self, blocks: u64) -> Vec<(u64, u64)> {
        match self {
            Style::Ext3 => {
                let (journal, count) = self.journal(blocks);
                let groups = (0..blocks.div_ceil(GROUP_BLOCKS)).map(|group| group * GROUP_BLOCKS);
                let heads = groups.map(|start| (start, (start + GROUP_HEAD_BLOCKS).min(blocks)));
                heads.chain([(journal, journal + count)]).collect()
            }
            Style::Fat16 => vec![(0, (1 + FAT_BLOCKS + ROOT_BLOCKS).next_multiple_of(8))],
            // The log and the bitmap before the MFT, and an eighth of the volume for the MFT.
            Style::Ntfs => vec![(self.journal(blocks).0, blocks / 3 + blocks / 8)],
        }
    }

    /// Inodes or MFT records that there can be.
    pub(super) fn records_max(self, blocks: u64) -> u64 {
        match self {
            Style::Ext3 => blocks / GROUP_BLOCKS * GROUP_INODES + self.records_of_rest(blocks),
            Style::Fat16 => 0,
            Style::Ntfs => blocks / 8 * 4,
        }
    }

    fn records_of_rest(self, blocks: u64) -> u64 {
        if blocks % GROUP_BLOCKS > GROUP_HEAD_BLOCKS { GROUP_INODES } else { 0 }
    }

    /// The group that a directory of this number goes to, by its first block and first record. Directories
    /// are spread in turn; NTFS and FAT have one group.
    pub(super) fn group(self, directory: u64, blocks: u64) -> (u64, u64) {
        match self {
            Style::Ext3 => {
                let groups = self.records_max(blocks) / GROUP_INODES;
                let group = directory % groups.max(1);
                (group * GROUP_BLOCKS, group * GROUP_INODES)
            }
            Style::Fat16 | Style::Ntfs => (0, 0),
        }
    }

    /// The block of an inode or an MFT record; FAT has none.
    pub(super) fn record_block(self, record: u64, blocks: u64) -> Option<u64> {
        match self {
            Style::Ext3 => {
                let (group, inode) = (record / GROUP_INODES, record % GROUP_INODES);
                Some(group * GROUP_BLOCKS + 4 + inode / INODES_PER_BLOCK)
            }
            Style::Fat16 => None,
            // Records of 1 KiB.
            Style::Ntfs => Some(blocks / 3 + record / 4),
        }
    }

    /// The blocks that say whether a block is in use.
    pub(super) fn map_blocks(self, block: u64, blocks: u64) -> [Option<u64>; 2] {
        match self {
            Style::Ext3 => [Some(block / GROUP_BLOCKS * GROUP_BLOCKS + 2), None],
            // Both copies; 2 KiB of entries a block.
            Style::Fat16 => {
                let entry_block = block / 8 / 2048;
                [Some(1 + entry_block), Some(1 + FAT_BLOCKS / 2 + entry_block)]
            }
            // A bit for each cluster.
            Style::Ntfs => [Some(blocks / 3 - 1024 + block / (8 * BLOCK_BYTES) % 1024), None],
        }
    }

    /// Entries of a directory in a block of it.
    pub(super) fn entries_per_block(self) -> u64 {
        match self {
            Style::Ext3 => 170,
            Style::Fat16 => 42,
            Style::Ntfs => 32,
        }
    }

    /// Data of a file this small lie in its MFT record.
    pub(super) fn resident_bytes(self) -> u64 {
        if self == Style::Ntfs { 700 } else { 0 }
    }
}
