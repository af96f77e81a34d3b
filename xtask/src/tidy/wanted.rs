//! Exceptions from a rule that are wanted, each with its reason.

use std::cell::Cell;

use super::Finding;

/// One `RULE THING  # REASON` a line.
pub const PATH: &str = "xtask/wanted.txt";

/// The exceptions.
#[derive(Default)]
pub struct Wanted {
    entries: Vec<Entry>,
}

struct Entry {
    line: usize,
    rule: String,
    thing: String,
    has_reason: bool,
    is_met: Cell<bool>,
}

impl Wanted {
    pub fn parse(text: &str) -> Wanted {
        let mut entries = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let (entry, reason) = text.split_once('#').unwrap_or((text, ""));
            let mut words = entry.split_whitespace();
            let Some(rule) = words.next() else { continue };
            let thing = words.collect::<Vec<_>>().join(" ");
            let has_reason = !reason.trim().is_empty();
            entries.push(Entry { line, rule: rule.into(), thing, has_reason, is_met: Cell::new(false) });
        }
        Wanted { entries }
    }

    /// Whether `thing` is an exception from `rule`.
    pub fn allows(&self, rule: &str, thing: &str) -> bool {
        let entry = self.entries.iter().find(|entry| entry.rule == rule && entry.thing == thing);
        entry.inspect(|entry| entry.is_met.set(true)).is_some()
    }

    /// Entries without a reason, and those that no rule asked for. To be called after all rules.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for Entry { line, rule, thing, has_reason, is_met } in &self.entries {
            let mut report = |what: String, way_out| {
                findings.push(Finding::new(PATH, *line, "wanted", what, way_out));
            };
            if !has_reason {
                report(format!("{rule} {thing} has no reason"), "write it behind a #");
            }
            if !is_met.get() {
                report(format!("{rule} {thing} is not there"), "remove the entry");
            }
        }
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_needs_a_reason_and_a_case() {
        let wanted = Wanted::parse("# all\nflag-names a.rs --x  # of blockdev\nimport-cycles b.rs c\n");
        assert!(wanted.allows("flag-names", "a.rs --x"));
        assert!(!wanted.allows("flag-names", "a.rs --y"));
        let findings: Vec<String> = wanted.check().into_iter().map(|finding| finding.what).collect();
        assert_eq!(findings, ["import-cycles b.rs c has no reason", "import-cycles b.rs c is not there"]);
    }
}
