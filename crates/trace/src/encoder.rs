//! The seam to the formats that are written, and the count of what a format cannot hold.

use crate::record::Record;

/// Something that a format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Loss {
    /// The whole request: the format knows no flush.
    Flush,
    /// The whole request: the format knows no trim.
    Trim,
    /// The whole request: its range is not whole sectors, or does not fit the format's numbers.
    Range,
    /// The whole request: its time does not fit the format's numbers, or would have to go back.
    Time,
    /// Digits of the time below the format's resolution.
    TimeDigits,
    /// That it is a write: the format knows no operation.
    Op,
    /// Which device it was for.
    Device,
    /// Latency.
    Latency,
    /// Who asked.
    Process,
    /// Force unit access.
    Fua,
    /// That somebody waited for it.
    Sync,
}

impl Loss {
    /// All of them, whole requests first.
    pub const ALL: [Loss; 11] = [
        Loss::Flush,
        Loss::Trim,
        Loss::Range,
        Loss::Time,
        Loss::TimeDigits,
        Loss::Op,
        Loss::Device,
        Loss::Latency,
        Loss::Process,
        Loss::Fua,
        Loss::Sync,
    ];

    /// Whether the whole request is left out.
    pub fn is_whole_request(self) -> bool {
        matches!(self, Loss::Flush | Loss::Trim | Loss::Range | Loss::Time)
    }

    /// What it is, behind "of so many requests".
    pub fn about(self) -> &'static str {
        match self {
            Loss::Flush => "flushes dropped",
            Loss::Trim => "trims dropped",
            Loss::Range => "requests dropped, their range beyond the format's limits",
            Loss::Time => "requests dropped, their time beyond the format's limits",
            Loss::TimeDigits => "requests with rounded times",
            Loss::Op => "writes without their operation, which read back as reads",
            Loss::Device => "requests that lost the name of their device",
            Loss::Latency => "requests that lost their latency",
            Loss::Process => "requests that lost their process",
            Loss::Fua => "requests that lost the flag FUA",
            Loss::Sync => "requests that lost the flag sync",
        }
    }
}

/// How many requests lost what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses([u64; Loss::ALL.len()]);

impl Losses {
    /// One request lost it.
    #[inline]
    pub fn count(&mut self, loss: Loss) {
        self.0[loss as usize] += 1;
    }

    /// Counts each of these that the record has; a format names what it does not hold.
    #[inline]
    pub fn count_extras(&mut self, record: &Record, losses: &[Loss]) {
        use flashscope_core::request::Flags;
        for &loss in losses {
            let is_lost = match loss {
                Loss::Latency => record.latency_ns.is_some(),
                Loss::Process => record.process != Default::default(),
                Loss::Fua => record.flags.0 & Flags::FUA.0 != 0,
                Loss::Sync => record.flags.0 & Flags::SYNC.0 != 0,
                // The format knows better whether these are lost.
                Loss::Flush
                | Loss::Trim
                | Loss::Range
                | Loss::Time
                | Loss::TimeDigits
                | Loss::Op
                | Loss::Device => false,
            };
            self.0[loss as usize] += u64::from(is_lost);
        }
    }

    /// How many requests lost this.
    pub fn of(&self, loss: Loss) -> u64 {
        self.0[loss as usize]
    }

    /// How many requests were left out as a whole.
    pub fn left_out(&self) -> u64 {
        self.iter().filter(|(loss, _)| loss.is_whole_request()).map(|(_, count)| count).sum()
    }

    /// What was lost at all, whole requests first.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64)> + '_ {
        Loss::ALL.into_iter().map(|loss| (loss, self.of(loss))).filter(|(_, count)| *count > 0)
    }
}

/// A format as it is written: appends bytes, counts what it cannot hold.
pub trait Encoder: Send {
    /// What stands before the first request.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Some more requests, in the order of the trace. `devices` are all names so far: an index into them is
    /// [`Record::device`].
    fn batch(&mut self, records: &[Record], devices: &[String], out: &mut Vec<u8>, losses: &mut Losses);

    /// The next piece of what was kept back because it needs to know the rest of the trace; called after the
    /// last request, until there is none.
    ///
    /// # Errors
    /// When what was kept back cannot be had again.
    fn kept_back(&mut self, out: &mut Vec<u8>) -> std::io::Result<bool> {
        let _ = out;
        Ok(false)
    }

    /// What stands behind the last request.
    fn end(&mut self, out: &mut Vec<u8>, losses: &mut Losses) {
        let _ = (out, losses);
    }
}
