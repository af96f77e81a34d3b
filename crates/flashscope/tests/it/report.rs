//! `flashscope report`: a page of every folder of which anything can be said, and never over what is not one.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{Ended, call};
use crate::results::Scratch;

fn words(scratch: &Scratch, line: &str) -> Ended {
    call(&scratch.path(""), &line.split(' ').collect::<Vec<_>>())
}

fn is_page(path: &Path) -> bool {
    let html = fs::read_to_string(path).unwrap_or_default();
    html.starts_with("<!doctype html>") && html.ends_with("</html>\n")
}

/// A small characterisation in `a`.
fn run() -> Scratch {
    let scratch = Scratch::new();
    words(&scratch, "run rig:plain --quick --only granularity --repeats 1 --seed 1 -o a -q").well();
    scratch
}

#[test]
fn every_run_and_measurement_leaves_a_page_and_report_makes_it_again() {
    let scratch = run();
    assert!(is_page(&scratch.path("a/report.html")));
    words(&scratch, "measure rig:plain --rw randread --seed 1 -o m").well();
    assert!(is_page(&scratch.path("m/report.html")));
    fs::remove_file(scratch.path("a/report.html")).unwrap();
    let ended = words(&scratch, "report a").well();
    assert!(ended.out.starts_with("a/report.html   (") && ended.out.contains("all of"), "{}", ended.out);
    assert!(is_page(&scratch.path("a/report.html")));
    let json = words(&scratch, "report a m --json").well().json();
    assert_eq!((&json["file"], &json["results"][1]["kind"]), (&"report.html".into(), &"measure".into()));
    let html = fs::read_to_string(scratch.path("report.html")).unwrap();
    assert_eq!(json["size_bytes"], html.len());
    assert!(html.contains(r#""kind":"comparison""#));
    let page = words(&scratch, "report a -o -").well().out;
    assert!(page.starts_with("<!doctype html>"));
}

#[test]
fn nothing_but_a_report_is_written_over() {
    let scratch = run();
    fs::write(scratch.path("thesis.html"), "<html>mine</html>").unwrap();
    words(&scratch, "report a -o thesis.html")
        .failed(2, &["thesis.html", "not a flashscope report", "--force"]);
    assert_eq!(fs::read_to_string(scratch.path("thesis.html")).unwrap(), "<html>mine</html>");
    words(&scratch, "report a -o a").failed(2, &["it is a folder"]);
    words(&scratch, "report a -o thesis.html --force").well();
    words(&scratch, "report a -o thesis.html").well();
    assert!(is_page(&scratch.path("thesis.html")));
    words(&scratch, "report a -o no/such/place.html").failed(1, &["no/such/place.html"]);
    words(&scratch, "report a -o - --json").failed(2, &["-o -", "--json"]);
    // In a folder from elsewhere, a link to a page of one's own.
    fs::remove_file(scratch.path("a/report.html")).unwrap();
    symlink(scratch.path("thesis.html"), scratch.path("a/report.html")).unwrap();
    let own = fs::read(scratch.path("thesis.html")).unwrap();
    words(&scratch, "report a").failed(2, &["a/report.html is a link", "-o"]);
    assert_eq!(fs::read(scratch.path("thesis.html")).unwrap(), own);
}

/// A folder's name, what is done to it, and a word of what is told; none if it is no damage.
type Damage = (&'static str, fn(&Path), &'static str);

#[test]
fn of_what_is_damaged_a_page_is_made_with_a_warning() {
    let damages: [Damage; 5] = [
        ("killed", |folder| fs::remove_file(folder.join("context.json")).unwrap(), ""),
        ("cut", |folder| cut(&folder.join("manifest.json")), "manifest.json"),
        ("torn", |folder| cut(&folder.join("runs.jsonl")), ""),
        ("lost", |folder| fs::remove_dir_all(folder.join("ios")).unwrap(), "ios/"),
        (
            "newer",
            |folder| replace(&folder.join("manifest.json"), "version\": 1", "version\": 9"),
            "version 9",
        ),
    ];
    let scratch = run();
    for (name, damage, told) in damages {
        let folder = scratch.path(name);
        copy(&scratch.path("a"), &folder);
        fs::remove_file(folder.join("report.html")).unwrap();
        damage(&folder);
        let ended = words(&scratch, &format!("report {name}")).well();
        assert_eq!(told.is_empty(), !ended.err.contains("warning"), "{name}: {}", ended.err);
        assert!(ended.err.contains(told), "{name}: {}", ended.err);
        assert!(is_page(&folder.join("report.html")), "{name}");
    }
    fs::create_dir(scratch.path("foreign")).unwrap();
    words(&scratch, "report foreign").failed(1, &["foreign", "not a flashscope result", "results in"]);
    words(&scratch, "report nowhere").failed(2, &["nowhere", "check the path"]);
    let words_of_it = ["a/manifest.json", "neither a result folder nor a pack"];
    words(&scratch, "report a/manifest.json").failed(2, &words_of_it);
}

fn cut(path: &Path) {
    let text = fs::read(path).unwrap();
    fs::write(path, &text[..text.len() * 2 / 3]).unwrap();
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from));
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &name) } else { fs::copy(&path, &name).map(drop).unwrap() }
    }
}
