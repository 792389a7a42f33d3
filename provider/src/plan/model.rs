//! A model from values that are not all known.

use std::borrow::Cow;
use std::convert::Infallible;

use upstate::codec::DecodeErrorKind;
use upstate::path::PathStep;
use upstate::schema::{Block, Schema, Type};
use upstate::{AttributePath, DecodeError, Diagnostic, Diagnostics, Number, Object, Value};

use super::has_unknown;
use super::nested::{Members, each_nested, elements, member};

/// The string that a model's `String` has while its value is not known yet. It is refused where a model is to be stored.
pub(crate) const NOT_KNOWN: &str = "(not known before it is applied)";

/// A model, and whether something in it only fills a place.
#[derive(Debug)]
pub(crate) struct Filled<T> {
    pub(crate) model: T,
    pub(crate) fillers: bool,
}

/// Why no model can be made from a value.
#[derive(Debug)]
pub(crate) struct Unfit {
    pub(crate) diagnostics: Diagnostics,
    /// Whether it is about something that is not known, and so may turn out right.
    pub(crate) not_known: bool,
}

impl Unfit {
    fn new(error: &DecodeError, not_known: bool) -> Self {
        let path = error.path().cloned().unwrap_or_default();
        if not_known {
            let detail = format!(
                "{path} is not known before it is applied, and its type in the model has no value for that. \
                 This is a mistake in the provider: make the field an `Option`."
            );
            let diagnostic = Diagnostic::error("Computed Attribute Without A Filler", detail).at(path);
            return Self { diagnostics: diagnostic.into(), not_known };
        }
        let place = if path.is_empty() { "the resource".to_owned() } else { path.to_string() };
        let problem = match error.kind() {
            DecodeErrorKind::Null => "it is null, and a value is needed here".to_owned(),
            _ => for_users(&error.problem()),
        };
        let diagnostic = Diagnostic::error("Invalid Attribute Value", format!("{place}: {problem}."));
        let diagnostic = if path.is_empty() { diagnostic } else { diagnostic.at(path) };
        Self { diagnostics: diagnostic.into(), not_known }
    }
}

/// What a decoder says, for people who write configurations. It speaks of stored values and of Rust's types; this value was configured or
/// planned, and its type is one of Terraform's.
fn for_users(problem: &str) -> String {
    const NUMBERS: [(&str, &str); 8] = [
        ("that fits i8,", "from -128 to 127,"),
        ("that fits i16,", "from -32768 to 32767,"),
        ("that fits i32,", "from -2147483648 to 2147483647,"),
        ("that fits i64,", "from -9223372036854775808 to 9223372036854775807,"),
        ("that fits u8,", "from 0 to 255,"),
        ("that fits u16,", "from 0 to 65535,"),
        ("that fits u32,", "from 0 to 4294967295,"),
        ("that fits u64,", "from 0 to 18446744073709551615,"),
    ];
    const STRINGS: [(&str, &str); 7] = [
        ("IpAddr", "an IP address"),
        ("Ipv4Addr", "an IPv4 address"),
        ("Ipv6Addr", "an IPv6 address"),
        ("SocketAddr", "an IP address with a port"),
        ("Url", "a URL"),
        ("Uuid", "a UUID"),
        ("Period", "a duration such as \"30m\""),
    ];
    let problem = problem.replacen("the stored ", "the ", 1);
    if let Some(name) = problem.strip_prefix("the string is not a valid `").and_then(|rest| rest.strip_suffix('`')) {
        return match STRINGS.iter().find(|(rust, _)| *rust == name) {
            Some((_, called)) => format!("the string is not {called}"),
            None => format!("the string is not one that the provider can read; it reads it as `{name}`"),
        };
    }
    NUMBERS.iter().fold(problem, |problem, (rust, range)| problem.replacen(rust, range, 1))
}

impl From<Unfit> for Diagnostics {
    fn from(unfit: Unfit) -> Self {
        unfit.diagnostics
    }
}

/// Decodes a model. What is unknown becomes `None` where the model's field is an `Option`, and otherwise an empty value: [`NOT_KNOWN`], 0,
/// false, an empty collection.
pub(crate) fn fill<T: Object>(value: &Value, ty: &Type) -> Result<Filled<T>, Unfit> {
    let mut value = Cow::Borrowed(value);
    let mut unknown = Vec::new();
    let mut fillers = false;
    if has_unknown(&value) {
        let value = value.to_mut();
        forget_unknown(value, ty, &mut Vec::new(), &mut unknown);
        // What the error would be about is filled at once: each turn below costs as much as all of the model.
        for attribute in Schema::of::<T>().block().attributes().iter().filter(|attribute| !attribute.is_nullable()) {
            let place = vec![PathStep::Attribute(attribute.name().to_owned().into())];
            fillers |= unknown.contains(&place) && fill_in(value, ty, &place);
        }
    }
    // Each turn fills one place, and no place is filled twice.
    loop {
        let json = super::to_json(&value, ty).map_err(|diagnostics| Unfit { diagnostics, not_known: false })?;
        let error = match upstate::from_json::<T>(&json) {
            Ok(model) => return Ok(Filled { model, fillers }),
            Err(error) => error,
        };
        let steps = error.path().map(|path| path.steps().to_vec()).unwrap_or_default();
        let below_unknown = unknown.iter().any(|place| steps.starts_with(place));
        let filled = below_unknown && error.kind() == DecodeErrorKind::Null && fill_in(value.to_mut(), ty, &steps);
        if !filled {
            return Err(Unfit::new(&error, below_unknown));
        }
        fillers = true;
    }
}

/// Makes null what is unknown, and notes where it stood.
fn forget_unknown(value: &mut Value, ty: &Type, path: &mut Vec<PathStep>, places: &mut Vec<Vec<PathStep>>) {
    let mut inside = |step: PathStep, value: &mut Value, ty: &Type| {
        path.push(step);
        forget_unknown(value, ty, path, places);
        path.pop();
    };
    match (value, ty) {
        (value @ Value::Unknown, _) => {
            *value = Value::Null;
            places.push(path.clone());
        }
        (Value::List(list), Type::List(ty)) => {
            (0..).zip(list).for_each(|(index, value)| inside(PathStep::Index(index), value, ty));
        }
        (Value::List(list), Type::Set(ty)) => list.iter_mut().for_each(|value| inside(PathStep::Element(None), value, ty)),
        (Value::List(list), Type::Tuple(types)) => {
            (0..).zip(list).zip(types.iter()).for_each(|((index, value), ty)| inside(PathStep::Index(index), value, ty));
        }
        (Value::Map(map), Type::Map(ty)) => {
            for (key, value) in map {
                inside(PathStep::Key(key.clone()), value, ty);
            }
        }
        (Value::Map(map), Type::Object(fields)) => {
            for field in fields.iter() {
                if let Some(value) = map.get_mut(field.name()).filter(|value| has_unknown(value)) {
                    inside(PathStep::Attribute(field.name().to_owned().into()), value, field.ty());
                }
            }
        }
        (Value::Dynamic(dynamic), _) => {
            let (ty, value) = &mut **dynamic;
            inside(PathStep::Attribute("value".into()), value, ty);
        }
        _ => {}
    }
}

/// Puts the empty value of its type where `steps` lead, if null is there.
fn fill_in(value: &mut Value, ty: &Type, steps: &[PathStep]) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        let empty = empty(ty);
        let fills = value.is_null() && !empty.is_null();
        if fills {
            *value = empty;
        }
        return fills;
    };
    match (step, value, ty) {
        (PathStep::Attribute(name), Value::Map(members), Type::Object(fields)) => {
            let field = fields.iter().find(|field| field.name() == name);
            field.is_some_and(|field| fill_in(members.entry(name.to_string()).or_default(), field.ty(), rest))
        }
        (PathStep::Key(key), Value::Map(members), Type::Map(ty)) => {
            members.get_mut(key).is_some_and(|value| fill_in(value, ty, rest))
        }
        (PathStep::Index(index), Value::List(list), Type::List(ty)) => {
            usize::try_from(*index).ok().and_then(|index| list.get_mut(index)).is_some_and(|value| fill_in(value, ty, rest))
        }
        // Which element of a set it is can't be said: the first that has a null there is.
        (PathStep::Element(_), Value::List(list), Type::Set(ty)) => list.iter_mut().any(|value| fill_in(value, ty, rest)),
        _ => false,
    }
}

fn empty(ty: &Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::String => NOT_KNOWN.into(),
        Type::Number => Value::Number(Number::from(0_i64)),
        Type::List(_) | Type::Set(_) => Value::List(Vec::new()),
        Type::Map(_) => Value::Map(std::collections::BTreeMap::new()),
        Type::Object(fields) => fields.iter().map(|field| (field.name().to_owned(), Value::Null)).collect(),
        Type::Tuple(types) => Value::List(types.iter().map(|ty| empty(ty)).collect()),
        Type::Dynamic => Value::Null,
    }
}

/// The first place that still has a filler string, and the value with null in place of each.
pub(crate) fn forgotten(value: &mut Value) -> Option<AttributePath> {
    fn find(value: &mut Value, path: &AttributePath, first: &mut Option<AttributePath>) {
        match value {
            Value::String(text) if text == NOT_KNOWN => {
                *value = Value::Null;
                first.get_or_insert_with(|| path.clone());
            }
            Value::List(list) => {
                for (index, value) in (0..).zip(list) {
                    find(value, &path.clone().index(index), first);
                }
            }
            Value::Map(map) => {
                for (name, value) in map {
                    find(value, &path.clone().attribute(name.clone()), first);
                }
            }
            _ => {}
        }
    }
    let mut first = None;
    find(value, &AttributePath::new(), &mut first);
    first
}

/// Puts what is configured for write-only attributes, which is part of no state, into `value`.
pub(crate) fn merge_write_only(block: &Block, config: &Value, value: &mut Value) {
    fn merge(of: Members<'_>, config: &Value, value: &mut Value) {
        if value.as_map().is_none() {
            return;
        }
        for attribute in of.attributes().iter().filter(|attribute| attribute.is_write_only()) {
            let given = member(config, attribute.name()).clone();
            if let Some(members) = value.as_map_mut() {
                members.insert(attribute.name().to_owned(), given);
            }
        }
        let Ok(()) = each_nested(of, config, value, |_, inner, config, element| {
            merge(inner, config, element);
            Ok::<(), Infallible>(())
        });
    }
    merge(Members::Block(block), config, value);
}

/// Where the configuration gives a write-only attribute a value.
pub(crate) fn write_only_given(block: &Block, config: &Value) -> Vec<AttributePath> {
    fn find(of: Members<'_>, config: &Value, path: &AttributePath, found: &mut Vec<AttributePath>) {
        for attribute in of.attributes().iter().filter(|attribute| attribute.is_write_only()) {
            if !member(config, attribute.name()).is_null() {
                found.push(path.clone().attribute(attribute.name().to_owned()));
            }
        }
        for (name, nesting, inner) in of.nested() {
            for (step, element) in elements(nesting, member(config, name)) {
                let path = path.clone().attribute(name.to_owned());
                let path = step.into_iter().fold(path, AttributePath::step);
                find(inner, element, &path, found);
            }
        }
    }
    let mut found = Vec::new();
    find(Members::Block(block), config, &AttributePath::new(), &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::for_users;

    #[test]
    fn users_read_ranges_and_what_a_string_is() {
        macro_rules! integers {
            ($($int:ident)*) => {$(
                let decoder = concat!("expected a whole number that fits ", stringify!($int), ", found another number");
                let users = format!("expected a whole number from {} to {}, found another number", $int::MIN, $int::MAX);
                assert_eq!(for_users(decoder), users);
            )*};
        }
        integers!(i8 i16 i32 i64 u8 u16 u32 u64);
        assert_eq!(for_users("the stored string is not a valid `Url`"), "the string is not a URL");
        assert_eq!(
            for_users("the stored string is not a valid `Tide`"),
            "the string is not one that the provider can read; it reads it as `Tide`"
        );
    }
}
