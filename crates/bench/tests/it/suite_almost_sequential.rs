//! Paper 004 on simulated devices whose collector is known: the suite's sentence names it.

use flashscope_analysis::Reading;
use flashscope_bench::{Alone, Scope, Settings, Suites, conduct};
use flashscope_core::Bytes;
use flashscope_sim::Ssd;
use flashscope_sim::profiles::Profile;

fn ssd(overrides: &[(&str, &str)]) -> Ssd {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    match Profile::find("x25m-2009", &overrides) {
        Ok(Profile::Ssd(settings)) => Ssd::new("x25m-2009", *settings, 4).expect("the settings are right"),
        other => panic!("x25m-2009 is a solid-state drive: {other:?}"),
    }
}

fn read(ssd: Ssd, can_trim: bool) -> Reading {
    let suite = &Suites::builtin().find("almost-sequential").expect("a suite").clone();
    let settings = Settings {
        scope: Scope::Quick,
        write: true,
        can_trim,
        repeats: 1,
        bs: suite.bs.expect("a size"),
        ..Settings::default()
    };
    conduct(suite, &[], &mut Alone(ssd), &settings).expect("it runs").1
}

fn beside(reading: &Reading, order: &str) -> f64 {
    let table = reading.tables.iter().find(|table| table.id == "orders").expect("a table");
    table.cell(order, "ratio to sequential").and_then(|cell| cell.value).expect("measured")
}

#[test]
fn what_repeats_is_sequential_to_a_page_map_whose_collector_keeps_survivors_apart() {
    let reading = read(ssd(&[("capacity", "256MiB"), ("initial", "empty")]), true);
    for order in ["regular gaps", "repeated permutation"] {
        assert!((0.97..1.03).contains(&beside(&reading, order)), "{order}: {}", beside(&reading, order));
    }
    assert!(beside(&reading, "random gaps") < 0.8 && beside(&reading, "uniform random") < 0.8);
    let first = &reading.sentences[0];
    assert!(first.text.contains("Repeated orders are as fast as sequential"), "{}", first.text);
    // "a sharp drop in performance as soon as we have written the device's capacity"
    let cliff =
        reading.sentences.iter().find(|said| said.text.contains("drops after")).expect("there is a cliff");
    let at: f64 =
        cliff.text.split_whitespace().rev().nth(2).and_then(|word| word.parse().ok()).expect("a number");
    assert!((0.9..1.3).contains(&at), "{}", cliff.text);
}

#[test]
fn the_models_rank_what_the_device_does_not() {
    let reading = read(ssd(&[("capacity", "256MiB"), ("initial", "empty")]), true);
    let table = &reading.tables[0];
    let said = |order: &str, model: &str| table.cell(order, model).and_then(|cell| cell.value);
    for model in ["DAM", "affine", "B_R and B_W"] {
        let (gaps, repeated) = (said("random gaps", model), said("repeated permutation", model));
        assert!(repeated <= gaps, "{model}: {repeated:?} and {gaps:?}");
    }
    assert!(beside(&reading, "repeated permutation") > 1.2 * beside(&reading, "random gaps"));
}

#[test]
fn another_collector_gives_another_order_and_another_sentence() {
    let one = read(ssd(&[("capacity", "256MiB"), ("page.frontiers", "1")]), false);
    assert!(beside(&one, "repeated permutation") < 0.8, "{}", beside(&one, "repeated permutation"));
    assert!(!one.sentences[0].text.contains("Repeated orders are"), "{}", one.sentences[0].text);
}

#[test]
fn a_device_that_does_not_collect_is_said_to_show_none() {
    let suite = &Suites::builtin().find("almost-sequential").expect("a suite").clone();
    let span = Some(Bytes(64 << 20));
    let settings =
        Settings { write: true, repeats: 1, bs: suite.bs.expect("a size"), span, ..Settings::default() };
    let rig = flashscope_sim::Rig::new(flashscope_sim::rigs::get("plain").expect("a rig"), 1);
    let (finished, reading) =
        conduct(suite, &[("passes".into(), "2".into())], &mut Alone(rig), &settings).expect("it runs");
    assert_eq!(finished.len(), 4 + 6);
    for done in finished.iter().filter(|done| done.experiment.micro == "almost-sequential") {
        assert_eq!(done.run.written_bytes, 128 << 20, "{}", done.experiment.id());
        assert_eq!(done.run.windows.iter().map(|window| window.bytes).sum::<u64>(), 128 << 20);
    }
    assert!(
        reading.sentences[0].text.contains("no garbage collection was detected"),
        "{:?}",
        reading.sentences
    );
}
