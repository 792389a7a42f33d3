//! JSON under the rules of a shape as it is read: most objects are as the server stores them, and
//! no value need be made of them to see that.
//!
//! It gives up, and [`value`](crate::value) does the work, at whatever is not plain: a name that is
//! there twice, a default that is missing, a value that does not fit, sets and lists with keys.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use upstate::__internal::write_string;

use crate::declared::ListType;
use crate::schema::{Kind, Member, Node, Object};
use crate::value;

/// True if there is no place at which it always gives up.
pub(crate) fn is_plain(node: &Node) -> bool {
    match (&node.kind, &node.declared.list) {
        (Kind::Object(object), _) => object.members.values().all(|member| is_plain(&member.node)),
        (Kind::Map(values), _) => is_plain(values),
        (Kind::List { items, .. }, None | Some(ListType::Atomic | ListType::Set)) => {
            is_plain(items)
        }
        (Kind::List { .. } | Kind::Set(_), _) => false,
        (
            Kind::Boolean
            | Kind::String
            | Kind::OneOf(_)
            | Kind::Integer { .. }
            | Kind::Number
            | Kind::Any
            | Kind::IntOrString,
            _,
        ) => true,
    }
}

/// True if nothing in JSON is pruned, completed or refused.
pub(crate) fn is_stored(node: &Node, json: &str) -> bool {
    read(node, json, &mut Out::default())
}

/// JSON without the members that are pruned; `None` if it gives up.
pub(crate) fn pruned(node: &Node, json: &str) -> Option<String> {
    let mut out = Out {
        json: Some(String::with_capacity(json.len())),
        ..Out::default()
    };
    let is_read = read(node, json, &mut out);
    out.json.filter(|_| is_read)
}

fn read<'j>(node: &Node, json: &'j str, out: &mut Out<'j>) -> bool {
    let mut reader = serde_json::Deserializer::from_str(json);
    out.is_first = true;
    Parts {
        node,
        out,
        member: None,
    }
    .deserialize(&mut reader)
    .is_ok()
        && reader.end().is_ok()
}

/// The JSON that is written, if any is.
#[derive(Default)]
struct Out<'j> {
    json: Option<String>,
    /// True if nothing of the object or list is written yet.
    is_first: bool,
    /// The members of the objects that are open, and the places from and up to which each is
    /// written; only where something is.
    order: Vec<(Cow<'j, str>, usize, usize)>,
    /// Room in which members are sorted.
    sorted: String,
}

impl<'j> Out<'j> {
    /// Begins an element, or a member of that name.
    fn begin(&mut self, member: Option<&Cow<'_, str>>) {
        let is_first = std::mem::take(&mut self.is_first);
        let Some(out) = &mut self.json else { return };
        if !is_first {
            out.push(',');
        }
        match member {
            // It is as it was read, so that nothing in it has an escape.
            Some(Cow::Borrowed(name)) => {
                out.push('"');
                out.push_str(name);
                out.push_str("\":");
            }
            Some(Cow::Owned(name)) => {
                // As the engine and the server write it, because their texts are compared.
                let mut text = Vec::new();
                write_string(name, &mut text);
                out.push_str(&String::from_utf8_lossy(&text));
                out.push(':');
            }
            None => {}
        }
    }

    fn len(&self) -> usize {
        self.json.as_ref().map_or(0, String::len)
    }

    /// Notes a member, which is written from a place on.
    fn note(&mut self, name: Cow<'j, str>, start: usize) {
        self.order.push((name, start, self.len()));
    }

    /// Sorts the members of an object by their names, those from the position `first` on; false if
    /// there is one twice, or nothing is written.
    fn sort(&mut self, first: usize, begun: usize) -> bool {
        let (Some(out), Some(members)) = (&mut self.json, self.order.get_mut(first..)) else {
            return false;
        };
        members.sort_unstable_by(|(one, ..), (other, ..)| one.cmp(other));
        if members
            .windows(2)
            .any(|pair| matches!(pair, [(one, ..), (other, ..)] if one == other))
        {
            return false;
        }
        self.sorted.clear();
        for (_, start, end) in members {
            let member = out.get(*start..*end).unwrap_or_default();
            let member = member.strip_prefix(',').unwrap_or(member);
            if !member.is_empty() {
                if !self.sorted.is_empty() {
                    self.sorted.push(',');
                }
                self.sorted.push_str(member);
            }
        }
        out.truncate(begun);
        out.push_str(&self.sorted);
        true
    }

    fn push(&mut self, json: &str) {
        if let Some(out) = &mut self.json {
            out.push_str(json);
        }
    }

    /// Writes what is in braces or brackets.
    fn inside<T, E>(
        &mut self,
        [open, close]: [&str; 2],
        write: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.push(open);
        self.is_first = true;
        let written = write(self)?;
        self.is_first = false;
        self.push(close);
        Ok(written)
    }
}

/// An object, a map or a list; true if it is there, and not null that is pruned.
struct Parts<'n, 'o, 'j> {
    node: &'n Node,
    out: &'o mut Out<'j>,
    /// The name of the member that it is; nothing of an element.
    member: Option<&'o Cow<'j, str>>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// It is never shown.
fn given_up<T, E: Error>() -> Result<T, E> {
    Err(E::custom(""))
}

fn has_parts(node: &Node) -> bool {
    matches!(node.kind, Kind::Object(_)) || node.kind.elements().is_some()
}

/// True if a value without parts fits, which is not null.
fn fits(kind: &Kind, json: &str) -> bool {
    let is_string = json.starts_with('"');
    // A float without a fraction is no integer, and neither is this one.
    let integer = || json.parse::<i64>().ok().filter(|_| json != "-0");
    match kind {
        Kind::Any => true,
        Kind::Boolean => json == "true" || json == "false",
        Kind::String => is_string,
        Kind::OneOf(texts) => json
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .is_some_and(|text| texts.contains(&text)),
        Kind::Integer { min, max } => {
            integer().is_some_and(|number| number >= *min && number <= *max)
        }
        Kind::Number => json.starts_with(|first: char| first == '-' || first.is_ascii_digit()),
        Kind::IntOrString => is_string || integer().is_some(),
        Kind::Object(_) | Kind::Map(_) | Kind::List { .. } | Kind::Set(_) => false,
    }
}

/// A value without parts, and true if it is there.
fn leaf<E: Error>(
    node: &Node,
    out: &mut Out<'_>,
    member: Option<&Cow<'_, str>>,
    json: &str,
) -> Result<bool, E> {
    let is_kept = match (json, member) {
        ("null", Some(_)) => node.keeps_null(),
        ("null", None) => node.takes_null() || node.kind == Kind::Any,
        _ => fits(&node.kind, json),
    };
    if is_kept {
        out.begin(member);
        out.push(json);
        return Ok(true);
    }
    if json == "null" && member.is_some() && out.json.is_some() {
        Ok(false)
    } else {
        given_up()
    }
}

impl<'de> DeserializeSeed<'de> for Parts<'_, '_, 'de> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Parts<'_, '_, 'de> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        leaf(self.node, self.out, self.member, "null")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<bool, A::Error> {
        self.out.begin(self.member);
        match &self.node.kind {
            Kind::Object(object) => self.out.inside(["{", "}"], |out| members(object, map, out)),
            Kind::Map(values) => self.out.inside(["{", "}"], |out| entries(values, map, out)),
            Kind::List { .. }
            | Kind::Set(_)
            | Kind::Boolean
            | Kind::String
            | Kind::OneOf(_)
            | Kind::Integer { .. }
            | Kind::Number
            | Kind::Any
            | Kind::IntOrString => return given_up(),
        }?;
        Ok(true)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<bool, A::Error> {
        let (Kind::List { items, len }, None | Some(ListType::Atomic | ListType::Set)) =
            (&self.node.kind, &self.node.declared.list)
        else {
            return given_up();
        };
        self.out.begin(self.member);
        let found = self.out.inside(["[", "]"], |out| {
            let mut found = 0;
            loop {
                if has_parts(items) {
                    if seq
                        .next_element_seed(Parts {
                            node: items,
                            out: &mut *out,
                            member: None,
                        })?
                        .is_none()
                    {
                        break;
                    }
                } else {
                    let Some(raw) = seq.next_element::<&RawValue>()? else {
                        break;
                    };
                    leaf(items, out, None, raw.get())?;
                }
                found += 1;
            }
            Ok(found)
        })?;
        if len.is_some_and(|len| len != found) {
            given_up()
        } else {
            Ok(true)
        }
    }
}

fn entries<'de, A: MapAccess<'de>>(
    values: &Node,
    mut map: A,
    out: &mut Out<'de>,
) -> Result<(), A::Error> {
    let mut before: Option<Cow<'de, str>> = None;
    while let Some(Name(name)) = map.next_key()? {
        if before.as_ref().is_some_and(|before| *before >= name) {
            return given_up();
        }
        member(values, &name, &mut map, out)?;
        before = Some(name);
    }
    Ok(())
}

fn members<'de, A: MapAccess<'de>>(
    object: &Object,
    mut map: A,
    out: &mut Out<'de>,
) -> Result<(), A::Error> {
    let tag = object
        .variants
        .first()
        .and_then(|variant| variant.tag.as_deref());
    let (mut found, mut variant, mut present) = (0, None, Vec::new());
    // Sorted, because the engine writes the fields of a struct in their order, and the server by
    // their names.
    let (first, begun, mut is_sorted) = (out.order.len(), out.len(), true);
    let is_needed = |member: &Member| member.required || member.node.default.is_some();
    while let Some(Name(name)) = map.next_key()? {
        is_sorted &= out
            .order
            .get(first..)
            .and_then(<[_]>::last)
            .is_none_or(|(before, ..)| *before < name);
        let start = out.len();
        if let Some((known, inner)) = object.members.get_key_value(&*name) {
            let value = member(&inner.node, &name, &mut map, out)?;
            if let Some(json) = value {
                found += usize::from(is_needed(inner));
                if !(object.variants.is_empty() && object.parts.is_empty()) {
                    present.push(*known);
                    variant = variant.or(Some(json).filter(|_| tag == Some(*known)));
                }
            }
        } else if object.is_open {
            let raw = map.next_value::<&RawValue>()?;
            out.begin(Some(&name));
            out.push(raw.get());
        } else if out.json.is_some() {
            map.next_value::<IgnoredAny>()?;
        } else {
            return given_up();
        }
        out.note(name, start);
    }
    if !is_sorted && !out.sort(first, begun) {
        return given_up();
    }
    out.order.truncate(first);
    let variant = variant.and_then(|json| json.strip_prefix('"')?.strip_suffix('"'));
    if found
        < object
            .members
            .values()
            .filter(|member| is_needed(member))
            .count()
        || !value::is_one_variant(object, &|name| present.contains(&name), variant)
        || !object.has_whole_parts(&|name| present.contains(&name))
    {
        return given_up();
    }
    Ok(())
}

/// A member: the JSON of one without parts, nothing of one that is not there.
fn member<'de, A: MapAccess<'de>>(
    node: &Node,
    name: &Cow<'de, str>,
    map: &mut A,
    out: &mut Out<'de>,
) -> Result<Option<&'de str>, A::Error> {
    if has_parts(node) {
        let is_there = map.next_value_seed(Parts {
            node,
            out,
            member: Some(name),
        })?;
        return Ok(is_there.then_some(""));
    }
    let json = map.next_value::<&'de RawValue>()?.get();
    Ok(leaf(node, out, Some(name), json)?.then_some(json))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{is_stored, pruned};
    use crate::schema::{Kind, Member, Node, Object};
    use crate::value;

    fn node(kind: Kind) -> Node {
        Node::plain(kind)
    }

    fn boat() -> Node {
        let optional = |node| Member {
            node,
            required: false,
        };
        let mut length = node(Kind::Integer { min: -5, max: 300 });
        length.default = Some(json!(7));
        let mut flag = node(Kind::String);
        flag.nullable = true;
        let mast = node(Kind::Object(Object {
            members: BTreeMap::from([
                ("flag", optional(node(Kind::String))),
                (
                    "height",
                    Member {
                        node: node(Kind::Number),
                        required: true,
                    },
                ),
            ]),
            is_open: true,
            ..Object::default()
        }));
        let mut boat = node(Kind::Object(Object {
            members: BTreeMap::from([
                ("any", optional(node(Kind::Any))),
                (
                    "flags",
                    optional(node(Kind::List {
                        items: Box::new(flag),
                        len: None,
                    })),
                ),
                ("is_new", optional(node(Kind::Boolean))),
                ("length", optional(length)),
                (
                    "masts",
                    optional(node(Kind::List {
                        items: Box::new(mast),
                        len: None,
                    })),
                ),
                (
                    "pair",
                    optional(node(Kind::List {
                        items: Box::new(node(Kind::IntOrString)),
                        len: Some(2),
                    })),
                ),
                (
                    "ports",
                    optional(node(Kind::Set(Box::new(node(Kind::String))))),
                ),
                ("size", optional(node(Kind::OneOf(vec!["large", "small"])))),
                (
                    "tags",
                    optional(node(Kind::Map(Box::new(node(Kind::String))))),
                ),
            ]),
            ..Object::default()
        }));
        boat.note_defaults();
        boat
    }

    /// The JSON that a value makes of it, and whether something was to be done.
    fn by_value(node: &Node, json: &str) -> Option<(String, bool)> {
        let mut value: Value = serde_json::from_str(json).ok()?;
        let is_changed = value::prune(node, &mut value);
        let is_completed = value::complete(node, &mut value);
        (!is_completed && value::check(node, &value, false).is_ok())
            .then(|| (value.to_string(), is_changed))
    }

    #[test]
    fn what_is_plain_is_as_a_value_is_and_all_else_is_given_up() {
        let boat = boat();
        let plain = [
            r#"{"length":7}"#,
            r#"{"any":{"b":[1.0,null],"a":1},"flags":["a",null],"is_new":true,"length":-5,"masts":[{"flag":"x","height":1.5,"z":null}],"pair":[1,"b"],"size":"large","tags":{"a":"b"}}"#,
            r#"{"any":null,"flags":[],"length":300,"masts":null,"size":null,"tags":{"a":null,"b":"c"},"unknown":{"x":[]}}"#,
            r#"{"length":1,"masts":[{"flag":null,"height":-1}]}"#,
        ];
        for json in plain {
            let (expected, is_changed) = by_value(&boat, json).unwrap_or_else(|| panic!("{json}"));
            let written = pruned(&boat, json).unwrap_or_else(|| panic!("{json}"));
            assert_eq!(
                serde_json::from_str::<Value>(&written).ok(),
                serde_json::from_str(&expected).ok(),
                "{json}"
            );
            assert_eq!(is_stored(&boat, json), !is_changed, "{json}");
        }
        let unsorted = r#"{"masts":[{"height":2,"flag":null},{"z":1,"height":1,"flag":"x"}],"unknown":1,"length":7,"any":{"b":1,"a":2}}"#;
        let sorted = r#"{"any":{"b":1,"a":2},"length":7,"masts":[{"height":2},{"flag":"x","height":1,"z":1}]}"#;
        assert_eq!(pruned(&boat, unsorted).as_deref(), Some(sorted));
        assert!(!is_stored(&boat, unsorted));
        let escaped = r#"{"length":7,"tags":{"\u003ca\u003e":"\u003c","b\"":"&"}}"#;
        assert_eq!(pruned(&boat, escaped).as_deref(), Some(escaped));
        let others = [
            "{}",
            "[]",
            "null",
            r#"{"length":null}"#,
            r#"{"length":301}"#,
            r#"{"length":7.0}"#,
            r#"{"length":-0}"#,
            r#"{"is_new":1,"length":7}"#,
            r#"{"length":7,"length":7}"#,
            r#"{"length":7,"is_new":true,"length":8}"#,
            r#"{"length":7,"masts":[{"flag":"x"}]}"#,
            r#"{"length":7,"masts":[null]}"#,
            r#"{"length":7,"masts":{}}"#,
            r#"{"length":7,"pair":["a"]}"#,
            r#"{"length":7,"pair":["a",1.5]}"#,
            r#"{"length":7,"ports":["a"]}"#,
            r#"{"length":7,"size":"huge"}"#,
            r#"{"length":7,"tags":{"b":"","a":""}}"#,
            r#"{"length":7,"tags":{"a":1}}"#,
            r#"{"length":7}x"#,
        ];
        for json in others {
            assert!(
                !is_stored(&boat, json) && pruned(&boat, json).is_none(),
                "{json}"
            );
        }
    }

    /// Text of an object of these members, each of which may come more than once.
    fn objects(
        members: Vec<(&'static str, BoxedStrategy<String>)>,
        most: usize,
    ) -> BoxedStrategy<String> {
        let one = proptest::sample::select(members).prop_flat_map(|(name, values)| {
            values.prop_map(move |value| format!("{name}:{value}"))
        });
        (proptest::collection::vec(one, 0..most), any::<bool>())
            .prop_map(|(mut members, is_sorted)| {
                if is_sorted {
                    members.sort();
                    members.dedup_by(|one, other| one.split(':').next() == other.split(':').next());
                }
                format!("{{{}}}", members.join(","))
            })
            .boxed()
    }

    fn lists(elements: BoxedStrategy<String>) -> BoxedStrategy<String> {
        proptest::collection::vec(elements, 0..3)
            .prop_map(|elements| format!("[{}]", elements.join(",")))
            .boxed()
    }

    /// Text that boats are made of, and text that is nearly so.
    fn boats() -> BoxedStrategy<String> {
        let texts = |texts: &[&'static str]| {
            proptest::sample::select(texts.to_vec())
                .prop_map(str::to_owned)
                .boxed()
        };
        let any = texts(&[
            "null",
            "1",
            "-0",
            "1.50",
            "1e3",
            "1e999",
            "12345678901234567890",
            r#""é\u00e9\ud83d\ude00""#,
            r#""\ud800""#,
            r#"{"b":1,"a":{"b":null,"b":2}}"#,
            "[ 1 , [ ] ]",
            "tru",
            "01",
            "\"\n\"",
        ]);
        let strings = texts(&[r#""a""#, r#""\u0061\"""#, "null", "1"]);
        let integers = texts(&["7", "-5", "-0", "7.0", "301", "null"]);
        let sizes = texts(&[r#""large""#, r#""l\u0061rge""#, r#""huge""#]);
        let flags = texts(&["true", "false", "null", "0"]);
        let masts = objects(
            vec![
                (r#""flag""#, strings.clone()),
                (r#""height""#, texts(&["1", "1.5", "1.5"])),
                (r#""he\u0069ght""#, texts(&["2"])),
                (r#""\u003c""#, any.clone()),
                (r#""é""#, any.clone()),
            ],
            4,
        );
        let tags = objects(
            vec![
                (r#""a""#, strings.clone()),
                (r#""<\u0022>""#, strings.clone()),
                (r#""""#, strings.clone()),
            ],
            3,
        );
        let boats = objects(
            vec![
                (r#""any""#, any.clone()),
                (r#""flags""#, lists(strings.clone())),
                (r#""is_new""#, flags),
                (r#""length""#, texts(&["7"])),
                (r#""length""#, texts(&["7"])),
                (r#""length""#, integers.clone()),
                (r#""l\u0065ngth""#, integers.clone()),
                (r#""masts""#, lists(masts)),
                (r#""pair""#, lists(integers)),
                (r#""ports""#, lists(strings)),
                (r#""size""#, sizes),
                (r#""tags""#, tags),
                (r#""unknown""#, any),
            ],
            6,
        );
        let ends = texts(&["", "", "", "", " ", "x", "\u{feff}"]);
        (boats, ends).prop_map(|(boat, end)| boat + &end).boxed()
    }

    /// Otherwise an object would not be judged that is the same text as such an image.
    #[test]
    fn text_that_was_pruned_is_stored_and_is_what_a_value_makes() {
        let boat = boat();
        let compared = std::cell::Cell::new(0);
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 10_000,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        runner
            .run(&boats(), |json| {
                let written = pruned(&boat, &json);
                let is_as_stored = is_stored(&boat, &json);
                prop_assert!(written.is_some() || !is_as_stored, "{}", json);
                let Some(written) = written else {
                    // A value does the work then, because it takes all there is.
                    return Ok(());
                };
                prop_assert!(is_stored(&boat, &written), "{} of {}", written, json);
                let again = pruned(&boat, &written);
                prop_assert_eq!(again.as_ref(), Some(&written), "{}", json);
                let Ok(stored) = serde_json::from_str::<Value>(&json) else {
                    // The engine, which reads it, refuses text that no value can be made of.
                    let unread = ["1e999", "ud800"];
                    let is_one = unread.iter().any(|text| json.contains(text));
                    prop_assert!(is_one, "{}", json);
                    return Ok(());
                };
                let by_value = by_value(&boat, &json);
                prop_assert!(by_value.is_some(), "{} of {}", written, stored);
                let (expected, is_changed) = by_value.unwrap_or_default();
                let expected = serde_json::from_str::<Value>(&expected).ok();
                let written = serde_json::from_str::<Value>(&written).ok();
                prop_assert_eq!(written, expected, "{}", json);
                prop_assert!(!is_changed || !is_as_stored, "{}", json);
                compared.set(compared.get() + 1);
                Ok(())
            })
            .unwrap();
        assert!(compared.get() > 100, "{}", compared.get());
    }
}
