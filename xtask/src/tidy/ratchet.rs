//! What is longer than the rules allow and may only shrink. The list is best left empty.

use super::Finding;

/// One `RULE THING SIZE` a line; `#` begins a comment.
pub const PATH: &str = "xtask/ratchet.txt";

struct Entry<'a> {
    line: usize,
    rule: &'a str,
    thing: &'a str,
    allowed: usize,
}

/// Takes out the findings that the list allows, and adds one for each entry that allows too much.
pub fn apply(list: &str, findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept = Vec::new();
    let mut entries = Vec::new();
    for (line, text) in (1..).zip(list.lines()) {
        let text = text.split('#').next().unwrap_or_default().trim();
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            [] => {}
            [rule, thing, size] if size.parse::<usize>().is_ok() => {
                entries.push(Entry { line, rule, thing, allowed: size.parse().unwrap_or(0) });
            }
            _ => kept.push(Finding::new(PATH, line, "ratchet", text, "write RULE THING SIZE")),
        }
    }
    for entry in &entries {
        let largest = findings.iter().filter_map(|finding| measured(entry, finding)).max().unwrap_or(0);
        if largest < entry.allowed {
            let what = format!("{} {} is down to {largest}", entry.rule, entry.thing);
            kept.push(Finding::new(PATH, entry.line, "ratchet", what, "lower the entry, or remove it"));
        }
    }
    let allowed = |finding: &Finding| {
        entries.iter().any(|entry| measured(entry, finding).is_some_and(|size| size <= entry.allowed))
    };
    kept.extend(findings.into_iter().filter(|finding| !allowed(finding)));
    kept
}

/// The size that was found of the thing this entry is about.
fn measured(entry: &Entry<'_>, finding: &Finding) -> Option<usize> {
    let (thing, size) = finding.size.as_ref()?;
    (finding.rule == entry.rule && thing == entry.thing).then_some(*size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(size: usize) -> Vec<Finding> {
        let finding = Finding::new("a.rs", 1, "file-length", "long", "shorten");
        vec![Finding { size: Some(("a.rs".into(), size)), ..finding }]
    }

    fn paths(list: &str, size: usize) -> Vec<String> {
        apply(list, long(size)).into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn what_is_listed_may_stay_but_not_grow() {
        assert_eq!(paths("# none\n", 600), ["a.rs"]);
        assert!(paths("file-length a.rs 600 # old\n", 600).is_empty());
        assert_eq!(paths("file-length a.rs 600\n", 601), ["a.rs"]);
        assert_eq!(paths("file-length b.rs 600\n", 600), [PATH, "a.rs"]);
    }

    #[test]
    fn what_shrank_must_be_noted() {
        assert_eq!(paths("file-length a.rs 600\n", 599), [PATH]);
    }

    #[test]
    fn a_line_that_is_no_entry_is_told() {
        assert_eq!(paths("file-length a.rs\n", 600), [PATH, "a.rs"]);
    }
}
