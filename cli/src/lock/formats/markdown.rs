//! For a comment that is updated in place: its first line tells it from others.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use upstate_compat::{Axis, Finding, Guide, Level};

use super::super::files::{Compared, Spot};
use super::super::settings::waiver;
use super::{Counts, baseline, number, required, severity};
use crate::program::program_name;

type Found<'c> = (&'c Finding, &'c Spot);

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let report = &compared.report;
    writeln!(out, "<!-- upstate check -->")?;
    let verdict = if report.ok {
        "✅ ok"
    } else {
        "❌ must not be released like this"
    };
    writeln!(
        out,
        "### {verdict}: required release {} (have {})\n",
        required(compared),
        number(report.current.as_ref())
    )?;
    let counts = Counts::of(compared);
    let let_through = counts
        .let_through()
        .map_or(String::new(), |words| format!(" · {words}"));
    writeln!(
        out,
        "{} · policy: {}{let_through} · compared with {} ({})\n",
        counts.changes(),
        counts.policy(),
        cell(&baseline(compared)),
        number(report.baseline.as_ref())
    )?;
    let is_safe = |(finding, _): &Found<'_>| matches!(finding.level, Level::Safe | Level::Info);
    let (safe, rest): (Vec<Found<'_>>, Vec<Found<'_>>) = compared.findings().partition(is_safe);
    let (policy, changes): (Vec<Found<'_>>, Vec<Found<'_>>) = rest
        .into_iter()
        .partition(|(finding, _)| finding.level.is_policy());
    for (resource, found) in by_resource(&changes) {
        writeln!(out, "#### `{resource}`\n")?;
        table(out, compared, &found, false)?;
    }
    if !policy.is_empty() {
        writeln!(out, "#### Policy\n")?;
        table(out, compared, &policy, true)?;
    }
    if !safe.is_empty() {
        folded(
            out,
            &crate::terminal::plural(safe.len(), "safe change"),
            |out| table(out, compared, &safe, true),
        )?;
    }
    let guide = Guide::new(report, &compared.notes);
    if !guide.entries.is_empty() {
        // One level deeper than in a page of its own, and without the text around the entries.
        let text: String = guide
            .entries_markdown()
            .lines()
            .map(|line| deeper(line) + "\n")
            .collect();
        folded(out, "Entries of the upgrade guide", |out| {
            writeln!(out, "{}", text.trim_end()).and_then(|()| writeln!(out))
        })?;
    }
    let mut failures = report
        .failures(&compared.options)
        .filter(|finding| finding.rule.can_be_waived() && !finding.resource.is_empty());
    if let Some(finding) = failures.next() {
        let (file, name) = compared.settings.waivers(compared.files.folder());
        let file = file
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let until = report.baseline.as_ref().map_or_else(
            || "…".to_owned(),
            |baseline| baseline.next(upstate_compat::Semver::Major).to_string(),
        );
        folded(out, "To let one through", |out| {
            writeln!(
                out,
                "Run `{} accept {} --reason … --until {until}`, or paste into {file}:\n",
                program_name(),
                finding.fingerprint
            )?;
            writeln!(out, "```toml\n{}```\n", waiver(&name, finding, "…", &until))
        })?;
    }
    Ok(())
}

fn deeper(line: &str) -> String {
    if line.starts_with("## ") || line.starts_with("### ") {
        format!("##{line}")
    } else {
        line.to_owned()
    }
}

fn by_resource<'f, 'c>(found: &'f [Found<'c>]) -> BTreeMap<&'c str, Vec<Found<'c>>> {
    let mut groups: BTreeMap<&str, Vec<Found<'c>>> = BTreeMap::new();
    for one in found {
        groups.entry(&one.0.resource).or_default().push(*one);
    }
    groups
}

fn folded(
    out: &mut dyn Write,
    title: &str,
    inside: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    writeln!(out, "<details><summary>{title}</summary>\n")?;
    inside(out)?;
    writeln!(out, "</details>\n")
}

fn table(
    out: &mut dyn Write,
    compared: &Compared,
    found: &[Found<'_>],
    with_resource: bool,
) -> Result<()> {
    writeln!(
        out,
        "| | where | change | bears on | release | what to do | |\n|---|---|---|---|---|---|---|"
    )?;
    for (finding, spot) in found {
        let mark = match (severity(compared, finding), &finding.waived) {
            (_, Some(waived)) => format!("waived: {}", cell(&waived.reason)),
            _ if finding.known => "known".to_owned(),
            ("error", None) => "**fails**".to_owned(),
            (_, None) => finding.level.name().to_owned(),
        };
        let change = match (&finding.old, &finding.new) {
            (Some(old), Some(new)) => format!(": {} → {}", code(old), code(new)),
            (Some(one), None) | (None, Some(one)) => format!(" ({})", code(one)),
            (None, None) => String::new(),
        };
        let place = if with_resource {
            finding.place()
        } else {
            finding.path.clone()
        };
        let place = if place.is_empty() {
            String::new()
        } else {
            format!("{}<br>", code(&place))
        };
        let at = compared.place(spot);
        let axes: Vec<&str> = finding.axes.iter().copied().map(Axis::name).collect();
        let cells = [
            mark,
            format!("{place}{}", cell(&format!("{}:{}", at.file, at.line))),
            format!("`{}` {}{change}", finding.rule.id(), own(finding.title())),
            axes.join(", "),
            finding.semver.to_string(),
            own(&finding.remediation),
            format!("`{}`", finding.fingerprint),
        ];
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out)
}

/// Text of a table's cell: nothing in it is markup, and it has one line.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => cell.push(' '),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '&' => cell.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '@' => {
                cell.push('\\');
                cell.push(letter);
            }
            letter => cell.push(letter),
        }
    }
    cell
}

/// Our own text in a table's cell, which may have code in it.
fn own(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Code in a table's cell.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    // A fence longer than any inside of it.
    let longest = text
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

#[cfg(test)]
mod tests {
    use super::{cell, code};

    #[test]
    fn nothing_in_a_cell_is_markup() {
        assert_eq!(cell("a|b *c* <d>\n@e"), "a\\|b \\*c\\* &lt;d&gt; \\@e");
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("one `two`"), "`` one `two` ``");
    }
}
