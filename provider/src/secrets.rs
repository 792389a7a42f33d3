//! Values that must not be shown: where they may be, which they are, and strings without them.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

use upstate::Value;
use upstate::schema::{Block, Nesting};

use crate::plan::{Members, member};

/// The replacement of a secret in a string.
const REDACTED: &str = "(sensitive value)";

/// Shorter strings reveal too little, and are part of too many words.
const SHORTEST: usize = 3;

/// Shorter strings of nothing but small letters are words that any message may have: to hide them
/// would tell the secret.
const SHORTEST_WORD: usize = 6;

/// From this length on a secret is found inside of words as well.
const INSIDE_WORDS: usize = 6;

/// Strings that must not be shown.
#[derive(Default)]
pub(crate) struct Secrets {
    texts: BTreeSet<Reverse<Sized>>,
    /// Words of the schemas: messages are made of them, so a secret that is one stays.
    words: BTreeSet<String>,
}

/// A string, the longer the greater: a secret inside another one is looked for later.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Sized(usize, String);

impl Secrets {
    /// Adds what `value` holds in attributes of the block that must not be shown.
    pub(crate) fn add(&mut self, block: &Block, value: &Value) {
        self.words.append(&mut block.vocabulary());
        self.add_members(Members::Block(block), value);
    }

    fn add_members(&mut self, of: Members<'_>, value: &Value) {
        for attribute in of
            .attributes()
            .iter()
            .filter(|attribute| attribute.is_secret())
        {
            self.add_value(member(value, attribute.name()));
        }
        for (name, nesting, inner) in of.nested() {
            // A stored value need not be arranged as the schema says: a list of one may stand for
            // an object.
            match (nesting, member(value, name)) {
                (_, Value::List(elements)) => elements
                    .iter()
                    .for_each(|element| self.add_members(inner, element)),
                (Nesting::Map, Value::Map(entries)) => entries
                    .values()
                    .for_each(|entry| self.add_members(inner, entry)),
                (_, object) => self.add_members(inner, object),
            }
        }
    }

    /// Adds all that a value holds.
    pub(crate) fn add_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            // A number of few digits is left out because it reveals nothing, and is found
            // everywhere.
            Value::Number(number) => {
                let digits = number.to_string();
                if digits.len() > SHORTEST {
                    self.add_text(&digits);
                }
            }
            Value::List(elements) => elements.iter().for_each(|element| self.add_value(element)),
            // The members of an object are words of its schema, and no secrets.
            Value::Map(members) => members.iter().for_each(|(key, member)| {
                self.add_text(key);
                self.add_value(member);
            }),
            Value::Dynamic(dynamic) => self.add_value(&dynamic.1),
            Value::Null | Value::Unknown | Value::Bool(_) => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let escaped = text.escape_debug().to_string();
        let json = serde_json::to_string(text).unwrap_or_default();
        // A message may hold one line of it.
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| line.len() > INSIDE_WORDS);
        for text in [text, escaped.as_str(), json.trim_matches('"')]
            .into_iter()
            .chain(lines)
        {
            if text.chars().count() >= SHORTEST {
                self.texts
                    .insert(Reverse(Sized(text.len(), text.to_owned())));
            }
        }
    }

    /// Takes every secret out of strings.
    pub(crate) fn redact<'t>(&self, texts: impl IntoIterator<Item = &'t mut String>) {
        for text in texts {
            if let Some(redacted) = self.blotted(text) {
                *text = redacted;
            }
        }
    }

    /// The string without any secret, if it has one.
    pub(crate) fn blotted(&self, text: &str) -> Option<String> {
        let mut redacted = None;
        for Reverse(Sized(_, secret)) in self
            .texts
            .iter()
            .filter(|Reverse(Sized(_, secret))| !is_common(secret) && !self.is_word(secret))
        {
            redacted = without(redacted.as_deref().unwrap_or(text), secret).or(redacted);
        }
        redacted
    }

    /// True if a value has a secret in it, or a piece of one. Short words and words of the schemas
    /// are secrets here, because a value is shown whole or not at all.
    pub(crate) fn are_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.show_in(text),
            Value::Number(number) => {
                let digits = number.to_string();
                digits.len() > SHORTEST && self.show_in(&digits)
            }
            Value::List(elements) => elements.iter().any(|element| self.are_in(element)),
            Value::Map(members) => members
                .iter()
                .any(|(key, member)| self.show_in(key) || self.are_in(member)),
            Value::Dynamic(dynamic) => self.are_in(&dynamic.1),
            Value::Null | Value::Unknown | Value::Bool(_) => false,
        }
    }

    /// True if a string has a secret in it, or is a piece of one.
    pub(crate) fn show_in(&self, text: &str) -> bool {
        text.chars().count() >= SHORTEST
            && self
                .texts
                .iter()
                .any(|Reverse(Sized(_, secret))| text.contains(secret) || secret.contains(text))
    }

    /// True if a secret is also a word of a schema.
    fn is_word(&self, secret: &str) -> bool {
        self.words.contains(&secret.to_lowercase())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Adds all secrets of another set.
    pub(crate) fn extend(&mut self, others: &Self) {
        self.texts.extend(others.texts.iter().cloned());
        self.words.extend(others.words.iter().cloned());
    }
}

/// True if any message may have the word.
fn is_common(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase()) && text.chars().count() < SHORTEST_WORD
}

/// Says how many there are.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secrets").field(&self.texts.len()).finish()
    }
}

/// The string without `secret`, if it has it.
fn without(text: &str, secret: &str) -> Option<String> {
    let in_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    let found = text.match_indices(secret).filter(|(at, _)| {
        let (before, after) = text.split_at(*at);
        let after = after.strip_prefix(secret).unwrap_or_default();
        secret.len() >= INSIDE_WORDS
            || !in_word(before.chars().next_back()) && !in_word(after.chars().next())
    });
    let mut redacted = String::new();
    let mut rest = 0;
    for (at, _) in found {
        redacted += text.get(rest..at)?;
        redacted += REDACTED;
        rest = at + secret.len();
    }
    if rest == 0 {
        return None;
    }
    redacted += text.get(rest..)?;
    Some(redacted)
}

#[cfg(test)]
mod tests {
    use upstate::schema::{Attribute, Check, Nested, NestedBlock, Presence, Shared, Type};

    use super::*;

    fn block() -> Block {
        let pin = || Attribute::new("pin", Type::String, Presence::Optional);
        let safe = Attribute::nested(
            "safe",
            Nested::new(Nesting::Map, vec![pin().write_only()]),
            Presence::Optional,
        );
        let door = NestedBlock::new("door", Nesting::Single, Block::new([pin().sensitive()]));
        let keys = Attribute::new("keys", Type::list(Type::Number), Presence::Optional).sensitive();
        Block::new([pin(), safe, keys]).with_blocks([door])
    }

    fn redacted(json: &str, text: &str) -> String {
        let mut secrets = Secrets::default();
        secrets.add(
            &block(),
            &Value::from_untyped_json(json.as_bytes()).unwrap(),
        );
        let mut shown = text.to_owned();
        secrets.redact([&mut shown]);
        shown
    }

    #[test]
    fn secrets_of_any_depth_are_taken_out_and_nothing_else_is() {
        assert!(block().has_secret());
        let state = r#"{"pin": "open", "safe": {"a": {"pin": "sesame-1"}}, "door": [{"pin": "ab2d"}], "keys": [20301, 7]}"#;
        assert_eq!(
            redacted(state, "open sesame-1: 7 of 20301"),
            "open (sensitive value): 7 of (sensitive value)"
        );
        // A short one only as a word of its own.
        assert_eq!(
            redacted(state, "\"ab2d\" is no ab2def"),
            "\"(sensitive value)\" is no ab2def"
        );
        assert_eq!(redacted(state, "xsesame-1y"), "x(sensitive value)y");
        assert_eq!(redacted(r#"{"door": {"pin": "é"}}"#, "é"), "é");
    }

    #[test]
    fn a_secret_that_is_a_common_word_is_not_revealed_by_a_gap() {
        for secret in ["keys", "Door", "must", "the"] {
            let state = format!(r#"{{"door": {{"pin": "{secret}"}}}}"#);
            let message = "The Door must not be open with the keys.";
            assert_eq!(redacted(&state, message), message);
        }
        assert_eq!(
            redacted(r#"{"door": {"pin": "abracadabra"}}"#, "abracadabra is bad"),
            "(sensitive value) is bad"
        );
    }

    #[test]
    fn a_value_with_a_secret_that_is_a_word_is_not_shown_either() {
        let mut secrets = Secrets::default();
        let state = Value::from_untyped_json(br#"{"door": {"pin": "keys"}}"#).unwrap();
        secrets.add(&block(), &state);
        let copy = Value::String("keys".to_owned());
        assert!(secrets.are_in(&copy) && secrets.blotted("keys").is_none());
    }

    #[test]
    fn a_secret_that_a_check_lists_is_not_revealed_by_a_gap() {
        const BOTH: &[Shared<str>] = &[
            Shared::Static("\"medium\""),
            Shared::Static("\"Extra-Large\""),
        ];
        const EACH: &[Check] = &[Check::none_of(BOTH)];
        for check in [Check::one_of(BOTH), Check::each(EACH), Check::keys(EACH)] {
            let attribute = |name| Attribute::new(name, Type::String, Presence::Optional);
            let block = Block::new([
                attribute("size").checked(check),
                attribute("pin").sensitive(),
            ]);
            for secret in ["medium", "extra-large"] {
                let state = format!(r#"{{"pin": "{secret}"}}"#);
                let mut secrets = Secrets::default();
                secrets.add(&block, &Value::from_untyped_json(state.as_bytes()).unwrap());
                let message = r#"size must be "medium" or "extra-large""#;
                assert_eq!(secrets.blotted(message), None, "{secret}");
            }
        }
    }

    #[test]
    fn a_secret_is_known_escaped_and_line_by_line() {
        let state = r#"{"door": {"pin": "first line\nsay \"no\""}}"#;
        assert_eq!(
            redacted(state, r#"bad "first line\nsay \"no\"""#),
            "bad \"(sensitive value)\""
        );
        assert_eq!(
            redacted(state, "it begins with first line."),
            "it begins with (sensitive value)."
        );
    }

    #[test]
    fn the_keys_of_a_secret_map_are_secret_and_the_members_of_an_object_are_not() {
        let object = Type::object([upstate::schema::Field::new(
            "account",
            Type::map(Type::String),
        )]);
        let attribute = |name, ty| Attribute::new(name, ty, Presence::Optional).sensitive();
        let block = Block::new([
            attribute("tokens", Type::map(Type::Bool)),
            attribute("login", object),
        ]);
        let mut secrets = Secrets::default();
        let state =
            r#"{"tokens": {"hunter2-a": true}, "login": {"account": {"hunter2-b": "hunter2-c"}}}"#;
        secrets.add(&block, &Value::from_untyped_json(state.as_bytes()).unwrap());
        let shown = "the account hunter2-a, hunter2-b, hunter2-c";
        let hidden = "the account (sensitive value), (sensitive value), (sensitive value)";
        assert_eq!(secrets.blotted(shown).as_deref(), Some(hidden));
        // A list is not what the schema has, so that its members may be anything.
        let state = r#"{"login": [{"hunter2-d": null}]}"#;
        secrets.add(&block, &Value::from_untyped_json(state.as_bytes()).unwrap());
        assert_eq!(
            secrets.blotted("hunter2-d of account").as_deref(),
            Some("(sensitive value) of account")
        );
    }

    #[test]
    fn a_secret_inside_another_one_does_not_spoil_it() {
        let state = r#"{"door": {"pin": "secret"}, "safe": {"a": {"pin": "secret-and-more"}}}"#;
        assert_eq!(
            redacted(state, "secret-and-more or secret"),
            "(sensitive value) or (sensitive value)"
        );
    }
}
