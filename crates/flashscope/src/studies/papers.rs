//! The five papers.

use serde::{Serialize, Serializer};

/// A paper.
#[derive(Debug)]
pub struct Paper {
    /// How the docs call it: `000` to `004`.
    pub number: &'static str,
    /// Who.
    pub authors: &'static str,
    /// What.
    pub title: &'static str,
    /// Where and when.
    pub published: &'static str,
}

impl Serialize for &Paper {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.number)
    }
}

/// Ajwani and others: benchmarks of more than twenty devices, and what they mean for algorithms.
pub static AJWANI: Paper = Paper {
    number: "000",
    authors: "Deepak Ajwani, Itay Malinger, Ulrich Meyer, Sivan Toledo",
    title: "Characterizing the performance of flash memory storage devices and its impact on algorithm \
            design",
    published: "MPI-I-2008-1-001, January 2008",
};
/// uFLIP.
pub static UFLIP: Paper = Paper {
    number: "001",
    authors: "Luc Bouganim, Björn Þór Jónsson, Philippe Bonnet",
    title: "uFLIP: Understanding flash IO patterns",
    published: "CIDR 2009",
};
/// BPLRU.
pub static BPLRU: Paper = Paper {
    number: "002",
    authors: "Hyojun Kim, Seongjun Ahn",
    title: "BPLRU: a buffer management scheme for improving random writes in flash storage",
    published: "FAST 2008",
};
/// The rewrite penalty.
pub static REWRITE: Paper = Paper {
    number: "003",
    authors: "Sanam Shahla Rizvi, Tae-Sun Chung",
    title: "Understanding of rewrite penalty for flash memory SSD based high performance computing real time \
            systems",
    published: "2012",
};
/// The almost-sequential writes.
pub static ALMOST_SEQUENTIAL: Paper = Paper {
    number: "004",
    authors: "Irit Katriel",
    title: "Why the disk access model fails on flash SSDs (Acunu)",
    published: "about 2011",
};

/// All, in order.
pub static PAPERS: [&Paper; 5] = [&AJWANI, &UFLIP, &BPLRU, &REWRITE, &ALMOST_SEQUENTIAL];
