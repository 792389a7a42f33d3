//! The contents of sensitive values, so that they are recognised wherever they turn up: in another
//! attribute, in part, in a message.

use std::collections::{BTreeSet, HashSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use upstate::path::PathStep;
use upstate::schema::Block;
use upstate::upgrade::DroppedValue;
use upstate::{AttributePath, Diagnostics, Registry, ResourceDefinition, Value};

use super::parse::Instance;

/// A string that is shorter than this, or a shorter piece of one, says nothing and occurs
/// everywhere.
const SHORTEST: usize = 3;
/// The least length of words of a message that are not in quotes.
const SHORTEST_WORD: usize = 4;
/// And of numbers.
pub(super) const SHORTEST_NUMBER: usize = 4;

/// The string in place of a secret in a message.
const HIDDEN: &str = "(sensitive value)";

/// The strings and numbers of sensitive values.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    texts: HashSet<String>,
    /// The bools, and the numbers of any length without their points. They occur everywhere, so
    /// that only a message about what is marked is without them.
    scalars: HashSet<String>,
    /// Words of the schemas. Messages are made of them: to hide one because it is also a secret, or
    /// a piece of one, would tell the secret.
    words: BTreeSet<String>,
    /// True if the values could not be read, so that any string may be one.
    any: bool,
}

/// A string of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In quotes, of a message about what is marked: a value.
    Value,
    /// In quotes, of any other message.
    Quoted,
    /// A word of a sentence.
    Word,
}

/// Strings that show secrets.
pub(super) struct Found<'t> {
    /// They are one, or hold one.
    pub(super) whole: HashSet<&'t str>,
    /// They are a piece of one.
    pub(super) parts: HashSet<&'t str>,
}

impl Secrets {
    pub(super) fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Number(number) => {
                let digits = number.to_string();
                self.scalars.extend(digits.split('.').map(str::to_owned));
                if digits.len() >= SHORTEST_NUMBER {
                    self.texts.insert(digits);
                }
            }
            Value::List(elements) => elements.iter().for_each(|element| self.add(element)),
            Value::Map(members) => members.iter().for_each(|(name, member)| {
                self.add_text(name);
                self.add(member);
            }),
            Value::Dynamic(inner) => self.add(&inner.1),
            Value::Bool(bool) => {
                self.scalars.insert(bool.to_string());
            }
            Value::Null | Value::Unknown => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.texts.insert(text.to_owned());
        }
    }

    /// Finds the strings that are a secret or hold one, and those that are a piece of one.
    ///
    /// Both are found in one pass over all strings and all secrets: there may be many of either.
    pub(super) fn among<'t>(&self, texts: &HashSet<&'t str>) -> Found<'t> {
        let mut whole: HashSet<&str> = texts
            .iter()
            .copied()
            .filter(|text| self.texts.contains(*text))
            .collect();
        let mut parts = HashSet::new();
        let longest = self.texts.iter().map(String::len).max().unwrap_or(0);
        let long = |text: &&str| text.len() >= SHORTEST;
        let secrets: Vec<&str> = self.texts.iter().map(String::as_str).filter(long).collect();
        if secrets.is_empty() {
            return Found { whole, parts };
        }
        // A piece may stand anywhere in a secret, also across other pieces.
        let pieces: Vec<&str> = texts
            .iter()
            .copied()
            .filter(long)
            .filter(|text| text.len() <= longest)
            .collect();
        let (Ok(any_piece), Ok(any_secret)) = (any_of(&pieces), any_of(&secrets)) else {
            // More text than can be searched: all of it might be.
            return Found {
                whole: texts.clone(),
                parts,
            };
        };
        for secret in &secrets {
            let at = any_piece
                .find_overlapping_iter(secret)
                .map(|found| found.pattern().as_usize());
            parts.extend(at.filter_map(|piece| pieces.get(piece)).copied());
        }
        whole.extend(
            texts
                .iter()
                .copied()
                .filter(long)
                .filter(|text| any_secret.is_match(*text)),
        );
        Found { whole, parts }
    }

    /// True if a string is a secret, holds one, or is a piece of one that is long enough for its
    /// place.
    fn shows(&self, text: &str, place: Place) -> bool {
        let shortest = if place == Place::Word {
            SHORTEST_WORD
        } else {
            SHORTEST
        };
        if text.is_empty() || place != Place::Value && self.words.contains(&text.to_lowercase()) {
            return false;
        }
        // Sentences have digits only where they tell of a value.
        if self.any
            && (place != Place::Word || text.contains(|character: char| character.is_ascii_digit()))
        {
            return true;
        }
        let (long, whole) = (text.len() >= shortest, self.texts.contains(text));
        whole && (long || place != Place::Word)
            || long && self.texts.iter().any(|secret| secret.contains(text))
            || self
                .texts
                .iter()
                .any(|secret| secret.len() >= shortest && text.contains(secret.as_str()))
    }

    /// A message without what shows a secret. Its quotes may hold what is marked if it is `about`
    /// that.
    fn hidden_in(&self, message: &str, about: bool) -> String {
        let quoted_as = if about { Place::Value } else { Place::Quoted };
        let mut out = String::with_capacity(message.len());
        let mut rest = message;
        while let Some((before, quoted)) = rest.split_once('"') {
            out.push_str(&self.without_words(before, about));
            let end = end_of_quote(quoted);
            let (inside, after) = quoted.split_at_checked(end).unwrap_or((quoted, ""));
            let plain = inside.trim_matches('…');
            if self.shows(plain, quoted_as) || self.shows(&unescaped(plain), quoted_as) {
                out.push_str(HIDDEN);
            } else {
                out.push('"');
                out.push_str(&self.without_words(inside, about));
                out.push_str(if after.is_empty() { "" } else { "\"" });
            }
            rest = after.strip_prefix('"').unwrap_or(after);
        }
        out.push_str(&self.without_words(rest, about));
        out
    }

    /// A string without those of its words that show a secret. It may be part of a message `about`
    /// what is marked.
    fn without_words(&self, text: &str, about: bool) -> String {
        let is_part =
            |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let start = rest.find(is_part).unwrap_or(rest.len());
            let (between, from) = rest.split_at_checked(start).unwrap_or((rest, ""));
            let end = from
                .find(|character| !is_part(character))
                .unwrap_or(from.len());
            let (word, after) = from.split_at_checked(end).unwrap_or((from, ""));
            out.push_str(between);
            let is_scalar = about && self.scalars.contains(word);
            out.push_str(if is_scalar || self.shows(word, Place::Word) {
                HIDDEN
            } else {
                word
            });
            rest = after;
        }
        out
    }
}

/// The paths that the configuration marks as sensitive in an instance, and the secrets there.
#[derive(Debug)]
pub(super) struct Marked {
    paths: Vec<AttributePath>,
    secrets: Secrets,
}

impl Marked {
    /// The marks of an instance; none if there are none.
    pub(super) fn of(instance: &Instance<'_>, registry: &Registry) -> Option<Self> {
        let paths = instance.sensitive_attributes();
        if paths.is_empty() {
            return None;
        }
        let mut secrets = Secrets {
            words: registry
                .get(instance.type_name())
                .map(words)
                .unwrap_or_default(),
            ..Secrets::default()
        };
        match (instance.attributes(), instance.attributes_flat()) {
            (Some(json), _) => match Value::from_any_json(json.as_bytes()) {
                Ok(value) => paths
                    .iter()
                    .filter_map(|path| at(&value, path))
                    .for_each(|value| secrets.add(value)),
                // The upgrade may have read as much of it as it quotes.
                Err(_) => secrets.any = true,
            },
            (None, Some(flat)) => {
                for (key, text) in flat {
                    let (name, below) = key.split_once('.').unwrap_or((&key, ""));
                    if paths.iter().any(|path| matches!(path.steps(), [PathStep::Attribute(marked), ..] if marked == name)) {
                        below.split('.').for_each(|piece| secrets.add_text(piece));
                        secrets.add_text(&text);
                    }
                }
            }
            (None, None) => {}
        }
        Some(Self { paths, secrets })
    }

    /// Diagnostics without the values that are marked.
    pub(super) fn hide(&self, diagnostics: &Diagnostics) -> Diagnostics {
        let mut all = Diagnostics::new();
        for one in diagnostics {
            let about = one.path().is_some_and(|path| {
                self.paths
                    .iter()
                    .any(|marked| reaches(path.steps(), marked.steps()).is_some())
            });
            let hidden = |text: &str| self.secrets.hidden_in(text, about);
            let hidden = one.with_texts(hidden(one.summary()), hidden(one.detail()), hidden);
            all.push(match one.path() {
                Some(path) => hidden.at(self.hide_path(path)),
                None => hidden,
            });
        }
        all
    }

    /// The dropped value, its path hidden as [`hide_path`](Self::hide_path) does.
    pub(super) fn hide_dropped(&self, dropped: &DroppedValue) -> DroppedValue {
        let mut hidden = dropped.clone();
        hidden.path = self.hide_path(&dropped.path);
        hidden
    }

    /// A path up to where it would show what is marked.
    pub(super) fn hide_path(&self, path: &AttributePath) -> AttributePath {
        let marked = self
            .paths
            .iter()
            .filter_map(|marked| reaches(path.steps(), marked.steps()))
            .min();
        let marked = marked.unwrap_or(path.steps().len());
        let key = path.steps().iter().position(|step| match step {
            PathStep::Key(key) => self.secrets.shows(key, Place::Quoted),
            PathStep::Attribute(_) | PathStep::Index(_) => false,
            PathStep::Element(element) => element.is_some(),
        });
        path.steps()
            .iter()
            .take(marked.min(key.unwrap_or(marked)))
            .cloned()
            .collect()
    }
}

/// The words with which messages speak of a resource.
fn words(definition: &ResourceDefinition) -> BTreeSet<String> {
    let prior = definition
        .prior_schemas()
        .into_iter()
        .map(|prior| prior.block);
    let mut words: BTreeSet<String> = prior
        .chain([definition.schema().block()])
        .flat_map(Block::vocabulary)
        .collect();
    words.insert(definition.type_name().to_lowercase());
    words.extend(definition.type_name().split('_').map(str::to_lowercase));
    words
}

/// The number of steps of a path that lead to what is marked, if it leads there. Elements of a set
/// have no index, and an upgrade may take an object out of a list or put it into one.
fn reaches(path: &[PathStep], marked: &[PathStep]) -> Option<usize> {
    let Some((mark, marks)) = marked.split_first() else {
        return Some(0);
    };
    let Some((step, steps)) = path.split_first() else {
        return marked
            .iter()
            .all(|mark| matches!(mark, PathStep::Index(_)))
            .then_some(0);
    };
    match (name(mark), name(step)) {
        (Some(mark), Some(step)) if mark != step => None,
        (Some(_), None) => reaches(steps, marked).map(|rest| rest + 1),
        (None, Some(_)) => reaches(path, marks),
        (None, None) if matches!((mark, step), (PathStep::Index(mark), PathStep::Index(step)) if mark != step) => {
            None
        }
        (Some(_), Some(_)) | (None, None) => reaches(steps, marks).map(|rest| rest + 1),
    }
}

/// The name or key of a step.
fn name(step: &PathStep) -> Option<&str> {
    match step {
        PathStep::Attribute(name) => Some(name),
        PathStep::Key(name) => Some(name),
        PathStep::Index(_) | PathStep::Element(_) => None,
    }
}

/// The value at a path.
fn at<'v>(value: &'v Value, path: &AttributePath) -> Option<&'v Value> {
    path.steps()
        .iter()
        .try_fold(value, |value, step| match (step, value) {
            (PathStep::Attribute(name), Value::Map(members)) => members.get(name.as_ref()),
            (PathStep::Key(name), Value::Map(members)) => members.get(name),
            (PathStep::Index(index), Value::List(elements)) => {
                elements.get(usize::try_from(*index).ok()?)
            }
            _ => None,
        })
}

/// The offset at which the quote ends that is open at the front; the text's length if it is not
/// closed.
fn end_of_quote(text: &str) -> usize {
    let mut escaped = false;
    let end = text.find(|character| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}

/// A quoted text as it was before it was quoted, whichever way.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let digits: String = match characters.as_str().strip_prefix('{') {
                    Some(rest) => rest.chars().take_while(|digit| *digit != '}').collect(),
                    None => characters.as_str().chars().take(4).collect(),
                };
                let braces = if characters.as_str().starts_with('{') {
                    2
                } else {
                    0
                };
                let code = u32::from_str_radix(&digits, 16)
                    .ok()
                    .and_then(char::from_u32);
                out.extend(code);
                for _ in 0..digits.chars().count() + braces {
                    characters.next();
                }
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// Finds any of these strings. The library's default for a few strings is a table with a row for
/// each of their bytes, which takes minutes and gigabytes for secrets of a megabyte; this one grows
/// with the bytes alone.
fn any_of(texts: &[&str]) -> Result<AhoCorasick, aho_corasick::BuildError> {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(texts: &[&str]) -> Secrets {
        Secrets {
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            ..Secrets::default()
        }
    }

    #[test]
    fn messages_are_shown_without_secrets() {
        let secrets = secrets(&["hunter2_LRS", "a \"b\"\n", "xy", "70000"]);
        for (message, shown) in [
            (
                r#""hunter2_LRS" does not have the form "{a}_{b}" (at x)."#,
                r#"(sensitive value) does not have the form "{a}_{b}" (at x)."#,
            ),
            (
                r#"the tier "hunter2" is not known"#,
                "the tier (sensitive value) is not known",
            ),
            (r#"cut: "hunter2_…""#, "cut: (sensitive value)"),
            (r#"longer: "x-hunter2_LRS-y""#, "longer: (sensitive value)"),
            (
                "bare hunter2_LRS, and a piece hunter2",
                "bare (sensitive value), and a piece (sensitive value)",
            ),
            (
                r#"escaped "a \"b\"\n" and "a \"b\"\u{a}""#,
                "escaped (sensitive value) and (sensitive value)",
            ),
            (
                r#"short "xy", in a longer one "-xy-", and xy"#,
                r#"short (sensitive value), in a longer one "-xy-", and xy"#,
            ),
            ("70000 is too large", "(sensitive value) is too large"),
            (r#"an open "quote"#, r#"an open "quote"#),
            (r#"id "a""#, r#"id "a""#),
        ] {
            assert_eq!(secrets.hidden_in(message, true), shown);
        }
    }

    #[test]
    fn short_numbers_and_bools_are_hidden_in_messages_about_what_is_marked() {
        let mut secrets = Secrets::default();
        secrets.add(&Value::from_any_json(b"[300, -1.5, true]").unwrap());
        let message = "expected a whole number from 0 to 255, found 300 (at pin).";
        assert_eq!(
            secrets.hidden_in(message, true),
            "expected a whole number from 0 to 255, found (sensitive value) (at pin)."
        );
        assert_eq!(secrets.hidden_in(message, false), message);
        assert_eq!(
            secrets.hidden_in("found a number: -1.5, found a bool: true", true),
            "found a number: (sensitive value).(sensitive value), found a bool: (sensitive value)"
        );
    }

    #[test]
    fn words_of_the_schema_stay_unless_they_are_the_value_that_a_message_is_about() {
        let mut secrets = secrets(&["name", "account-tier-7"]);
        secrets.words = ["name", "account", "tier"].map(str::to_owned).into();
        let message = r#"the attribute "name" of the account must not be account-tier-7"#;
        assert_eq!(
            secrets.hidden_in(message, false),
            r#"the attribute "name" of the account must not be (sensitive value)"#
        );
        assert_eq!(
            secrets.hidden_in(r#""name" is not a number (at key)."#, true),
            "(sensitive value) is not a number (at key)."
        );
        secrets.any = true;
        assert_eq!(
            secrets.hidden_in(r#""x" is not a number, nor 77 (at key)."#, true),
            "(sensitive value) is not a number, nor (sensitive value) (at key)."
        );
    }

    #[test]
    fn paths_end_where_something_is_marked() {
        let allow = || AttributePath::new().attribute("allow");
        let marked = Marked {
            paths: vec![allow().index(0)],
            secrets: secrets(&["hunter2"]),
        };
        for (path, shown) in [
            (allow().index(0).attribute("port"), "allow[0]"),
            (allow().index(1).attribute("port"), "allow[1].port"),
            (
                allow().step(PathStep::Element(None)).attribute("hunter2"),
                "allow[…]",
            ),
            (allow().attribute("port"), "allow"),
            (
                AttributePath::new().attribute("deny").key("hunter2"),
                "deny",
            ),
            (
                AttributePath::new().attribute("deny").key("open"),
                "deny[\"open\"]",
            ),
        ] {
            assert_eq!(marked.hide_path(&path).to_string(), shown);
        }
    }

    #[test]
    fn texts_are_compared_with_secrets_in_both_directions() {
        let secrets = secrets(&["hunter2", "ab", "sesame"]);
        let texts = [
            "hunter2",
            "my hunter2",
            "hunter",
            "h",
            "ab",
            "cab",
            "open",
            "ses",
        ];
        let found = secrets.among(&texts.into_iter().collect());
        assert_eq!(found.whole, HashSet::from(["ab", "hunter2", "my hunter2"]));
        assert_eq!(found.parts, HashSet::from(["hunter", "hunter2", "ses"]));
    }

    #[test]
    fn looking_for_a_long_secret_takes_memory_by_its_bytes() {
        let secret: String = (0..200_000_u64)
            .map(|at| char::from(b' ' + u8::try_from(at * at % 95).unwrap_or(0)))
            .collect();
        let searched = any_of(&[&secret]).unwrap();
        assert!(
            searched.memory_usage() < 32 * secret.len(),
            "{} bytes",
            searched.memory_usage()
        );
    }
}
