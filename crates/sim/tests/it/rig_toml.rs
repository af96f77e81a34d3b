//! The text of a rig: what is accepted, and what is said of what is not.

use flashscope_sim::{RigSpec, SimError, rigs};

const GOOD: &str = r#"
size = "1GiB"

[latency]
sequential_read = [["0", "60us"], ["32KiB", "100us"]]
sequential_write = [["32KiB", "250us"]]
random_write = [["32KiB", "1ms"]]
"#;

fn error(text: &str) -> String {
    RigSpec::parse("mine", text).expect_err("refused").to_string()
}

#[test]
fn a_few_lines_are_a_rig() {
    let spec = RigSpec::parse("mine", GOOD).expect("a rig");
    assert_eq!(spec.latency.random_read(), &spec.latency.sequential_read);
    assert_eq!((spec.sector.0, spec.parallel.channels, spec.noise.spread.0), (512, 1, 0.0));
}

#[test]
fn the_example_in_the_documentation_is_a_rig() {
    let doc = include_str!("../../../../docs/rigs.md");
    let examples: Vec<&str> =
        doc.split("```toml\n").skip(1).filter_map(|part| part.split("```").next()).collect();
    assert!(!examples.is_empty(), "docs/rigs.md shows a rig");
    for example in examples {
        RigSpec::parse("example", example).unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}

#[test]
fn the_documentation_explains_every_key_and_rig() {
    let doc = include_str!("../../../../docs/rigs.md");
    let mut keys = Vec::new();
    for name in rigs::NAMES {
        assert!(doc.contains(&format!("`{name}`")), "docs/rigs.md does not name {name}");
        let spec = rigs::get(name).expect("built in");
        let table = toml::Table::try_from(&spec).expect("a spec is TOML");
        collect_keys(&table, &mut keys);
    }
    for key in keys {
        // As a key of a table, or as a table.
        let explained = [format!("`{key}`"), format!("`[{key}]`"), format!("`[cycle.{key}]`")];
        assert!(explained.iter().any(|text| doc.contains(text)), "docs/rigs.md does not explain {key}");
    }
}

fn collect_keys(table: &toml::Table, keys: &mut Vec<String>) {
    for (key, value) in table {
        keys.push(key.clone());
        match value {
            toml::Value::Table(inner) => collect_keys(inner, keys),
            toml::Value::Array(items) => {
                items.iter().filter_map(toml::Value::as_table).for_each(|inner| collect_keys(inner, keys));
            }
            _ => (),
        }
    }
}

#[test]
fn a_spec_prints_itself_back() {
    for name in rigs::NAMES {
        let spec = rigs::get(name).expect("built in");
        let text = toml::to_string(&spec).expect("a spec is TOML");
        assert_eq!(RigSpec::parse(name, &text), Ok(spec), "{text}");
    }
}

#[test]
fn an_unknown_key_is_shown_with_its_place_and_the_keys_there_are() {
    let message = error(&GOOD.replace("random_write", "ramdom_write"));
    for part in ["rig:mine", "line 7", "column 1", "ramdom_write", "random_write", "sequential_read"] {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
    let message = error(&format!("{GOOD}\n[locallity]\narea = \"8MiB\""));
    assert!(message.contains("locality") && message.contains("line 9"), "{message}");
}

#[test]
fn a_bad_value_is_shown_with_its_place_or_its_key_and_what_to_write() {
    let cases = [
        ("size = -5", "", "negative"),
        ("size = \"1 GiBi\"", "", "KiB MiB GiB"),
        ("size = \"1000\"", "", "size is 1000B, not a whole number of sectors"),
        ("size = \"1GiB\"\nsector = 1000", "", "write 512 or 4KiB"),
        ("size = \"1GiB\"\nforget_after = \"0s\"", "", "forget_after must be more than 0"),
        ("size = \"1GiB\"\nforget_after = \"5\"", "", "5ms"),
        ("", "[streams]\nlimit = 0\nfactor = 1", "streams.limit is 0, not from 1 to 64"),
        ("", "[streams]\nlimit = -1\nfactor = 1", "line 10"),
        ("", "[streams]\nlimit = 4", "missing field `factor`"),
        ("", "[streams]\nlimit = 4\nfactor = -2", "streams.factor is -2, not a valid factor"),
        ("", "[order]\nin_place = 0", "order.in_place is 0, not a valid factor"),
        ("", "[order]\nreverse = nan", "order.reverse is NaN, not a valid factor"),
        ("", "[order]\nlarge_increment_from = \"9MiB\"", "large_increment_to is 8MiB"),
        ("", "[locality]\narea = \"2GiB\"\nfactor = 1", "locality.area is 2GiB"),
        ("", "[background]\nstartup = 5\nperiod = 0", "background.period is 0"),
        ("", "[cycle.random_write]\nperiod = 4", "needs exactly one shape"),
        ("", "[cycle.random_write]\nperiod = 1\nsawtooth = \"5%\"", "from 2 to"),
        ("", "[cycle.random_write]\nperiod = 4\ndear = 4\ncheap_factor = 0.5", "not from 1 to 3"),
        ("", "[cycle.random_write]\nperiod = 4\ndear = 1\ncheap_factor = 2", "not from 0 to below 1"),
        ("", "[regimes]\nsteps = []", "regimes.steps is empty"),
        ("", "[regimes]\nsteps = [{from = 9, factor = 1}, {from = 8, factor = 2}]", "order the steps"),
        ("", "[lingering]\nreads = 0\ntime = \"1s\"\nfactor = 2", "leave out the table"),
        ("", "[alignment]\nunit = \"3KiB\"\nfactor = 2", "not a power of two"),
        ("", "[alignment]\nunit = \"4KiB\"\nfactor = 2\nconcerns = [\"random\"]", "random_write"),
        ("", "[parallel]\nchannels = 0", "parallel.channels is 0"),
        ("", "[noise]\nspread = 0.5", "noise.spread is 0.5"),
        ("", "[noise]\ncorrelation = 1.0", "noise.correlation is 1"),
        ("", "[noise]\nspikes = { one_in = 0, cost = \"1ms\" }", "noise.spikes.one_in is 0"),
    ];
    for (head, tail, expected) in cases {
        let head = if head.is_empty() { "size = \"1GiB\"" } else { head };
        let message = error(&format!("{}\n{tail}", GOOD.replace("size = \"1GiB\"", head)));
        assert!(message.starts_with("rig:mine: "), "{message}");
        assert!(message.contains(expected), "'{expected}' is not in: {message}");
    }
}

#[test]
fn two_rules_that_contradict_each_other_are_refused() {
    let both = "[background]\nstartup = 5\nperiod = 2\n[cycle.random_write]\nperiod = 2\nsawtooth = \"5%\"";
    assert!(error(&format!("{GOOD}\n{both}")).contains("leave out one of them"));
    let cheap = GOOD.replace("[[\"32KiB\", \"1ms\"]]", "[[\"32KiB\", \"250us\"]]");
    let message = error(&format!("{cheap}\n[background]\nstartup = 5\nperiod = 2"));
    assert!(message.contains("defers nothing") && message.contains("latency.random_write"), "{message}");
}

#[test]
fn curves_that_cannot_be_are_refused() {
    let with = |curve: &str| error(&GOOD.replace("[[\"32KiB\", \"1ms\"]]", curve));
    assert!(with("[]").contains("latency.random_write has no points"));
    assert!(with("[[\"32KiB\", \"1ms\"], [\"4KiB\", \"2ms\"]]").contains("4KiB"));
    assert!(with("[[\"4KiB\", \"2ms\"], [\"32KiB\", \"1ms\"]]").contains("falls from"));
    assert!(with("[[\"32KiB\", \"0s\"]]").contains("response time of 0"));
    assert!(with("[[\"32KiB\", \"2h\"]]").contains("more than"));
}

#[test]
fn an_unknown_rig_is_answered_with_those_there_are() {
    let error = rigs::find("mtrom").expect_err("no such rig");
    assert!(matches!(error, SimError::Unknown { .. }));
    assert!(rigs::NAMES.iter().all(|name| error.to_string().contains(name)), "{error}");
}
