//! Diagnostics and attribute paths on the wire.

use upstate::path::PathStep;
use upstate::{AttributePath, Diagnostic, Diagnostics, Severity};

use crate::proto;

pub(crate) fn to_wire(diagnostics: impl IntoIterator<Item = Diagnostic>) -> Vec<proto::Diagnostic> {
    diagnostics
        .into_iter()
        .map(|diagnostic| diagnostic_to_wire(&diagnostic))
        .collect()
}

fn diagnostic_to_wire(diagnostic: &Diagnostic) -> proto::Diagnostic {
    let severity = match diagnostic.severity() {
        Severity::Error => 1,
        Severity::Warning => 2,
    };
    proto::Diagnostic {
        severity,
        summary: diagnostic.summary().to_owned(),
        // Terraform prints the configuration's line, never the path: it has to stand in the text as
        // well.
        detail: with_path(diagnostic.detail(), diagnostic.path()),
        attribute: diagnostic.path().map(path_to_wire),
    }
}

fn with_path(detail: &str, path: Option<&AttributePath>) -> String {
    let Some(path) = path
        .filter(|path| !path.is_empty())
        .map(ToString::to_string)
    else {
        return detail.to_owned();
    };
    if names(detail, &path) {
        return detail.to_owned();
    }
    let separator = if detail.is_empty() { "" } else { "\n\n" };
    format!("{detail}{separator}Attribute: {path}")
}

/// True if the text has the path as words of their own: that of `id` is not in `provided`.
fn names(text: &str, path: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    text.match_indices(path).any(|(start, _)| {
        let (before, rest) = text.split_at(start);
        let after = rest.strip_prefix(path).unwrap_or(rest);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    })
}

pub(crate) fn path_to_wire(path: &AttributePath) -> proto::AttributePath {
    let step = |step: &PathStep| {
        let selector = match step {
            PathStep::Attribute(name) => proto::Selector::AttributeName(name.clone().into_owned()),
            PathStep::Key(key) => proto::Selector::ElementKeyString(key.clone()),
            PathStep::Index(index) => proto::Selector::ElementKeyInt(i64::try_from(*index).ok()?),
            // The protocol has no step for an element of a set.
            PathStep::Element(_) => return None,
        };
        Some(proto::Step {
            selector: Some(selector),
        })
    };
    proto::AttributePath {
        steps: path.wire_steps().iter().map_while(step).collect(),
    }
}

/// The path as the rest of this crate has it.
pub(crate) fn path_from_wire(wire: &proto::AttributePath) -> AttributePath {
    let step = |step: &proto::Step| {
        Some(match step.selector.clone()? {
            proto::Selector::AttributeName(name) => PathStep::Attribute(name.into()),
            proto::Selector::ElementKeyString(key) => PathStep::Key(key),
            proto::Selector::ElementKeyInt(index) => PathStep::Index(u64::try_from(index).ok()?),
        })
    };
    wire.steps.iter().map_while(step).collect()
}

/// Diagnostics whose heading is that of a string error become those of `operation`.
///
/// A string that converts into [`Diagnostics`] has a heading about upgrades, because the runtime
/// knows nothing else; in `create` it would mislead.
pub(crate) fn headed(diagnostics: Diagnostics, operation: &'static str) -> Diagnostics {
    let textual = Diagnostics::from(String::new());
    let heading = textual.iter().next().map_or("", Diagnostic::summary);
    let retitle = |diagnostic: Diagnostic| {
        if diagnostic.summary() != heading || diagnostic.severity() != Severity::Error {
            return diagnostic;
        }
        diagnostic.with_texts(operation, diagnostic.detail(), str::to_owned)
    };
    diagnostics.into_iter().map(retitle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_in_the_text_once_and_on_the_wire_as_steps() {
        let path = AttributePath::new()
            .attribute("racks")
            .index(2)
            .attribute("labels")
            .key("top");
        let [wire]: [proto::Diagnostic; 1] =
            to_wire([Diagnostic::error("Bad", "Too big.").at(path.clone())])
                .try_into()
                .unwrap();
        assert_eq!(wire.severity, 1);
        assert_eq!(
            wire.detail,
            "Too big.\n\nAttribute: racks[2].labels[\"top\"]"
        );
        let steps = wire
            .attribute
            .unwrap()
            .steps
            .into_iter()
            .map(|step| step.selector.unwrap())
            .collect::<Vec<_>>();
        assert_eq!(
            steps,
            [
                proto::Selector::AttributeName("racks".into()),
                proto::Selector::ElementKeyInt(2),
                proto::Selector::AttributeName("labels".into()),
                proto::Selector::ElementKeyString("top".into())
            ]
        );
        let named =
            to_wire([Diagnostic::warning("Bad", "racks[2].labels[\"top\"] is too big.").at(path)]);
        assert_eq!(named[0].detail, "racks[2].labels[\"top\"] is too big.");
        assert_eq!(named[0].severity, 2);
    }

    #[test]
    fn a_path_inside_of_a_word_is_not_named() {
        let detail = |text: &str, path: &'static str| {
            let diagnostic = Diagnostic::error("Bad", text).at(AttributePath::from(path));
            diagnostic_to_wire(&diagnostic).detail
        };
        for text in ["No value was provided.", "kid", "id_old is old", "a-id"] {
            assert_eq!(detail(text, "id"), format!("{text}\n\nAttribute: id"));
        }
        for text in ["id is empty", "provided: id", "Give \"id\".", "rule.id[2]"] {
            assert_eq!(detail(text, "id"), text);
        }
    }

    #[test]
    fn a_text_error_is_headed_by_what_was_tried() {
        let mut all = Diagnostics::from("disk full");
        all.push(Diagnostic::error("Own Heading", "x"));
        let summaries: Vec<String> = headed(all, "Unable to Create Resource")
            .iter()
            .map(|d| d.summary().to_owned())
            .collect();
        assert_eq!(summaries, ["Unable to Create Resource", "Own Heading"]);
    }
}
