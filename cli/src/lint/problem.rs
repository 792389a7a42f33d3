//! One mistake, out of the text of a message.

use std::ops::Range;

use upstate_words::likeness::LEAST;

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
    /// True if it may be another one: a name that is like the one that is not there or of a form, a
    /// type that may be the stored one, a field that may be the earlier one, a value in place of the
    /// author's, or one that is not the author's; or if it takes away a value, or more than the help
    /// names.
    is_guess: bool,
}

/// Words of a help that leave something to its author: a condition that only the author knows, or
/// an alternative, which may be one that cannot be typed.
const LEFT_OPEN: [&str; 4] = ["if", "or", "otherwise", "unless"];

/// Operators whose arguments the author decides: what becomes of stored values.
const DECIDED: [&str; 6] = ["set(", "default(", "drop(", "values(", "join(", "split("];

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
                    // Not exact, because the type is an example of one.
                    let is_example = help.text.starts_with("write its type");
                    // The released shape does not say that the values are the same ones.
                    let is_proposal = advice.verb == Verb::Add
                        && ["rename(", "variants("]
                            .iter()
                            .any(|operator| advice.code.contains(operator));
                    // Otherwise the `new` of a form would be taken for the author's, because the
                    // file has a function of that name.
                    let old = edits.iter().map(|(range, _)| file.text.get(range.clone()));
                    let old: Vec<&str> = old.flatten().collect();
                    let words_there = Words::of(&old.join(" "));
                    // All names of options and operators are known, so that an unknown one is a
                    // mistake here: a misspelling, and not the word of another tool, whose operator
                    // may do something else there, nor one for `drop`, which would lose values.
                    let is_unknown = self.summary.contains(" has no option `");
                    let word = place::first_word(&advice.code);
                    let is_alike = old
                        .iter()
                        .all(|old| strsim::jaro_winkler(place::first_word(old), word) >= LEAST);
                    let is_name = match advice.verb {
                        Verb::Mean => !(is_unknown && is_alike && word != "drop"),
                        Verb::Write => is_unknown && advice.code.ends_with(')') && !is_alike,
                        Verb::Add | Verb::Remove | Verb::Mark | Verb::Raise(_) => false,
                    };
                    let is_form = matches!(advice.verb, Verb::Write | Verb::Add)
                        && advice::rest(&advice.code, &words_there) == Rest::Something;
                    // Some tools write the later name before `=`, and some the earlier one.
                    let is_turned = advice.code.contains("=>")
                        && file.text.get(at.clone()).is_some_and(|at| at == "=");
                    // Otherwise what is stored under the other name would not be found any more.
                    let is_one_way = words_there.has("serialize") || words_there.has("deserialize");
                    let is_guess = is_name
                        || is_example
                        || is_form
                        || is_proposal
                        || is_turned
                        || is_one_way
                        || !place::keep_values(file.text, &edits, &advice.code)
                        || place::invent_values(file.text, &edits);
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
        // A `default` alone, too: the condition of a skipped value may be about another one.
        let decides =
            change.code == "default" || DECIDED.iter().any(|word| change.code.contains(word));
        (!(change.is_open || change.is_guess || help.is_choice() || decides))
            .then_some((help, change))
    }
}

impl Help {
    /// True if its words, without its code, leave something open.
    fn is_choice(&self) -> bool {
        let outside = self.text.split('`').step_by(2);
        outside
            .flat_map(|words| words.split(|sign: char| !sign.is_alphabetic()))
            .any(|word| LEFT_OPEN.iter().any(|one| word.eq_ignore_ascii_case(one)))
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

    /// The code that a help of an error at these words of an attribute has, and whether it is
    /// exact.
    fn typed(attribute: &str, at: &str, help: &str) -> (String, bool) {
        let text = format!("{attribute}\nstruct Shop {{ b: u8 }}\n");
        let file = RustFile::parse(&text).unwrap();
        let start = text.find(at).unwrap();
        let mut problem = Problem::all(&format!("`{at}` is odd\nhelp: {help}")).remove(0);
        problem.locate(&file, &(start..start + at.len()));
        let is_exact = problem.exact().is_some();
        let [help] = problem.helps.as_slice() else {
            panic!("{problem:?}")
        };
        let [change] = help.changes.as_slice() else {
            panic!("{help:?}")
        };
        (change.code.clone(), is_exact)
    }

    /// Looks at the exactness of helps, by an attribute and the words of the error in it.
    fn check(rows: &[(&str, &str, &str, bool)]) {
        for (attribute, at, help, is_exact) in rows {
            let (code, found) = typed(attribute, at, help);
            assert!(help.contains(&code), "{help}: {code}");
            assert_eq!(found, *is_exact, "{attribute} {help}");
        }
    }

    #[test]
    fn a_help_with_a_condition_or_of_a_form_is_not_exact() {
        check(&[
            (
                "#[resource(version = \"v1\")]",
                "\"v1\"",
                "write `version = 1`",
                true,
            ),
            // Words of the file that are not meant.
            (
                "#[upgrade_from(0 => 1, rename(path => b))]",
                "b",
                "add `convert(b, with = path)` with a function of your own",
                false,
            ),
            (
                "#[attribute(sensitive = true)]",
                "sensitive",
                "write just `sensitive`",
                true,
            ),
            (
                "#[upgrade_from(0 => 1, rename(title, name))]",
                "name)",
                "write `rename(title => name)`",
                true,
            ),
            (
                "#[upgrade_from(0 => 1, rename(old -> new))]",
                "->",
                "write `rename(old => new)`",
                true,
            ),
            (
                "#[upgrade_from(0 => 1, rename(title =>), with = Shop::new)]",
                "title",
                "write `rename(title => new)`",
                false,
            ),
            (
                "#[upgrade_from(1, model = Shop)]",
                "Shop",
                "copy its fields; if they are the same, write `1 => 2, carry`",
                false,
            ),
            (
                "#[upgrade_from(0 => 1, carry)]",
                "carry",
                "If its values stay, write `rename(size => title)`",
                false,
            ),
            (
                "#[block(min = 2, max = 1)]",
                "1",
                "write `max = 2` or more",
                false,
            ),
            // Left open, because nothing says which of the two is the earlier name.
            (
                "#[upgrade_from(rename(title = name))]",
                "=",
                "write `rename(title => name)`",
                false,
            ),
            (
                "#[upgrade_from(1 => 2, carry)]",
                "carry",
                "add `rename(size => limit)` in place of `carry` (`upstate next shop` writes it)",
                false,
            ),
        ]);
    }

    #[test]
    fn a_help_with_another_value_is_not_exact() {
        check(&[
            // Otherwise the author's value would be another one.
            (
                "#[resource(version = 1.5)]",
                "1.5",
                "write `version = 1`",
                false,
            ),
            (
                "#[attribute(min_length = SHORTEST)]",
                "min_length",
                "write `length = 1..`",
                false,
            ),
            (
                "#[attribute(sensitive = false)]",
                "sensitive",
                "write just `sensitive`",
                false,
            ),
            (
                "#[kube(group = \"ferry\")]",
                "\"ferry\"",
                "write `group = \"ferry.example.com\"`",
                false,
            ),
            (
                "#[attribute(name = \"lifecycle\")]",
                "\"lifecycle\"",
                "write `name = \"thing_lifecycle\"`",
                false,
            ),
            (
                "#[attribute(name = \"\")]",
                "\"\"",
                "write `name = \"size\"`",
                false,
            ),
            (
                "#[attribute(name = \"diskSize\")]",
                "\"diskSize\"",
                "write `name = \"disk_size\"`",
                true,
            ),
            (
                "#[upgrade_from(0 => 1, split(zone => region))]",
                "zone",
                "write `split(zone, \",\")`",
                false,
            ),
            (
                "#[resource(version = 3u8)]",
                "3u8",
                "write `version = 3`",
                true,
            ),
            // With other signs or blanks it would be another value.
            (
                "#[attribute(default = -1)]",
                "-1",
                "write `default = 1`",
                false,
            ),
            (
                "#[attribute(default = 1.5)]",
                "1.5",
                "write `default = 15`",
                false,
            ),
            (
                "#[attribute(default = 7)]",
                "7",
                "write `default = \"7\"`",
                true,
            ),
            (
                "#[attribute(default = -7)]",
                "-7",
                "write `default = \"-7\"`",
                true,
            ),
            (
                "#[attribute(default = 1_000u16)]",
                "1_000u16",
                "write `default = 1000`",
                true,
            ),
            (
                "#[attribute(default = \"a b\")]",
                "\"a b\"",
                "write `default = \"ab\"`",
                false,
            ),
            (
                "#[attribute(default = \"a/b\")]",
                "\"a/b\"",
                "write `default = \"a:b\"`",
                false,
            ),
            (
                "#[attribute(name = \"disk-size\")]",
                "\"disk-size\"",
                "write `name = \"disk_size\"`",
                true,
            ),
            (
                "#[attribute(name = \"disk size\")]",
                "\"disk size\"",
                "write `name = \"disk_size\"`",
                false,
            ),
            (
                "#[attribute(name = \"_id\")]",
                "\"_id\"",
                "write `name = \"id\"`",
                false,
            ),
            (
                "#[attribute(with = \"crate::hex\")]",
                "\"crate::hex\"",
                "write `with = crate::hex`",
                true,
            ),
            (
                "#[attribute(with = \"crate::hex\")]",
                "\"crate::hex\"",
                "write `with = crate, hex`",
                false,
            ),
            (
                "#[attribute(range(min = 1, max = 1))]",
                "range",
                "write `range = 1..`",
                false,
            ),
            (
                "#[attribute(length = 5..=1)]",
                "5..=1",
                "write `length = 1..=5`",
                false,
            ),
            // Also without a blank behind `=`.
            (
                "#[attribute(with=::hex::text)]",
                "with",
                "write `with = hex`",
                false,
            ),
        ]);
    }

    #[test]
    fn a_help_with_a_value_of_its_own_is_not_exact() {
        check(&[
            // Otherwise values would be read as others.
            (
                "#[serde(skip_serializing_if = \"is_seven\")]",
                "skip_serializing_if",
                "add `default`, which fills in the value that the condition leaves out",
                false,
            ),
            (
                "#[upgrade_from(0, model = \"v0::ShopV0\")]",
                "model",
                "write `model = v0::ShopV0`",
                true,
            ),
            (
                "#[upgrade_from(0)]",
                "upgrade_from",
                "write `#[upgrade_from(0, model = ShopV0)]`",
                false,
            ),
            (
                "#[upgrade_from(0, with = Shop::new)]",
                "upgrade_from",
                "write `#[upgrade_from(0, model = Shop, with = Shop::new)]`",
                true,
            ),
            // Versions and words that are not the author's.
            (
                "#[upgrade_from(never_released)]",
                "upgrade_from",
                "write `#[upgrade_from(0, never_released)]`",
                false,
            ),
            (
                "#[upgrade_from(rename(title => name))]",
                "upgrade_from",
                "write `#[upgrade_from(0 => 1, rename(title => name))]`",
                false,
            ),
            ("#[upgrade_from(0.., carry)]", "0..", "write `0..=2`", false),
            (
                "#[resource(version = 0, tier)]",
                "tier",
                "write `tier = preview`",
                false,
            ),
            (
                "#[attribute(max_length)]",
                "max_length",
                "write `length = ..=64`",
                false,
            ),
            (
                "#[attribute(max_length = 64)]",
                "max_length",
                "write `length = ..=64`",
                true,
            ),
            (
                "#[upgrade_from(0, upgrade_v0)]",
                "upgrade_v0",
                "write `with = upgrade_v0`",
                true,
            ),
            (
                "#[upgrade_from(\"v0\" => \"v1\", carry)]",
                "\"v0\" => \"v1\"",
                "write `0 => 1`",
                true,
            ),
            // Otherwise the name of the field would not be found any more.
            (
                "#[serde(rename(serialize = \"out\"))]",
                "rename",
                "write `rename = \"out\"`; another name that is read is an `alias`",
                false,
            ),
            (
                "#[resource(version)]",
                "version",
                "write a number: `version = 1`",
                false,
            ),
            (
                "#[kube(kind = \"Big boat\")]",
                "\"Big boat\"",
                "write `kind = \"Boat\"`",
                false,
            ),
        ]);
    }

    #[test]
    fn a_help_that_removes_a_value_is_not_exact() {
        check(&[
            (
                "#[resource(version = 0, prior, plan)]",
                "plan",
                "remove `plan`",
                true,
            ),
            (
                "#[upgrade_from(0 => 1, carry, rename(a => b))]",
                "carry",
                "remove `carry`; what no operator names is carried anyway",
                true,
            ),
            ("#[block]", "block", "remove `#[block]`", true),
            (
                "#[attribute(sensitive = false)]",
                "sensitive",
                "remove `sensitive`, which is off without the word",
                true,
            ),
            // Only the author takes an option back that has a value.
            (
                "#[block(min = 1, max = 2)]",
                "min",
                "remove `min = 1`",
                false,
            ),
            (
                "#[downgrade_to(0, with = back)]",
                "downgrade_to",
                "remove `#[downgrade_to(0, with = back)]`",
                false,
            ),
            (
                "#[downgrade_to(0, back)]",
                "downgrade_to",
                "remove `#[downgrade_to(0, back)]`",
                false,
            ),
            (
                "#[upgrade_from(0 => 1, rename(a => b), downgrade = back)]",
                "downgrade",
                "remove `downgrade`",
                false,
            ),
            (
                "#[attribute(write_only, default = 5)]",
                "default",
                "remove `default`",
                false,
            ),
            (
                "#[upgrade_from(0 => 1, wrap(name))]",
                "wrap",
                "remove `wrap`",
                false,
            ),
            (
                "#[resource(version = 0, migrate_state = migrate)]",
                "migrate_state",
                "remove `migrate_state`",
                false,
            ),
        ]);
    }

    #[test]
    fn only_a_misspelling_is_exact() {
        for (written, help, is_exact) in [
            ("renmae(a => b)", "did you mean `rename`?", true),
            // Left open, because other tools have these words for something else.
            ("skip(a.b, \"old\")", "did you mean `drop`?", false),
            ("lookup(a => b)", "did you mean `fill`?", false),
            ("droop(a.b, \"old\")", "did you mean `drop`?", false),
            ("json(b)", "write `convert(b)`", false),
        ] {
            let text = format!("#[upgrade_from(0 => 1, {written})]\nstruct Shop {{ b: u8 }}\n");
            let file = RustFile::parse(&text).unwrap();
            let (word, _) = written.split_once('(').unwrap();
            let start = text.find(word).unwrap();
            let error = format!("`#[upgrade_from]` has no option `{word}` [U0010]\nhelp: {help}");
            let mut problem = Problem::all(&error).remove(0);
            problem.locate(&file, &(start..start + word.len()));
            assert_eq!(problem.exact().is_some(), is_exact, "{written}");
        }
    }

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
