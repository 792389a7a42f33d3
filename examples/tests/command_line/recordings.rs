//! The pictures of the guide are what the programs print. `UPDATE=1` draws them again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the test's own helpers may panic too"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const ONLY: [&str; 2] = ["aws_route53_record", "digitalocean_certificate"];

fn realworld(arguments: &[&str], color: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_realworld"))
        .args(arguments)
        .args(["--color", color])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("state"))
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn is_current(name: &str, picture: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/src/images")
        .join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, picture).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == picture,
        "docs/src/images/{name} is not what the program prints; UPDATE=1 draws it again"
    );
}

#[test]
fn the_picture_of_a_plan_is_what_it_prints() {
    let mut arguments = vec!["plan", "terraform.tfstate", "--diff"];
    arguments.extend(ONLY.iter().flat_map(|only| ["--only", only]));
    let typed = format!("$ realworld {}\n", arguments.join(" "));
    is_current(
        "plan.svg",
        &terminal(&(typed + &realworld(&arguments, "always"))),
    );
}

#[test]
fn the_picture_of_a_route_is_what_explain_draws() {
    is_current(
        "route.svg",
        &realworld(
            &["explain", "azurerm_storage_account", "--format", "svg"],
            "never",
        ),
    );
    let graph = realworld(
        &["explain", "azurerm_storage_account", "--format", "dot"],
        "never",
    );
    assert!(
        graph.contains("n0 -> n1 [label=\"operators\"]")
            && graph.contains("n3 [label=\"3\", penwidth=2]"),
        "{graph}"
    );
}

/// The compiler's message, as the compile-error tests recorded it, with long lines broken.
#[test]
fn the_picture_of_a_compile_error_is_what_the_compiler_says() {
    let said = recorded("ui-tests/tests/ui/readme/forgotten_rename.stderr");
    let said = said.replace("tests/ui/readme/forgotten_rename.rs", "src/main.rs");
    is_current(
        "compile-error.svg",
        &terminal(&format!("$ cargo check\n{}", coloured(&broken(&said)))),
    );
}

/// The findings of a release, as the test of findings recorded them: the first three, and the end.
#[test]
fn the_picture_of_a_check_is_what_it_prints() {
    let printed = recorded("tests/findings/check.txt");
    let parts: Vec<&str> = printed.trim_end().split("\n\n").collect();
    let shown = [&parts[..4], &["…"], &parts[parts.len() - 1..]]
        .concat()
        .join("\n\n");
    is_current(
        "check.svg",
        &terminal(&format!(
            "$ acme check --release 2.5.0\n{}",
            coloured(&shown)
        )),
    );
}

fn recorded(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

/// Lines of at most 100 columns, because a page draws a wider picture in smaller letters. The rest of a line is below the words of its help.
fn broken(text: &str) -> String {
    let line = |line: &str| match line
        .char_indices()
        .nth(100)
        .and_then(|(end, _)| line.get(..end)?.rfind(' '))
    {
        Some(at) => format!("{}\n{}{}\n", &line[..at], " ".repeat(19), &line[at..]),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The recorded lines in the colors that a terminal shows.
fn coloured(text: &str) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some((level, rest)) if level.starts_with("error") => {
            format!("\u{1b}[31;1m{level}\u{1b}[0m\u{1b}[1m: {rest}\u{1b}[0m\n")
        }
        Some((level, rest)) if level.starts_with("warning") => {
            format!("\u{1b}[33;1m{level}\u{1b}[0m\u{1b}[1m: {rest}\u{1b}[0m\n")
        }
        _ => format!("{}\n", line.replace("FAIL", "\u{1b}[31;1mFAIL\u{1b}[0m")),
    };
    text.lines().map(line).collect()
}

/// A picture of a terminal that shows this.
fn terminal(text: &str) -> String {
    const LINE: usize = 18;
    let lines: Vec<&str> = text.lines().collect();
    let columns = lines
        .iter()
        .map(|line| {
            pieces(line)
                .iter()
                .map(|(_, text)| text.chars().count())
                .sum::<usize>()
        })
        .max();
    let (width, height) = (columns.unwrap_or(0) * 42 / 5 + 32, lines.len() * LINE + 24);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <style>text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #c9d1d9; white-space: pre }} \
         .b {{ font-weight: bold }} .d {{ fill: #8b949e }} .r {{ fill: #ff7b72 }} .g {{ fill: #7ee787 }} .y {{ fill: #e3b341 }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n"
    );
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(
            out,
            "<text x=\"16\" y=\"{}\" xml:space=\"preserve\">",
            number * LINE + 28
        );
        for (class, text) in pieces(line) {
            let text = text
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            let _ = if class.is_empty() {
                write!(out, "{text}")
            } else {
                write!(out, "<tspan class=\"{class}\">{text}</tspan>")
            };
        }
        out.push_str("</text>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The parts of a line with the classes of their style: what a terminal makes of escape sequences.
fn pieces(line: &str) -> Vec<(String, &str)> {
    let mut class = String::new();
    let mut pieces = Vec::new();
    for (index, part) in line.split("\u{1b}[").enumerate() {
        let text = if index == 0 {
            part
        } else {
            let (codes, text) = part.split_once('m').unwrap();
            for code in codes.split(';') {
                match code {
                    "" | "0" => class.clear(),
                    code => {
                        let letter = match code {
                            "1" => "b",
                            "2" => "d",
                            "31" => "r",
                            "32" => "g",
                            "33" => "y",
                            other => panic!("no style is known for {other}"),
                        };
                        if !class.is_empty() {
                            class.push(' ');
                        }
                        class.push_str(letter);
                    }
                }
            }
            text
        };
        if !text.is_empty() {
            pieces.push((class.clone(), text));
        }
    }
    pieces
}
