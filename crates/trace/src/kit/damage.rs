//! Inputs: pieces of samples, changed at random.

use flashscope_core::seed::Random;

/// The longest piece of a sample.
const PIECE_BYTES: u64 = 1500;

/// Samples, and how they are damaged.
#[derive(Clone, Debug)]
pub struct Damage {
    own: Vec<Vec<u8>>,
    others: Vec<Vec<u8>>,
    /// Pieces make no sense of it: the whole is changed.
    is_whole: bool,
    seed: u64,
}

impl Damage {
    /// Of samples of a format, at least one, with pieces of `others` put into them.
    pub fn new(own: Vec<Vec<u8>>, others: Vec<Vec<u8>>, seed: u64) -> Damage {
        assert!(!own.is_empty(), "there is no sample to damage");
        Damage { own, others, is_whole: false, seed }
    }

    /// The same of a format of which a piece is nothing.
    pub fn of_the_whole(self) -> Damage {
        Damage { is_whole: true, ..self }
    }

    /// The input of this number, which depends on samples, seed and number alone, and what is left of its
    /// random numbers.
    pub fn input(&self, number: u64) -> (Vec<u8>, Random) {
        let mut random = Random::new(self.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let mut bytes = match self.is_whole {
            true => pick(&mut random, &self.own).clone(),
            false => piece(&mut random, &self.own),
        };
        for _ in 0..random.below(8) {
            self.change(&mut random, &mut bytes);
        }
        (bytes, random)
    }

    fn change(&self, random: &mut Random, bytes: &mut Vec<u8>) {
        let length = bytes.len() as u64;
        let at = random.below(length.max(1)) as usize;
        let some = |random: &mut Random| (at + 1 + random.below(40) as usize).min(bytes.len());
        match random.below(12) {
            0 if length > 0 => bytes[at] ^= 1 << random.below(8),
            1 if length > 0 => bytes[at] = random.below(256) as u8,
            2 if length > 0 => bytes[at] = *pick(random, b"0123456789-+.,;:\t\n \r\"()[]FRWDNxe\0\xff#"),
            3 => drop(bytes.drain(at.min(bytes.len())..some(random))),
            4 => bytes.truncate(at),
            5 if length > 0 => {
                let again = bytes[at..some(random)].to_vec();
                bytes.splice(at..at, again);
            }
            6 => drop(bytes.splice(at..at, pick(random, TEXTS).bytes())),
            7 | 8 if length > 0 => replace_number(random, bytes, at),
            9 | 10 => binary_number(random, bytes, at),
            11 if !self.others.is_empty() => {
                let other = piece(random, &self.others);
                bytes.splice(at..at, other.into_iter().take(200));
            }
            _ => {}
        }
    }
}

fn pick<'a, T>(random: &mut Random, list: &'a [T]) -> &'a T {
    &list[random.below(list.len() as u64) as usize]
}

/// The begin of one of the samples, or a part from the begin of a line on, or from anywhere.
fn piece(random: &mut Random, samples: &[Vec<u8>]) -> Vec<u8> {
    let sample = pick(random, samples);
    let length = sample.len() as u64;
    let mut start = match random.below(4) {
        0 | 1 => 0,
        _ => random.below(length.max(1)) as usize,
    };
    if start > 0 && random.below(8) > 0 {
        let ends = sample[start..].iter().position(|&c| c == b'\n');
        start += ends.map_or(0, |at| at + 1);
    }
    let end = (start as u64 + 1 + random.below(PIECE_BYTES)).min(length) as usize;
    sample[start.min(end)..end].to_vec()
}

/// Texts that a number, name or line may be.
const TEXTS: &[&str] = &[
    "",
    "0",
    "-1",
    "1",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "4294967296",
    "36028797018963968",
    "0x",
    "0xffffffffffffffff",
    "0x10000000000000000",
    "1e9",
    "nan",
    "inf",
    "0.0000000001",
    "99999999999.999999999",
    "1.",
    ".5",
    "\n",
    "\r\n",
    ",",
    ",,",
    ";",
    "\"",
    "\"\"",
    "\n\n",
    "#",
    "\u{feff}",
    "é",
    "read",
    "Write",
    "flush",
    "trim",
    "wait",
    "R",
    "W",
    "F",
    "FF",
    "FWFS",
    "D",
    "N",
    "sync",
    "8,0",
    "fio version 2 iolog",
    "fio version 3 iolog",
    "EndHeader",
    "BeginHeader",
    "CPU0 (8,0):",
    " Q ",
    " + ",
    "timestamp",
    "offset",
    "[",
    "]",
    "(",
    ")",
];

/// Puts a text in the place of the digits at or behind `at`.
fn replace_number(random: &mut Random, bytes: &mut Vec<u8>, at: usize) {
    let is_digit = |c: &u8| c.is_ascii_digit();
    let Some(start) = bytes[at..].iter().position(is_digit).map(|digits| at + digits) else { return };
    let length = bytes[start..].iter().take_while(|c| is_digit(c)).count();
    bytes.splice(start..start + length, pick(random, TEXTS).bytes());
}

/// Puts a binary number of 1 to 8 bytes somewhere: small, large, or next to a power of two.
fn binary_number(random: &mut Random, bytes: &mut [u8], at: usize) {
    let near = (1u64 << random.below(64)).wrapping_add(random.below(3)).wrapping_sub(1);
    let number = *pick(random, &[0, 1, u64::MAX, near, near]);
    let all = if random.below(4) == 0 { number.to_be_bytes() } else { number.to_le_bytes() };
    let width = *pick(random, &[1, 2, 4, 8]);
    // Numbers mostly stand at whole multiples.
    let at = if random.below(4) == 0 { at } else { at / 4 * 4 };
    for (byte, value) in bytes.iter_mut().skip(at).zip(&all[..width]) {
        *byte = *value;
    }
}
