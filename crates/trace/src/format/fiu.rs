//! The traces of Florida International University (home, mail and web servers):
//!
//! ```text
//! 89966002 4892 syslogd 904265560 8 W 6 0 531e779ea4ec4eb1b4eb1a8f7a2ba3c8
//! time pid process lba size op major minor md5
//! ```
//!
//! Blank separated. The time is in nanoseconds; lba and size are in sectors of 512 bytes; the op is R or W.
//! One file holds several devices, named `major,minor` here. The MD5 is of the content, of 4 KiB, in the
//! traces of homes of 512 bytes; its form is checked, and it is not kept. A process may have a blank in its
//! name: the columns are counted from both ends. Only read. Definition: R. Koller, R. Rangaswami, "I/O
//! deduplication", FAST 2010, and the README of the traces at SNIA.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::{Process, Record};
use crate::text::{Fields, Problem, some_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format =
    Format::lines::<Fiu>("fiu", "FIU: ns pid process lba size (512 B) W|R major minor md5").reads(CLAIM);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Nanosecond, SpaceUnit::Sector, SpaceUnit::Sector)
    .resting_on(Basis::Named, Basis::Named)
    .in_blocks()
    .at(Stage::Queued)
    .with_device("major,minor")
    .with_columns("time=1:{time},offset=4:{address},length=5:{length},op=6");

#[derive(Default)]
struct Fiu;

impl LineFormat for Fiu {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut rest = line.trim_ascii_end();
        if rest.is_empty() {
            return Ok(());
        }
        let md5 = last(&mut rest);
        if md5.len() != 32 || !md5.iter().all(u8::is_ascii_hexdigit) {
            return Err("the MD5 is not 32 hexadecimal digits");
        }
        let (minor, major) = (last(&mut rest), last(&mut rest));
        whole(minor).and(whole(major)).ok_or("the device is not major and minor")?;
        let op = match last(&mut rest) {
            b"R" => Op::Read,
            b"W" => Op::Write,
            _ => return Err("the operation is neither R nor W"),
        };
        let count = whole(last(&mut rest)).ok_or("the size is not a number")?;
        let first = whole(last(&mut rest)).ok_or("the lba is not a number")?;
        let mut fields = Fields(rest);
        fields.skip_blanks();
        let time_ns = fields.word_of(Fields::number).ok_or("the time is not a number")?;
        let pid = fields.word_of(Fields::number).and_then(|pid| u32::try_from(pid).ok());
        let pid = pid.ok_or("the pid is not a number")?;
        let name = Some(fields.0).filter(|name| !name.is_empty()).ok_or("no process")?;
        let (offset_bytes, length_bytes) = some_sectors(first, count)?;
        let device = devices.joined(major, b',', minor)?;
        let process = Process::new(pid, name);
        records.push(Record {
            time_ns,
            offset_bytes,
            length_bytes,
            device,
            process,
            op,
            ..Record::default()
        });
        Ok(())
    }
}

/// Takes the last word and the blanks before it; empty if there is none.
#[inline(always)]
fn last<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let is_blank = |c: &u8| *c == b' ' || *c == b'\t';
    let start = rest.len() - rest.iter().rev().take_while(|c| !is_blank(c)).count();
    let word = &rest[start..];
    let blanks = rest[..start].iter().rev().take_while(|c| is_blank(c)).count();
    *rest = &rest[..start - blanks];
    word
}

/// A number and nothing else.
#[inline(always)]
fn whole(word: &[u8]) -> Option<u64> {
    let mut fields = Fields(word);
    fields.last_number()
}
