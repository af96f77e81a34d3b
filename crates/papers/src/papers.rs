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
    /// Its sections, tables and figures, each with why no claim belongs to it, where none does.
    pub parts: &'static [Part],
}

/// A section, table or figure as studies name it, and why none does.
pub type Part = (&'static str, &'static str);

const DRAWING: &str = "an explanatory figure without measurable claims";
const AJWANI_ABSTRACT: &str = "its two claims, better random reads and much worse random writes than a \
    disk's, are those of section 3.3.1: ajwani-hard-disk";
const AJWANI_AIMS: &str = "aims and related work; its figures are a forecast of the market for 2013, more \
    than 20 devices (table 3.1 has 15 of flash), 1 and 2 devices in earlier work, and the 256 MB of a hybrid \
    disk";
const AJWANI_MACHINES: &str = "the machines (1.5 GHz and 512 MB to four cores of 2.6 GHz and 2.5 GB, Linux \
    2.6) and the kinds of device (USB 2.0, PCMCIA, IDE; SSDs of 16 and 32 GB): settings, of which nothing is \
    measured";
const AJWANI_GRAPH: &str = "a drawing of the trees that are searched: root(B) + 1 levels; what is claimed of \
    them is table 4.1, in ajwani-bfs";
const AJWANI_CONCLUSIONS: &str = "conclusions: what it claims is claimed above and run there, the throughput \
    and random writes in ajwani-hard-disk, past history in ajwani-burst, misalignment in ajwani-misaligned, \
    aging in ajwani-aging; its two cost models are proposals without figures";
const ARGUMENT: &str = "rationale of the benchmark, without measurable claims";
const OUTLINE: &str = "aims, related work, conclusions: claims repeated elsewhere";

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
    parts: &[
        ("abstract", AJWANI_ABSTRACT),
        ("chapter 1", AJWANI_AIMS),
        ("chapter 2", ""),
        ("table 2.1", ""),
        ("section 3.1", ""),
        ("section 3.2", AJWANI_MACHINES),
        ("section 3.3.1", ""),
        ("figure 3.1a", ""),
        ("figure 3.1b", ""),
        ("table 3.1", ""),
        ("section 3.3.2", ""),
        ("figure 3.2", ""),
        ("section 3.3.3", ""),
        ("figure 3.3", ""),
        ("section 3.3.4", ""),
        ("figure 3.4a", ""),
        ("section 3.3.5", ""),
        ("figure 3.4b", ""),
        ("section 3.3.6", ""),
        ("chapter 4", ""),
        ("figure 4.1", AJWANI_GRAPH),
        ("table 4.1", ""),
        ("chapter 5", AJWANI_CONCLUSIONS),
        ("appendix A", ""),
        ("appendix B", ""),
        ("figure B.1", ""),
        ("appendix C", ""),
        ("figure C.1", ""),
        ("figure C.2", ""),
        ("figure C.3", ""),
        ("figure C.4", ""),
    ],
};
/// uFLIP.
pub static UFLIP: Paper = Paper {
    number: "001",
    authors: "Luc Bouganim, Björn Þór Jónsson, Philippe Bonnet",
    title: "uFLIP: Understanding flash IO patterns",
    published: "CIDR 2009",
    parts: &[
        ("section 1", ""),
        ("section 2", ""),
        ("figure 1", ""),
        ("section 3.1", ""),
        ("figure 2", DRAWING),
        ("table 1", ""),
        ("section 3.2", ""),
        ("section 3.3", ARGUMENT),
        ("section 4.1", ""),
        ("section 4.2", ""),
        ("section 4.3", ""),
        ("table 2", ""),
        ("section 5.1", ""),
        ("figure 3", ""),
        ("figure 4", ""),
        ("figure 5", ""),
        ("table 3", ""),
        ("section 5.2", ""),
        ("figure 6", ""),
        ("figure 7", ""),
        ("figure 8", ""),
        ("section 5.3", ""),
        ("section 6", OUTLINE),
    ],
};
/// BPLRU. Its text does not number its subsections: they are counted as its subjects come (4.1 workloads, 4.2
/// simulation, 4.3 flushes and techniques, 4.4 prototype).
pub static BPLRU: Paper = Paper {
    number: "002",
    authors: "Hyojun Kim, Seongjun Ahn",
    title: "BPLRU: a buffer management scheme for improving random writes in flash storage",
    published: "FAST 2008",
    parts: &[
        ("section 1", ""),
        ("section 2", ""),
        ("figure 1", DRAWING),
        ("figure 2", DRAWING),
        ("section 3.1", ""),
        ("figure 3", ""),
        ("table 1", ""),
        ("section 3.2", ""),
        ("figure 4", ""),
        ("section 3.3", ""),
        ("figure 5", ""),
        ("section 3.4", ""),
        ("figure 6", ""),
        ("section 4.1", ""),
        ("section 4.2", ""),
        ("table 2", ""),
        ("figure 7", ""),
        ("figure 8", ""),
        ("figure 9", ""),
        ("figure 10", ""),
        ("figure 11", ""),
        ("figure 12", ""),
        ("figure 13", ""),
        ("figure 14", ""),
        ("figure 15", ""),
        ("section 4.3", ""),
        ("figure 16", ""),
        ("figure 17", ""),
        ("figure 18", ""),
        ("section 4.4", ""),
        ("figure 19", ""),
        ("figure 20", ""),
        ("section 5", ""),
    ],
};
/// The rewrite penalty.
pub static REWRITE: Paper = Paper {
    number: "003",
    authors: "Sanam Shahla Rizvi, Tae-Sun Chung",
    title: "Understanding of rewrite penalty for flash memory SSD based high performance computing real time \
            systems",
    published: "2012",
    parts: &[
        ("section I", ""),
        ("section II.A", "the drives and the tests, three runs of each, as the two studies run them"),
        ("table I", ""),
        ("section II.B", ""),
        ("figure 1", ""),
        ("figure 2", ""),
        ("section III", OUTLINE),
    ],
};
/// The almost-sequential writes. A post of four parts: an introduction, "Almost-sequential writes", "What's
/// going on?" and "Conclusion"; two pictures without captions.
pub static ALMOST_SEQUENTIAL: Paper = Paper {
    number: "004",
    authors: "Irit Katriel",
    title: "Why the disk access model fails on flash SSDs (Acunu)",
    published: "on the web, no date",
    parts: &[
        ("part 1", ""),
        ("part 2", ""),
        ("picture 1", ""),
        ("part 3", ""),
        ("picture 2", ""),
        ("part 4", OUTLINE),
    ],
};

/// All, in order.
pub static PAPERS: [&Paper; 5] = [&AJWANI, &UFLIP, &BPLRU, &REWRITE, &ALMOST_SEQUENTIAL];
