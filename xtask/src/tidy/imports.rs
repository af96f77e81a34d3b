//! Files of different modules do not import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::code::{Source, Token};
use super::wanted::Wanted;

pub const RULE: &str = "import-cycles";

/// The circles of every crate; one finding each crate, with the number of files in them.
pub fn check(sources: &[Source], wanted: &Wanted) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_product()) {
        crates.entry(source.folder()).or_default().push(source);
    }
    crates.into_iter().filter_map(|(folder, sources)| check_crate(folder, &sources, wanted)).collect()
}

fn check_crate(folder: &str, sources: &[&Source], wanted: &Wanted) -> Option<Finding> {
    let graph = Graph::new(folder, sources, wanted);
    let circles = graph.circles();
    let in_circles: usize = circles.iter().map(BTreeSet::len).sum();
    let edges: Vec<String> = circles.iter().flat_map(|circle| graph.edges_across(circle)).collect();
    let what = format!("{in_circles} files import each other in circles: {}", edges.join(", "));
    let way_out = "move what both need below both; a circle that is wanted has a line in xtask/wanted.txt";
    let finding = Finding::new(folder, 1, RULE, what, way_out).sized(folder, in_circles);
    (in_circles > 0).then_some(finding)
}

/// The name of a module: `["a", "b"]` of `src/a/b.rs`, nothing of the crate's root.
type Module = Vec<String>;

struct Graph {
    modules: Vec<Module>,
    paths: Vec<String>,
    /// By number of the importing file.
    imports: Vec<BTreeSet<usize>>,
}

impl Graph {
    fn new(folder: &str, sources: &[&Source], wanted: &Wanted) -> Graph {
        let modules: Vec<Module> = sources.iter().map(|source| module(folder, &source.path)).collect();
        let paths = sources.iter().map(|source| source.path.clone()).collect();
        let mut graph = Graph { imports: vec![BTreeSet::new(); modules.len()], modules, paths };
        // What the root only passes on belongs to where it comes from.
        let root = graph.modules.iter().position(Vec::is_empty);
        let passed_on = root.map_or(Vec::new(), |root| graph.uses(root, sources[root]));
        for (from, source) in sources.iter().enumerate().filter(|(from, _)| Some(*from) != root) {
            for path in graph.uses(from, source) {
                let to = graph.file(&path).or_else(|| {
                    let [name, ..] = path.as_slice() else { return None };
                    graph.file(passed_on.iter().find(|path| path.last() == Some(name))?)
                });
                let Some(to) = to.filter(|to| *to != from) else { continue };
                let thing = format!("{} {}", source.path, graph.modules[to].first().map_or("", |top| top));
                let is_across = graph.modules[from].first() != graph.modules[to].first();
                if !(is_across && wanted.allows(RULE, &thing)) {
                    graph.imports[from].insert(to);
                }
            }
        }
        graph
    }

    /// The file that holds what a path names; none for the root.
    fn file(&self, path: &[String]) -> Option<usize> {
        let mut prefixes = (1..=path.len()).rev().map(|length| &path[..length]);
        prefixes.find_map(|prefix| self.modules.iter().position(|module| module == prefix))
    }

    /// All paths into the own crate, from its root.
    fn uses(&self, file: usize, source: &Source) -> Vec<Module> {
        let tokens: Vec<&Token> = source.product_tokens().collect();
        let own = &self.modules[file];
        let mut found = Vec::new();
        for at in 0..tokens.len() {
            let follows = |back: usize| at >= back && tokens[at - back].text == ":";
            if follows(1) || !is_path_at(&tokens, at) {
                continue;
            }
            let child: Module = own.iter().cloned().chain([tokens[at].text.clone()]).collect();
            let (base, skip) = match tokens[at].text.as_str() {
                "crate" => (Vec::new(), 3),
                "self" => (own.clone(), 3),
                "super" => (own[..own.len().saturating_sub(1)].to_vec(), 3),
                _ if self.modules.contains(&child) => (child, 3),
                _ => continue,
            };
            tree(&tokens, at + skip, &base, &mut found);
        }
        found
    }

    /// Sets of files that reach each other, and are of more than one module below the root.
    fn circles(&self) -> Vec<BTreeSet<usize>> {
        let reached: Vec<BTreeSet<usize>> = (0..self.imports.len()).map(|from| self.reached(from)).collect();
        let circle = |of: usize| -> BTreeSet<usize> {
            reached[of].iter().copied().filter(|other| reached[*other].contains(&of)).collect()
        };
        let circles: BTreeSet<BTreeSet<usize>> = (0..self.imports.len()).map(circle).collect();
        let tops = |circle: &BTreeSet<usize>| -> BTreeSet<Option<&String>> {
            circle.iter().map(|file| self.modules[*file].first()).collect()
        };
        circles.into_iter().filter(|circle| tops(circle).len() > 1).collect()
    }

    fn reached(&self, from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            open.extend(self.imports[file].iter().filter(|next| reached.insert(**next)));
        }
        reached
    }

    /// The imports within a circle that cross from one module to another.
    fn edges_across(&self, circle: &BTreeSet<usize>) -> Vec<String> {
        let pairs = circle.iter().flat_map(|from| self.imports[*from].iter().map(move |to| (*from, *to)));
        let is_across = |&(from, to): &(usize, usize)| {
            circle.contains(&to) && self.modules[from].first() != self.modules[to].first()
        };
        let name =
            |(from, to): (usize, usize)| format!("{} -> {}", self.paths[from], self.modules[to].join("::"));
        pairs.filter(is_across).map(name).collect()
    }
}

fn module(folder: &str, path: &str) -> Module {
    let inside = path.strip_prefix(folder).unwrap_or(path).trim_start_matches("/src/");
    let name = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    let parts = name.split('/').map(str::to_string);
    if ["lib", "main"].contains(&name) { Vec::new() } else { parts.collect() }
}

/// Whether a word is followed by `::`.
fn is_path_at(tokens: &[&Token], at: usize) -> bool {
    let is_colon = |token: Option<&&Token>| token.is_some_and(|token| token.text == ":");
    is_colon(tokens.get(at + 1)) && is_colon(tokens.get(at + 2))
}

/// The paths of a tree such as `a::{b, c::D}` that begins at a token; returns what is behind it.
fn tree(tokens: &[&Token], mut at: usize, base: &[String], found: &mut Vec<Module>) -> usize {
    let text = |at: usize| tokens.get(at).map_or("}", |token| token.text.as_str());
    let mut path = base.to_vec();
    loop {
        match text(at) {
            "{" => return trees(tokens, at + 1, &path, found),
            "super" => drop(path.pop()),
            "self" => {}
            name => path.push(name.into()),
        }
        if !is_path_at(tokens, at) {
            found.push(path);
            return at + 1;
        }
        at += 3;
    }
}

/// Those of all trees up to a closing brace.
fn trees(tokens: &[&Token], mut at: usize, base: &[String], found: &mut Vec<Module>) -> usize {
    let text = |at: usize| tokens.get(at).map_or("}", |token| token.text.as_str());
    while text(at) != "}" {
        at = tree(tokens, at, base, found);
        // Past an alias.
        while ![",", "}"].contains(&text(at)) {
            at += 1;
        }
        at += usize::from(text(at) == ",");
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)], wanted: &str) -> Vec<(usize, String)> {
        let source =
            |(path, text): &(&str, &str)| Source::new(&format!("crates/x/src/{path}"), text).unwrap();
        let sources: Vec<Source> = files.iter().map(source).collect();
        let findings = check(&sources, &Wanted::parse(wanted));
        findings.into_iter().map(|finding| (finding.size.unwrap().1, finding.what)).collect()
    }

    #[test]
    fn files_of_two_modules_that_import_each_other_are_caught() {
        for (a, b) in [
            ("use crate::b::B;", "use crate::a::A;"),
            ("use crate::{c::C, b::{self, B}};", "use super::a::A;"),
            ("fn f() { crate::b::g() }", "use crate::a;"),
            ("use crate::B;", "use crate::a::{A as Z};"),
        ] {
            let files =
                [("lib.rs", "mod a; mod b; mod c; pub use b::B;"), ("a.rs", a), ("b.rs", b), ("c.rs", "")];
            let found = found(&files, "");
            assert_eq!(found.len(), 1, "{a} {b}");
            assert_eq!(found[0].0, 2);
            assert!(found[0].1.contains("crates/x/src/a.rs -> b, crates/x/src/b.rs -> a"), "{found:?}");
        }
    }

    #[test]
    fn a_circle_through_a_third_file_is_caught() {
        let files = [("a.rs", "use crate::b::B;"), ("b.rs", "mod c;"), ("b/c.rs", "use crate::a::A;")];
        assert_eq!(found(&files, ""), []);
        let files =
            [("a.rs", "use crate::b::B;"), ("b.rs", "mod c; pub use c::B;"), ("b/c.rs", "use crate::a::A;")];
        assert_eq!(found(&files, "")[0].0, 3);
    }

    #[test]
    fn a_module_may_know_its_parts_and_they_it() {
        let files = [("a.rs", "mod b; use b::B;"), ("a/b.rs", "use super::A; use crate::a::C;")];
        assert_eq!(found(&files, ""), []);
        let files = [("a.rs", "use crate::b::B;"), ("b.rs", ""), ("c.rs", "use crate::{a::A, b::B};")];
        assert_eq!(found(&files, ""), []);
    }

    #[test]
    fn tests_and_comments_are_free() {
        let files = [
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "// use crate::a::A;\n#[cfg(test)] mod tests { use crate::a::A; }"),
        ];
        assert_eq!(found(&files, ""), []);
    }

    #[test]
    fn a_circle_that_is_wanted_has_its_line() {
        let files = [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")];
        assert_eq!(found(&files, "import-cycles crates/x/src/b.rs a  # one idea"), []);
    }
}
