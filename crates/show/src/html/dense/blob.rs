//! Arrays of numbers as planes of bytes, gzip, base64.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::ArraySpec;

/// Arrays, one after the other.
#[derive(Default)]
pub(super) struct Blob {
    pub(super) arrays: Vec<ArraySpec>,
    raw: Vec<u8>,
}

impl Blob {
    /// Adds an array, as values or as differences, whichever promises to be shorter.
    pub(super) fn put(&mut self, name: &'static str, values: &[u64]) {
        let differences = differences(values);
        let [plain, delta] = [values, &differences].map(information_bits);
        let is_delta = delta < plain;
        let values = if is_delta { &differences } else { values };
        let all = values.iter().fold(0, |all, value| all | value);
        let planes = (64 - all.leading_zeros()).div_ceil(8).max(1) as u8;
        for plane in 0..planes {
            self.raw.extend(values.iter().map(|value| (value >> (8 * plane)) as u8));
        }
        self.arrays.push(ArraySpec { name, length: values.len() as u64, planes, is_delta });
    }

    /// All of it as text.
    pub(super) fn base64(&self) -> String {
        let mut gzip = GzEncoder::new(Vec::with_capacity(self.raw.len() / 2), Compression::new(6));
        gzip.write_all(&self.raw).expect("memory can be written");
        base64(&gzip.finish().expect("memory can be written"))
    }
}

/// Zigzag-coded: 0, -1, 1, -2 are 0, 1, 2, 3.
fn differences(values: &[u64]) -> Vec<u64> {
    let mut last = 0u64;
    let mut zigzag = |value: u64| {
        let step = value.wrapping_sub(last) as i64;
        last = value;
        ((step << 1) ^ (step >> 63)) as u64
    };
    values.iter().map(|value| zigzag(*value)).collect()
}

/// What the planes hold by the frequencies of their bytes (Shannon 1948).
fn information_bits(values: &[u64]) -> f64 {
    let mut counts = [[0u32; 256]; 8];
    for value in values {
        for (plane, byte) in counts.iter_mut().zip(value.to_le_bytes()) {
            plane[usize::from(byte)] += 1;
        }
    }
    let all = values.len() as f64;
    let bits = |count: &u32| f64::from(*count) * (all / f64::from(*count)).log2();
    counts.iter().flatten().filter(|count| **count > 0).map(bits).sum()
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut padded = [0; 4];
        padded[1..=three.len()].copy_from_slice(three);
        let group = u32::from_be_bytes(padded);
        for place in 0..4 {
            let is_padding = place > three.len();
            let letter = LETTERS[(group >> (18 - 6 * place)) as usize & 63];
            text.push(if is_padding { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let of = |text: &str| base64(text.as_bytes());
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(of);
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
        assert_eq!(base64(&[0xFF, 0xFE, 0xFD]), "//79");
    }

    #[test]
    fn differences_are_zigzag_coded() {
        assert_eq!(differences(&[0, 5, 3, 3, u64::MAX >> 1]), [0, 10, 3, 0, ((u64::MAX >> 1) - 3) * 2]);
    }

    #[test]
    fn steps_are_stored_as_differences_and_noise_as_it_is() {
        let mut blob = Blob::default();
        blob.put("steps", &(0..1000).map(|i| i * 4096).collect::<Vec<u64>>());
        let noise = |i: u64| flashscope_core::seed::derive(7, i) % 200;
        blob.put("noise", &(0..1000).map(noise).collect::<Vec<u64>>());
        let [steps, noise] = &blob.arrays[..] else { panic!("two arrays") };
        assert_eq!((steps.is_delta, steps.planes, steps.length), (true, 2, 1000));
        assert_eq!((noise.is_delta, noise.planes), (false, 1));
    }
}
