//! Digits of stored numbers that a type rounds, such as those of a float, and strings that a type
//! writes in another form, such as those of dates.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use upstate::Number;
use upstate::schema::Type;

use super::edits::Known;
use super::pairs::origins;
use super::place::{Names, Place, inside, split};
use super::transcode::is_float;
use super::tree::{ByName, Tree, equal_numbers};

/// The values of a stored document, if one of their numbers may be one of the `new` values with
/// fewer digits, or if it is not `upgraded` and one of their strings is none of these. The others need
/// no second look.
pub(super) fn of<'s>(attributes: &'s [u8], new: &[u8], upgraded: bool) -> Option<Tree<'s>> {
    if upgraded && !may_have_more(attributes) {
        return None;
    }
    let (stored, new) = (tree(attributes)?, tree(new)?);
    let found = !upgraded && has_other_texts(&stored, &new) || has_rounded(&stored, &new);
    found.then_some(stored)
}

/// True if one of the stored strings is not among the new ones.
fn has_other_texts(stored: &Tree<'_>, new: &Tree<'_>) -> bool {
    let all: HashSet<&str> = scalars(new, false).into_iter().collect();
    scalars(stored, false)
        .into_iter()
        .any(|text| !all.contains(text))
}

/// The digits of all numbers, or all strings, in any order.
fn scalars<'n>(tree: &'n Tree<'_>, are_numbers: bool) -> Vec<&'n str> {
    let (mut found, mut rest): (Vec<&str>, _) = (Vec::new(), vec![tree]);
    while let Some(tree) = rest.pop() {
        match tree {
            Tree::Number(digits) if are_numbers => found.push(digits),
            Tree::String(text) if !are_numbers => found.push(text),
            Tree::Array(elements) => rest.extend(elements),
            Tree::Object(members) => rest.extend(members.iter().map(|(_, value)| value)),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => {}
        }
    }
    found
}

/// True if one of the stored numbers may be one of the new ones with fewer digits.
fn has_rounded(stored: &Tree<'_>, new: &Tree<'_>) -> bool {
    let mut old = scalars(stored, true);
    old.retain(|digits| may_have_more(digits.as_bytes()));
    if old.is_empty() {
        return false;
    }
    // Looked up, because one float may be that of every number in a document.
    let number = |digits: &str| digits.parse::<Number>().ok();
    let all: HashSet<Number> = scalars(new, true).into_iter().filter_map(number).collect();
    let is_rounded = |old: &str| {
        let exact = number(old);
        let floats = written(old);
        floats
            .iter()
            .filter_map(|float| number(float))
            .any(|float| exact.as_ref() != Some(&float) && all.contains(&float))
    };
    old.into_iter().any(is_rounded)
}

/// True if a number may have digits that its type does not keep: a float of 32 bits keeps six.
fn may_have_more(json: &[u8]) -> bool {
    let mut rest = json.iter();
    // Counted for one number at a time, because each has a precision of its own.
    let (mut length, mut has_digit, mut has_exponent) = (0, false, false);
    while let Some(byte) = rest.next() {
        match byte {
            b'0'..=b'9' => has_digit = true,
            b'e' | b'E' => has_exponent = true,
            b'.' | b'-' | b'+' => {}
            other => {
                if *other == b'"' {
                    pass_string(&mut rest);
                }
                (length, has_digit, has_exponent) = (0, false, false);
                continue;
            }
        }
        length += 1;
        if length > 6 || has_digit && has_exponent {
            return true;
        }
    }
    false
}

/// Moves behind a string that has begun.
fn pass_string(rest: &mut std::slice::Iter<'_, u8>) {
    // Byte by byte, because most strings are short.
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                rest.next();
            }
            _ => {}
        }
    }
}

/// True if each of the stored numbers that a type may round is one of the new ones, as often as it
/// is stored.
pub(super) fn has_numbers_of(new: &Tree<'_>, stored: &Tree<'_>) -> bool {
    let number = |digits: &str| digits.parse::<Number>().ok();
    let mut counts: HashMap<Number, usize> = HashMap::new();
    for number in scalars(new, true).into_iter().filter_map(number) {
        *counts.entry(number).or_default() += 1;
    }
    scalars(stored, true)
        .into_iter()
        .filter(|digits| may_have_more(digits.as_bytes()))
        .all(|digits| {
            let left = number(digits)
                .and_then(|number| counts.get_mut(&number))
                .filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_some()
        })
}

pub(super) fn tree(json: &[u8]) -> Option<Tree<'_>> {
    std::str::from_utf8(json)
        .ok()
        .and_then(|json| Tree::parse(json).ok())
}

/// The numbers that are to keep their stored digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeping {
    All,
    /// Those of integers, because some syntaxes write no other decimals than those of a float.
    Integers,
}

/// The first outcome of an attempt to write the new values with stored digits: those of all numbers
/// that were not changed since they were `read`, else those of the integers, else those of the
/// fields that keep them. Nothing if all of them are written as they were stored. Strings that were
/// not changed stay, too. If the document was `upgraded`, elements may be others than those that
/// were stored there, and so may strings.
pub(super) fn held<R>(
    known: &Known,
    stored: &Tree<'_>,
    values: (&[u8], &[u8]),
    upgraded: bool,
    attempt: impl Fn(&[u8]) -> Option<R>,
) -> Option<R> {
    let kept = |keeping, fields: Option<&[Names]>| {
        kept(known, stored, values, (keeping, upgraded, fields))
    };
    let mut all = BTreeSet::new();
    for keeping in [Keeping::All, Keeping::Integers] {
        let Some((json, fields)) = kept(keeping, None) else {
            break;
        };
        if let Some(outcome) = attempt(&json) {
            return Some(outcome);
        }
        all.extend(fields);
    }
    // Otherwise one field whose stored digits are another value today, as of an integer, takes
    // along those of all others.
    let is_held = |field: &Names| {
        let alone = kept(Keeping::All, Some(std::slice::from_ref(field)));
        alone.is_some_and(|(json, _)| attempt(&json).is_some())
    };
    let fields: Vec<Names> = apart(all).into_iter().filter(is_held).collect();
    if fields.is_empty() {
        return None;
    }
    let (json, _) = kept(Keeping::All, Some(fields.as_slice()))?;
    attempt(&json)
}

/// The fields, or those that hold them, if they are several and not too many to try each alone.
fn apart(fields: BTreeSet<Names>) -> BTreeSet<Names> {
    const MOST: usize = 16;
    let outermost = |mut path: Names| {
        path.truncate(1);
        path
    };
    let fields = if fields.len() > MOST {
        fields.into_iter().map(outermost).collect()
    } else {
        fields
    };
    if (2..=MOST).contains(&fields.len()) {
        fields
    } else {
        BTreeSet::new()
    }
}

/// The new values with stored digits, if there are any to keep, and the paths of the fields that
/// have them; only of these fields, if some are given.
fn kept(
    known: &Known,
    stored: &Tree<'_>,
    (read, new): (&[u8], &[u8]),
    (keeping, upgraded, fields): (Keeping, bool, Option<&[Names]>),
) -> Option<(Vec<u8>, BTreeSet<Names>)> {
    let (read, mut new) = (tree(read)?, tree(new)?);
    let mut sources: BTreeMap<Names, Vec<Names>> = BTreeMap::new();
    for (old, goals) in known.renames.iter().chain(&known.contents_of(stored)) {
        for goal in goals {
            sources.entry(goal.clone()).or_default().push(old.clone());
        }
    }
    let numbers = Unchanged {
        sources,
        stored,
        keeping,
        upgraded,
        fields,
    };
    let mut kept = BTreeSet::new();
    numbers
        .keep(stored, &read, &mut new, &Place::of(&known.ty), &mut kept)
        .then(|| (json(&new), kept))
}

struct Unchanged<'s, 't> {
    /// The paths in the stored document of what has another path in the new one.
    sources: BTreeMap<Names, Vec<Names>>,
    stored: &'s Tree<'t>,
    keeping: Keeping,
    upgraded: bool,
    /// The fields whose numbers alone are given theirs, if not all.
    fields: Option<&'s [Names]>,
}

impl Unchanged<'_, '_> {
    /// True if the field at a place is one of those that are given theirs; then its path is noted.
    fn is_held(&self, place: &Place<'_>, kept: &mut BTreeSet<Names>) -> bool {
        let path = place.new_path();
        let is_held = self
            .fields
            .is_none_or(|fields| fields.iter().any(|field| path.starts_with(field)));
        if is_held {
            kept.insert(path);
        }
        is_held
    }

    /// Gives unchanged numbers their stored digits and unchanged strings their stored form, and notes
    /// the paths of their fields. True if there are other ones.
    fn keep(
        &self,
        old: &Tree<'_>,
        read: &Tree<'_>,
        new: &mut Tree<'_>,
        place: &Place<'_>,
        kept: &mut BTreeSet<Names>,
    ) -> bool {
        match (old, read, new) {
            (Tree::Number(old), Tree::Number(read), Tree::Number(new)) => {
                let may_keep = self.keeping == Keeping::All || !is_float(old);
                let is_kept = may_keep && read == new && rounds_to(old, new);
                if is_kept && self.is_held(place, kept) {
                    *new = Cow::Owned(old.to_string());
                    return true;
                }
                false
            }
            (Tree::String(old), Tree::String(read), Tree::String(new)) => {
                // Not the name of a variant, because an alias is to become the name.
                let is_text = matches!(place.ty, Some(Type::String));
                let is_kept = is_text && !self.upgraded && read == new && old != new;
                if is_kept && self.is_held(place, kept) {
                    *new = Cow::Owned(old.to_string());
                    return true;
                }
                false
            }
            (Tree::Object(old), Tree::Object(read), Tree::Object(new)) => {
                let mut found = false;
                let (old, read) = (ByName::of(old), ByName::of(read));
                for (name, new) in new.iter_mut() {
                    let Some(read) = read.get(name) else {
                        continue;
                    };
                    let goal = if self.sources.is_empty() {
                        Names::new()
                    } else {
                        inside(&place.new_path(), name)
                    };
                    let Some(sources) = self.sources.get(&goal) else {
                        if let Some(old) = old.get(name) {
                            found |= self.keep(old, read, new, &place.member(name, name), kept);
                        }
                        continue;
                    };
                    // Several members may have become one, so that the first of them may not be the
                    // one that was stored.
                    for source in sources {
                        let (object, was) = split(source);
                        let old = if object == place.old_path() {
                            old.get(was)
                        } else {
                            self.stored.at(source)
                        };
                        if let Some(old) = old
                            && self.keep(old, read, new, &place.moved(source, &goal), kept)
                        {
                            found = true;
                            break;
                        }
                    }
                }
                found
            }
            (Tree::Array(old), Tree::Array(read), Tree::Array(new)) if old.len() == read.len() => {
                let origins = origins(read, &new.iter().collect::<Vec<_>>(), place.ty);
                let mut found = false;
                for (index, (new, origin)) in new.iter_mut().zip(origins).enumerate() {
                    let Some((old, read)) =
                        origin.and_then(|origin| old.get(origin).zip(read.get(origin)))
                    else {
                        continue;
                    };
                    if !self.upgraded || may_be(old, read) {
                        found |= self.keep(old, read, new, &place.element(index), kept);
                    }
                }
                found
            }
            (
                Tree::Null
                | Tree::Bool(_)
                | Tree::Number(_)
                | Tree::String(_)
                | Tree::Array(_)
                | Tree::Object(_),
                _,
                _,
            ) => false,
        }
    }
}

fn json(tree: &Tree<'_>) -> Vec<u8> {
    let mut json = Vec::new();
    tree.write(&mut json);
    json
}

/// False if a stored element and one that was read after an upgrade say that they are not the same.
fn may_be(old: &Tree<'_>, read: &Tree<'_>) -> bool {
    match (old, read) {
        (Tree::Number(old), Tree::Number(read)) => equal_numbers(old, read) || rounds_to(old, read),
        (Tree::String(old), Tree::String(read)) => old == read,
        (Tree::Bool(old), Tree::Bool(read)) => old == read,
        (Tree::Object(old), Tree::Object(read)) => {
            let read = ByName::of(read);
            old.iter()
                .all(|(name, old)| read.get(name).is_none_or(|read| may_be(old, read)))
        }
        (
            Tree::Null
            | Tree::Bool(_)
            | Tree::Number(_)
            | Tree::String(_)
            | Tree::Array(_)
            | Tree::Object(_),
            _,
        ) => true,
    }
}

/// True if the digits `new` are those that a float is written with that was read from the `old`
/// ones, and say another number.
fn rounds_to(old: &str, new: &str) -> bool {
    !equal_numbers(old, new) && written(old).iter().any(|float| equal_numbers(float, new))
}

/// The digits that a float is written with that was read from the stored ones.
fn written(old: &str) -> Vec<String> {
    // The shortest digits of a float, or all of them if it is whole: types write either. Of two
    // that are as short and as near, serde takes another.
    let wide = |float: f64| {
        let whole = (float.fract() == 0.0).then(|| format!("{float:.0}"));
        [
            Some(format!("{float:?}")),
            serde_json::to_string(&float).ok(),
            whole,
        ]
    };
    let mut found: Vec<String> = old
        .parse::<f64>()
        .into_iter()
        .flat_map(wide)
        .flatten()
        .collect();
    if let Ok(float) = old.parse::<f32>() {
        found.push(format!("{float:?}"));
        found.extend(serde_json::to_string(&float).ok());
        found.extend(wide(f64::from(float)).into_iter().flatten());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{has_numbers_of, may_have_more, of, tree};

    #[test]
    fn only_documents_with_rounded_numbers_are_read_again() {
        let reads_again = |stored: &str, new: &str| {
            let json = |digits: &str| format!(r#"{{"a":{digits}}}"#);
            of(json(stored).as_bytes(), json(new).as_bytes(), true).is_some()
        };
        // A time, an id, a decimal of all the digits of a float; and each of them changed.
        for digits in [
            "1700000001",
            "1830123456789012481",
            "0.30000000000000004",
            "123456.75",
            "1e3",
        ] {
            for new in [digits, "1700000050", "1.5"] {
                assert!(!reads_again(digits, new), "{digits} {new}");
            }
        }
        for (digits, new) in [
            ("9007199254740993", "9007199254740992.0"),
            ("0.1000000000000000055", "0.1"),
            ("16777217", "16777216.0"),
            ("16777217", "16777216"),
            ("0.12345678901", "0.12345679"),
            ("1e-400", "0.0"),
            // As serde writes it and as Rust does.
            ("628795816790109.22961488", "628795816790109.2"),
            ("628795816790109.22961488", "628795816790109.3"),
        ] {
            assert!(reads_again(digits, new), "{digits} {new}");
        }
    }

    #[test]
    fn so_are_those_with_other_texts_unless_they_were_upgraded() {
        let (stored, new) = (r#"{"a":"x","b":[{"c":"y"}]}"#, r#"{"a":"y","b":["x"]}"#);
        let reads_again = |new: &str, upgraded| of(stored.as_bytes(), new.as_bytes(), upgraded);
        assert!(reads_again(new, false).is_none());
        let new = new.replace('x', "z");
        assert!(reads_again(&new, false).is_some());
        assert!(reads_again(&new, true).is_none());
    }

    #[test]
    fn strings_hold_no_numbers() {
        for (json, expected) in [
            (r#"{"started":"1979-05-27T07:32:00Z","1234567":1}"#, false),
            (r#"{"a":"\"","b":"1234567\\","c":12345}"#, false),
            (r#"{"a":"\"","b":1234567}"#, true),
            (r#"{"a":"\\","b":1e3}"#, true),
            ("1234567", true),
            ("0.1", false),
        ] {
            assert_eq!(may_have_more(json.as_bytes()), expected, "{json}");
        }
    }

    #[test]
    fn stored_numbers_are_counted() {
        let stored = tree(br#"{"a":[9007199254740993,9007199254740993],"b":1}"#).unwrap();
        for (new, has) in [
            (
                r#"{"c":9007199254740993,"d":9007199254740993.0,"b":2}"#,
                true,
            ),
            (r#"{"a":[9007199254740993,9007199254740992],"b":1}"#, false),
            (r#"{"a":[9007199254740993],"b":1}"#, false),
        ] {
            assert_eq!(
                has_numbers_of(&tree(new.as_bytes()).unwrap(), &stored),
                has,
                "{new}"
            );
        }
    }

    #[test]
    fn many_numbers_of_one_float_are_looked_up() {
        let digits: Vec<String> = (10_000..30_000)
            .map(|end| format!("0.1000000000000000000{end}1"))
            .collect();
        let json = format!("[{}]", digits.join(","));
        // Because to compare each with each takes 15 minutes.
        assert!(of(json.as_bytes(), json.as_bytes(), false).is_none());
    }
}
