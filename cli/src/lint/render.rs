//! A problem as the terminal shows it.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use super::problem::Problem;

/// The number of columns of lines, where nothing says how wide the terminal is.
const WIDTH: usize = 140;

/// The problem with its place, and what each help would change.
pub(super) fn rendered(
    problem: &Problem,
    (name, text): (&str, &str),
    at: &Range<usize>,
    also: &[String],
    renderer: Renderer,
) -> String {
    let title = Level::ERROR.primary_title(problem.summary.as_str());
    let title = match &problem.code {
        Some(code) => title.id(code.as_str()),
        None => title,
    };
    let snippet = Snippet::source(text)
        .path(name)
        .fold(true)
        .annotation(AnnotationKind::Primary.span(at.clone()));
    let mut first = title.element(snippet);
    for note in &problem.notes {
        first = first.element(Level::NOTE.message(note.as_str()));
    }
    let also = (!also.is_empty()).then(|| format!("also at {}", also.join(", ")));
    if let Some(also) = &also {
        first = first.element(Level::NOTE.message(also.as_str()));
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for help in &problem.helps {
        match help.changes.as_slice() {
            // Only one change is drawn, because several would hide the message.
            [change] => {
                let snippet = change.edits.iter().fold(
                    Snippet::source(text).path(name).fold(true),
                    |snippet, (range, with)| {
                        snippet.patch(Patch::new(range.clone(), with.as_str()))
                    },
                );
                groups.push(
                    Level::HELP
                        .secondary_title(help.text.as_str())
                        .element(snippet),
                );
            }
            _ => first = first.element(Level::HELP.message(help.text.as_str())),
        }
    }
    groups.insert(0, first);
    let mut out = renderer.term_width(WIDTH).render(&groups);
    out.push_str("\n\n");
    out
}
