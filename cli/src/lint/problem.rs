//! One mistake, out of the text of a message.

use std::ops::Range;

use super::advice::{self, Rest, Verb, Words};
use super::place;
use crate::rust_file::RustFile;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) summary: String,
    /// The code of the guide, `U0001`.
    pub(crate) code: Option<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) helps: Vec<Help>,
}

/// A line `help: …`, and the changes that do what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Help {
    pub(crate) text: String,
    pub(crate) changes: Vec<Change>,
}

/// One piece of code of a help, typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The code as the help has it.
    pub(crate) code: String,
    pub(crate) edits: Vec<(Range<usize>, String)>,
    /// True if a name, a value or a reason is still the author's to write.
    pub(crate) is_open: bool,
    /// True if it is a name that is like the one that is not there, or a type that may be the
    /// stored one.
    is_guess: bool,
}

impl Problem {
    /// The mistakes of one text.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let text = text.strip_prefix("evaluation panicked: ").unwrap_or(text);
        let mut all: Vec<Self> = Vec::new();
        for line in text.lines().map(str::trim) {
            match (
                all.last_mut(),
                line.strip_prefix("help: "),
                line.strip_prefix("note: "),
            ) {
                (Some(last), Some(help), _) => last.helps.push(Help {
                    text: help.to_owned(),
                    changes: Vec::new(),
                }),
                (Some(last), None, Some(note)) => last.notes.push(note.to_owned()),
                (Some(last), None, None) if line.starts_with("… and ") => {
                    last.notes.push(line.to_owned());
                }
                (_, None, None) if line.is_empty() => {}
                _ => all.push(Self::new(line)),
            }
        }
        all
    }

    fn new(line: &str) -> Self {
        let (summary, code) = without_code(line);
        Self {
            summary,
            code,
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Finds the changes of the helps in the file of the error.
    pub(super) fn locate(&mut self, file: &RustFile<'_>, at: &Range<usize>) {
        let words = Words::of(file.text);
        for help in &mut self.helps {
            for advice in advice::advice(&help.text, &words) {
                if advice.rest == Rest::Something {
                    continue;
                }
                if let Some(edits) = place::changes(file, at, &self.summary, &advice) {
                    let is_open = advice.rest != Rest::Nothing;
                    // All names of options and operators are known, so that an unknown one is a
                    // mistake here.
                    let is_name =
                        advice.verb == Verb::Mean && !self.summary.contains(" has no option `");
                    // Not exact, because the type is an example of one.
                    let is_type = help.text.starts_with("write its type");
                    let is_guess = is_name || is_type;
                    let change = Change {
                        code: advice.code,
                        edits,
                        is_open,
                        is_guess,
                    };
                    if !help.changes.contains(&change) {
                        help.changes.push(change);
                    }
                }
            }
        }
    }

    /// The change that leaves nothing to decide: the only one of the only help with one, with all
    /// of it written.
    pub(crate) fn exact(&self) -> Option<(&Help, &Change)> {
        let [help] = self.helps.as_slice() else {
            return None;
        };
        let [change] = help.changes.as_slice() else {
            return None;
        };
        // "write `a`, or …" leaves a choice that cannot be typed.
        let is_choice = help.text.contains(", or ")
            || help.text.contains("; or ")
            || help.text.contains(" or `");
        // Not exact, because the author decides what becomes of stored values.
        let decides = ["set(", "default(", "drop(", "values(", "join("]
            .iter()
            .any(|operator| change.code.contains(operator));
        (!(change.is_open || change.is_guess || is_choice || decides)).then_some((help, change))
    }
}

/// A line without ` [U0001]`, and that code.
fn without_code(line: &str) -> (String, Option<String>) {
    if let Some(at) = line.find(" [U")
        && let Some(end) = line.get(at..).and_then(|rest| rest.find(']'))
        && let Some(code) = line.get(at + 2..at + end)
        && code.len() == 5
        && code.bytes().skip(1).all(|digit| digit.is_ascii_digit())
    {
        let mut summary = line.to_owned();
        summary.replace_range(at..=at + end, "");
        return (summary, Some(code.to_owned()));
    }
    (line.to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_holds_several_mistakes() {
        let text = "evaluation panicked: `a` comes from nowhere [U0001]: here\nhelp: add `x`\nnote: because\n`b` is odd\nhelp: write `y`\n… and 3 more";
        let all = Problem::all(text);
        let shown: Vec<_> = all
            .iter()
            .map(|problem| {
                (
                    problem.summary.as_str(),
                    problem.code.as_deref(),
                    problem.helps.len(),
                    problem.notes.len(),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("`a` comes from nowhere: here", Some("U0001"), 1, 1),
                ("`b` is odd", None, 1, 1)
            ]
        );
    }
}
