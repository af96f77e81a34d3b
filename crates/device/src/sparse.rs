//! Which parts of a file were never written: a filesystem answers reads there without any IO.

use std::fs::File;

use rustix::fs::{SeekFrom, seek};

/// Enough to add up any sensible file; one with more holes is sparse beyond doubt.
const EXTENTS_MAX: usize = 4096;

/// Bytes of holes and of space that is reserved but unwritten; 0 if the filesystem does not report them.
pub(crate) fn unwritten_bytes(file: &File) -> u64 {
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let (mut position, mut unwritten) = (0, 0);
    for _ in 0..EXTENTS_MAX {
        let Ok(hole) = seek(file, SeekFrom::Hole(position)) else { break };
        if hole >= size {
            break;
        }
        // No data after a hole is an error (ENXIO): the hole reaches to the end.
        position = seek(file, SeekFrom::Data(hole)).unwrap_or(size);
        unwritten += position - hole;
    }
    unwritten
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn holes_are_added_up() {
        let path = std::env::temp_dir().join(format!("flashscope-sparse-{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.write_all_at(&[1; 65536], 0).unwrap();
        assert_eq!(unwritten_bytes(&file), 0);
        file.write_all_at(&[1; 65536], 1 << 20).unwrap();
        file.set_len(2 << 20).unwrap();
        assert_eq!(unwritten_bytes(&file), (2 << 20) - 2 * 65536);
    }
}
