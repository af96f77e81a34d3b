//! The kernel's RWBS letters, which blktrace, tracefs, perf and blkreplay share: an optional leading `F`
//! (flush before it), the operation, then `F` (FUA), `A` (read-ahead), `S` (sync), `M` (metadata) and rarer
//! ones.

use flashscope_core::request::{Flags, Op};

use crate::record::Record;
use crate::text::{Problem, sectors};

/// What the letters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rwbs {
    /// A flush and nothing else.
    Flush,
    /// Neither read, write, flush nor trim: a command passed through, or one that has no letter of its own.
    Other,
    /// An operation on a range.
    Io {
        op: Op,
        flags: Flags,
        /// A leading `F`: the cache is flushed first.
        flush_first: bool,
    },
}

impl Rwbs {
    #[inline(always)]
    pub(crate) fn parse(letters: &[u8]) -> Result<Rwbs, Problem> {
        let (flush_first, rest) = match letters {
            [b'F', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (op, rest) = match rest {
            [b'R', rest @ ..] => (Some(Op::Read), rest),
            [b'W', rest @ ..] => (Some(Op::Write), rest),
            [b'D', rest @ ..] => (Some(Op::Trim), rest),
            [b'N', rest @ ..] => (None, rest),
            rest if flush_first => (None, rest),
            _ => return Err("the operation is not one of R, W, D, F, N"),
        };
        let mut flags = 0;
        for letter in rest {
            flags |= match letter {
                b'F' => Flags::FUA.0,
                b'S' => Flags::SYNC.0,
                b'A' | b'M' | b'E' | b'U' | b'B' => 0,
                _ => return Err("the operation has an unknown letter"),
            };
        }
        Ok(match op {
            Some(op) => Rwbs::Io { op, flags: Flags(flags), flush_first },
            None if flush_first => Rwbs::Flush,
            None => Rwbs::Other,
        })
    }

    /// What the kernel's event means by the letters on so many sectors. It has no letter for writing zeroes:
    /// `N` on a range is that. It is a write here, as it is one to blktrace, which cannot tell the two apart.
    #[inline(always)]
    pub(crate) fn on(self, count: u64) -> Rwbs {
        match self {
            Rwbs::Other if count > 0 => Rwbs::Io { op: Op::Write, flags: Flags::NONE, flush_first: false },
            all_others => all_others,
        }
    }

    /// Offset and length in bytes of this operation on so many sectors.
    #[inline(always)]
    pub(crate) fn range(self, first: u64, count: u64) -> Result<(u64, u64), Problem> {
        match self {
            Rwbs::Flush if count == 0 => Ok((0, 0)),
            Rwbs::Flush => Err("a flush has a length"),
            Rwbs::Io { .. } if count == 0 => Err("the length is zero"),
            Rwbs::Io { .. } => sectors(first, count),
            Rwbs::Other => Err("operation N on a range is neither read nor write"),
        }
    }

    /// Appends the requests that the letters stand for: `record` with operation and flags, after a flush if
    /// they ask for one. The whole latency belongs to `record`.
    #[inline(always)]
    pub(crate) fn push(self, record: Record, records: &mut Vec<Record>) {
        let flush = Record { offset_bytes: 0, length_bytes: 0, op: Op::Flush, ..record };
        match self {
            Rwbs::Flush => records.push(flush),
            Rwbs::Other => {}
            Rwbs::Io { op, flags, flush_first } => {
                if flush_first {
                    records.push(Record { latency_ns: None, ..flush });
                }
                records.push(Record { op, flags, ..record });
            }
        }
    }
}

/// The letters of a record. Only what a [`Record`] knows: not `A` (read-ahead) nor `M` (metadata).
pub(crate) fn letters(record: &Record) -> &'static str {
    let (fua, sync) = (record.flags.0 & Flags::FUA.0 != 0, record.flags.0 & Flags::SYNC.0 != 0);
    let choices = match record.op {
        Op::Read => ["R", "RS", "RF", "RFS"],
        Op::Write => ["W", "WS", "WF", "WFS"],
        Op::Flush => ["F"; 4],
        Op::Trim => ["D", "DS", "DF", "DFS"],
    };
    choices[usize::from(fua) * 2 + usize::from(sync)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_the_kernel() {
        let io = |op, flags, flush_first| Ok(Rwbs::Io { op, flags, flush_first });
        let both = Flags(Flags::FUA.0 | Flags::SYNC.0);
        for (letters, meaning) in [
            ("R", io(Op::Read, Flags::NONE, false)),
            ("RAM", io(Op::Read, Flags::NONE, false)),
            ("W", io(Op::Write, Flags::NONE, false)),
            ("WSM", io(Op::Write, Flags::SYNC, false)),
            ("WFS", io(Op::Write, both, false)),
            ("FWFSM", io(Op::Write, both, true)),
            ("FWS", io(Op::Write, Flags::SYNC, true)),
            ("D", io(Op::Trim, Flags::NONE, false)),
            ("DE", io(Op::Trim, Flags::NONE, false)),
            ("F", Ok(Rwbs::Flush)),
            ("FF", Ok(Rwbs::Flush)),
            ("FN", Ok(Rwbs::Flush)),
            ("N", Ok(Rwbs::Other)),
        ] {
            assert_eq!(Rwbs::parse(letters.as_bytes()), meaning, "{letters}");
        }
        for bad in ["", "X", "S", "ZA", "r", "W?", "RW", "WSD", "4096"] {
            assert!(Rwbs::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
