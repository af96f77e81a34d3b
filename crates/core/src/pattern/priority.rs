//! IO priorities of single IOs, by chance (fio's `cmdprio_percentage` and `cmdprio_bssplit`).

use std::fmt;
use std::str::FromStr;

use crate::ParseError;
use crate::request::{Op, Request};
use crate::seed::Random;
use crate::units::Bytes;

/// Which IOs have a priority of their own; all others have that of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priorities {
    rules: Vec<PriorityRule>,
}

/// A priority, and the share of the IOs of a kind that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriorityRule {
    /// Reads or writes; none for both.
    pub op: Option<Op>,
    /// IOs of this size; none for all.
    pub size: Option<Bytes>,
    /// Of the IOs, 1 to 100.
    pub percent: u8,
    /// 1 real time, 2 best effort, 3 idle.
    pub class: u8,
    /// 0 to 7, 0 is the highest.
    pub level: u8,
    /// Linux' hint, 0 to 1023, such as the number of a command duration limit; 0 is none.
    pub hint: u16,
}

impl PriorityRule {
    fn concerns(&self, op: Op, size: Option<Bytes>) -> bool {
        self.op.is_none_or(|of| of == op) && (self.size.is_none() || self.size == size)
    }

    /// As the kernel has it (`ioprio_value`): three bits of class, ten of hint, three of level.
    pub fn value(&self) -> u16 {
        u16::from(self.class) << 13 | self.hint << 3 | u16::from(self.level)
    }
}

impl Priorities {
    /// These rules.
    ///
    /// # Errors
    /// There are none, a number is out of its range, or more than all IOs of a kind have a priority.
    pub fn new(rules: Vec<PriorityRule>) -> Result<Priorities, ParseError> {
        let are_known = rules.iter().all(|rule| {
            let is_op = matches!(rule.op, None | Some(Op::Read | Op::Write));
            let (percents, classes) = (1..=100, 1..=3);
            let is_class = classes.contains(&rule.class) && rule.level <= 7 && rule.hint <= 1023;
            is_op && percents.contains(&rule.percent) && is_class
        });
        let priorities = Priorities { rules };
        if !are_known || priorities.rules.is_empty() {
            return Err(no_priorities(&priorities.to_string()));
        }
        let of = |op: Op, size: Option<Bytes>| -> u32 {
            let rules = priorities.rules.iter().filter(|rule| rule.concerns(op, size));
            rules.map(|rule| u32::from(rule.percent)).sum()
        };
        let sizes = || priorities.rules.iter().map(|rule| rule.size);
        if [Op::Read, Op::Write].into_iter().any(|op| sizes().any(|size| of(op, size) > 100)) {
            let way_out = "shares of at most 100 % together for each kind of IO";
            return Err(ParseError::invalid(&priorities.to_string(), "more than all IOs", way_out));
        }
        Ok(priorities)
    }

    /// The rules.
    pub fn rules(&self) -> &[PriorityRule] {
        &self.rules
    }

    /// The priority of this IO: of one draw, as in fio.
    #[inline]
    pub(super) fn draw(&self, request: &Request, random: &mut Random) -> u16 {
        if !matches!(request.op, Op::Read | Op::Write) {
            return 0;
        }
        let size = Some(Bytes(request.length_bytes.into()));
        let mut left = random.below(100);
        for rule in self.rules.iter().filter(|rule| rule.concerns(request.op, size)) {
            match left.checked_sub(rule.percent.into()) {
                Some(rest) => left = rest,
                None => return rule.value(),
            }
        }
        0
    }
}

impl fmt::Display for Priorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, rule) in self.rules.iter().enumerate() {
            f.write_str(if place > 0 { "," } else { "" })?;
            f.write_str(rule.op.map_or("", Op::name))?;
            rule.size.map_or(Ok(()), |size| write!(f, "@{size}"))?;
            f.write_str(if rule.op.is_some() || rule.size.is_some() { ":" } else { "" })?;
            write!(f, "{}%/{}/{}", rule.percent, rule.class, rule.level)?;
            if rule.hint > 0 {
                write!(f, "/{}", rule.hint)?;
            }
        }
        Ok(())
    }
}

impl FromStr for Priorities {
    type Err = ParseError;

    /// `[read|write][@SIZE:]PERCENT/CLASS[/LEVEL[/HINT]]`, several with `,`.
    fn from_str(text: &str) -> Result<Priorities, ParseError> {
        let rules = text.split(',').map(|rule| rule_of(rule.trim()).ok_or_else(|| no_priorities(text)));
        Priorities::new(rules.collect::<Result<_, _>>()?)
    }
}

fn rule_of(text: &str) -> Option<PriorityRule> {
    let (kind, numbers) = text.split_once(':').unwrap_or(("", text));
    let (op, size) = kind.split_once('@').map_or((kind, None), |(op, size)| (op, Some(size)));
    let op = match op {
        "" => None,
        "read" => Some(Op::Read),
        "write" => Some(Op::Write),
        _ => return None,
    };
    let size = size.map(str::parse::<Bytes>).transpose().ok()?;
    let mut numbers = numbers.split('/');
    let percent = numbers.next()?;
    let percent = percent.strip_suffix('%').unwrap_or(percent).parse().ok()?;
    let class = numbers.next()?.parse().ok()?;
    let level = numbers.next().map_or(Some(0), |level| level.parse().ok())?;
    let hint = numbers.next().map_or(Some(0), |hint| hint.parse().ok())?;
    let rule = PriorityRule { op, size, percent, class, level, hint };
    numbers.next().is_none().then_some(rule)
}

fn no_priorities(text: &str) -> ParseError {
    let way_out = "PERCENT/CLASS/LEVEL with a class of 1 to 3 and a level of 0 to 7, for kinds of IOs with \
                   read, write and @SIZE before it: 20%/1/0 or read@64KiB:25%/1/1,write:5%/3/0";
    ParseError::invalid(text, "no priorities", way_out)
}
