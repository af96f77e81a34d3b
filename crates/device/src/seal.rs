//! Sectors that prove whose they are. Every sector that flashscope writes into a file of its own has a seal:
//! its first word is a number with a check of it, its second a check of all words behind, both by the file's
//! key, a random number that its mark holds ([`crate::provenance`]). Data from elsewhere has no such seal but
//! by a chance of 2^-64 a sector, nor has a sector of which another program changed a part.
//!
//! Contents are sealed where they are made, ahead of the IOs. What changes from IO to IO is the number alone,
//! which checks itself, so that a seal costs nothing in the path of an IO.

use std::fs::File;
use std::io;

use flashscope_core::seed::derive;
use rustix::io::{pread, retry_on_intr};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};

use crate::memory::{AlignedBuffer, PAGE_BYTES};
use crate::signature::read_window;

/// What is written as one at least.
pub(crate) const SECTOR_BYTES: usize = 512;
const WORD_BYTES: usize = 8;
/// Of a first word; the other bits check them.
const NUMBER_BITS: u32 = 40;
/// Read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// The key of a file: no other file has the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Key(u64);

impl Key {
    /// One that was never there before.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn fresh() -> io::Result<Key> {
        let mut bytes = [0; WORD_BYTES];
        let filled = retry_on_intr(|| getrandom(&mut bytes, GetRandomFlags::empty()))?;
        if filled < WORD_BYTES {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Key(u64::from_le_bytes(bytes)))
    }

    #[cfg(test)]
    pub fn of_seed(seed: u64) -> Key {
        Key(seed)
    }

    /// The first word of a sector: of two with different numbers (up to 2^40) no two are alike.
    #[inline]
    pub fn numbered(self, number: u64) -> u64 {
        let number = number & ((1 << NUMBER_BITS) - 1);
        (number << (u64::BITS - NUMBER_BITS)) | (derive(self.0, number) >> NUMBER_BITS)
    }

    /// Seals sectors that hold their contents already; the number is of their first words.
    pub fn seal(self, sectors: &mut [u8]) {
        for sector in sectors.chunks_exact_mut(SECTOR_BYTES) {
            let (seal, body) = sector.split_at_mut(2 * WORD_BYTES);
            let (first, second) = seal.split_at_mut(WORD_BYTES);
            let number = first.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            first.copy_from_slice(&self.numbered(number).to_le_bytes());
            second.copy_from_slice(&self.check(body).to_le_bytes());
        }
    }

    /// Whether a sector has its seal, and all of it is as it was sealed.
    fn holds(self, sector: &[u8]) -> bool {
        let (Some((first, behind)), true) = (sector.split_first_chunk(), sector.len() == SECTOR_BYTES) else {
            return false;
        };
        let Some((second, body)) = behind.split_first_chunk() else { return false };
        let [first, second] = [*first, *second].map(u64::from_le_bytes);
        first == self.numbered(first >> (u64::BITS - NUMBER_BITS)) && second == self.check(body)
    }

    /// Whether the sector that byte `offset` lies in has its seal.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn holds_at(self, file: &File, offset: u64) -> io::Result<bool> {
        let sector_bytes = SECTOR_BYTES as u64;
        let page = read_window(file, offset - offset % PAGE_BYTES as u64, PAGE_BYTES as u64)?;
        let first = (offset % PAGE_BYTES as u64 / sector_bytes * sector_bytes) as usize;
        Ok(self.holds(&page[first..first + SECTOR_BYTES]))
    }

    fn check(self, body: &[u8]) -> u64 {
        digest(derive(self.0, u64::MAX), body)
    }

    /// Where the first sector without its seal begins; none if all of the file has them.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn first_unsealed(self, file: &File) -> io::Result<Option<u64>> {
        let mut buffer = AlignedBuffer::zeroed(CHUNK_BYTES);
        let mut at = 0;
        loop {
            let read = retry_on_intr(|| pread(file, &mut buffer[..], at))?;
            if let Some(bad) = buffer[..read].chunks(SECTOR_BYTES).position(|sector| !self.holds(sector)) {
                return Ok(Some(at + (bad * SECTOR_BYTES) as u64));
            }
            at += read as u64;
            // Where the file does not end at a page, no direct read could go on.
            if read == 0 || !at.is_multiple_of(PAGE_BYTES as u64) {
                return Ok((at < file.metadata()?.len()).then_some(at));
            }
        }
    }
}

/// A checksum of whole words.
#[inline]
pub(crate) fn digest(start: u64, body: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, _) = body.as_chunks::<WORD_BYTES>();
    words
        .iter()
        .fold(start, |sum, word| (sum ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER).rotate_left(29))
}

#[cfg(test)]
mod tests {
    use flashscope_core::seed::Random;

    use super::*;
    use crate::create::fill_random;

    fn sealed(key: Key, sectors: usize) -> Vec<u8> {
        let mut bytes = vec![0; sectors * SECTOR_BYTES];
        fill_random(&mut bytes, &mut Random::new(5));
        key.seal(&mut bytes);
        bytes
    }

    #[test]
    fn any_change_of_a_sector_breaks_its_seal() {
        let key = Key::fresh().unwrap();
        let sector = sealed(key, 1);
        assert!(key.holds(&sector));
        for byte in 0..SECTOR_BYTES {
            for bit in 0..8 {
                let mut changed = sector.clone();
                changed[byte] ^= 1 << bit;
                assert!(!key.holds(&changed), "bit {bit} of byte {byte}, {key:?}");
            }
        }
    }

    #[test]
    fn a_seal_is_one_keys_alone_and_bears_another_number() {
        let key = Key::fresh().unwrap();
        let mut sector = sealed(key, 1);
        assert!(!Key::fresh().unwrap().holds(&sector), "of another file");
        for number in [1, 77, (1 << NUMBER_BITS) - 1] {
            sector[..WORD_BYTES].copy_from_slice(&key.numbered(number).to_le_bytes());
            assert!(key.holds(&sector), "{number}");
        }
        for other in [&[0; SECTOR_BYTES][..], &[0xff; SECTOR_BYTES], &sector[1..], &[]] {
            assert!(!key.holds(other));
        }
    }

    #[test]
    fn random_data_has_no_seal() {
        let key = Key::of_seed(1);
        let mut random = Random::new(2);
        let mut sector = [0; SECTOR_BYTES];
        for _ in 0..10_000 {
            fill_random(&mut sector, &mut random);
            assert!(!key.holds(&sector));
        }
    }

    #[test]
    fn the_first_place_without_a_seal_is_found() {
        let path = std::env::temp_dir().join(format!("flashscope-seal-{}", std::process::id()));
        let key = Key::of_seed(3);
        let whole = sealed(key, 3 * CHUNK_BYTES / SECTOR_BYTES / 2);
        let found = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            key.first_unsealed(&File::open(&path).unwrap()).unwrap()
        };
        assert_eq!((found(&whole), found(&[])), (None, None));
        for at in [0, 511, 512, CHUNK_BYTES - 1, CHUNK_BYTES, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(found(&changed), Some((at / SECTOR_BYTES * SECTOR_BYTES) as u64), "{at}");
        }
        assert_eq!(found(&whole[..whole.len() - 1]), Some((whole.len() - SECTOR_BYTES) as u64));
        std::fs::remove_file(&path).unwrap();
    }
}
