//! What `check` and `changelog` print.

mod github;
mod json;
mod junit;
mod markdown;
mod sarif;
mod text;

use std::io::{Result, Write};

use upstate::compat::{Finding, Level};

use super::Format;
use super::files::Compared;

/// Prints what was found: for a check what is not safe, for a changelog everything.
pub(super) fn print(compared: &Compared, format: Format, quiet: bool, everything: bool) -> Result<()> {
    if format == Format::Text {
        return text::print(&mut anstream::stdout().lock(), compared, quiet, everything);
    }
    let mut out = std::io::stdout().lock();
    match format {
        Format::Text => {}
        Format::Json => json::print(&mut out, compared)?,
        Format::Sarif => sarif::print(&mut out, compared)?,
        Format::Junit => junit::print(&mut out, compared)?,
        Format::Github => github::print(&mut out, compared)?,
        Format::Markdown => markdown::print(&mut out, compared)?,
    }
    out.flush()
}

/// The line of the lock that a finding is about: that of the attribute in the latest entry, or of the entry, or the first.
fn line(compared: &Compared, finding: &Finding) -> usize {
    let header = format!("[{} ", finding.resource);
    let mut found = 1;
    let mut inside = false;
    for (index, text) in compared.text.lines().enumerate() {
        if text.starts_with('[') {
            inside = text.starts_with(&header);
            if inside {
                found = index + 1;
            }
        } else if inside && !finding.path.is_empty() && text.split_once(" = ").is_some_and(|(path, _)| path == finding.path) {
            found = index + 1;
        }
    }
    found
}

/// The lock's path, always with `/` and relative where it was given so.
fn file(compared: &Compared) -> String {
    compared.files.lock.display().to_string().replace('\\', "/")
}

/// How a finding counts: waived and permitted ones as notes.
fn severity(compared: &Compared, finding: &Finding) -> &'static str {
    if compared.report.failures(&compared.options).any(|failure| failure == finding) {
        return "error";
    }
    match finding.level {
        _ if finding.waived.is_some() => "note",
        Level::Safe | Level::Info => "note",
        _ => "warning",
    }
}

fn verdict(compared: &Compared) -> String {
    let report = &compared.report;
    let release = |release: Option<upstate::compat::Release>| {
        release.map_or_else(|| "unnumbered".to_owned(), |release| release.to_string())
    };
    let required = report.required_release().map_or_else(|| report.required_bump.to_string(), |release| release.to_string());
    format!("required release: {required} (have {})", release(report.current))
}
