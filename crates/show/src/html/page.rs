//! One self-contained file: documents, their IOs, and the program that draws them. It fetches nothing, and
//! its own policy forbids it.

use std::fmt::Write;

use flashscope_core::plain::{plain, plain_json};

use super::bundle::Bundle;
use super::document::{Block, Document, Item, Tile};

const SCRIPT: &str = include_str!("../../assets/report.js");
const STYLE: &str = include_str!("../../assets/report.css");

/// How a page says who made it; files that do not are not written over unasked.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"flashscope";

/// Nothing but what is in the file; pictures that the page makes of itself may be shown and saved.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data: blob:; base-uri 'none'; form-action 'none'";

/// Whether the beginning of a file is that of a page of flashscope.
pub fn is_report(head: &[u8]) -> bool {
    head.windows(GENERATOR.len()).any(|part| part == GENERATOR.as_bytes())
}

/// The file that shows these, the first of them first.
pub fn page(bundles: &[Bundle]) -> String {
    let blobs = bundles.iter().flat_map(|bundle| bundle.blobs.values());
    let mut out = String::with_capacity(blobs.map(String::len).sum::<usize>() + (1 << 20));
    head(&mut out, bundles);
    out.push_str("<body>\n<noscript>\n");
    bundles.iter().for_each(|bundle| in_words(&mut out, &bundle.document));
    out.push_str("</noscript>\n<main id=\"report\"></main>\n");
    for (i, bundle) in bundles.iter().enumerate() {
        scripts(&mut out, i, bundle);
    }
    let _ = write!(out, "<script>\n{SCRIPT}\n</script>\n</body>\n</html>\n");
    out
}

/// Bytes of a page around its bundles.
pub(super) fn frame_bytes() -> usize {
    SCRIPT.len() + STYLE.len() + (4 << 10)
}

fn head(out: &mut String, bundles: &[Bundle]) {
    let titles: Vec<&str> = bundles.iter().map(|bundle| bundle.document.title.as_str()).collect();
    begin(out, &titles.join(", "), POLICY);
    let _ = write!(out, "<style>\n{STYLE}\n</style>\n</head>\n");
}

/// What every page begins with; the head stays open.
fn begin(out: &mut String, title: &str, policy: &str) {
    let title = escaped(title);
    let version = env!("CARGO_PKG_VERSION");
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         {GENERATOR} {version}\">\n\
         <title>{title} · flashscope</title>\n"
    );
}

/// What can be said without the program that draws.
fn in_words(out: &mut String, document: &Document) {
    let [title, subtitle] = [&document.title, &document.subtitle].map(|text| escaped(text));
    let _ = writeln!(out, "<h1>{title}</h1>\n<p>{subtitle}</p>");
    out.push_str(
        "<p>The charts of this page are drawn by JavaScript, which is switched off here. Switch it on for \
         this file (it fetches nothing), or read the same in a terminal.\
         </p>\n",
    );
    for block in document.sections.iter().flat_map(|section| &section.blocks) {
        let lines: Vec<String> = match block {
            Block::Tiles { tiles } => tiles.iter().map(tile_in_words).collect(),
            Block::Items { items } | Block::Listed { items, .. } => items.iter().map(item_in_words).collect(),
            _ => continue,
        };
        let lines = lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line)));
        let _ = write!(out, "<ul>\n{}</ul>\n", lines.collect::<String>());
    }
}

/// `Random read: 9,274 IOPS (weak); 304 MB/s; p50 78.2 µs, ..`.
fn tile_in_words(tile: &Tile) -> String {
    let Tile { name, value, unit, state, detail, rows, .. } = tile;
    let rows: Vec<String> = rows.iter().map(|[name, value]| format!("{name} {value}")).collect();
    let state = state.map_or(String::new(), |state| format!(" ({state})"));
    format!("{name}: {value} {unit}{state}; {detail}; {}", rows.join(", "))
}

fn item_in_words(item: &Item) -> String {
    let state = item.state.map_or(String::new(), |state| format!(" [{state}]"));
    format!("{}{state} {}", item.text, item.detail)
}

fn scripts(out: &mut String, result: usize, bundle: &Bundle) {
    let _ = writeln!(
        out,
        "<script type=\"application/json\" data-flashscope=\"document\" data-result=\"{result}\">{}</script>",
        inert(&serde_json::to_string(&bundle.document).expect("plain data"))
    );
    for (key, base64) in &bundle.blobs {
        let key = escaped(key);
        let _ = writeln!(
            out,
            "<script type=\"text/plain\" data-flashscope=\"blob\" data-result=\"{result}\" \
             data-id=\"{key}\">{base64}</script>"
        );
    }
}

/// JSON in which nothing ends a script or begins a comment, or turns the order of reading.
pub(super) fn inert(json: &str) -> String {
    plain_json(json).replace('<', "\\u003c")
}

fn escaped(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What pages of a site say of themselves.
pub const SITE: &str = "<meta name=\"flashscope\" content=\"site\">";

/// As [`POLICY`], with the scripts and the style that lie beside the page.
const SITE_POLICY: &str = "default-src 'none'; script-src 'self' file: 'unsafe-inline'; \
                           style-src 'self' file: 'unsafe-inline'; img-src data: blob:; base-uri 'none'; \
                           form-action 'none'";

/// The files that all pages of a site share: their names, and what is in them.
pub const SITE_ASSETS: [(&str, &str); 2] = [("report.js", SCRIPT), ("report.css", STYLE)];

/// A page of a site.
#[derive(Debug, Clone, Copy, Default)]
pub struct SitePage<'a> {
    /// What it is called.
    pub title: &'a str,
    /// The way to the site's own folder: empty, or `../`.
    pub up: &'a str,
    /// What stands in the page itself.
    pub bundle: Option<&'a Bundle>,
    /// The data that it loads, relative to the site's folder.
    pub data: &'a [String],
    /// The script that shows it; empty if `bundle` is all.
    pub start: &'a str,
    /// Pages that are linked where nothing can be drawn: address and name.
    pub links: &'a [(String, String)],
}

/// A page whose program, style and data are files beside it.
pub fn site_page(page: &SitePage<'_>) -> String {
    let SitePage { title, up, bundle, data, start, links } = *page;
    let mut out = String::new();
    begin(&mut out, title, SITE_POLICY);
    let _ =
        write!(out, "{SITE}\n<link rel=\"stylesheet\" href=\"{up}assets/report.css\">\n</head>\n<body>\n");
    if !up.is_empty() || bundle.is_none() {
        let _ = writeln!(out, "<p class=\"home\"><a href=\"{up}index.html\">All results</a></p>");
    }
    out.push_str(
        "<noscript>\n<p>The charts and tables of this page are drawn by JavaScript, which is switched off \
                  here.</p>\n<ul>\n",
    );
    for (address, name) in links {
        let _ = writeln!(out, "<li><a href=\"{}\">{}</a></li>", escaped(address), escaped(name));
    }
    out.push_str("</ul>\n</noscript>\n<main id=\"report\"></main>\n");
    bundle.into_iter().for_each(|bundle| scripts(&mut out, 0, bundle));
    for script in ["assets/report.js"].into_iter().chain(data.iter().map(String::as_str)) {
        let _ = writeln!(out, "<script src=\"{up}{}\"></script>", escaped(script));
    }
    if !start.is_empty() {
        let _ = writeln!(out, "<script>{start}</script>");
    }
    out.push_str("</body>\n</html>\n");
    out
}
