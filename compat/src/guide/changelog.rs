//! The lines for the changelog.

use std::fmt::Write as _;

use crate::finding::Finding;
use crate::kind::Kind;
use crate::report::Report;
use crate::rule::Level;

/// by the sections that Terraform's own providers have. Fixes are not to be seen in schemas, so
/// their section is left to the author.
pub(super) fn of(report: &Report) -> String {
    let release = report.current.as_ref().map_or_else(
        || "Unreleased".to_owned(),
        |release| format!("{release} (Unreleased)"),
    );
    let mut text = format!("## {release}\n");
    let changes = report
        .findings
        .iter()
        .filter(|finding| !finding.resource.is_empty() && !finding.level.is_policy());
    let mut sections: [(&str, Vec<String>); 4] = [
        ("BREAKING CHANGES", Vec::new()),
        ("NOTES", Vec::new()),
        ("FEATURES", Vec::new()),
        ("ENHANCEMENTS", Vec::new()),
    ];
    for finding in changes.filter(|finding| finding.rule.id() != "description-changed") {
        let section = match finding.level {
            Level::Breaking => 0,
            _ if finding.rule.id().contains("deprecat") => 1,
            Level::Potential => 1,
            _ if finding.rule.id() == "resource-added" => 2,
            Level::Safe | Level::Info | Level::Warning | Level::Error => 3,
        };
        if let Some((_, lines)) = sections.get_mut(section) {
            lines.push(line(finding));
        }
    }
    for (title, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
        // The result is dropped because writing to a string cannot fail.
        let _ = write!(text, "\n{title}:\n\n");
        for line in lines {
            let _ = writeln!(text, "* {line}");
        }
    }
    text
}

fn line(finding: &Finding) -> String {
    let (ty, key) = (finding.kind.bare(&finding.resource), &finding.resource);
    let (subsystem, new) = match finding.kind {
        Kind::Managed => ("resource", "Resource"),
        Kind::Document => ("document", "Document"),
        Kind::Provider => ("provider", "Provider"),
        Kind::ProviderMeta => ("provider-meta", "Provider Meta"),
        Kind::Data => ("data-source", "Data Source"),
        Kind::Ephemeral => ("ephemeral", "Ephemeral Resource"),
        Kind::List => ("list-resource", "List Resource"),
        Kind::Action => ("action", "Action"),
        Kind::Function => ("function", "Function"),
    };
    if finding.rule.id() == "resource-added" {
        return format!("**New {new}:** `{ty}`");
    }
    let change = match (&finding.old, &finding.new) {
        (Some(old), Some(new)) => format!(" ({old} -> {new})"),
        (Some(old), None) => format!(" (was {old})"),
        (None, Some(new)) => format!(" ({new})"),
        (None, None) => String::new(),
    };
    // A headline about the whole resource begins with its name, which is cut off because the line
    // has it already.
    let headline = finding.headline();
    let sentence = headline
        .strip_prefix(key.as_str())
        .unwrap_or(&headline)
        .trim_start_matches([':', '.', ' ']);
    let sentence = match sentence
        .strip_prefix(finding.path.as_str())
        .filter(|_| !finding.path.is_empty())
    {
        Some(rest) => format!("`{}`{rest}", finding.path),
        None => sentence.to_owned(),
    };
    if finding.kind.is_unnamed() {
        format!("{subsystem}: {sentence}{change}")
    } else {
        format!("{subsystem}/{ty}: {sentence}{change}")
    }
}
