//! Members that may be absent, and their defaults: found by trying, since only the type's own
//! reader knows.
//!
//! A sample of a version has a value at every place. Where the engine takes it without one member,
//! what it makes of the absent one, back in the same version, is the member's default. Values of
//! types with a reader of their own are found among strings and numbers of common forms, one place
//! at a time.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use upstate::Diagnostics;

use crate::engine::{Engine, names_of};
use crate::own_schema;
use crate::schema::{Kind, Member, Node, Object, Variant};

/// Strings that types with a reader of their own may take; of each pair the second one is as good.
const STRINGS: [[&str; 2]; 15] = [
    ["a", "b"],
    ["0", "1"],
    ["1970-01-01T00:00:00Z", "1971-01-01T00:00:00Z"],
    ["1970-01-01", "1971-01-01"],
    ["127.0.0.1", "127.0.0.2"],
    [
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000001",
    ],
    ["a@example.com", "b@example.com"],
    ["https://example.com/", "https://example.org/"],
    ["1s", "2s"],
    ["true", "false"],
    ["1.0.0", "2.0.0"],
    ["a_b", "b_a"],
    ["a-b", "b-a"],
    ["a/b", "b/a"],
    ["a:1", "b:1"],
];

/// The number of changes to a sample before it is given up.
const TRIES: usize = 200;

/// The choices of a sample by the names that lead to a place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    choices: BTreeMap<String, usize>,
    /// True if the second sample of an object that needs no member has all of them: otherwise both
    /// would be empty, and an object that lacks it would gain it.
    differs: bool,
}

/// A member whose absence cannot be tried, since no sample of its object is taken.
#[derive(Debug)]
pub(crate) struct Untried {
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// A step to a place.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Member(&'static str),
    /// An element of a list, set or map.
    Element,
    /// A variant, by its position.
    Variant(usize),
}

impl Samples {
    /// A value of a node; `second` is another one, if there is one.
    pub(crate) fn value(&self, node: &Node, names: &str, second: bool) -> Value {
        self.made(node, names, second, &[], false)
    }

    /// A value with all members of a node; `second` is another one, if there is one.
    pub(crate) fn whole(&self, node: &Node, second: bool) -> Value {
        self.made(node, "", second, &[], true)
    }

    fn choice(&self, names: &str) -> usize {
        self.choices.get(names).copied().unwrap_or(0)
    }

    /// A value with what the steps lead to; if `whole`, with all members.
    fn made(&self, node: &Node, names: &str, second: bool, steps: &[Step], whole: bool) -> Value {
        let (choice, other) = (self.choice(names), usize::from(second));
        if let Some(schema) = &node.declared.own_schema {
            return own_schema::sample(schema, second, self.differs && !whole);
        }
        let declared = node.declared.values();
        if let Some(value) = declared.get((choice + other) % declared.len().max(1)) {
            return value.clone();
        }
        match &node.kind {
            Kind::Boolean => json!(choice % 2 != other),
            Kind::String => {
                let pair = STRINGS
                    .get(choice % STRINGS.len())
                    .copied()
                    .unwrap_or_default();
                json!(if second { pair[1] } else { pair[0] })
            }
            Kind::OneOf(texts) => texts
                .get((choice + other) % texts.len().max(1))
                .map_or(Value::Null, |text| json!(text)),
            Kind::Integer { min, max } => {
                let number = match choice % 3 {
                    0 => min.saturating_add(1).max(1).min(*max),
                    1 => (*min).max(0),
                    _ => *max,
                };
                json!(match (second, number == *max) {
                    (false, _) => number,
                    (true, false) => number + 1,
                    (true, true) => number.saturating_sub(1).max(*min),
                })
            }
            Kind::Number => {
                // Whole ones first: a type with a reader of its own may want those.
                let numbers = [json!(1), json!(2), json!(0.5), json!(1.5)];
                numbers
                    .get((choice + other) % numbers.len())
                    .cloned()
                    .unwrap_or_default()
            }
            Kind::List { items, len } => {
                // Some operators take no list without elements.
                let is_there = whole || !steps.is_empty() || second || choice % 2 == 1;
                let count = len.unwrap_or(usize::from(is_there));
                let below = steps.get(1..).unwrap_or_default();
                Value::Array(
                    (0..count)
                        .map(|_| self.made(items, names, second, below, whole))
                        .collect(),
                )
            }
            Kind::Set(items) => {
                let below = steps.get(1..).unwrap_or_default();
                if whole || !steps.is_empty() || second {
                    json!([self.made(items, names, second, below, whole)])
                } else {
                    json!([])
                }
            }
            Kind::Map(values) => {
                let below = steps.get(1..).unwrap_or_default();
                let key = if choice % 2 == 0 { "k" } else { "1" };
                if whole || !steps.is_empty() || second {
                    json!({key: self.made(values, names, second, below, whole)})
                } else {
                    json!({})
                }
            }
            Kind::Object(object) => self.object(object, names, second, steps, whole),
            // One of each kind of JSON, because a type of serde may read one alone.
            Kind::Any => match choice % 5 {
                0 => json!({"any": second}),
                1 => json!(if second { "2" } else { "1" }),
                2 => json!(1 + other),
                3 => json!(second),
                _ => json!(if second { vec![1] } else { Vec::new() }),
            },
            Kind::IntOrString => json!(1 + other),
        }
    }

    fn object(
        &self,
        object: &Object,
        names: &str,
        second: bool,
        steps: &[Step],
        whole: bool,
    ) -> Value {
        let mut made = Map::new();
        let (variant, steps) = match steps.split_first() {
            Some((Step::Variant(index), below)) => (object.variants.get(*index), below),
            _ => (
                object
                    .variants
                    .get((self.choice(names) + usize::from(second)) % object.variants.len().max(1)),
                steps,
            ),
        };
        for (name, member) in &object.members {
            if let Some(variant) = variant {
                if variant.tag.as_deref() == Some(name) {
                    made.insert((*name).to_owned(), json!(variant.name));
                    continue;
                }
                if !variant.members.contains(name) && !object.is_own(name) {
                    continue;
                }
            }
            let leads = steps.first() == Some(&Step::Member(name));
            let is_required = member.required
                || variant.is_some_and(|variant| variant.required.contains(name))
                || object.is_needed_with(
                    name,
                    &|name| matches!(steps.first(), Some(Step::Member(first)) if *first == name),
                );
            if !(leads || is_required || whole) {
                continue;
            }
            let below = if leads {
                steps.get(1..).unwrap_or_default()
            } else {
                &[]
            };
            let mut value = self.made(&member.node, &join(names, name), second, below, whole);
            // Each variant has its own part of it, because contents of several variants are in one
            // member.
            if let Some(content) = variant.and_then(|variant| variant.content.as_ref())
                && content.name == *name
                && let Value::Object(inner) = &mut value
                && let Kind::Object(all) = &member.node.kind
            {
                inner.retain(|name, _| content.members.contains(name.as_str()));
                for name in &content.members {
                    if let Some(member) = all.members.get(name) {
                        let names = join(&join(names, content.name), name);
                        inner
                            .entry(*name)
                            .or_insert_with(|| self.made(&member.node, &names, second, &[], whole));
                    }
                }
            }
            made.insert((*name).to_owned(), value);
        }
        // All of them, because another version may not have the first one.
        if self.differs && second && !whole && made.is_empty() {
            let is_part = |name: &str| object.parts.iter().any(|part| part.members.contains(name));
            for (name, member) in object
                .members
                .iter()
                .filter(|(name, _)| object.is_own(name) && !is_part(name))
            {
                made.insert(
                    (*name).to_owned(),
                    self.made(&member.node, &join(names, name), second, &[], false),
                );
            }
        }
        Value::Object(made)
    }

    /// Takes other values where the engine refused one; false if nothing is left to try.
    fn improve(&mut self, root: &Node, errors: &Diagnostics) -> bool {
        let mut all = Vec::new();
        scalars(root, String::new(), &mut all);
        let refused = errors
            .iter()
            .find_map(|error| error.path())
            .map(|path| names_of(path.steps()))
            .unwrap_or_default();
        let is_below = |names: &&String| {
            refused.is_empty() || **names == refused || names.starts_with(&format!("{refused}."))
        };
        let mut found: Vec<&String> = all.iter().filter(is_below).collect();
        if found.is_empty() {
            found = all.iter().collect();
        }
        for names in found {
            *self.choices.entry(names.clone()).or_default() += 1;
        }
        !all.is_empty()
    }
}

fn join(names: &str, name: &str) -> String {
    if names.is_empty() {
        name.to_owned()
    } else {
        format!("{names}.{name}")
    }
}

/// The places of values without parts.
fn scalars(node: &Node, names: String, all: &mut Vec<String>) {
    match &node.kind {
        Kind::Boolean
        | Kind::String
        | Kind::OneOf(_)
        | Kind::Integer { .. }
        | Kind::Number
        | Kind::Any => all.push(names),
        Kind::List { items, .. } | Kind::Set(items) => {
            if let Kind::Object(_) = items.kind {
                all.push(names.clone());
            }
            scalars(items, names, all);
        }
        Kind::Map(values) => {
            all.push(names.clone());
            scalars(values, names, all);
        }
        Kind::Object(object) => {
            for (name, member) in &object.members {
                scalars(&member.node, join(&names, name), all);
            }
        }
        Kind::IntOrString => {}
    }
}

/// Finds which members of a version are required, and the defaults of others.
pub(crate) fn complete(engine: &Engine, version: u64, node: &mut Node) -> Result<Samples, Untried> {
    let mut samples = Samples::default();
    let mut places = Vec::new();
    members(node, &mut Vec::new(), &mut places);
    for steps in places {
        complete_member(engine, version, node, &steps, &mut samples)?;
    }
    // Those of the conversion have what is required and no more.
    settle(engine, version, node, &mut samples, &[], false)?;
    // Tried, because the reader of a type may refuse one member without another.
    let mut filled = json!({});
    samples.differs = true;
    samples.fill(node, &mut filled, true);
    samples.differs = engine.up(version, &filled).is_ok();
    Ok(samples)
}

/// The steps to each member of objects, those inside first: whether a parent can be a default of
/// `{}` depends on them.
fn members(node: &Node, steps: &mut Vec<Step>, places: &mut Vec<Vec<Step>>) {
    match &node.kind {
        Kind::Boolean
        | Kind::String
        | Kind::OneOf(_)
        | Kind::Integer { .. }
        | Kind::Number
        | Kind::Any
        | Kind::IntOrString => {}
        Kind::List { items, .. } | Kind::Set(items) | Kind::Map(items) => {
            steps.push(Step::Element);
            members(items, steps, places);
            steps.pop();
        }
        Kind::Object(object) => {
            for (name, member) in object
                .members
                .iter()
                .filter(|(name, _)| object.is_own(name))
            {
                steps.push(Step::Member(name));
                members(&member.node, steps, places);
                if !object.parts.iter().any(|part| part.members.contains(name)) {
                    places.push(steps.clone());
                }
                steps.pop();
            }
            for (index, variant) in object.variants.iter().enumerate() {
                steps.push(Step::Variant(index));
                for name in &variant.members {
                    let Some(member) = object.members.get(name) else {
                        continue;
                    };
                    steps.push(Step::Member(name));
                    members(&member.node, steps, places);
                    // Not with an external tag, because its one member is the variant itself.
                    if variant.tag.is_some() {
                        places.push(steps.clone());
                    }
                    steps.pop();
                }
                steps.pop();
            }
        }
    }
}

/// Changes the sample until the engine takes it.
fn settle(
    engine: &Engine,
    version: u64,
    node: &Node,
    samples: &mut Samples,
    steps: &[Step],
    whole: bool,
) -> Result<Value, Untried> {
    let mut tries = 0;
    loop {
        let sample = samples.made(node, "", false, steps, whole);
        match engine.up(version, &sample) {
            Ok(_) => return Ok(sample),
            Err(errors) if tries == TRIES || !samples.improve(node, &errors) => {
                let reason = errors
                    .iter()
                    .next()
                    .map(|error| error.detail().lines().next().unwrap_or_default().to_owned());
                return Err(Untried {
                    path: shown(steps),
                    reason: reason.unwrap_or_default(),
                });
            }
            Err(_) => tries += 1,
        }
    }
}

fn shown(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Member(name) => text = join(&text, name),
            Step::Element => text.push_str("[]"),
            Step::Variant(_) => {}
        }
    }
    text
}

fn complete_member(
    engine: &Engine,
    version: u64,
    node: &mut Node,
    steps: &[Step],
    samples: &mut Samples,
) -> Result<(), Untried> {
    let mut first = settle(engine, version, node, samples, steps, true).or_else(|untried| {
        // Without the optional members, because the refusal may be about one of them.
        settle(engine, version, node, samples, steps, false).map_err(|_| untried)
    })?;
    remove(&mut first, steps);
    let Ok(upgraded) = engine.up(version, &first) else {
        return Ok(());
    };
    let default = |upgraded: Value| {
        let own = if version == engine.current() {
            Some(upgraded)
        } else {
            engine.down(version, &upgraded).ok()
        }?;
        get(&own, steps).filter(|value| !value.is_null()).cloned()
    };
    // The member stays required, because a later version takes its absence and then clients of this
    // version would find nothing.
    let Some(found) = default(upgraded) else {
        return Ok(());
    };
    // Without the optional members, because one of several may have stood in for it: of lists that
    // are merged, one has to be there.
    let mut bare = samples.made(node, "", false, steps, false);
    let is_taken = engine.up(version, &bare).is_ok();
    remove(&mut bare, steps);
    if is_taken && engine.up(version, &bare).is_err() {
        return Ok(());
    }
    // Tried twice, because a default is the same whatever else the object holds.
    let mut second = samples.made(node, "", true, steps, true);
    remove(&mut second, steps);
    let is_same = match engine.up(version, &second) {
        Ok(upgraded) => default(upgraded).as_ref() == Some(&found),
        Err(_) => true,
    };
    if is_same {
        optional(node, steps, found);
    }
    Ok(())
}

fn remove(value: &mut Value, steps: &[Step]) {
    let Some((step, below)) = steps.split_first() else {
        return;
    };
    match (step, value) {
        (Step::Variant(_), value) => remove(value, below),
        (Step::Member(name), Value::Object(members)) if below.is_empty() => {
            drop(members.remove(*name));
        }
        (Step::Member(name), Value::Object(members)) => {
            if let Some(inner) = members.get_mut(*name) {
                remove(inner, below);
            }
        }
        (Step::Element, Value::Array(elements)) => {
            for inner in elements {
                remove(inner, below);
            }
        }
        (Step::Element, Value::Object(members)) => {
            for inner in members.values_mut() {
                remove(inner, below);
            }
        }
        (Step::Member(_) | Step::Element, _) => {}
    }
}

fn get<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    let Some((step, below)) = steps.split_first() else {
        return Some(value);
    };
    match (step, value) {
        (Step::Variant(_), value) => get(value, below),
        (Step::Member(name), Value::Object(members)) => get(members.get(*name)?, below),
        (Step::Element, Value::Array(elements)) => get(elements.first()?, below),
        (Step::Element, Value::Object(members)) => get(members.values().next()?, below),
        (Step::Member(_) | Step::Element, _) => None,
    }
}

/// Notes that the member at the end of the steps may be absent.
fn optional(node: &mut Node, steps: &[Step], default: Value) {
    let Some((step, below)) = steps.split_first() else {
        return;
    };
    match (step, &mut node.kind) {
        (Step::Element, Kind::List { items, .. } | Kind::Set(items) | Kind::Map(items)) => {
            optional(items, below, default);
        }
        (Step::Variant(index), Kind::Object(object)) => {
            let Some((Step::Member(name), inner)) = below.split_first() else {
                return;
            };
            let is_shared = object
                .variants
                .iter()
                .filter(|variant| variant.content.is_some())
                .count()
                > 1;
            match (object.variants.get_mut(*index), inner) {
                // A junctor has no defaults, and outside of it they would be those of all variants.
                (Some(variant), []) => drop(variant.required.remove(name)),
                (
                    Some(Variant {
                        content: Some(content),
                        ..
                    }),
                    [Step::Member(inner)],
                ) if is_shared && content.name == *name => {
                    content.required.remove(inner);
                }
                (Some(_) | None, _) => {
                    if let Some(member) = object.members.get_mut(name) {
                        optional(&mut member.node, inner, default);
                    }
                }
            }
        }
        (Step::Member(name), Kind::Object(object)) => {
            let Some(member) = object.members.get_mut(name) else {
                return;
            };
            if below.is_empty() {
                absent(member, default);
            } else {
                optional(&mut member.node, below, default);
            }
        }
        (Step::Element | Step::Variant(_) | Step::Member(_), _) => {}
    }
}

fn absent(member: &mut Member, mut default: Value) {
    crate::value::prune(&member.node, &mut default);
    // Because the server refuses it; the later version that has it takes the absence.
    if crate::value::check(&member.node, &default, false).is_err() {
        return;
    }
    member.required = false;
    member.node.default = Some(default);
}

impl Samples {
    /// Puts a value wherever a member that must be there, or has a default, is missing; `second`
    /// takes other ones.
    pub(crate) fn fill(&self, node: &Node, value: &mut Value, second: bool) {
        self.fill_at(node, value, "", second);
    }

    fn fill_at(&self, node: &Node, value: &mut Value, names: &str, second: bool) {
        if let (Kind::Object(object), Value::Object(members)) = (&node.kind, &mut *value) {
            return self.fill_object(object, members, names, second);
        }
        crate::value::each(node, value, &mut |node, value| {
            self.fill_at(node, value, names, second);
        });
    }

    fn fill_object(
        &self,
        object: &Object,
        members: &mut Map<String, Value>,
        names: &str,
        second: bool,
    ) {
        // The named variant of an enum; otherwise one that has the members which are there.
        let has_all = |variant: &Variant| {
            members
                .keys()
                .all(|name| variant.members.contains(name.as_str()) || object.is_own(name))
        };
        let variant = object.variants.iter().find(|variant| {
            match variant.tag.as_ref().and_then(|tag| members.get(tag)) {
                Some(name) => name.as_str() == Some(variant.name),
                None => has_all(variant),
            }
        });
        if let Some(variant) = variant
            && let Some(tag) = &variant.tag
        {
            members
                .entry(tag.clone())
                .or_insert_with(|| json!(variant.name));
        }
        for (name, member) in &object.members {
            let names = join(names, name);
            if let Some(value) = members.get_mut(*name) {
                self.fill_at(&member.node, value, &names, second);
            } else if member.required
                || member.node.default.is_some()
                || variant.is_some_and(|variant| variant.required.contains(name))
                || object.is_needed_with(name, &|name| members.contains_key(name))
            {
                members.insert((*name).to_owned(), self.value(&member.node, &names, second));
            }
        }
    }
}
