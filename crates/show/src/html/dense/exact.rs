//! Every IO of an experiment.

use super::blob::Blob;
use flashscope_store::ios::Io;

/// The greatest unit that divides all offsets and lengths.
pub(super) fn unit_bytes(ios: &[Io]) -> u64 {
    ios.iter().fold(0, |unit, io| common(common(unit, io.offset_bytes), u64::from(io.length_bytes))).max(1)
}

/// The greatest common divisor (Euclid); that of 0 and a number is the number.
pub(super) fn common(mut a: u64, mut b: u64) -> u64 {
    if a != 0 && b.is_multiple_of(a) {
        return a;
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The arrays of `super::ArraySpec`'s first kind.
pub(super) fn exact(ios: &[Io], unit_bytes: u64) -> Blob {
    let mut blob = Blob::default();
    let mut put = |name, value: &dyn Fn(&Io) -> u64| {
        blob.put(name, &ios.iter().map(value).collect::<Vec<u64>>());
    };
    put("submit_ns", &|io| io.submit_ns);
    put("response_ns", &|io| io.response_ns);
    put("offset", &|io| io.offset_bytes / unit_bytes);
    put("length", &|io| u64::from(io.length_bytes) / unit_bytes);
    put("op", &|io| io.op as u64);
    put("stream", &|io| u64::from(io.stream));
    blob
}
