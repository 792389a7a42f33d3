//! Limits of fields, and the way in which lists and objects are merged. The schema says it, and the
//! server judges by it what clients write. A conversion does not: an object that was stored before
//! a limit came would take the whole collection away from the version's clients.

use std::fmt::Display;

use serde_json::{Number, Value, json};
use upstate::__internal::{About, MemberForm};
use upstate::schema::Check;

use crate::text::Put as _;

type Json = serde_json::Map<String, Value>;

/// The limits and options of a place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Declared {
    /// The schema that the type of the field has itself.
    pub(crate) own_schema: Option<Value>,
    pub(crate) int_or_string: bool,
    /// True if clients may write null.
    pub(crate) nullable: bool,
    pub(crate) list: Option<ListType>,
    pub(crate) map: Option<&'static str>,
    /// Rules of CEL, each with its message.
    pub(crate) rules: Vec<(&'static str, &'static str)>,
    pub(crate) limits: Limits,
    /// Limits of elements.
    pub(crate) each: Option<Box<Limits>>,
}

/// The way in which server-side apply merges a list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ListType {
    Atomic,
    Set,
    /// By these members of its elements.
    Map(Vec<&'static str>),
}

/// Values that clients may write.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Limits {
    /// Characters, elements or members.
    length: Option<(u64, u64)>,
    /// Bytes of a string; of these the schema can only say how many characters they are at most.
    bytes: Option<u64>,
    least: Option<Number>,
    greatest: Option<Number>,
    pattern: Option<String>,
    one_of: Vec<Value>,
    none_of: Vec<Value>,
}

/// The kinds of places that limits are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Strings,
    Numbers,
    Lists,
    Maps,
    Others,
}

impl Declared {
    pub(crate) fn of(member: &MemberForm) -> Self {
        let all = |about: About| {
            member
                .texts
                .iter()
                .filter(move |(other, _)| *other == about)
                .map(|(_, text)| *text)
        };
        let list = all(About::ListType).next().map(|word| match word {
            "map" => ListType::Map(all(About::ListMapKey).collect()),
            "set" => ListType::Set,
            _ => ListType::Atomic,
        });
        let each = member.checks.iter().find_map(|check| match check {
            Check::Each(checks) => Some(Box::new(Limits::of(checks.iter()))),
            Check::Length { .. }
            | Check::Range { .. }
            | Check::Bytes { .. }
            | Check::Pattern { .. }
            | Check::OneOf(_)
            | Check::NoneOf(_)
            | Check::Keys(_)
            | Check::Function { .. } => None,
        });
        Self {
            own_schema: member
                .own_schema
                .and_then(|make| serde_json::from_str(&make()).ok()),
            int_or_string: all(About::IntOrString).next().is_some(),
            nullable: member.form.nullable && all(About::Nullable).next().is_some(),
            list,
            map: all(About::MapType).next(),
            rules: all(About::Rule).zip(all(About::RuleMessage)).collect(),
            limits: Limits::of(member.checks.iter().copied()),
            each,
        }
    }

    /// Limits that another place declares for what is here.
    pub(crate) fn limited(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Adds the keywords of a schema.
    pub(crate) fn write(&self, of: Of, schema: &mut Json) {
        self.limits.write(of, schema);
        match (&self.list, of) {
            (Some(list), Of::Lists) => {
                let word = match list {
                    ListType::Atomic => "atomic",
                    ListType::Set => "set",
                    ListType::Map(keys) => {
                        schema.put("x-kubernetes-list-map-keys", json!(keys));
                        "map"
                    }
                };
                schema.put("x-kubernetes-list-type", json!(word));
            }
            (Some(_), Of::Strings | Of::Numbers | Of::Maps | Of::Others) | (None, _) => {}
        }
        if let (Some(word), Of::Maps) = (self.map, of) {
            schema.put("x-kubernetes-map-type", json!(word));
        }
        if self.nullable {
            schema.put("nullable", true);
        }
        if !self.rules.is_empty() {
            schema.put(
                "x-kubernetes-validations",
                rules(self.rules.iter().copied()),
            );
        }
    }

    /// The only values that there are; none if nothing says so.
    pub(crate) fn values(&self) -> &[Value] {
        &self.limits.one_of
    }

    /// The limit for which the server would refuse a value, in words: `must be at most 9`.
    pub(crate) fn refuses(&self, of: Of, value: &Value) -> Option<String> {
        self.limits.refuses(of, value)
    }
}

/// Rules as a schema has them.
pub(crate) fn rules<'r>(rules: impl Iterator<Item = (&'r str, &'r str)>) -> Value {
    rules
        .map(|(rule, message)| json!({"rule": rule, "message": message}))
        .collect()
}

impl Limits {
    fn of<'c>(checks: impl Iterator<Item = &'c Check>) -> Self {
        let mut limits = Self::default();
        let values = |texts: &[upstate::schema::Shared<str>]| {
            texts
                .iter()
                .filter_map(|text| serde_json::from_str(text).ok())
                .collect::<Vec<Value>>()
        };
        for check in checks {
            match check {
                Check::Length { min, max } => limits.length = Some((*min, *max)),
                Check::Range { min, max } => {
                    [limits.least, limits.greatest] = [min, max].map(|limit| {
                        limit
                            .as_ref()
                            .and_then(|text| serde_json::from_str(text).ok())
                    });
                }
                Check::Bytes { max, .. } => limits.bytes = Some(*max),
                Check::Pattern { pattern, .. } => limits.pattern = Some(pattern.to_string()),
                Check::OneOf(texts) => limits.one_of = values(texts),
                Check::NoneOf(texts) => limits.none_of = values(texts),
                // Left out, because a schema has no word for them, or they are another place's.
                Check::Each(_) | Check::Keys(_) | Check::Function { .. } => {}
            }
        }
        limits
    }

    pub(crate) fn write(&self, of: Of, schema: &mut Json) {
        let lengths = match of {
            Of::Strings => Some(["minLength", "maxLength"]),
            Of::Lists => Some(["minItems", "maxItems"]),
            Of::Maps => Some(["minProperties", "maxProperties"]),
            Of::Numbers | Of::Others => None,
        };
        let is_string = of == Of::Strings;
        let (least, most) = self.lengths(is_string);
        if let Some([min, max]) = lengths {
            if least > 0 {
                schema.put(min, least);
            }
            if most < u64::MAX {
                schema.put(max, most);
            }
        }
        if of == Of::Numbers {
            for (name, limit) in [("minimum", &self.least), ("maximum", &self.greatest)] {
                if let Some(limit) = limit {
                    schema.put(name, json!(limit));
                }
            }
        }
        if let (Some(pattern), true) = (&self.pattern, is_string) {
            schema.put("pattern", json!(pattern));
        }
        if is_string || of == Of::Numbers {
            if !self.one_of.is_empty() {
                schema.put("enum", json!(self.one_of));
            }
            if !self.none_of.is_empty() {
                schema.put("not", json!({"enum": self.none_of}));
            }
        }
    }

    /// The least and the greatest number of characters, elements or members.
    fn lengths(&self, is_string: bool) -> (u64, u64) {
        let (least, most) = self.length.unwrap_or((0, u64::MAX));
        (
            least,
            self.bytes
                .filter(|_| is_string)
                .map_or(most, |bytes| most.min(bytes)),
        )
    }

    /// The limit for which the server would refuse a value, in words: `must be at most 9`.
    pub(crate) fn refuses(&self, of: Of, value: &Value) -> Option<String> {
        let length = match value {
            Value::String(text) => Some((text.chars().count(), ["character", "characters"])),
            Value::Array(elements) => Some((elements.len(), ["element", "elements"])),
            Value::Object(members) if of == Of::Maps => Some((members.len(), ["entry", "entries"])),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        let (least, most) = self.lengths(value.is_string());
        if let Some((length, [one, many])) = length
            && u64::try_from(length).is_ok_and(|length| length < least || length > most)
        {
            let range = range(
                (least > 0).then_some(least),
                (most < u64::MAX).then_some(most),
            );
            let named = if most < u64::MAX { most } else { least };
            let units = if named == 1 { one } else { many };
            return Some(format!("must have {range} {units}"));
        }
        // A pattern that only Go's regular expressions know is left to the server.
        if let (Some(text), Some(pattern)) = (value.as_str(), &self.pattern)
            && regex_lite::Regex::new(pattern).is_ok_and(|pattern| !pattern.is_match(text))
        {
            return Some(format!("must match the pattern `{pattern}`"));
        }
        let is_out = |number: f64| {
            let limit = |limit: Option<&Number>| limit.and_then(Number::as_f64);
            limit(self.least.as_ref()).is_some_and(|least| number < least)
                || limit(self.greatest.as_ref()).is_some_and(|greatest| number > greatest)
        };
        if value.as_f64().is_some_and(is_out) {
            let range = range(self.least.as_ref(), self.greatest.as_ref());
            return Some(format!("must be {range}"));
        }
        if !self.one_of.is_empty() && !self.one_of.contains(value) {
            return Some(format!("must be one of {}", listed(&self.one_of)));
        }
        self.none_of
            .contains(value)
            .then(|| format!("must not be one of {}", listed(&self.none_of)))
    }
}

/// The numbers between two limits, in words.
fn range<L: Display>(least: Option<L>, greatest: Option<L>) -> String {
    match (least, greatest) {
        (Some(least), Some(greatest)) => format!("from {least} to {greatest}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(greatest)) => format!("at most {greatest}"),
        (None, None) => String::new(),
    }
}

fn listed(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(Value::to_string).collect();
    values.join(", ")
}
