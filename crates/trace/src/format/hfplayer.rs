//! Traces of hfplayer (FAST '17, github.com/umn-cris/hfplayer), captured within a storage controller:
//!
//! ```text
//! #DUMP_OFFSET.I,ELAPSED_USECS.D,ELAPSED_TICKS.I,CMD.S,..,LUN_SSID.I,..,LBA.I,NBLKS.I,..,LATENCY_USECS.D
//! 3610768,81442951.096,173744962312,WR_IN,0,30736997642535324,..,1,1,0,2254431928,8,121408,6,1,56.910
//! ```
//!
//! The first line names the columns, each with its type (I integer, D decimal, S text), in any order. Used
//! are ELAPSED_USECS (microseconds), CMD (`RD`, `WR`, or as they came in, `RD_IN`, `WR_IN`), LUN_SSID (the
//! device), LBA and NBLKS (blocks of 512 bytes) and LATENCY_USECS (0: no reply was seen). Replies (`RD_OUT`,
//! `WR_OUT`) repeat a request and are counted as other lines. Other columns are not looked at.

use flashscope_core::Op;

use super::Format;
use crate::devices::Devices;
use crate::lines::LineFormat;
use crate::reading::{Basis, Claim, SpaceUnit, Stage, TimeUnit};
use crate::record::Record;
use crate::text::{Fields, Problem, some_sectors};

/// The registry's line.
pub(crate) const FORMAT: Format = Format::lines::<Hfplayer>(
    "hfplayer",
    "hfplayer csv: #ELAPSED_USECS.D,CMD.S,LUN_SSID.I,LBA.I,NBLKS.I,LATENCY_USECS.D, ..",
)
.reads(CLAIM)
.with_extensions(&["csv"]);

/// What it says of its files.
const CLAIM: Claim = Claim::new(TimeUnit::Microsecond, SpaceUnit::Sector, SpaceUnit::Sector)
    .resting_on(Basis::Named, Basis::Described)
    .in_blocks()
    .with_latency(TimeUnit::Microsecond)
    .at(Stage::Issued)
    .with_device("column");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Time,
    Command,
    Device,
    First,
    Count,
    Latency,
    Other,
}

const NAMES: [(&[u8], Column); 6] = [
    (b"ELAPSED_USECS.D", Column::Time),
    (b"CMD.S", Column::Command),
    (b"LUN_SSID.I", Column::Device),
    (b"LBA.I", Column::First),
    (b"NBLKS.I", Column::Count),
    (b"LATENCY_USECS.D", Column::Latency),
];

#[derive(Default)]
struct Hfplayer {
    columns: Vec<Column>,
}

impl LineFormat for Hfplayer {
    #[inline]
    fn line(&mut self, line: &[u8], devices: &mut Devices, records: &mut Vec<Record>) -> Result<(), Problem> {
        match line {
            [] => Ok(()),
            [b'#', names @ ..] => self.heading(names),
            _ if self.columns.is_empty() => Err("there is no header line before it"),
            _ => request(&self.columns, line, devices, records),
        }
    }
}

impl Hfplayer {
    /// A comment, or the header.
    #[cold]
    fn heading(&mut self, names: &[u8]) -> Result<(), Problem> {
        let column = |name| NAMES.iter().find(|(known, _)| *known == name).map_or(Column::Other, |(_, c)| *c);
        let columns: Vec<_> = names.split(|&c| c == b',').map(column).collect();
        if columns.iter().all(|&column| column == Column::Other) {
            return Ok(());
        }
        for (_, needed) in NAMES {
            let count = columns.iter().filter(|&&column| column == needed).count();
            if count > 1 || count == 0 && !matches!(needed, Column::Device | Column::Latency) {
                return Err("each of ELAPSED_USECS.D, CMD.S, LBA.I and NBLKS.I must be a column, once");
            }
        }
        self.columns = columns;
        Ok(())
    }
}

#[inline]
fn request(
    columns: &[Column],
    line: &[u8],
    devices: &mut Devices,
    records: &mut Vec<Record>,
) -> Result<(), Problem> {
    let mut fields = Fields(line);
    let (mut time_ns, mut first, mut count, mut latency_ns) = (0, 0, 0, 0);
    let (mut op, mut device) = (None, &b"0"[..]);
    for (index, column) in columns.iter().enumerate() {
        let whole = fields.0;
        let value = match column {
            Column::Time => fields.decimal_ns(3).map(|ns| time_ns = ns),
            Column::Command => command(&mut fields).map(|command| op = command),
            Column::First => fields.number().map(|number| first = number),
            Column::Count => fields.number().map(|number| count = number),
            Column::Latency => fields.decimal_ns(3).map(|ns| latency_ns = ns),
            Column::Device => fields.number().map(|_| device = &whole[..whole.len() - fields.0.len()]),
            Column::Other => {
                fields.skip_to(b',');
                Some(())
            }
        };
        if value.is_none() || !fields.ends_field(index + 1 == columns.len()) {
            return Err(problem(*column));
        }
    }
    let Some(op) = op else { return Ok(()) };
    let (offset_bytes, length_bytes) = some_sectors(first, count)?;
    records.push(Record {
        time_ns,
        offset_bytes,
        length_bytes,
        latency_ns: (latency_ns > 0).then_some(latency_ns),
        device: devices.number(device)?,
        op,
        ..Record::default()
    });
    Ok(())
}

/// The operation; none if it is a reply.
#[inline]
fn command(fields: &mut Fields<'_>) -> Option<Option<Op>> {
    match fields.skip_to(b',') {
        b"RD_IN" | b"RD" => Some(Some(Op::Read)),
        b"WR_IN" | b"WR" => Some(Some(Op::Write)),
        b"RD_OUT" | b"WR_OUT" => Some(None),
        _ => None,
    }
}

#[cold]
fn problem(column: Column) -> Problem {
    match column {
        Column::Time => "ELAPSED_USECS is not in microseconds",
        Column::Command => "CMD is not one of RD_IN, WR_IN, RD, WR, RD_OUT, WR_OUT",
        Column::Device => "LUN_SSID is not a number",
        Column::First => "LBA is not a number",
        Column::Count => "NBLKS is not a number",
        Column::Latency => "LATENCY_USECS is not in microseconds",
        Column::Other => "its number of fields differs from the header's",
    }
}
