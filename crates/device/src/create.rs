//! Files that flashscope makes for itself: fully written with data that no layer can shrink, and sealed.
//!
//! A sparse or zero-filled file reads at the speed of memory, for no IO takes place.

use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::Path;

use flashscope_core::seed::Random;
use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, open};
use rustix::io::Errno;

use crate::error::DeviceError;
use crate::memory::{AlignedBuffer, PAGE_BYTES};
use crate::provenance::{Hold, Watch};
use crate::seal::Key;

const CHUNK_BYTES: usize = 1 << 20;

/// Creates `path` with `size_bytes` of random data from `seed`, written past the page cache, durable, marked
/// and sealed as flashscope's. `progress` gets the bytes written so far after each MiB, and may stop it.
///
/// # Errors
/// When the path exists already, the size is zero or no multiple of 4096 bytes, the place is full or takes no
/// direct IO, or `progress` stopped it. Nothing is left behind then.
pub fn create_file(
    path: &Path,
    size_bytes: u64,
    seed: u64,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(), DeviceError> {
    let fail = |error: io::Error| DeviceError::path("create", path, error);
    if size_bytes == 0 || !size_bytes.is_multiple_of(PAGE_BYTES as u64) {
        return Err(DeviceError::FileSize { path: path.to_path_buf(), size_bytes });
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::DIRECT | OFlags::CLOEXEC;
    let file = match open(path, flags, Mode::from_raw_mode(0o644)) {
        Ok(file) => File::from(file),
        // The kernel may have made the file before it found that the place takes no direct IO; it is empty.
        Err(Errno::INVAL) => {
            let _ = fs::remove_file(path);
            return Err(fail(Errno::INVAL.into()));
        }
        Err(errno) => return Err(fail(errno.into())),
    };
    write_all(&file, path, size_bytes, seed, progress).map_err(|error| {
        let _ = fs::remove_file(path);
        fail(error)
    })
}

fn write_all(
    file: &File,
    path: &Path,
    size_bytes: u64,
    seed: u64,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> io::Result<()> {
    // All space at once: in one piece where possible, and a full disk is known before the first write.
    match fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        Ok(()) | Err(Errno::OPNOTSUPP) => {}
        Err(errno) => return Err(errno.into()),
    }
    let key = Key::fresh()?;
    let hold = Hold::begin(file, path, key, Watch::writes(file).openings(file))?;
    let mut random = Random::new(seed);
    let mut chunk = AlignedBuffer::zeroed(CHUNK_BYTES);
    let mut written = 0;
    while written < size_bytes {
        fill_random(&mut chunk, &mut random);
        key.seal(&mut chunk);
        let length = (size_bytes - written).min(CHUNK_BYTES as u64);
        file.write_all_at(&chunk[..length as usize], written)?;
        written += length;
        if progress(written).is_break() {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"));
        }
    }
    file.sync_all()?;
    hold.end(file, path)
}

/// Fills whole words of `bytes` with random data.
pub(crate) fn fill_random(bytes: &mut [u8], random: &mut Random) {
    for word in bytes.chunks_exact_mut(8) {
        word.copy_from_slice(&random.next_u64().to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::{Intent, Reason, check, check_with};
    use crate::provenance::{Provenance, provenance};
    use crate::seal::SECTOR_BYTES;
    use crate::signature::find_wipefs;
    use crate::sparse::unwritten_bytes;

    fn place(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("flashscope-create-{name}-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn way_out(result: Result<(), DeviceError>) -> String {
        result.unwrap_err().remedy().unwrap().to_string()
    }

    const GO_ON: fn(u64) -> ControlFlow<()> = |_| ControlFlow::Continue(());

    #[test]
    fn a_created_file_is_full_random_and_may_be_written() {
        let path = place("full");
        let mut told = Vec::new();
        let size = (2 << 20) + 4096;
        create_file(&path, size, 3, &mut |bytes| {
            told.push(bytes);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(told, [1 << 20, 2 << 20, size]);
        let bytes = fs::read(&path).unwrap();
        let mut expected = vec![0; 1 << 20];
        fill_random(&mut expected, &mut Random::new(3));
        for (sector, expected) in bytes.chunks(SECTOR_BYTES).zip(expected.chunks(SECTOR_BYTES)) {
            assert!(sector[16..] == expected[16..], "all but the seal is of the seed");
        }
        let mut words: Vec<_> = bytes.chunks_exact(8).collect();
        words.sort();
        assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "no two words are alike");
        assert_eq!(unwritten_bytes(&File::open(&path).unwrap()), 0);
        let verdict = check(&path, &Intent::WRITE).unwrap();
        assert!(verdict.allowed(), "{:?}", verdict.refused);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_signature_in_our_own_random_data_is_chance() {
        let path = place("chance");
        create_file(&path, 1 << 20, 3, &mut GO_ON.clone()).unwrap();
        let write = |sector: &[u8]| {
            let file = File::options().read(true).write(true).open(&path).unwrap();
            let whose = provenance(&file, &path);
            let Provenance::Ours(key) = whose else { panic!("{whose:?}") };
            let hold = Hold::begin(&file, &path, key, Watch::writes(&file).openings(&file)).unwrap();
            file.write_all_at(sector, 0).unwrap();
            hold.end(&file, &path).unwrap();
            key
        };
        let mut sector = fs::read(&path).unwrap()[..SECTOR_BYTES].to_vec();
        sector[54..62].copy_from_slice(b"FAT16   ");
        let key = write(&sector);
        for wipefs in [find_wipefs(), None] {
            let verdict = check_with(&path, &Intent::WRITE, wipefs).unwrap();
            assert!(verdict.refused.iter().any(|reason| matches!(reason, Reason::Signature { .. })));
        }
        key.seal(&mut sector);
        write(&sector);
        for wipefs in [find_wipefs(), None] {
            let verdict = check_with(&path, &Intent::WRITE, wipefs).unwrap();
            assert!(verdict.allowed(), "{:?}", verdict.refused);
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn an_existing_file_is_left_alone() {
        let path = place("existing");
        fs::write(&path, "precious").unwrap();
        let message = way_out(create_file(&path, 4096, 1, &mut GO_ON.clone()));
        assert!(message.contains("another name"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_cannot_be_finished_leaves_nothing_behind() {
        let path = place("stopped");
        assert!(create_file(&path, 1 << 20, 1, &mut |_| ControlFlow::Break(())).is_err());
        assert!(!path.exists());
        assert!(create_file(&path, 1000, 1, &mut GO_ON.clone()).unwrap_err().to_string().contains("4096"));
        let full = way_out(create_file(&path, 1 << 50, 1, &mut GO_ON.clone()));
        assert!(full.contains("smaller file") && !full.contains("dmesg"), "{full}");
        assert!(!path.exists());
    }

    #[test]
    fn a_missing_folder_is_told_from_a_missing_file() {
        let message = |path: &Path| way_out(create_file(path, 4096, 1, &mut GO_ON.clone()));
        let missing = message(&place("no-folder").join("x"));
        assert!(missing.contains("mkdir -p") && !missing.contains("spelling"), "{missing}");
        let file = place("file");
        fs::write(&file, "").unwrap();
        let inside = message(&file.join("x"));
        assert!(inside.contains("not a folder"), "{inside}");
        fs::remove_file(&file).unwrap();
    }
}
