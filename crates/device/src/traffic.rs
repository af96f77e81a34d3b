//! What the kernel counts of a disk's traffic, whoever makes it.

use crate::identify::Identity;
use crate::sysfs::BlockDir;

/// A disk's counters.
#[derive(Debug)]
pub struct Traffic(BlockDir);

impl Traffic {
    /// Of the whole disk that a target is, or lies on; none where the kernel shows no such disk.
    pub fn of(identity: &Identity) -> Option<Traffic> {
        let disk = BlockDir::named(&identity.hardware.as_ref()?.name);
        let partition = || BlockDir::named(identity.hardware.as_ref()?.partition_of.as_ref()?);
        partition().or(disk).map(Traffic)
    }

    /// Bytes read and written since it was attached; none where the kernel does not count them.
    pub fn bytes(&self) -> Option<[u64; 2]> {
        if self.0.number("queue/iostats") == Some(0) {
            return None;
        }
        // reads, merged, sectors, ms, writes, merged, sectors, ...; a sector has 512 bytes here.
        let text = std::fs::read_to_string(self.0.folder().join("stat")).ok()?;
        let fields: Vec<u64> = text.split_whitespace().map_while(|field| field.parse().ok()).collect();
        Some([*fields.get(2)? * 512, *fields.get(6)? * 512])
    }
}
