//! Writes the guide's pages as doctests.
//!
//! A page has no hidden lines, since GitHub would show them. What an example needs around it is in
//! a comment before its fence, `<!-- around the example: before … after -->`, and becomes hidden
//! lines here. A program that must not compile is mended by a block `diff` behind it, which becomes
//! the whole program.

use std::path::Path;
use std::{env, fs, io};

const COMMENT: &str = "<!-- around the example:";

fn main() -> io::Result<()> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src");
    println!("cargo::rerun-if-changed={}", pages.display());
    write(
        &pages,
        &Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("guide"),
    )
}

fn write(pages: &Path, out: &Path) -> io::Result<()> {
    fs::create_dir_all(out)?;
    for entry in fs::read_dir(pages)? {
        let path = entry?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        if path.is_dir() {
            write(&path, &out.join(name))?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            fs::write(
                out.join(name),
                doctests(&fs::read_to_string(&path)?).map_err(|problem| in_page(&path, problem))?,
            )?;
        }
    }
    Ok(())
}

fn in_page(path: &Path, problem: &str) -> io::Error {
    io::Error::other(format!("{}: {problem}", path.display()))
}

/// The page with hidden lines in place of its comments.
fn doctests(page: &str) -> Result<String, &'static str> {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(COMMENT) {
        let (around, after) = after
            .split_once("-->\n")
            .ok_or("a comment around an example has no end")?;
        let (first, last) = around
            .split_once('…')
            .ok_or("a comment around an example has no … in place of the example")?;
        let (fence, after) = after
            .split_once('\n')
            .filter(|(fence, _)| fence.starts_with("```rust"))
            .ok_or("no example follows a comment")?;
        let (example, after) = after.split_once("\n```\n").ok_or("an example has no end")?;
        text.push_str(before);
        text.push_str(fence);
        text.push('\n');
        hide(&mut text, first);
        // Functions of tests are compiled, too.
        text.extend(
            example
                .lines()
                .filter(|line| line.trim() != "#[test]")
                .flat_map(|line| [line, "\n"]),
        );
        hide(&mut text, last);
        text.push_str("```\n");
        rest = after;
    }
    text.push_str(rest);
    mended(&text)
}

const FAILS: &str = "```rust,compile_fail\n";
const DIFF: &str = "```diff\n";

/// The page with whole programs in place of the changes that mend those which must not compile.
fn mended(page: &str) -> Result<String, &'static str> {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(DIFF) {
        let (changes, after) = after.split_once("```\n").ok_or("a change has no end")?;
        let (_, program) = before
            .rsplit_once(FAILS)
            .ok_or("no program that fails is before a change")?;
        let (program, _) = program.split_once("```\n").ok_or("a program has no end")?;
        text.extend([before, "```rust\n", &changed(program, changes)?, "```\n"]);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

/// A program after changes: lines that stay lead to the place of those that go and come.
fn changed(program: &str, changes: &str) -> Result<String, &'static str> {
    let mut lines: Vec<&str> = program.lines().collect();
    let mut at = 0;
    for change in changes.lines() {
        let (kind, line) = change.split_at_checked(1).unwrap_or((" ", ""));
        let found = |from: usize| {
            lines
                .iter()
                .skip(from)
                .position(|there| *there == line)
                .map(|after| from + after)
        };
        match kind {
            "+" => {
                lines.insert(at, line);
                at += 1;
            }
            "-" => {
                at = found(at).ok_or("a line that a change takes out is not in the program")?;
                lines.remove(at);
            }
            " " => at = found(at).ok_or("a line of a change is not in the program")? + 1,
            _ => return Err("a line of a change begins with +, - or a blank"),
        }
    }
    Ok(lines.into_iter().flat_map(|line| [line, "\n"]).collect())
}

fn hide(text: &mut String, lines: &str) {
    for line in lines.trim().lines() {
        text.extend(["# ", line, "\n"]);
    }
}
