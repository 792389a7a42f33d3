//! The operators' names: the reader of each, and the message about one that does not exist. The
//! words are in `upstate_words::operators`.

use proc_macro2::{TokenStream, TokenTree};
use syn::LitStr;
use upstate_words::operators::{Effect, STRUCTURES, WORDS, Word, find};

use super::fields::unquoted;
use super::read::Reader;
use super::reading::Reading;
use crate::likeness;

/// Reads what is in the parentheses of an operator.
type Read = fn(&mut Reader<'_>, Reading<'_>);

/// The reader of each word that is not read [as its effect lists its arguments](Reader::as_listed).
const READERS: [(&str, Read); 26] = [
    ("rename", |reader, reading| reader.rename(reading)),
    ("copy", |reader, reading| reader.copy(reading)),
    ("drop", |reader, reading| reader.drop(reading)),
    ("default", |reader, reading| reader.default(reading)),
    ("set", |reader, reading| reader.set(reading)),
    ("null_if", |reader, reading| reader.null_if(reading)),
    ("convert", |reader, reading| reader.convert(reading)),
    ("fill", |reader, reading| reader.made_of_others(reading)),
    ("values", |reader, reading| reader.values(reading)),
    ("variants", |reader, reading| reader.variants(reading)),
    ("reformat", |reader, reading| reader.reformat(reading)),
    ("split", |reader, reading| reader.split(reading)),
    ("join", |reader, reading| reader.join(reading)),
    ("merge", |reader, reading| reader.merge(reading)),
    ("unwrap", |reader, reading| reader.unwrap(reading)),
    ("wrap", |reader, reading| reader.wrap(reading)),
    ("rekey", |reader, reading| reader.rekey(reading)),
    ("nest", |reader, reading| reader.nest(reading)),
    ("unnest", |reader, reading| reader.unnest(reading)),
    ("filter", |reader, reading| reader.filter(reading)),
    ("each", |reader, reading| reader.each(reading)),
    ("within", |reader, reading| reader.within(reading)),
    ("only_if", |reader, reading| reader.only_if(reading)),
    ("warn", |reader, reading| reader.notice(reading)),
    ("refuse", |reader, reading| reader.notice(reading)),
    ("carry", |reader, reading| reader.carry(reading)),
];

/// The reader of a word.
pub(super) fn reader(word: &Word) -> Option<Read> {
    let own = READERS
        .iter()
        .find(|(name, _)| *name == word.name)
        .map(|(_, read)| *read);
    own.or_else(|| listed(word).map(|_| -> Read { |reader, reading| reader.as_listed(reading) }))
}

/// The effect of a word without a reader, which tells how it is read.
pub(super) fn listed(word: &Word) -> Option<&'static Effect> {
    STRUCTURES
        .iter()
        .copied()
        .find(|effect| effect.keyword == word.name)
}

/// The words of other tools, and those for the same here.
const SYNONYMS: [(&str, &str); 50] = [
    ("move", "rename"),
    ("renamed", "rename"),
    ("map", "values"),
    ("map_value", "values"),
    ("enum", "values"),
    ("remove", "drop"),
    ("delete", "drop"),
    ("ignore", "drop"),
    ("dropped", "drop"),
    ("unused", "drop"),
    ("format", "reformat"),
    ("compose", "reformat"),
    ("parse", "split"),
    ("explode", "split"),
    ("cast", "convert"),
    ("retype", "convert"),
    ("json", "convert"),
    ("lookup", "fill"),
    ("fetch", "fill"),
    ("first", "unwrap"),
    ("flatten", "unnest"),
    ("group", "nest"),
    ("concat", "merge"),
    ("when", "only_if"),
    ("if", "only_if"),
    ("add", "set"),
    ("new", "set"),
    ("insert", "set"),
    ("constant", "set"),
    ("fallback", "default"),
    ("or_default", "default"),
    ("keep", "copy"),
    ("duplicate", "copy"),
    ("transform", "convert"),
    ("coerce", "convert"),
    ("change_type", "convert"),
    ("to_string", "convert"),
    ("skip", "drop"),
    ("discard", "drop"),
    ("forget", "drop"),
    ("rename_to", "rename"),
    ("replace", "values"),
    ("added", "set"),
    ("removed", "drop"),
    ("changed", "convert"),
    ("alter", "convert"),
    ("not_null", "default"),
    ("required", "default"),
    ("deleted", "drop"),
    ("moved", "rename"),
];

/// The words that authors may try for the states on which a condition does not hold.
pub(super) const OTHERWISE: [&str; 3] = ["otherwise", "else", "unless"];

/// True if `name` is an operator that takes parentheses.
pub(crate) fn is_operator(name: &str) -> bool {
    name != "carry" && takes_parentheses(name)
}

/// True if what is in the parentheses behind this word is for an operator.
pub(crate) fn takes_parentheses(name: &str) -> bool {
    find(name).is_some()
}

/// The operator that is called `name` elsewhere.
pub(crate) fn meant(name: &str) -> Option<&'static Word> {
    SYNONYMS
        .iter()
        .find(|(other, _)| *other == name)
        .and_then(|(_, meant)| find(meant))
}

/// The operator that is called `name` elsewhere, with the arguments that are written there; `None`
/// if they say something else than its own would.
pub(crate) fn meant_with(name: &str, arguments: &TokenStream) -> Option<String> {
    let word = meant(name)?.name;
    let tokens: Vec<_> = arguments.clone().into_iter().collect();
    let has = |position: usize, sign: char| matches!(tokens.get(position), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    let Some(TokenTree::Ident(_)) = tokens.first() else {
        return None;
    };
    if let Some(meant) = of_another_form(word, &tokens) {
        return Some(meant);
    }
    let is_arrow = (1..tokens.len()).any(|position| has(position, '=') && has(position + 1, '>'));
    let rest = match word {
        "rename" | "copy" if is_arrow => "",
        // A field without another value starts with null; where it may not be null, the next
        // message says so.
        "set" if tokens.len() == 1 => " = null",
        "default" if tokens.len() == 1 => " = …",
        "set" | "default" if has(1, '=') && !is_arrow => "",
        "drop" if tokens.len() == 1 => ", \"why\"",
        "drop"
            if (has(1, ',') || has(1, ':'))
                && matches!(tokens.last(), Some(TokenTree::Literal(_))) =>
        {
            ""
        }
        "convert" if tokens.len() == 1 || has(1, ':') => "",
        "only_if" if matches!(tokens.get(1), Some(TokenTree::Group(_))) && has(2, ',') => "",
        _ => return None,
    };
    Some(format!("{word}({arguments}{rest})"))
}

/// The operator for what other tools write in another form: `not_null(zone, "x")`,
/// `changed(zone, from_name = "region")`.
fn of_another_form(word: &str, tokens: &[TokenTree]) -> Option<String> {
    let is = |token: &TokenTree, text: &str| token.to_string() == text;
    match (word, tokens) {
        ("default" | "set", [field, comma, value @ TokenTree::Literal(_)]) if is(comma, ",") => {
            Some(format!("{word}({field} = {value})"))
        }
        ("convert", [field, comma, key, sign, TokenTree::Literal(old)])
            if is(comma, ",") && is(key, "from_name") && is(sign, "=") =>
        {
            let old = syn::parse_str::<LitStr>(&old.to_string()).ok()?;
            let old = unquoted(&old).unwrap_or_else(|| "old".to_owned());
            Some(format!("rename({old} => {field})"))
        }
        // Without the type, because SQL names the new one, which is the field's already. Not with
        // more behind a comma, which would be lost.
        ("convert", [field, sign, ty @ ..])
            if (is(sign, "as") || is(sign, "AS")) && !ty.iter().any(|token| is(token, ",")) =>
        {
            Some(format!("convert({field})"))
        }
        _ => None,
    }
}

/// The operator that `name` may be meant to be.
pub(crate) fn nearest(name: &str) -> Option<&'static Word> {
    if let Some(meant) = meant(name) {
        return Some(meant);
    }
    let nearest = likeness::nearest(name, WORDS.iter().map(|word| word.name))?;
    WORDS.iter().find(|word| word.name == nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_or_foreign_word_gets_the_nearest_one() {
        for (word, meant) in [
            ("renmae", "rename"),
            ("move", "rename"),
            ("remove", "drop"),
            ("defualt", "default"),
            ("nullif", "null_if"),
        ] {
            assert_eq!(nearest(word).unwrap().name, meant, "{word}");
        }
        assert!(nearest("zone").is_none());
    }

    #[test]
    fn a_foreign_word_keeps_all_of_its_arguments() {
        for (arguments, meant) in [
            ("size as u32", Some("convert(size)")),
            ("size as u32, lowercase", None),
            ("size as u32, zone as u8", None),
            (
                "zone, from_name = \"region\"",
                Some("rename(region => zone)"),
            ),
            (
                "zone, from_name=\"old-name\"",
                Some("rename(\"old-name\" => zone)"),
            ),
            (
                "zone, from_name = r\"a.b\"",
                Some("rename(\"a.b\" => zone)"),
            ),
            ("zone, from_name = \"type\"", Some("rename(r#type => zone)")),
            ("zone, from_name = \"self\"", Some("rename(self => zone)")),
            ("zone, from_name = \"\"", Some("rename(old => zone)")),
            ("zone, from_name = 3", None),
        ] {
            let tokens = arguments.parse().unwrap();
            assert_eq!(meant_with("cast", &tokens).as_deref(), meant, "{arguments}");
        }
    }

    #[test]
    fn every_word_has_a_reader_and_every_reader_a_word() {
        assert!(WORDS.iter().all(|word| reader(word).is_some()));
        assert!(READERS.iter().all(|(name, _)| find(name).is_some()));
    }

    #[test]
    fn every_synonym_leads_to_an_operator() {
        for (other, meant) in SYNONYMS {
            assert!(find(other).is_none() && find(meant).is_some(), "{other}");
        }
    }
}
