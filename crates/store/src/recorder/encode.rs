//! Columns of numbers as the bytes of Parquet pages. The general writer of the parquet crate looks at every
//! value several times; these take a nanosecond a value, which is what leaves the processor to the IOs.

/// Deltas in a block, and in each of its parts that have a bit width of their own.
const BLOCK: usize = 128;
const PART: usize = 32;

/// Appends `values` in the encoding DELTA_BINARY_PACKED (Parquet format, Encodings, "Delta encoding").
pub(super) fn delta(values: &[i64], out: &mut Vec<u8>) {
    let Some((&first, rest)) = values.split_first() else { return };
    varint(BLOCK as u64, out);
    varint((BLOCK / PART) as u64, out);
    varint(values.len() as u64, out);
    zigzag(first, out);
    let mut before = first;
    for block in rest.chunks(BLOCK) {
        let mut deltas = [0i64; BLOCK];
        deltas[0] = block[0].wrapping_sub(before);
        for (delta, pair) in deltas[1..].iter_mut().zip(block.windows(2)) {
            *delta = pair[1].wrapping_sub(pair[0]);
        }
        before = block[block.len() - 1];
        delta_block(&deltas, block.len(), out);
    }
}

/// One block; what is beyond `count` is padding.
fn delta_block(deltas: &[i64; BLOCK], count: usize, out: &mut Vec<u8>) {
    let least = least(&deltas[..count]);
    let mut above = [0u64; BLOCK];
    for (above, delta) in above[..count].iter_mut().zip(deltas) {
        *above = delta.wrapping_sub(least) as u64;
    }
    zigzag(least, out);
    let parts = above.as_chunks::<PART>().0;
    let widths: [u32; BLOCK / PART] =
        std::array::from_fn(|part| 64 - parts[part].iter().fold(0, |all, v| all | v).leading_zeros());
    out.extend(widths.map(|width| width as u8));
    for (part, width) in parts.iter().zip(widths).take(count.div_ceil(PART)) {
        pack(part, width, out);
    }
}

/// The least of one value or more. Four chains at once: a single one would wait for each comparison.
fn least(values: &[i64]) -> i64 {
    let mut chains = [values[0]; 4];
    let quads = values.as_chunks::<4>();
    for quad in quads.0 {
        for (least, value) in chains.iter_mut().zip(quad) {
            *least = (*least).min(*value);
        }
    }
    chains.into_iter().chain(quads.1.iter().copied()).fold(values[0], i64::min)
}

/// Appends the low `width` bits of each value, least significant first.
fn pack(values: &[u64; PART], width: u32, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let mut words = [0u8; PART * 8];
    let (mut word, mut used, mut at) = (0u64, 0, 0);
    for value in values {
        word |= value << used;
        used += width;
        if used >= 64 {
            words[at..at + 8].copy_from_slice(&word.to_le_bytes());
            at += 8;
            used -= 64;
            word = if used > 0 { value >> (width - used) } else { 0 };
        }
    }
    // 32 values fill whole words, or whole words and a half.
    if used > 0 {
        words[at..at + 4].copy_from_slice(&word.to_le_bytes()[..4]);
    }
    out.extend_from_slice(&words[..width as usize * PART / 8]);
}

/// Appends `codes` below 4 as indices into a dictionary (Parquet format, Encodings, "RLE / bit-packing
/// hybrid"): one run if they are all alike, else 2 bits for each.
pub(super) fn codes(codes: &[u8], out: &mut Vec<u8>) {
    let Some(&first) = codes.first() else { return };
    out.push(2);
    if codes.iter().all(|code| *code == first) {
        varint((codes.len() as u64) << 1, out);
        out.push(first);
        return;
    }
    let groups = codes.len().div_ceil(8);
    varint((groups as u64) << 1 | 1, out);
    for quad in 0..groups * 2 {
        let code = |i: usize| codes.get(quad * 4 + i).copied().unwrap_or(0);
        out.push(code(0) | code(1) << 2 | code(2) << 4 | code(3) << 6);
    }
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    varint((value << 1 ^ value >> 63) as u64, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::seed::Random;

    /// The Parquet specification read literally, one bit at a time.
    struct Decoder<'a>(&'a [u8]);

    impl Decoder<'_> {
        fn varint(&mut self) -> u64 {
            let mut value = 0;
            for shift in (0..).step_by(7) {
                let (byte, rest) = self.0.split_first().unwrap();
                self.0 = rest;
                value |= u64::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    return value;
                }
            }
            unreachable!()
        }

        fn zigzag(&mut self) -> i64 {
            let value = self.varint();
            (value >> 1) as i64 ^ -((value & 1) as i64)
        }

        fn delta(&mut self) -> Vec<i64> {
            let (block, parts, count) =
                (self.varint() as usize, self.varint() as usize, self.varint() as usize);
            let mut values = vec![self.zigzag()];
            while values.len() < count {
                let least = self.zigzag();
                let (widths, rest) = self.0.split_at(parts);
                self.0 = rest;
                for width in widths.iter().map(|width| usize::from(*width)) {
                    if values.len() == count {
                        break;
                    }
                    let bytes = width * (block / parts) / 8;
                    let (packed, rest) = self.0.split_at(bytes);
                    self.0 = rest;
                    let bit = |at: usize| u64::from(packed[at / 8] >> (at % 8) & 1);
                    for i in 0..(block / parts).min(count - values.len()) {
                        let above = (0..width).map(|b| bit(i * width + b) << b).sum::<u64>();
                        let before = values[values.len() - 1];
                        values.push(before.wrapping_add(least).wrapping_add(above as i64));
                    }
                }
            }
            values
        }
    }

    #[test]
    fn numbers_of_every_size_and_count_are_decoded_to_what_they_were() {
        let mut random = Random::new(23);
        for bits in 0..=64u32 {
            for count in [1, 2, 31, 32, 33, 34, 128, 129, 130, 161, 1000] {
                let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
                let mut value = || (random.below(1 << 32) << 32 | random.below(1 << 32)) & mask;
                let values: Vec<i64> = (0..count).map(|_| value() as i64).collect();
                let mut page = Vec::new();
                delta(&values, &mut page);
                let mut decoder = Decoder(&page);
                assert_eq!(decoder.delta(), values, "{count} values of {bits} bits, seed 23");
                assert!(decoder.0.is_empty(), "bytes left over");
            }
        }
    }
}
