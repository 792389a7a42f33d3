//! `explain U0001` and `explain wrong-kind`: what a compile error of the derives means, and what
//! the `code` of a diagnostic does.

use std::io::Write;

use upstate::DiagnosticCode;

use crate::outcome::Outcome;
use crate::terminal;

/// The guide's page, whose sections begin with their codes. A copy, so that the crate has all it
/// needs; a test of the guide compares them.
const PAGE: &str = include_str!("../../docs/compile-errors.md");

/// Prints the meaning of the code of a diagnostic; `None` if `name` is not one.
pub(super) fn diagnostic(name: &str) -> Option<Outcome> {
    let code = DiagnosticCode::ALL
        .iter()
        .find(|code| code.as_str() == name)?;
    Some(terminal::printed(writeln!(
        anstream::stdout(),
        "{code}: {}",
        code.meaning()
    )))
}

/// Prints the section of a code; `None` if `name` does not have the form of a code.
pub(super) fn explained(name: &str) -> Option<Outcome> {
    let code = name.to_ascii_uppercase();
    let digits = code.strip_prefix('U')?;
    if digits.len() != 4 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let Some(section) = section(&code) else {
        terminal::fail(&format!(
            "no compile error has the code {code}; {}",
            range()
        ));
        return Some(Outcome::Usage);
    };
    Some(terminal::printed(writeln!(anstream::stdout(), "{section}")))
}

fn section(code: &str) -> Option<&'static str> {
    sections()
        .find(|section| section.starts_with(code))
        .map(str::trim_end)
}

fn sections() -> impl Iterator<Item = &'static str> {
    PAGE.split("\n## ").skip(1)
}

fn range() -> String {
    let code = |section: Option<&'static str>| {
        section
            .and_then(|section| section.split(' ').next())
            .unwrap_or_default()
    };
    format!(
        "the codes are {} to {}",
        code(sections().next()),
        code(sections().last())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_its_section_alone() {
        let found = section("U0002").unwrap();
        assert!(
            found.starts_with("U0002 A prior field goes nowhere\n"),
            "{found}"
        );
        assert!(!found.contains("U0003"), "{found}");
        assert_eq!(section("U9999"), None);
        assert!(
            range().starts_with("the codes are U0001 to U00"),
            "{}",
            range()
        );
    }

    #[test]
    fn a_diagnostic_has_its_meaning() {
        assert!(matches!(diagnostic("wrong-kind"), Some(Outcome::Done)));
        assert!(diagnostic("wrong_kind").is_none());
        // Two codes of one word would leave one of them unexplained.
        let words: std::collections::BTreeSet<&str> = DiagnosticCode::ALL
            .iter()
            .map(|code| code.as_str())
            .collect();
        assert_eq!(words.len(), DiagnosticCode::ALL.len());
        assert!(
            DiagnosticCode::ALL
                .iter()
                .all(|code| code.meaning().ends_with('.'))
        );
    }

    #[test]
    fn other_names_are_types_or_rules() {
        for name in ["U", "U12345", "U000a", "example_thing", "attribute-removed"] {
            assert!(explained(name).is_none(), "{name}");
        }
    }
}
