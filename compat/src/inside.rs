//! Null, keys and scalars inside of the values of attributes: which of those that were stored a
//! later attribute does not take.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde_json::{Map, Value as Json};
use upstate_words::lock::{
    INSIDE, OWN, inside, integers, is_exact_in_f32, is_integer_within, is_within, step,
};

use crate::snapshot::{AttributeSnapshot, Nesting};
use crate::stored_type::StoredType;

/// The end of the position of a map's keys.
const KEYS: &str = "[key]";

/// A place inside of an attribute whose values were read before, and are not all read now.
#[derive(Debug, PartialEq)]
pub(crate) struct Narrowed<'a> {
    /// Their path, with `[key]` for keys.
    pub(crate) path: String,
    /// The values that were taken; nothing of keys of which any string was one.
    pub(crate) was: Option<&'a Json>,
    /// The values that are; nothing where null was taken and is not.
    pub(crate) is: Option<&'a Json>,
}

/// Those of an attribute at a path. Where `was` has no fact, nothing is known, but of keys if it
/// `knows_keys`: any string was one. Where `is` has none, it takes every value but null, since it
/// is that of a model.
pub(crate) fn narrowed<'a>(
    path: &str,
    was: &'a AttributeSnapshot,
    is: &'a AttributeSnapshot,
    knows_keys: bool,
) -> Vec<Narrowed<'a>> {
    let (took, takes) = (facts(was), facts(is));
    if took.is_none() && (takes.is_none() || !knows_keys) {
        return Vec::new();
    }
    let (before, now) = (Positions::of(was), Positions::of(is));
    let one = |(position, took): (&String, &'a Json)| {
        let takes = takes.and_then(|takes| takes.get(position));
        let (place, is_null) = match position.strip_suffix('?') {
            Some(place) => (place, true),
            None => (position.strip_suffix(KEYS).unwrap_or(position), false),
        };
        // None for a position that is gone or has another type now, because the comparison of types
        // reports it.
        let (before, now) = before.0.get(place).zip(now.0.get(place))?;
        let is_other = || before == now && takes.is_some_and(|takes| !fits(took, takes));
        // No fact, because null is among the values of these.
        let takes_null = || takes.is_some() || matches!(*now, "json" | "dynamic");
        let is_narrowed = if is_null { !takes_null() } else { is_other() };
        let position = if is_null { place } else { position };
        is_narrowed.then(|| Narrowed {
            path: inside(path, position),
            was: Some(took),
            is: takes,
        })
    };
    let of_any_key = |(position, takes): (&String, &'a Json)| {
        let is_new = !took.is_some_and(|took| took.contains_key(position));
        let is_limited =
            is_new && !has_128_bits(takes) && before.has_keys(position) && now.has_keys(position);
        is_limited.then(|| Narrowed {
            path: inside(path, position),
            was: None,
            is: Some(takes),
        })
    };
    let mut found: Vec<_> = took.into_iter().flatten().filter_map(one).collect();
    if knows_keys {
        found.extend(takes.into_iter().flatten().filter_map(of_any_key));
    }
    found
}

/// True if values are integers of 128 bits, which locks had no fact of: keys without one may have
/// been these.
fn has_128_bits(takes: &Json) -> bool {
    let range = takes.as_str().and_then(|name| integers(name.as_bytes()));
    range.is_some_and(|(_, high)| high > u128::from(u64::MAX))
}

/// The facts about what is inside of the values of an attribute.
fn facts(attribute: &AttributeSnapshot) -> Option<&Map<String, Json>> {
    attribute.validators.get(INSIDE).and_then(Json::as_object)
}

/// The paths and types of whole numbers inside of an attribute's values where any number is taken
/// now, of which a float of 64 bits does not hold each.
pub(crate) fn unbounded<'a>(
    path: &str,
    was: &'a AttributeSnapshot,
    is: &AttributeSnapshot,
) -> Vec<(String, &'a Json)> {
    const EXACT: u128 = 1 << 53;
    let Some(took) = facts(was) else {
        return Vec::new();
    };
    let takes = facts(is);
    let now = Positions::of(is);
    let is_open = |position: &str| {
        now.0.get(position) == Some(&"number")
            && !takes.is_some_and(|takes| takes.contains_key(position))
    };
    let is_wide = |took: &Json| {
        let range = took.as_str().and_then(|name| integers(name.as_bytes()));
        range.is_some_and(|(low, high)| low.unsigned_abs() > EXACT || high > EXACT)
    };
    let found = took
        .iter()
        .filter(|(position, took)| is_open(position) && is_wide(took));
    found
        .map(|(position, took)| (inside(path, position), took))
        .collect()
}

/// Values of a variant without a tag that an earlier one takes now.
#[derive(Debug, PartialEq)]
pub(crate) struct TakenOver<'a> {
    /// The path of the enum.
    pub(crate) path: String,
    /// The variant that they were read as.
    pub(crate) was: &'a str,
    /// The variant that they are read as.
    pub(crate) is: &'a str,
}

/// Those of an attribute at a path: the first variant that fits is read, so that one which takes
/// more than it did takes it from those behind it. Null is new only where `was` `knows_inside` what
/// took it.
pub(crate) fn taken_over<'a>(
    path: &str,
    was: &'a AttributeSnapshot,
    is: &AttributeSnapshot,
    knows_inside: bool,
) -> Vec<TakenOver<'a>> {
    let mut enums = Vec::new();
    if let Some(ty) = &was.ty {
        untagged_in(ty, "", &mut enums);
    }
    if enums.is_empty() {
        return Vec::new();
    }
    let (took, takes) = (facts(was), facts(is));
    let (before, now) = (Positions::of(was), Positions::of(is));
    // Objects without a member that an earlier variant must have are not read as that. The compiler
    // knows whether the model fills it in, but has no fact of a null that is new.
    let needs_more = |earlier: &str, later: &str| {
        let behind = now
            .0
            .range::<str, _>((Bound::Excluded(earlier), Bound::Unbounded));
        let mut members = behind
            .map_while(|(position, _)| Some((position, position.strip_prefix(earlier)?)))
            .filter(|(_, rest)| {
                rest.strip_prefix('.')
                    .is_some_and(|name| !name.contains(['.', '[']))
            });
        let is_null =
            |position: &str| takes.is_some_and(|takes| takes.contains_key(&format!("{position}?")));
        knows_inside
            && before.0.get(later) == Some(&"object")
            && members.any(|(position, rest)| {
                !before.0.contains_key(&format!("{later}{rest}")) && !is_null(position)
            })
    };
    let takes_from = |earlier: &str, later: &str, only_null: bool| {
        // Only its own positions, because an enum of many variants has many pairs of these.
        let behind = now
            .0
            .range::<str, _>((Bound::Included(earlier), Bound::Unbounded));
        let mut own = behind
            .map_while(|(position, kind)| Some((position, position.strip_prefix(earlier)?, kind)));
        own.any(|(position, rest, kind)| {
            let other = format!("{later}{rest}");
            let Some(of_other) = before.0.get(&other) else {
                return false;
            };
            let is_any = *of_other == "json";
            let is_inside = rest.is_empty() || rest.starts_with(['.', '[']);
            if !is_inside || before.0.get(position) != Some(kind) || !is_any && of_other != kind {
                return false;
            }
            let [(mine, theirs), (now_mine, _)] = [took, takes].map(|facts| {
                let of = |position: &str| facts.and_then(|facts| facts.get(position));
                (of(position), of(&other))
            });
            let [had_null, others_null] = [position, &other].map(|position| {
                took.is_some_and(|took| took.contains_key(&format!("{position}?")))
            });
            let takes_null = takes.is_some_and(|takes| takes.contains_key(&format!("{position}?")));
            !only_null && gains_from(mine, now_mine, theirs)
                || knows_inside && takes_null && !had_null && (others_null || is_any)
        })
    };
    let mut found = Vec::new();
    for (at, variants) in enums {
        let pairs = variants.iter().enumerate().flat_map(|(index, (later, _))| {
            let earlier = variants.iter().take(index);
            earlier.map(move |(earlier, _)| (earlier, later))
        });
        found.extend(
            pairs
                .filter(|(earlier, later)| {
                    let (earlier, later) = (step(&at, earlier), step(&at, later));
                    takes_from(&earlier, &later, false)
                        && (!needs_more(&earlier, &later) || takes_from(&earlier, &later, true))
                })
                .map(|(earlier, later)| TakenOver {
                    path: if at.is_empty() {
                        path.to_owned()
                    } else {
                        inside(path, &at)
                    },
                    was: later,
                    is: earlier,
                }),
        );
    }
    found
}

type Variants<'a> = &'a [(String, StoredType)];

/// Finds the enums without tags in a type, with their positions.
fn untagged_in<'a>(ty: &'a StoredType, at: &str, found: &mut Vec<(String, Variants<'a>)>) {
    match ty {
        StoredType::List(element) | StoredType::Set(element) | StoredType::Map(element) => {
            untagged_in(element, &format!("{at}[*]"), found);
        }
        StoredType::Tuple(elements) => {
            for (index, element) in elements.iter().enumerate() {
                untagged_in(element, &format!("{at}[{index}]"), found);
            }
        }
        StoredType::Object(members, _) => {
            for (name, member) in members {
                untagged_in(member, &step(at, name), found);
            }
        }
        StoredType::Union(tagging, variants) => {
            if tagging == "untagged" {
                found.push((at.to_owned(), variants.as_slice()));
            }
            for (name, held) in variants {
                untagged_in(held, &step(at, name), found);
            }
        }
        StoredType::Bool
        | StoredType::String
        | StoredType::Number
        | StoredType::Int64
        | StoredType::Float64
        | StoredType::Dynamic
        | StoredType::Json => {}
    }
}

/// True if values that a fact did not have, and has now, may be among those of another. All of
/// their type are where there is no fact.
fn gains_from(was: Option<&Json>, is: Option<&Json>, other: Option<&Json>) -> bool {
    let is_own = |values: &Json| values.as_str() == Some(OWN);
    // Because nothing is known of what an author's own type reads.
    let Some(was) = was.filter(|was| !is_own(was)) else {
        return false;
    };
    if is.is_some_and(|is| is_own(is) || fits(is, was)) {
        return false;
    }
    let Some(other) = other.filter(|other| !is_own(other)) else {
        return true;
    };
    if fits(other, was) {
        return false;
    }
    match (is, other) {
        (None, _) => true,
        (Some(Json::Array(is)), Json::Array(other)) => {
            let had = |text: &Json| was.as_array().is_some_and(|was| was.contains(text));
            is.iter().any(|text| other.contains(text) && !had(text))
        }
        (Some(Json::String(is)), Json::String(other)) => {
            let range = |name: &str| integers(name.as_bytes());
            match (range(is), range(other)) {
                (Some((low, high)), Some((least, greatest))) => {
                    let (low, high) = (low.max(least), high.min(greatest));
                    let is_empty = u128::try_from(low).is_ok_and(|low| low > high);
                    let was = was.as_str().and_then(range);
                    let had = was.is_some_and(|(least, greatest)| least <= low && high <= greatest);
                    !is_empty && !had
                }
                (None, None) => {
                    let (is, other) = (is.as_bytes(), other.as_bytes());
                    is_within(is, other) || is_within(other, is)
                }
                (Some(_), None) | (None, Some(_)) => true,
            }
        }
        // No form is known to have one of a few strings.
        (Some(_), _) => false,
    }
}

/// Takes over the null that only `more` took, the facts about positions that only that one has, and
/// the values that only it took at others. Where both know their keys, those of which `more` says
/// nothing are any strings.
pub(crate) fn adopt(all: &mut AttributeSnapshot, more: &AttributeSnapshot, knows_keys: bool) {
    let positions = Positions::of(all);
    let is_missing = |position: &str| match position.strip_suffix('?') {
        Some(_) => true,
        None => !positions
            .0
            .contains_key(position.strip_suffix(KEYS).unwrap_or(position)),
    };
    let (took, others) = (facts(more), Positions::of(more));
    let mut all_facts = facts(all).cloned().unwrap_or_default();
    if knows_keys {
        let has_fact = |position: &String| took.is_some_and(|took| took.contains_key(position));
        all_facts.retain(|position, _| has_fact(position) || !others.has_keys(position));
    }
    for (position, values) in took.into_iter().flatten() {
        let wider = match all_facts.get(position) {
            None => is_missing(position).then(|| values.clone()),
            Some(mine) => widened(mine, values),
        };
        all_facts.extend(wider.map(|values| (position.clone(), values)));
    }
    if all_facts.is_empty() {
        all.validators.remove(INSIDE);
    } else {
        all.validators
            .insert(INSIDE.to_owned(), Json::Object(all_facts));
    }
}

/// The values of two facts; nothing if they are those of the first, or if no fact has them.
fn widened(mine: &Json, more: &Json) -> Option<Json> {
    match (mine, more) {
        (Json::Array(mine), Json::Array(more)) => {
            let others = more.iter().filter(|text| !mine.contains(text));
            Some(mine.iter().chain(others).cloned().collect())
        }
        _ => fits(mine, more).then(|| more.clone()),
    }
}

/// True if all values of one fact are of the other.
fn fits(took: &Json, takes: &Json) -> bool {
    match (took, takes) {
        (Json::Array(took), Json::Array(takes)) => took.iter().all(|text| takes.contains(text)),
        (Json::String(took), Json::String(takes)) => {
            let is_formed = || {
                // No integers are of a form, but those that a float of 32 bits holds.
                takes == "f32" && is_exact_in_f32(took.as_bytes())
                    || is_within(took.as_bytes(), takes.as_bytes())
            };
            is_integer_within(took, takes).unwrap_or_else(is_formed)
        }
        _ => false,
    }
}

/// The kind of value at each position.
#[derive(Default)]
struct Positions(BTreeMap<String, &'static str>);

impl Positions {
    fn of(attribute: &AttributeSnapshot) -> Self {
        let mut positions = Self::default();
        match (&attribute.nested, &attribute.ty) {
            (Some(nested), _) => {
                if nested.mode == Nesting::Single {
                    positions.add("", "object");
                } else {
                    positions.add("", nested.mode.name());
                    positions.add("[*]", "object");
                }
            }
            (None, Some(ty)) => positions.add_type(ty, ""),
            (None, None) => {}
        }
        positions
    }

    /// True if it has the map whose keys have this position.
    fn has_keys(&self, position: &str) -> bool {
        position
            .strip_suffix(KEYS)
            .is_some_and(|map| self.0.get(map) == Some(&"map"))
    }

    fn add(&mut self, at: &str, kind: &'static str) {
        self.0.insert(at.to_owned(), kind);
    }

    fn add_type(&mut self, ty: &StoredType, at: &str) {
        match ty {
            StoredType::List(element) => {
                self.add(at, "list");
                self.add_type(element, &format!("{at}[*]"));
            }
            StoredType::Set(element) => {
                self.add(at, "set");
                self.add_type(element, &format!("{at}[*]"));
            }
            StoredType::Map(element) => {
                self.add(at, "map");
                self.add_type(element, &format!("{at}[*]"));
            }
            StoredType::Tuple(elements) => {
                self.add(at, "tuple");
                for (index, element) in elements.iter().enumerate() {
                    self.add_type(element, &format!("{at}[{index}]"));
                }
            }
            StoredType::Object(members, _) => {
                self.add(at, "object");
                for (name, member) in members {
                    self.add_type(member, &step(at, name));
                }
            }
            StoredType::Union(_, variants) => {
                self.add(at, "enum");
                for (name, held) in variants {
                    self.add_type(held, &step(at, name));
                }
            }
            StoredType::Bool => self.add(at, "bool"),
            StoredType::String => self.add(at, "string"),
            StoredType::Number | StoredType::Int64 | StoredType::Float64 => self.add(at, "number"),
            StoredType::Dynamic => self.add(at, "dynamic"),
            StoredType::Json => self.add(at, "json"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn attribute(ty: &str, inside: Json) -> AttributeSnapshot {
        let validators = BTreeMap::from([(INSIDE.to_owned(), inside)]);
        AttributeSnapshot {
            ty: Some(serde_json::from_str(ty).unwrap()),
            validators,
            ..AttributeSnapshot::default()
        }
    }

    #[test]
    fn what_is_not_taken_any_more_has_the_path_of_its_position() {
        let ty = r#"["list",["tuple",["number","string",["map","bool"]]]]"#;
        let inside = json!({ "[*][0]": "u16", "[*][1]": ["a", "b"], "[*][1]?": "null", "[*][2][key]": "u8" });
        let was = attribute(ty, inside.clone());
        let paths = |now: &AttributeSnapshot| -> Vec<String> {
            narrowed("x", &was, now, false)
                .into_iter()
                .map(|narrowed| narrowed.path)
                .collect()
        };
        assert!(paths(&was).is_empty());
        let wide = json!({ "[*][0]": "u32", "[*][1]": ["b", "c", "a"], "[*][1]?": "null" });
        assert!(paths(&attribute(ty, wide)).is_empty());
        let narrow = json!({ "[*][0]": "u8", "[*][1]": ["a"], "[*][2][key]": "i8" });
        assert_eq!(
            paths(&attribute(ty, narrow.clone())),
            ["x[*][0]", "x[*][1]", "x[*][1]", "x[*][2][key]"]
        );
        // Positions that are still there are compared, because the rest is reported with the type.
        assert_eq!(
            paths(&attribute(
                r#"["list",["tuple",["string","string"]]]"#,
                narrow
            )),
            ["x[*][1]", "x[*][1]"]
        );
        // Any JSON may be null.
        assert!(
            paths(&attribute(
                r#"["list",["tuple",["number","json",["map","bool"]]]]"#,
                json!({})
            ))
            .is_empty()
        );
        // Nothing is known of what the earlier one does not tell of, but of keys.
        let silent = attribute(ty, json!({}));
        assert!(narrowed("x", &silent, &was, false).is_empty());
        let integers = json!("u8");
        let keys = Narrowed {
            path: "x[*][2][key]".to_owned(),
            was: None,
            is: Some(&integers),
        };
        assert_eq!(narrowed("x", &silent, &was, true), [keys]);
        let long = attribute(ty, json!({ "[*][2][key]": "u128" }));
        assert!(narrowed("x", &silent, &long, true).is_empty());
        let grown = attribute(
            r#"["list",["map","string"]]"#,
            json!({ "[*][key]": "u8", "[key]": "u8" }),
        );
        assert!(narrowed("x", &silent, &grown, true).is_empty());
    }

    #[test]
    fn whole_numbers_that_any_number_may_be_now_are_found_if_they_are_large() {
        let ty = r#"["list",["tuple",["number","number","number","number"]]]"#;
        let was = attribute(
            ty,
            json!({ "[*][0]": "u64", "[*][1]": "u32", "[*][2]": "i64", "[*][2]?": "null", "[*][3]": "f32" }),
        );
        let open = |inside: Json| -> Vec<(String, Json)> {
            let now = attribute(ty, inside);
            unbounded("x", &was, &now)
                .into_iter()
                .map(|(path, took)| (path, took.clone()))
                .collect()
        };
        assert_eq!(
            open(json!({ "[*][2]": "i64" })),
            [("x[*][0]".to_owned(), json!("u64"))]
        );
        assert_eq!(open(json!({})).len(), 2);
        // Positions of another type are reported with that type, so that nothing is found here.
        let texts = r#"["list",["tuple",["string","string","string","string"]]]"#;
        assert!(unbounded("x", &was, &attribute(texts, json!({}))).is_empty());
    }

    #[test]
    fn an_earlier_variant_without_a_tag_may_not_take_what_a_later_one_took() {
        let ty = |tagging: &str, few: &str, many: &str| {
            let of = |ty: &str| format!(r#"["object",{{"count":"{ty}"}}]"#);
            let variants = format!(r#"["few",{}],["many",{}]"#, of(few), of(many));
            format!(r#"["list",["union","{tagging}",[{variants}]]]"#)
        };
        let found = |ty: &str, was: Json, is: Json| -> Vec<(String, String, String)> {
            let (was, is) = (attribute(ty, was), attribute(ty, is));
            let found = taken_over("x", &was, &is, true).into_iter();
            found
                .map(|over| (over.path, over.was.to_owned(), over.is.to_owned()))
                .collect()
        };
        let (few, many) = ("[*].few.count", "[*].many.count");
        let numbers = ty("untagged", "number", "number");
        let over = [("x[*]".to_owned(), "many".to_owned(), "few".to_owned())];
        let one = |of_few: &str, of_many: &str| json!({ few: of_few, many: of_many });
        assert_eq!(found(&numbers, one("u8", "u64"), one("u16", "u64")), over);
        assert_eq!(
            found(&numbers, one("u8", "u64"), json!({ many: "u64" })),
            over
        );
        assert_eq!(
            found(&numbers, json!({ few: "u8" }), json!({ few: "u16" })),
            over
        );
        let nulls =
            |of_few: &str| json!({ format!("{few}{of_few}"): "null", format!("{many}?"): "null" });
        assert_eq!(found(&numbers, nulls(".no?"), nulls("?")), over);
        for (was, is) in [
            (one("u8", "u64"), one("u8", "u64")),
            (one("u8", "u32"), one("u8", "u64")),
            // The earlier one took all of the later one before.
            (one("u16", "u8"), one("u32", "u8")),
            (one("u8", "i8"), one("u16", "i8")),
            (json!({ many: "u8" }), json!({ many: "u16" })),
        ] {
            assert!(found(&numbers, was, is).is_empty());
        }
        let texts = ty("untagged", "string", "string");
        let few_of = |some: &[&str]| json!({ few: some, many: ["c", "d"] });
        assert!(found(&texts, few_of(&["a"]), few_of(&["a", "b"])).is_empty());
        assert_eq!(found(&texts, few_of(&["a"]), few_of(&["a", "c"])), over);
        for other in [
            ty("external", "number", "number"),
            ty("untagged", "number", "string"),
        ] {
            assert!(found(&other, json!({ few: "u8" }), json!({ few: "u16" })).is_empty());
        }
        let any = ty("untagged", "number", "json");
        assert_eq!(
            found(&any, json!({ few: "u8" }), json!({ few: "u16" })),
            over
        );
        // Known apart by a member that the other has not, unless that may be null.
        let more = numbers.replace(r#""few",["object",{"#, r#""few",["object",{"by":"string","#);
        assert!(found(&more, one("u8", "u64"), one("u16", "u64")).is_empty());
        let with_null = |of_few: &str| json!({ few: of_few, many: "u64", "[*].few.by?": "null" });
        assert_eq!(found(&more, with_null("u8"), with_null("u16")), over);
        // The member may be filled in, and the compiler does not look at a null that is new.
        assert_eq!(found(&more, nulls(".no?"), nulls("?")), over);
    }

    #[test]
    fn what_either_of_two_takes_is_taken_over_at_each_position() {
        let ty = r#"["tuple",["number","number","string","string"]]"#;
        let mut all = attribute(
            ty,
            json!({ "[0]": "u8", "[1]": "u16", "[2]": ["a"], "[3]": "ipv4" }),
        );
        let more =
            json!({ "[0]": "u16", "[1]": "u8", "[1]?": "null", "[2]": ["b", "a"], "[3]": "date" });
        adopt(&mut all, &attribute(ty, more), true);
        let taken =
            json!({ "[0]": "u16", "[1]": "u16", "[1]?": "null", "[2]": ["a", "b"], "[3]": "ipv4" });
        assert_eq!(all.validators[INSIDE], taken);
        // Any string must stay a key, because it is one of either map.
        let keys = attribute(r#"["map","bool"]"#, json!({ "[key]": "u8" }));
        let strings = attribute(r#"["map","bool"]"#, json!({}));
        for (one, other, knows_keys, has_fact) in [
            (&keys, &strings, true, false),
            (&strings, &keys, true, false),
            (&keys, &strings, false, true),
            (&keys, &keys, true, true),
        ] {
            let mut all = one.clone();
            adopt(&mut all, other, knows_keys);
            let facts = facts(&all);
            assert_eq!(facts.is_some_and(|facts| !facts.is_empty()), has_fact);
        }
    }

    #[test]
    fn forms_and_integers_are_within_wider_ones() {
        let fits = |took: &str, takes: &str| fits(&json!(took), &json!(takes));
        assert!(fits("ipv4", "ip") && fits("u16", "f32") && fits("i8", "i16"));
        assert!(fits("i64", "i128") && !fits("i128", "i64") && !fits("u128", "i128"));
        assert!(fits("u8", "AtomicU32") && !fits("AtomicU32", "AtomicU8"));
        assert!(fits("u64", "usize") && fits("NonZeroI8", "i8") && !fits("i8", "NonZeroI8"));
        assert!(
            !fits("ip", "ipv4")
                && !fits("u32", "f32")
                && !fits("char", "u8")
                && !fits("u8", "char")
        );
    }
}
