//! Checks of configured values, as the model declares them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex_lite::Regex;
use upstate::codec::UnknownAttributes;
use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Check, NestedBlock, Nesting, Schema, Shape, Shared, Type};
use upstate::{AttributePath, Diagnostic, Diagnostics, Number, Object, Value};

use super::fillers::all_unknown;
use super::nested::{Members, each_object, elements, elements_mut, member};
use super::{Filled, Fillers, defaults, fill, has_unknown, unset};
use crate::diagnostics;

/// The declared checks that `config` does not pass. Values not known yet pass. Values are never
/// shown.
pub(super) fn failed(block: &Block, config: &Value) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    each_object(Members::Block(block), config, &mut |of, object, at| {
        members(of, object, at, &mut diagnostics);
    });
    diagnostics
}

fn members(of: Members<'_>, object: &Value, at: &AttributePath, diagnostics: &mut Diagnostics) {
    for attribute in of.attributes() {
        let value = member(object, attribute.name());
        if !matches!(value, Value::Null | Value::Unknown) && attribute.checks().next().is_some() {
            let value = match attribute.shape() {
                Shape::Plain(_) => Cow::Borrowed(value),
                Shape::Nested(nested) => Cow::Owned(whole(
                    nested.nesting(),
                    Members::Attributes(nested.attributes()),
                    value,
                )),
            };
            for check in attribute.checks() {
                let at = at.clone().attribute(attribute.name().to_owned());
                let (ty, mut found) = (attribute.implied_type(), Diagnostics::new());
                problems(check, &ty, &value, &at, &mut found);
                // The path of a key is not shown, because keys are as secret as the values.
                if attribute.is_secret()
                    && matches!(check, Check::Each(_) | Check::Keys(_))
                    && !found.is_empty()
                {
                    found = diagnostics::unaccepted_secret(at).into();
                }
                diagnostics.append(found);
            }
        }
    }
    let blocks = match of {
        Members::Attributes(_) => &[][..],
        Members::Block(block) => block.blocks(),
    };
    for nested in blocks
        .iter()
        .filter(|nested| nested.checks().next().is_some())
    {
        let (nesting, value) = (nested.nesting(), member(object, nested.name()));
        // Nothing is checked where there are none, because the collection is empty there in place
        // of null.
        if !elements(nesting, value).is_empty() {
            let (ty, value) = (
                nested.implied_type(),
                whole(nesting, Members::Block(nested.block()), value),
            );
            let at = at.clone().attribute(nested.name().to_owned());
            for check in nested.checks() {
                problems(check, &ty, &value, &at, diagnostics);
            }
        }
    }
}

/// Nested objects as an author's function takes them, which may have no null for what users need
/// not write: with its default, or an empty value.
fn whole(nesting: Nesting, of: Members<'_>, value: &Value) -> Value {
    let mut whole = value.clone();
    for (_, element) in elements_mut(nesting, &mut whole) {
        let config = element.clone();
        let Ok(()) = unset::members(of, &config, element, "", &mut |_, attribute, place| {
            *place = match attribute.default_json() {
                Some(json) => defaults::default(attribute, &json).unwrap_or_default(),
                None if attribute.is_nullable() => Value::Null,
                None => Fillers::empty(attribute),
            };
            Ok::<(), Infallible>(())
        });
    }
    whole
}

/// The field inside of objects that an author's function checks which takes neither null nor an
/// empty value, though users need not write it: the function is not called then.
pub(crate) fn unchecked<T: Object>() -> Option<AttributePath> {
    let (block, ty) = (Schema::of::<T>().block(), Schema::of::<T>().implied_type());
    let Filled { mut value, .. } = fill::<T>(&all_unknown(block), &ty, Fillers::Everywhere).ok()?;
    if !as_checked(Members::Block(block), &mut value) {
        return None;
    }
    let json = super::to_json(&value, &ty).ok()?;
    upstate::from_json::<T>(&json).err()?.path().cloned()
}

/// Makes nested objects what authors' functions are called with if users write nothing that they
/// need not. False if no function checks any.
fn as_checked(of: Members<'_>, object: &mut Value) -> bool {
    let attributes = of
        .attributes()
        .iter()
        .filter(|attribute| attribute.checks().any(is_function))
        .map(Attribute::name);
    let blocks = match of {
        Members::Attributes(_) => &[][..],
        Members::Block(block) => block.blocks(),
    };
    let blocks = blocks
        .iter()
        .filter(|nested| nested.checks().any(is_function))
        .map(NestedBlock::name);
    let checked: Vec<&str> = attributes.chain(blocks).collect();
    let mut found = false;
    for (name, nesting, inner) in of.nested() {
        let Some(value) = object
            .as_map_mut()
            .and_then(|members| members.get_mut(name))
        else {
            continue;
        };
        if checked.contains(&name) {
            for (_, element) in elements_mut(nesting, value) {
                unset_in(inner, element);
            }
            *value = whole(nesting, inner, value);
            found = true;
        } else {
            for (_, element) in elements_mut(nesting, value) {
                found |= as_checked(inner, element);
            }
        }
    }
    found
}

/// True if a check calls an author's function with the value, or with each element.
fn is_function(check: &Check) -> bool {
    match check {
        Check::Function { .. } => true,
        Check::Each(checks) => checks.iter().any(is_function),
        Check::Length { .. }
        | Check::Bytes { .. }
        | Check::Range { .. }
        | Check::Pattern { .. }
        | Check::OneOf(_)
        | Check::NoneOf(_)
        | Check::Keys(_) => false,
    }
}

/// Takes everything out of an object that users need not write.
fn unset_in(of: Members<'_>, object: &mut Value) {
    let Some(members) = object.as_map_mut() else {
        return;
    };
    for attribute in of
        .attributes()
        .iter()
        .filter(|attribute| unset::is_filled(attribute))
    {
        members.insert(attribute.name().to_owned(), Value::Null);
    }
    for (name, nesting, inner) in of.nested() {
        let Some(value) = members.get_mut(name) else {
            continue;
        };
        for (_, element) in elements_mut(nesting, value) {
            unset_in(inner, element);
        }
    }
}

fn problems(
    check: &Check,
    ty: &Type,
    value: &Value,
    at: &AttributePath,
    diagnostics: &mut Diagnostics,
) {
    let problem = match check {
        Check::Length { min, max } => {
            length(value, ty).and_then(|length| wrong_length(length, *min, *max, unit(ty)))
        }
        Check::Bytes { min, max } => value
            .as_str()
            .and_then(|text| wrong_length(text.len(), *min, *max, BYTES)),
        Check::Range { min, max } => outside(value, min.as_deref(), max.as_deref())
            .then(|| must(check, ty, plain))
            .flatten(),
        Check::Pattern { pattern, .. } => mismatch(value, pattern)
            .then(|| must(check, ty, plain))
            .flatten(),
        Check::OneOf(values) => (!is_listed(value, values, ty))
            .then(|| must(check, ty, plain))
            .flatten(),
        Check::NoneOf(values) => is_listed(value, values, ty)
            .then(|| must(check, ty, plain))
            .flatten(),
        Check::Each(checks) => return each(checks, ty, value, at, diagnostics),
        Check::Keys(checks) => return keys(checks, value, at, diagnostics),
        Check::Function { check, .. } => return diagnostics.append(refused(*check, value, ty, at)),
    };
    diagnostics.append(
        problem
            .map(|problem| diagnostics::unaccepted(at.clone(), &problem).into())
            .unwrap_or_default(),
    );
}

/// The words for a check in an error or on a page, after the name of an attribute: "must be at
/// least 1". `literal` marks values and patterns. An author's function has none, and neither have
/// elements and keys, because each of their checks has its own.
pub(crate) fn must(check: &Check, ty: &Type, literal: fn(&str) -> String) -> Option<String> {
    match check {
        Check::Length { min, max } => Some(format!("must have {}", amount(*min, *max, unit(ty)))),
        Check::Bytes { min, max } => Some(format!("must have {}", amount(*min, *max, BYTES))),
        Check::Range { min, max } => {
            match (min.as_deref().map(literal), max.as_deref().map(literal)) {
                (Some(min), Some(max)) => Some(format!("must be between {min} and {max}")),
                (Some(min), None) => Some(format!("must be at least {min}")),
                (None, Some(max)) => Some(format!("must be at most {max}")),
                (None, None) => None,
            }
        }
        // Without its period, because one follows.
        Check::Pattern {
            message: Some(message),
            ..
        } => Some(message.trim_end_matches('.').to_owned()),
        Check::Pattern {
            pattern,
            message: None,
        } => Some(format!(
            "must match the regular expression {}",
            literal(pattern)
        )),
        Check::OneOf(values) => listed(values.iter().map(|value| literal(value)), "or")
            .map(|values| format!("must be {values}")),
        Check::NoneOf(values) => {
            let forbids = if values.len() == 1 {
                "must not be"
            } else {
                "must be neither"
            };
            listed(values.iter().map(|value| literal(value)), "nor")
                .map(|values| format!("{forbids} {values}"))
        }
        Check::Each(_) | Check::Keys(_) | Check::Function { .. } => None,
    }
}

/// Joins values, the last by a word; nothing if there are none.
pub(crate) fn listed(values: impl Iterator<Item = String>, before_last: &str) -> Option<String> {
    let values: Vec<String> = values.collect();
    match values.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} {before_last} {last}", first.join(", "))),
    }
}

/// A value as it is.
fn plain(text: &str) -> String {
    text.to_owned()
}

/// Checks each element that is known. Elements of sets have no place of their own.
fn each(
    checks: &[Check],
    ty: &Type,
    value: &Value,
    at: &AttributePath,
    diagnostics: &mut Diagnostics,
) {
    let mut element = |ty: &Type, value: &Value, at: &AttributePath| {
        if !matches!(value, Value::Null | Value::Unknown) {
            for check in checks {
                problems(check, ty, value, at, diagnostics);
            }
        }
    };
    match (ty, value) {
        (Type::List(ty), Value::List(elements)) => {
            (0..)
                .zip(elements)
                .for_each(|(index, value)| element(ty, value, &at.clone().index(index)));
        }
        (Type::Set(ty), Value::List(elements)) => {
            for value in elements {
                element(ty, value, &at.clone().step(PathStep::Element(None)));
            }
        }
        (Type::Map(ty), Value::Map(elements)) => {
            for (key, value) in elements {
                element(ty, value, &at.clone().key(key.clone()));
            }
        }
        _ => {}
    }
}

fn keys(checks: &[Check], value: &Value, at: &AttributePath, diagnostics: &mut Diagnostics) {
    for key in value.as_map().into_iter().flat_map(BTreeMap::keys) {
        let (at, key) = (at.clone().key(key.clone()), Value::from(key.as_str()));
        for check in checks {
            problems(check, &Type::String, &key, &at, diagnostics);
        }
    }
}

/// The number of characters or elements, as far as it is known.
fn length(value: &Value, ty: &Type) -> Option<usize> {
    match (value, ty) {
        (Value::String(text), _) => Some(text.chars().count()),
        // Two elements that are not known may turn out to be one.
        (Value::List(list), Type::Set(_)) if list.iter().any(has_unknown) => None,
        (Value::List(list), _) => Some(list.len()),
        (Value::Map(map), _) => Some(map.len()),
        (
            Value::Null | Value::Unknown | Value::Bool(_) | Value::Number(_) | Value::Dynamic(_),
            _,
        ) => None,
    }
}

/// The words for one and for several of what is counted.
type Unit = [&'static str; 2];

const BYTES: Unit = ["byte", "bytes"];

fn unit(ty: &Type) -> Unit {
    if *ty == Type::String {
        ["character", "characters"]
    } else {
        ["element", "elements"]
    }
}

fn wrong_length(length: usize, min: u64, max: u64, unit: Unit) -> Option<String> {
    let found = u64::try_from(length).unwrap_or(u64::MAX);
    (!(min..=max).contains(&found))
        .then(|| format!("must have {}, and has {found}", amount(min, max, unit)))
}

fn amount(min: u64, max: u64, unit: Unit) -> String {
    let unit = |count: u64| if count == 1 { unit[0] } else { unit[1] };
    match (min, max) {
        (min, max) if min == max => format!("{min} {}", unit(min)),
        (min, u64::MAX) => format!("at least {min} {}", unit(min)),
        (0, max) => format!("at most {max} {}", unit(max)),
        (min, max) => format!("{min} to {max} {}", unit(max)),
    }
}

fn outside(value: &Value, min: Option<&str>, max: Option<&str>) -> bool {
    let Value::Number(number) = value else {
        return false;
    };
    let limit = |text: Option<&str>| text.and_then(|text| text.parse::<Number>().ok());
    limit(min).is_some_and(|min| *number < min) || limit(max).is_some_and(|max| *number > max)
}

/// True if a string does not match. An invalid pattern passes, because the derive and the
/// provider's own check find it.
fn mismatch(value: &Value, pattern: &str) -> bool {
    value
        .as_str()
        .zip(compiled(pattern))
        .is_some_and(|(text, regex)| !regex.is_match(text))
}

/// A regular expression, made once.
fn compiled(pattern: &str) -> Option<Arc<Regex>> {
    static MADE: LazyLock<RwLock<BTreeMap<String, Arc<Regex>>>> = LazyLock::new(RwLock::default);
    if let Some(regex) = MADE
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(pattern)
    {
        return Some(Arc::clone(regex));
    }
    let regex = Arc::new(Regex::new(pattern).ok()?);
    MADE.write()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(pattern.to_owned(), Arc::clone(&regex));
    Some(regex)
}

/// True if a value is one of those that are listed as JSON.
fn is_listed(value: &Value, values: &[Shared<str>], ty: &Type) -> bool {
    let is_it = |json: &Shared<str>| {
        Value::from_json(json.as_bytes(), ty, UnknownAttributes::Deny).is_ok_and(|it| it == *value)
    };
    values.iter().any(is_it)
}

/// The result of a function about a value, if it is known.
fn refused(
    check: fn(&str) -> Result<(), Diagnostics>,
    value: &Value,
    ty: &Type,
    at: &AttributePath,
) -> Diagnostics {
    if has_unknown(value) {
        return Diagnostics::new();
    }
    let errors = match super::to_json(value, ty) {
        Ok(json) => match check(&String::from_utf8_lossy(&json)) {
            Ok(()) => return Diagnostics::new(),
            Err(errors) => crate::wire::diagnostics::headed(errors, diagnostics::INVALID_VALUE),
        },
        // A value that the function cannot get is refused, because nothing shows that it may pass.
        Err(errors) => errors,
    };
    let placed = |error: Diagnostic| match error.path() {
        Some(path) => {
            let below = path
                .steps()
                .iter()
                .cloned()
                .fold(at.clone(), AttributePath::step);
            error.at(below)
        }
        None => error.at(at.clone()),
    };
    errors.into_iter().map(placed).collect()
}

#[cfg(test)]
mod tests {
    use upstate::meaning::IgnoreCase;
    use upstate::{Object, Resource};

    use upstate::schema::Schema;

    use super::*;
    use crate::plan::tests::{read, shown};

    #[derive(Resource)]
    #[resource(type_name = "test_sign", version = 0)]
    struct Sign {
        #[attribute(length = 2..=5, pattern = "^[a-zé]+$")]
        word: Option<String>,
        #[attribute(range = -1.5..=90)]
        angle: Option<f64>,
        #[attribute(range = 9007199254740993.., sensitive)]
        serial: Option<i64>,
        #[attribute(one_of("up", "a \"b\""))]
        side: Option<String>,
        #[attribute(one_of(1, 2.5))]
        scale: Option<f64>,
        #[attribute(set, length = 1..)]
        tags: Option<Vec<String>>,
        #[attribute(validate = even)]
        feet: Option<i64>,
        #[attribute(length = ..=1, validate = first_is_known)]
        posts: Option<Vec<Post>>,
        #[block]
        lamp: Vec<Lamp>,
    }

    #[derive(Object)]
    struct Post {
        #[attribute(range = 1..=3)]
        height: i64,
    }

    #[derive(Object)]
    struct Lamp {
        #[attribute(length = 3..=3)]
        color: String,
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as the derive calls it")]
    fn even(feet: &i64) -> Result<(), String> {
        if feet % 2 == 0 {
            Ok(())
        } else {
            Err("It would fall over.".to_owned())
        }
    }

    #[expect(clippy::ptr_arg, reason = "as the derive calls it")]
    fn first_is_known(posts: &Vec<Post>) -> Result<(), Diagnostics> {
        match posts.first() {
            Some(Post { height: 2 }) => Err(Diagnostic::error("Bad Post", "Too plain.")
                .at(AttributePath::new().index(0).attribute("height"))
                .into()),
            _ => Ok(()),
        }
    }

    fn problems(config: &str) -> Vec<String> {
        let block = Sign::schema().block();
        shown(&failed(block, &read(block, config)))
    }

    #[test]
    fn passing_and_unknown_values_have_no_diagnostics() {
        let good = r#"{"word": "énak", "angle": -1.5, "serial": 9007199254740993, "side": "a \"b\"", "scale": 2.50, "tags": ["a"],
            "feet": 4, "posts": [{"height": 3}], "lamp": [{"color": "red"}]}"#;
        assert_eq!(problems(good), [""; 0]);
        assert_eq!(
            problems(r#"{"word": "?", "side": "?", "tags": ["?"], "lamp": [{"color": "?"}]}"#),
            [""; 0]
        );
        assert_eq!(problems("{}"), [""; 0]);
    }

    #[test]
    fn a_value_that_no_function_can_check_is_refused() {
        let at = AttributePath::new().attribute("posts");
        let posts = Value::List(vec![Value::from("one"), Value::Bool(true)]);
        let found = refused(|_| Ok(()), &posts, &Type::list(Type::String), &at);
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.path().map(ToString::to_string), it.detail()))
            .collect();
        let [(place, detail)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(place.as_deref(), Some("posts[1]"));
        assert!(
            detail.starts_with(
                "The value does not fit the schema: [1]: expected a string, found a bool"
            ),
            "{detail}"
        );
    }

    #[test]
    fn a_failed_check_has_its_path() {
        assert_eq!(
            problems(r#"{"word": "Mole"}"#),
            ["word: word must match the regular expression ^[a-zé]+$."]
        );
        assert_eq!(
            problems(r#"{"word": "é"}"#),
            ["word: word must have 2 to 5 characters, and has 1."]
        );
        assert_eq!(
            problems(r#"{"angle": 90.5}"#),
            ["angle: angle must be between -1.5 and 90."]
        );
        // A float could not tell it from the limit.
        assert_eq!(
            problems(r#"{"serial": 9007199254740992}"#),
            ["serial: serial must be at least 9007199254740993."]
        );
        assert_eq!(
            problems(r#"{"side": "down"}"#),
            [r#"side: side must be "up" or "a \"b\""."#]
        );
        assert_eq!(
            problems(r#"{"scale": 3}"#),
            ["scale: scale must be 1 or 2.5."]
        );
        assert_eq!(
            problems(r#"{"tags": []}"#),
            ["tags: tags must have at least 1 element, and has 0."]
        );
        assert_eq!(problems(r#"{"feet": 3}"#), ["feet: It would fall over."]);
        let posts = problems(r#"{"posts": [{"height": 2}, {"height": 7}]}"#);
        assert_eq!(
            posts,
            [
                "posts: posts must have at most 1 element, and has 2.",
                "posts[0].height: Too plain.",
                "posts[1].height: posts[1].height must be between 1 and 3."
            ]
        );
        assert_eq!(
            problems(r#"{"lamp": [{"color": "blue"}]}"#),
            ["lamp[0].color: lamp[0].color must have 3 characters, and has 4."]
        );
    }

    #[derive(Object)]
    struct Ship {
        #[attribute(pattern = "^[A-Z]", pattern_message = "must begin with a capital letter.", bytes = ..=6, none_of("Titanic", "Vasa"))]
        name: Option<String>,
        #[attribute(none_of(13))]
        berth: Option<i64>,
        #[attribute(length = ..=3, each(length = 2..=4, one_of("oil", "iron", "it")))]
        cargo: Option<Vec<String>>,
        #[attribute(set, each(range = 1..=9, validate = even))]
        decks: Option<Vec<i64>>,
        #[attribute(
            keys(pattern = "^[a-z]+$", none_of("x")),
            each(pattern = "^[0-9]+$", pattern_message = "must be digits")
        )]
        crew: Option<BTreeMap<String, String>>,
        #[attribute(sensitive, keys(pattern = "^[a-z]+$"))]
        tokens: Option<BTreeMap<String, String>>,
        #[block]
        boat: Vec<Boat>,
    }

    #[derive(Object)]
    struct Boat {
        #[attribute(each(range = ..=5))]
        seats: Option<Vec<Option<i64>>>,
    }

    fn found(config: &str) -> Vec<String> {
        let block = Schema::of::<Ship>().block();
        failed(block, &read(block, config))
            .iter()
            .map(|it| it.detail().to_owned())
            .collect()
    }

    #[test]
    fn elements_and_keys_are_checked_at_their_places() {
        let good = r#"{"name": "Ada", "berth": 12, "cargo": ["oil", "?"], "decks": [2, 4], "crew": {"a": "1"}, "boat": [{"seats": [5, null]}]}"#;
        assert_eq!(found(good), [""; 0]);
        assert_eq!(
            found(r#"{"cargo": ["oil", "gold"]}"#),
            [r#"cargo[1] must be "oil", "iron" or "it"."#]
        );
        assert_eq!(
            found(r#"{"cargo": ["i"]}"#).first().map(String::as_str),
            Some("cargo[0] must have 2 to 4 characters, and has 1.")
        );
        assert_eq!(
            found(r#"{"decks": [2, 12]}"#),
            ["decks[…] must be between 1 and 9."]
        );
        assert_eq!(found(r#"{"decks": [3]}"#), ["It would fall over."]);
        assert_eq!(
            found(r#"{"crew": {"x": "1", "B": "two"}}"#),
            [
                r#"crew["B"] must be digits."#,
                r#"crew["B"] must match the regular expression ^[a-z]+$."#,
                r#"crew["x"] must not be "x"."#
            ]
        );
        assert_eq!(
            found(r#"{"tokens": {"S3same": "x"}}"#),
            [
                "tokens has an element or a key that is not accepted. Look up the accepted values in the provider's documentation."
            ]
        );
        assert_eq!(
            found(r#"{"boat": [{"seats": [1]}, {"seats": [1, 6]}]}"#),
            ["boat[1].seats[1] must be at most 5."]
        );
    }

    #[derive(Object)]
    struct Gate {
        #[attribute(
            as_string,
            pattern = "(?i)^(tcp|udp)$",
            pattern_message = "must be tcp or udp"
        )]
        protocol: IgnoreCase,
        #[attribute(validate = not_root)]
        user: Option<String>,
        #[attribute(validate = json)]
        rules: Option<String>,
        #[attribute(validate = value)]
        toll: Option<i64>,
    }

    fn json(rules: &str) -> Result<(), String> {
        if rules.starts_with('{') {
            Ok(())
        } else {
            Err("The rules are no object.".to_owned())
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as checks take it")]
    fn value(toll: &i64) -> Result<(), String> {
        if *toll > 0 {
            Ok(())
        } else {
            Err("The toll is nothing.".to_owned())
        }
    }

    fn not_root(user: &str) -> Result<(), String> {
        if user.eq_ignore_ascii_case("root") {
            Err("Root passes no gate.".to_owned())
        } else {
            Ok(())
        }
    }

    fn found_at_gate(config: &str) -> Vec<String> {
        let block = Schema::of::<Gate>().block();
        failed(block, &read(block, config))
            .iter()
            .map(|it| it.detail().to_owned())
            .collect()
    }

    #[test]
    fn a_function_may_have_a_name_that_generated_code_has() {
        let config = r#"{"protocol": "tcp", "rules": "[]", "toll": 0}"#;
        assert_eq!(
            found_at_gate(config),
            ["The rules are no object.", "The toll is nothing."]
        );
    }

    #[test]
    fn strings_are_checked_without_case() {
        let found = found_at_gate;
        assert_eq!(found(r#"{"protocol": "Tcp", "user": "ada"}"#), [""; 0]);
        assert_eq!(
            found(r#"{"protocol": "icmp", "user": "Root"}"#),
            ["protocol must be tcp or udp.", "Root passes no gate."]
        );
    }

    #[test]
    fn patterns_speak_in_the_authors_words_and_some_values_are_refused() {
        assert_eq!(
            found(r#"{"name": "ada"}"#),
            ["name must begin with a capital letter."]
        );
        assert_eq!(
            found(r#"{"name": "Vasa"}"#),
            [r#"name must be neither "Titanic" nor "Vasa"."#]
        );
        assert_eq!(
            found(r#"{"name": "Ååååå"}"#).first().map(String::as_str),
            Some("name must have at most 6 bytes, and has 10.")
        );
        assert_eq!(found(r#"{"berth": 13}"#), ["berth must not be 13."]);
    }
}
