//! docs/data.md, as its reader meets it: the questions are run, and the answers must be those on the page.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::call;
use crate::common::kernel::Scratch;
use crate::common::python::python_with;

/// A block of code and its language.
struct Block {
    language: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else { continue };
        let text: String =
            lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
        blocks.push(Block { language: language.into(), text });
    }
    blocks
}

/// As DuckDB's own `-csv` prints a result.
const SQL: &str = "import duckdb, sys
answer = duckdb.sql(sys.argv[1])
print(*answer.columns, sep=',')
for row in answer.fetchall():
    print(*('' if value is None else value for value in row), sep=',')";

#[test]
fn the_questions_of_the_page_have_the_answers_printed_there() {
    let Some(python) = python_with("duckdb, polars") else { return };
    let scratch = Scratch::new();
    let blocks = blocks();
    let command = &blocks.iter().find(|block| block.language == "sh").expect("how to make the result").text;
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(words[0], "flashscope");
    call(&scratch.path(""), &words[1..]).well();
    let mut asked = Vec::new();
    for pair in blocks.windows(2) {
        let [question, answer] = pair else { unreachable!("two blocks") };
        let program = match question.language.as_str() {
            "sql" => vec!["-c", SQL, &question.text],
            "python" => vec!["-c", &question.text],
            _ => continue,
        };
        assert_eq!(answer.language, "csv", "an answer follows each question: {}", question.text);
        let output = Command::new(&python).args(program).current_dir(scratch.path("")).output();
        let output = output.expect("python starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), answer.text, "{}", question.text);
        asked.push(question.language.as_str());
    }
    assert_eq!(asked, ["sql", "sql", "python"]);
}
