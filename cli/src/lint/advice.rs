//! The code that a `help:` line names: each piece of it that can be typed, and the words that say
//! where it belongs.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

/// A piece of code that a help says to type, or to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) verb: Verb,
    pub(super) code: String,
    /// The argument that it replaces: "in place of `carry`".
    pub(super) in_place_of: Option<String>,
    pub(super) target: Target,
    pub(super) rest: Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// In place of what is underlined.
    Write,
    /// Beside what is there.
    Add,
    /// The underlined name is another.
    Mean,
    Remove,
    /// The attribute goes onto the field.
    Mark,
    /// The struct gets this version, and the attribute.
    Raise(u64),
}

/// The place of the code, if that is not what is underlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Here,
    Operator,
    /// Behind the other arguments of the attribute.
    Upgrader,
    /// In the upgrader, before the argument with the error.
    Before,
    Condition,
    /// A struct, or a field of one by its path.
    Named(String),
    /// The upgrader of the first from the second.
    UpgraderOf(String, Option<String>),
    /// No place that can be found.
    Elsewhere,
}

/// The part that remains to be filled in by the author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rest {
    Nothing,
    /// The reason: it compiles, and says "why".
    Reason,
    /// A name, value or function.
    Something,
}

/// Words of helps in the place of what only the author knows.
const PLACEHOLDERS: [&str; 15] = [
    "old",
    "new",
    "other",
    "path",
    "field",
    "member",
    "object",
    "module",
    "value",
    "other_field",
    "other_name",
    "f",
    "PriorModel",
    "a",
    "b",
];

/// Releases, names and sentences of helps in the place of what only the author knows.
const EXAMPLES: [&str; 7] = [
    "copy(prior => current)",
    "list_map_keys(\"name\")",
    "scale(spec = \".spec.replicas\"",
    "\"other_thing\"",
    "\"3.0.0\"",
    "\"restarts on resize\"",
    "(\"1.0.0\" => 0, \"1.4.0\" => 1)",
];

/// Words between a verb and the code.
const BETWEEN: [&str; 16] = [
    "just", "it", "its", "as", "a", "an", "the", "string:", "number:", "type:", "reason:", "with",
    "others,", "too:", "them", "only",
];

/// The words of a file: names that the author knows, and no placeholders.
pub(super) struct Words(BTreeSet<String>);

impl Words {
    pub(super) fn of(source: &str) -> Self {
        fn add(tokens: TokenStream, words: &mut BTreeSet<String>) {
            for token in tokens {
                match token {
                    TokenTree::Group(group) => add(group.stream(), words),
                    TokenTree::Ident(name) => drop(words.insert(name.to_string())),
                    TokenTree::Literal(_) | TokenTree::Punct(_) => {}
                }
            }
        }
        let mut words = BTreeSet::new();
        add(source.parse().unwrap_or_default(), &mut words);
        Self(words)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// The pieces of code in a help, for a file with these words.
pub(super) fn advice(help: &str, words_of_file: &Words) -> Vec<Advice> {
    let mut all: Vec<Advice> = Vec::new();
    // The first piece that the verb is about, so that what follows them says where all of them
    // belong.
    let mut group = 0;
    let mut verb = None;
    let mut marked = None;
    let mut pieces = pieces(help).into_iter().peekable();
    while let Some(Piece { words, code }) = pieces.next() {
        let after = pieces.peek().map_or("", |next| next.words.as_str());
        let Some(code) = code else { break };
        let trimmed = words.trim();
        if trimmed.ends_with("in place of") {
            for advice in all.iter_mut().skip(group) {
                advice.in_place_of = Some(code.clone());
            }
            verb = None;
            continue;
        }
        if let Some(field) = marked.take()
            && trimmed == "as"
        {
            all.push(Advice {
                verb: Verb::Mark,
                rest: rest(&code, words_of_file),
                code,
                in_place_of: None,
                target: Target::Named(field),
            });
            verb = None;
            continue;
        }
        if let Some(target) = target_of(trimmed, &code) {
            for advice in all.iter_mut().skip(group) {
                advice.target = match (&advice.target, &target) {
                    (Target::UpgraderOf(of, None), Target::UpgraderOf(_, from)) => {
                        Target::UpgraderOf(of.clone(), from.clone())
                    }
                    (Target::Here, target) => target.clone(),
                    (known, _) => known.clone(),
                };
            }
            verb = None;
            continue;
        }
        if !matches!(trimmed, "," | "or" | ", or") {
            verb = verb_of(&words);
            group = all.len();
            if let Some(version) = raised(trimmed) {
                verb = Some(Verb::Raise(version));
            }
        }
        match verb {
            Some(Verb::Mark) => marked = Some(code),
            // Not typed, because it is half of the change.
            Some(_) if is_half(after) => {}
            Some(verb) => {
                // "write `a` too" is beside the argument that the error is in.
                let is_beside = after.starts_with(" too");
                let (verb, target) = if is_beside {
                    (Verb::Add, Target::Upgrader)
                } else {
                    (verb, target_behind(after))
                };
                let is_for_each = after.starts_with(" for each") || after.starts_with(" for those");
                let rest = if is_for_each {
                    Rest::Something
                } else {
                    rest(&code, words_of_file)
                };
                all.push(Advice {
                    verb,
                    rest,
                    code,
                    in_place_of: None,
                    target,
                });
            }
            None => {}
        }
    }
    all
}

/// Words, and the code behind them.
struct Piece {
    words: String,
    code: Option<String>,
}

fn pieces(help: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut parts = help.split('`');
    while let Some(words) = parts.next() {
        // `did you mean "small"?` has a value in the place of code.
        if let Some((before, quoted)) = words.split_once("did you mean \"")
            && let Some((value, after)) = quoted.split_once("\"?")
        {
            pieces.push(Piece {
                words: format!("{before}did you mean "),
                code: Some(format!("\"{value}\"")),
            });
            pieces.push(Piece {
                words: format!("?{after}"),
                code: parts.next().map(str::to_owned),
            });
            continue;
        }
        pieces.push(Piece {
            words: words.to_owned(),
            code: parts.next().map(str::to_owned),
        });
    }
    pieces
}

/// The place of a piece of code that the words behind it name.
fn target_behind(after: &str) -> Target {
    let begins = |words: &[&str]| words.iter().any(|words| after.starts_with(words));
    if begins(&[" to the condition"]) {
        Target::Condition
    } else if begins(&[" to the operator"]) {
        Target::Operator
    } else if begins(&[" to this upgrader"]) {
        Target::Upgrader
    } else if after == " before the " {
        Target::Before
    } else if begins(&[
        " outside",
        " in the difference",
        " before the",
        " where ",
        " to it",
        " here",
        " there",
        // Not typed, because `stateless` and no `version` are two places.
        " and no ",
    ]) || after.starts_with(" on ") && after != " on "
        || after.starts_with(" in ")
            && !matches!(after, " in " | " in place of " | " in the options of ")
    {
        Target::Elsewhere
    } else {
        Target::Here
    }
}

fn target_of(words: &str, code: &str) -> Option<Target> {
    if words.ends_with("to the upgrader of") {
        Some(Target::UpgraderOf(code.to_owned(), None))
    } else if words == "from" {
        Some(Target::UpgraderOf(String::new(), Some(code.to_owned())))
    } else if matches!(words, "to" | "on" | ", to" | "in" | "in the options of") {
        Some(Target::Named(code.to_owned()))
    } else {
        None
    }
}

/// The version in "or make this version 2, and add here:".
fn raised(words: &str) -> Option<u64> {
    let (_, rest) = words.split_once("make this version ")?;
    rest.strip_suffix(", and add here:")?.parse().ok()
}

/// The verb in front of a piece of code, if the code is what it is about.
fn verb_of(words: &str) -> Option<Verb> {
    let clause = words.rsplit(['.', ';', '?', '(']).next().unwrap_or(words);
    // Not typed, because it is half of the change.
    if clause.contains(" and ") {
        return None;
    }
    let mut between = 0;
    for word in clause.split_whitespace().rev() {
        let verb = match word {
            "write" | "end" | "name" => Verb::Write,
            "add" | "add:" => Verb::Add,
            "mean" => Verb::Mean,
            "remove" => Verb::Remove,
            "mark" => Verb::Mark,
            word if BETWEEN.contains(&word) && between < 5 => {
                between += 1;
                continue;
            }
            _ => return None,
        };
        return Some(verb);
    }
    None
}

/// True if the words behind a piece of code begin with something else that is to be done.
fn is_half(after: &str) -> bool {
    let mut words = after.trim_start_matches(',').split_whitespace();
    words.next() == Some("and")
        && words
            .next()
            .is_none_or(|verb| ["add", "mark", "raise", "serve", "write"].contains(&verb))
}

/// The part of a piece of code that is still open.
pub(super) fn rest(code: &str, words: &Words) -> Rest {
    // A message. Elsewhere it may be the author's, such as the name of a variant.
    let is_message =
        ["warn(", "refuse("].iter().any(|word| code.contains(word)) && code.contains("\"text\"");
    if is_message || EXAMPLES.iter().any(|example| code.contains(example)) {
        return Rest::Something;
    }
    if code.contains('…') {
        // A reason may be left open: the derive asks for it then.
        let has_reason = code.contains("drop(")
            || code.contains("declassified = ")
            || code.contains("reason = ");
        let written = code.replace("\"…\"", "\"why\"");
        let is_open = written.contains('…') || !has_reason || code.matches('…').count() > 1;
        return if is_open {
            Rest::Something
        } else {
            rest(&written, words).max(Rest::Reason)
        };
    }
    let Ok(tokens) = code.parse::<TokenStream>() else {
        return Rest::Something;
    };
    let mut rest = Rest::Nothing;
    open(tokens, words, &mut rest);
    rest
}

fn open(tokens: TokenStream, words: &Words, rest: &mut Rest) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => open(group.stream(), words, rest),
            TokenTree::Ident(name) => {
                let next = tokens.peek();
                let is_option = matches!(next, Some(TokenTree::Group(_)))
                    || matches!(next, Some(TokenTree::Punct(sign)) if sign.as_char() == '=')
                        && !is_arrow(tokens.clone());
                let name = name.to_string();
                if PLACEHOLDERS.contains(&name.as_str()) && !is_option && !words.0.contains(&name) {
                    *rest = Rest::Something;
                }
            }
            TokenTree::Literal(literal) => {
                let literal = literal.to_string();
                let value = literal.trim_matches('"');
                let is_word = ["old", "new", "other", "value", "name", "rule-id"].contains(&value)
                    && !words.0.contains(value);
                // Also the pattern of the forms, because only the author knows how a string is
                // made.
                if is_word || value == "{project}/{name}" {
                    *rest = Rest::Something;
                }
                if value.starts_with("why") || value.starts_with("what to") {
                    *rest = (*rest).max(Rest::Reason);
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

/// True if the next sign is `=>`, before which there is a name and not an option.
fn is_arrow(mut tokens: impl Iterator<Item = TokenTree>) -> bool {
    tokens.next();
    matches!(tokens.next(), Some(TokenTree::Punct(sign)) if sign.as_char() == '>')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(help: &str) -> Vec<String> {
        let show = |advice: &Advice| {
            let Advice {
                verb,
                code,
                in_place_of,
                target,
                rest,
            } = advice;
            let place = in_place_of
                .as_ref()
                .map(|place| format!(" in place of {place}"))
                .unwrap_or_default();
            format!("{verb:?} {code}{place} {target:?} {rest:?}")
        };
        advice(help, &Words::of("struct Thing { size: i64 }"))
            .iter()
            .map(show)
            .collect()
    }

    #[test]
    fn each_piece_of_code_has_its_verb_and_place() {
        for (help, expected) in [
            (
                "write `version = 2`",
                vec!["Write version = 2 Here Nothing"],
            ),
            (
                "write `warn(size, \"text\")`",
                vec!["Write warn(size, \"text\") Here Something"],
            ),
            (
                "write `scale(spec = \".spec.replicas\", status = \".status.replicas\")`",
                vec![
                    "Write scale(spec = \".spec.replicas\", status = \".status.replicas\") Here Something",
                ],
            ),
            (
                "write `copy(prior => current)`",
                vec!["Write copy(prior => current) Here Something"],
            ),
            (
                "did you mean `\"text\"`?",
                vec!["Mean \"text\" Here Nothing"],
            ),
            (
                "did you mean `optional`?",
                vec!["Mean optional Here Nothing"],
            ),
            (
                "did you mean \"small\"?",
                vec!["Mean \"small\" Here Nothing"],
            ),
            (
                "did you mean `rename`? It is written `rename(old => new)`",
                vec!["Mean rename Here Nothing"],
            ),
            (
                "add `rename(old => size)`, `copy(other => size)`, or `set(size = …)` with the value that it starts with",
                vec![
                    "Add rename(old => size) Here Something",
                    "Add copy(other => size) Here Something",
                    "Add set(size = …) Here Something",
                ],
            ),
            (
                "add `rename(size => new)`, or `drop(size, \"why\")` if its value may be lost, to the upgrader of `Rule` from `RuleV0`",
                vec![
                    "Add rename(size => new) UpgraderOf(\"Rule\", Some(\"RuleV0\")) Something",
                    "Add drop(size, \"why\") UpgraderOf(\"Rule\", Some(\"RuleV0\")) Reason",
                ],
            ),
            (
                "add `set(zone = null)` in place of `carry` (`upstate next x` writes it)",
                vec!["Add set(zone = null) in place of carry Here Nothing"],
            ),
            (
                "mark `name` as `#[attribute(sensitive)]`; or add `declassified = \"why it may be shown\"` to the operator",
                vec![
                    "Mark #[attribute(sensitive)] Named(\"name\") Nothing",
                    "Add declassified = \"why it may be shown\" Operator Reason",
                ],
            ),
            (
                "remove `#[block]`; blocks are an `Option`, `Vec`, set or map of objects",
                vec!["Remove #[block] Here Nothing"],
            ),
            (
                "or make this version 2, and add here: `#[upgrade_from(1 => 2, drop(size: i64, \"…\"))]` (`upstate next x` writes both)",
                vec!["Raise(2) #[upgrade_from(1 => 2, drop(size: i64, \"…\"))] Here Reason"],
            ),
            (
                "write its type: `convert(port: Option<String>, json)`",
                vec!["Write convert(port: Option<String>, json) Here Nothing"],
            ),
            (
                "write `behaviour(\"stops\", since = \"3.0.0\")`",
                vec!["Write behaviour(\"stops\", since = \"3.0.0\") Here Something"],
            ),
            (
                "write `since(\"1.0.0\" => 0, \"1.4.0\" => 1)`",
                vec!["Write since(\"1.0.0\" => 0, \"1.4.0\" => 1) Here Something"],
            ),
            (
                "write `since(\"1.4.0\" => 1)`",
                vec!["Write since(\"1.4.0\" => 1) Here Nothing"],
            ),
            (
                "write a string in quotes, a number, `true` or `false`",
                vec![],
            ),
            // Otherwise the values would be shown.
            (
                "remove `sensitive`, and write it above the fields of the struct that are",
                vec![],
            ),
            (
                "remove `sensitive`, and write `#[attribute(sensitive)]` above the fields of its struct that are",
                vec![],
            ),
            ("write `#[attribute(json)]` and `serde_json::Value`", vec![]),
            (
                "remove `reason`, and keep `unsupported`",
                vec!["Remove reason Here Nothing"],
            ),
            (
                "keep `required` if the user must set it, `computed` if the provider does",
                vec![],
            ),
        ] {
            assert_eq!(shown(help), expected, "{help}");
        }
    }

    /// The file has the word, but not for the key of this list.
    #[test]
    fn an_example_is_open_in_a_file_with_its_word() {
        let words = Words::of("struct Thing { name: String }");
        let keys = advice("write `list_map_keys(\"name\")`, the stored names", &words).remove(0);
        assert_eq!(keys.rest, Rest::Something);
    }
}
