//! Compression of what is written.

use std::io::{BufWriter, Result, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;

/// How a written trace is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compress {
    /// Not at all.
    #[default]
    No,
    /// gzip, level 6.
    Gzip,
    /// zstd, level 3.
    Zstd,
    /// xz, level 6.
    Xz,
}

impl Compress {
    /// What the end of a file's name asks for, and the name without it: `a.csv.gz` is `a.csv`, gzip.
    pub fn of_name(name: &str) -> (&str, Compress) {
        let methods = [(".gz", Compress::Gzip), (".zst", Compress::Zstd), (".xz", Compress::Xz)];
        let method = methods.iter().find_map(|(end, method)| Some((name.strip_suffix(end)?, *method)));
        method.unwrap_or((name, Compress::No))
    }
}

type Plain = BufWriter<Box<dyn Write + Send>>;

/// Where the bytes of a trace go, through the compression.
pub(crate) enum Output {
    Plain(Plain),
    Gzip(GzEncoder<Plain>),
    Zstd(zstd::stream::write::Encoder<'static, Plain>),
    Xz(XzEncoder<Plain>),
}

impl Output {
    pub(crate) fn new(output: Box<dyn Write + Send>, compress: Compress) -> Result<Output> {
        let output = BufWriter::with_capacity(256 << 10, output);
        Ok(match compress {
            Compress::No => Output::Plain(output),
            Compress::Gzip => Output::Gzip(GzEncoder::new(output, Compression::default())),
            Compress::Zstd => Output::Zstd(zstd::stream::write::Encoder::new(output, 3)?),
            Compress::Xz => Output::Xz(XzEncoder::new(output, 6)),
        })
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Output::Plain(output) => output.write_all(bytes),
            Output::Gzip(output) => output.write_all(bytes),
            Output::Zstd(output) => output.write_all(bytes),
            Output::Xz(output) => output.write_all(bytes),
        }
    }

    /// Ends the compressed stream; without it, the file is cut short.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Output::Plain(output) => output,
            Output::Gzip(output) => output.finish()?,
            Output::Zstd(output) => output.finish()?,
            Output::Xz(output) => output.finish()?,
        }
        .flush()
    }
}
