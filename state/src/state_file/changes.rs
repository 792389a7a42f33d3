//! The changes that an upgrade makes in an instance, path by path, as far as they may be shown.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use upstate::__internal::{Container, Members};
use upstate::codec::Encoding;
use upstate::path::PathStep;
use upstate::schema::{Field, Type};
use upstate::{AttributePath, Registry, ResourceDefinition, Value};

use super::parse::Instance;
use super::secrets::{Found, SHORTEST_NUMBER, Secrets};
use super::steps::step;

/// A value that an upgrade adds, removes or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub(super) path: AttributePath,
    pub(super) old: Option<Shown>,
    pub(super) new: Option<Shown>,
}

impl Change {
    /// The path of the value in the attributes: in the new ones, which an upgrade brings to the
    /// current schema, or in the stored ones for what is removed.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }

    /// The value now; `None` if it is null or missing.
    pub fn old(&self) -> Option<&Shown> {
        self.old.as_ref()
    }

    /// The value after the upgrade; `None` if it is null or missing.
    pub fn new_value(&self) -> Option<&Shown> {
        self.new.as_ref()
    }
}

/// A value, as far as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// The value, as compact JSON.
    Json(String),
    /// A value that is sensitive, or in part, or that is found in a sensitive one.
    Hidden,
    /// A value that no schema knows, or not all of it, so that nobody can tell whether it is
    /// sensitive. It is not shown either.
    Undefined,
}

/// One step into a document, before it is known what the container is.
#[derive(Clone, Copy)]
pub(super) enum Raw<'a> {
    Name(&'a str),
    Index(u64),
}

/// The knowledge about a place: its path, its container, and whether a schema has it or it is
/// sensitive.
struct Verdict {
    path: AttributePath,
    container: Container,
    known: bool,
    sensitive: bool,
}

/// A value with the verdict whether it may be shown.
pub(super) struct Node<'v> {
    pub(super) value: &'v Value,
    pub(super) path: AttributePath,
    container: Container,
    /// The reason that the value may not be shown, if there is one.
    pub(super) hidden: Option<Shown>,
    pub(super) children: Vec<(Key<'v>, Node<'v>)>,
}

#[derive(Clone, Copy)]
pub(super) enum Key<'v> {
    Name(&'v str),
    Index(usize),
}

/// The changes of `instance` when it gets the attributes `new`, which are of the current schema, or
/// of this earlier version if it goes `back`.
pub(super) fn changes(
    instance: &Instance<'_>,
    new: &[u8],
    registry: &Registry,
    back: Option<u64>,
) -> Vec<Change> {
    let Some(definition) = registry.get(instance.type_name()) else {
        return Vec::new();
    };
    let (Some(old), Ok(new)) = (value_of(instance), Value::from_any_json(new)) else {
        return Vec::new();
    };
    let schemas = Known::of(definition, instance.schema_version());
    let marks = Marks::of(&instance.sensitive_attributes());
    let of_new = Known::of_new(definition, back);
    compared((&old, &schemas, &marks), (&new, &of_new, &marks))
}

/// The changes of attributes that were stored at `version` and are of the current schema now, or of
/// this earlier version if they go `back`.
pub(crate) fn changes_of_attributes(
    definition: &ResourceDefinition,
    version: u64,
    (old, new): (&[u8], &[u8]),
    back: Option<u64>,
) -> Vec<Change> {
    let (Ok(old), Ok(new)) = (Value::from_any_json(old), Value::from_any_json(new)) else {
        return Vec::new();
    };
    let (schemas, marks) = (Known::of(definition, version), Marks::default());
    let of_new = Known::of_new(definition, back);
    compared((&old, &schemas, &marks), (&new, &of_new, &marks))
}

/// The path of a value in the attributes of this version, by its names and indices, up to what may
/// not be shown further.
#[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
pub(crate) fn shown_path(
    definition: &ResourceDefinition,
    version: u64,
    path: &AttributePath,
) -> AttributePath {
    let schemas = Known::of(definition, version);
    let (mut at, mut shown) = (Vec::new(), AttributePath::new());
    for step in path.steps() {
        at.push(match step {
            PathStep::Attribute(name) => Raw::Name(name),
            PathStep::Key(key) => Raw::Name(key),
            PathStep::Index(index) => Raw::Index(*index),
            PathStep::Element(_) => break,
        });
        let Verdict {
            path,
            known,
            sensitive,
            container: _,
        } = verdict(&at, &schemas, None);
        shown = path;
        if sensitive || !known {
            break;
        }
    }
    shown
}

/// The changes of an identity on its way back; nothing takes the place of one that is removed.
pub(super) fn compared_identities(
    instance: &Instance<'_>,
    old: &[u8],
    new: Option<&[u8]>,
    registry: &Registry,
) -> Vec<Change> {
    let Some(definition) = registry
        .get(instance.type_name())
        .and_then(ResourceDefinition::identity)
    else {
        return Vec::new();
    };
    let (Ok(old), Some(new)) = (
        Value::from_any_json(old),
        new.map_or(Some(Value::Null), |new| Value::from_any_json(new).ok()),
    ) else {
        return Vec::new();
    };
    let (schemas, marks) = (
        Known::of(definition, instance.identity_version),
        Marks::default(),
    );
    compared((&old, &schemas, &marks), (&new, &schemas, &marks))
}

/// The attributes, whatever their form.
pub(super) fn value_of(instance: &Instance<'_>) -> Option<Value> {
    match (instance.attributes(), instance.attributes_flat()) {
        (Some(json), _) => Value::from_any_json(json.as_bytes()).ok(),
        (None, Some(flat)) => Some(
            flat.into_iter()
                .map(|(key, text)| (key, Value::String(text)))
                .collect(),
        ),
        (None, None) => None,
    }
}

/// The schemas that may know a value.
pub(super) struct Known<'s> {
    schemas: Vec<Members<'s>>,
    /// Attributes whose values become those of secret ones, whatever these schemas say.
    secret: Arc<BTreeSet<Vec<String>>>,
}

impl<'s> Known<'s> {
    /// The current schema, and behind it those of prior versions, for what is stored at `version`.
    pub(super) fn of(definition: &'s ResourceDefinition, version: u64) -> Self {
        let mut known = Self {
            secret: definition.secrets_of(version),
            ..Self::current(definition)
        };
        known.schemas.extend(
            definition
                .prior_schemas()
                .into_iter()
                .map(|prior| prior.block.members()),
        );
        known
    }

    /// The schemas of new values: the current one, or those of what goes `back` to a version, of
    /// which a value may be secret today alone.
    fn of_new(definition: &'s ResourceDefinition, back: Option<u64>) -> Self {
        match back {
            Some(to) => Self::of(definition, to),
            None => Self::current(definition),
        }
    }

    /// The current schema alone.
    pub(super) fn current(definition: &'s ResourceDefinition) -> Self {
        Self {
            schemas: vec![definition.schema().block().members()],
            secret: Arc::default(),
        }
    }

    /// True if the value at a path goes where it is secret.
    fn becomes_secret(&self, steps: &[PathStep]) -> bool {
        let name = |step: &PathStep| match step {
            PathStep::Attribute(name) => Some(name.as_ref().to_owned()),
            PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_) => None,
        };
        !self.secret.is_empty()
            && self
                .secret
                .contains(&steps.iter().filter_map(name).collect::<Vec<_>>())
    }
}

/// A value, the schemas that may know it, and what the configuration marks in it.
pub(super) type Side<'v> = (&'v Value, &'v Known<'v>, &'v Marks);

pub(super) fn compared(
    (old, old_schemas, old_marks): Side<'_>,
    (new, new_schemas, new_marks): Side<'_>,
) -> Vec<Change> {
    let mut secrets = Secrets::default();
    let mut old = node(
        old,
        &mut Vec::new(),
        old_schemas,
        Some(old_marks),
        &mut secrets,
    );
    let mut new = node(
        new,
        &mut Vec::new(),
        new_schemas,
        Some(new_marks),
        &mut secrets,
    );
    // Every text is compared with all secrets, because an upgrade may move a secret, or a part of
    // it, to another attribute.
    let mut texts = HashSet::new();
    texts_of(&old, &mut texts);
    texts_of(&new, &mut texts);
    let shown: HashSet<&str> = texts.iter().map(|text| &**text).collect();
    let secrets = secrets.among(&shown);
    hide_secrets(&mut old, &secrets);
    hide_secrets(&mut new, &secrets);
    let mut changes = Vec::new();
    compare(&old, &new, &mut changes);
    changes
}

/// The places that the configuration marks as sensitive, as a tree.
#[derive(Default)]
pub(super) struct Marks {
    ends: bool,
    names: HashMap<String, Marks>,
    indexes: HashMap<u64, Marks>,
    /// Every element of a set, in whatever order they stand.
    every: Option<Box<Marks>>,
}

impl Marks {
    pub(super) fn of(paths: &[AttributePath]) -> Self {
        let mut marks = Self::default();
        for path in paths {
            let end = path
                .steps()
                .iter()
                .fold(&mut marks, |marks, step| match step {
                    PathStep::Attribute(name) => {
                        marks.names.entry(name.as_ref().to_owned()).or_default()
                    }
                    PathStep::Key(name) => marks.names.entry(name.clone()).or_default(),
                    PathStep::Index(index) => marks.indexes.entry(*index).or_default(),
                    PathStep::Element(_) => marks.every.get_or_insert_default(),
                });
            end.ends = true;
        }
        marks
    }

    /// Those inside a place.
    fn inside(&self, raw: Raw<'_>) -> Option<&Self> {
        step();
        match raw {
            Raw::Name(name) => self.names.get(name),
            Raw::Index(index) => self.indexes.get(&index).or(self.every.as_deref()),
        }
    }
}

/// Says what the schemas and the configuration know about a place.
fn verdict(at: &[Raw<'_>], known: &Known<'_>, marks: Option<&Marks>) -> Verdict {
    let mut best: Option<Verdict> = None;
    let mut sensitive = false;
    for members in &known.schemas {
        let mut steps: Vec<PathStep> = Vec::with_capacity(at.len());
        for raw in at {
            let step = match (raw, members.container_at(&steps)) {
                (Raw::Name(name), Container::Map) => PathStep::Key((*name).to_owned()),
                (Raw::Name(name), _) => PathStep::Attribute((*name).to_owned().into()),
                (Raw::Index(_), Container::Set) => PathStep::Element(None),
                (Raw::Index(index), _) => PathStep::Index(*index),
            };
            steps.push(step);
        }
        let visible = members.visible(&steps);
        sensitive |= visible.sensitive || known.becomes_secret(&steps);
        // A name that the schema does not have may be named, too, so that one that it has is
        // better.
        let has = at.is_empty() || members.has(&steps);
        if best.is_none() || has && best.as_ref().is_some_and(|best| !best.known) {
            let container = members.container_at(&steps);
            best = Some(Verdict {
                path: steps.into_iter().collect(),
                container,
                known: has,
                sensitive: false,
            });
        }
    }
    sensitive |= marks.is_some_and(|marks| marks.ends);
    let best = best.unwrap_or(Verdict {
        path: AttributePath::new(),
        container: Container::Other,
        known: false,
        sensitive,
    });
    Verdict { sensitive, ..best }
}

pub(super) fn node<'v>(
    value: &'v Value,
    at: &mut Vec<Raw<'v>>,
    schemas: &Known<'_>,
    marks: Option<&Marks>,
    secrets: &mut Secrets,
) -> Node<'v> {
    let Verdict {
        path,
        container,
        known,
        sensitive,
    } = verdict(at, schemas, marks);
    if sensitive {
        secrets.add(value);
    }
    let mut children = Vec::new();
    if known && !sensitive {
        let mut child = |key: Key<'v>, raw: Raw<'v>, value: &'v Value| {
            at.push(raw);
            children.push((
                key,
                node(
                    value,
                    at,
                    schemas,
                    marks.and_then(|marks| marks.inside(raw)),
                    secrets,
                ),
            ));
            at.pop();
        };
        match value {
            Value::Map(members) => members
                .iter()
                .for_each(|(name, value)| child(Key::Name(name), Raw::Name(name), value)),
            Value::List(elements) => {
                elements.iter().enumerate().for_each(|(index, value)| {
                    child(Key::Index(index), Raw::Index(index as u64), value);
                });
            }
            Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Dynamic(_) => {}
        }
    }
    let hidden = match (sensitive, known) {
        (true, _) => Some(Shown::Hidden),
        (false, false) => Some(Shown::Undefined),
        (false, true) => None,
    };
    Node {
        value,
        path,
        container,
        hidden,
        children,
    }
}

/// The text of a value, or its digits.
fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        // A number shorter than `SHORTEST_NUMBER` is left out, because it reveals nothing and is
        // found everywhere.
        Value::Number(number) => Some(Cow::Owned(number.to_string()))
            .filter(|digits: &Cow<'_, str>| digits.len() >= SHORTEST_NUMBER),
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Dynamic(_) => None,
    }
}

/// The key of a map, which is a value too.
fn key_of(key: Key<'_>, container: Container) -> Option<&str> {
    match key {
        Key::Name(name) if container == Container::Map => Some(name),
        Key::Name(_) | Key::Index(_) => None,
    }
}

/// The strings that would be shown.
pub(super) fn texts_of<'v>(node: &Node<'v>, texts: &mut HashSet<Cow<'v, str>>) {
    if node.hidden.is_some() {
        return;
    }
    texts.extend(text_of(node.value));
    for (key, child) in &node.children {
        texts.extend(key_of(*key, node.container).map(Cow::Borrowed));
        texts_of(child, texts);
    }
}

/// Hides what is a secret elsewhere.
pub(super) fn hide_secrets(node: &mut Node<'_>, secrets: &Found<'_>) {
    let holds = |text: &str| secrets.whole.contains(text);
    let is_one =
        text_of(node.value).is_some_and(|text| holds(&text) || secrets.parts.contains(&*text));
    // Keys are names as a rule, and those are short: pieces of many a secret.
    if is_one
        || node
            .children
            .iter()
            .any(|(key, _)| key_of(*key, node.container).is_some_and(holds))
    {
        node.hidden = Some(Shown::Hidden);
    }
    for (_, child) in &mut node.children {
        hide_secrets(child, secrets);
    }
}

/// The reason that a node, or what is inside it, may not be shown. What is sensitive comes before
/// what is not known.
fn hidden(node: &Node<'_>) -> Option<Shown> {
    let inside = node
        .children
        .iter()
        .filter(|(_, child)| !is_nothing(child))
        .filter_map(|(_, child)| hidden(child));
    node.hidden
        .iter()
        .cloned()
        .chain(inside)
        .min_by_key(|why| *why != Shown::Hidden)
}

fn is_nothing(node: &Node<'_>) -> bool {
    node.value.is_null()
}

/// The value as it may be shown, whole; `None` if it is null.
pub(super) fn shown(node: &Node<'_>) -> Option<Shown> {
    if is_nothing(node) {
        return None;
    }
    if let Some(hidden) = hidden(node) {
        return Some(hidden);
    }
    let ty = implied(node.value);
    let json = node
        .value
        .encode(&ty, Encoding::Json)
        .ok()
        .and_then(|json| String::from_utf8(json).ok());
    Some(json.map_or(Shown::Hidden, Shown::Json))
}

/// The type under which an untyped value is written as it was read.
fn implied(value: &Value) -> Type {
    match value {
        Value::Bool(_) => Type::Bool,
        Value::Number(_) => Type::Number,
        Value::List(elements) => Type::tuple(elements.iter().map(implied)),
        Value::Map(members) => Type::object(
            members
                .iter()
                .map(|(name, value)| Field::new(name.clone(), implied(value))),
        ),
        Value::Null | Value::Unknown | Value::String(_) | Value::Dynamic(_) => Type::String,
    }
}

fn compare(old: &Node<'_>, new: &Node<'_>, changes: &mut Vec<Change>) {
    if old.value == new.value {
        return;
    }
    match (old.value, new.value) {
        (Value::Map(_), Value::Map(_)) if inside(old, new) => {
            let names: BTreeSet<&str> = old
                .children
                .iter()
                .chain(&new.children)
                .filter_map(|(key, _)| name_of(*key))
                .collect();
            for name in names {
                pair(
                    child(old, Key::Name(name)),
                    child(new, Key::Name(name)),
                    changes,
                );
            }
        }
        (Value::List(old_elements), Value::List(new_elements)) if inside(old, new) => {
            if new.container == Container::Set {
                compare_sets(old, new, changes);
                return;
            }
            for index in 0..old_elements.len().max(new_elements.len()) {
                pair(
                    child(old, Key::Index(index)),
                    child(new, Key::Index(index)),
                    changes,
                );
            }
        }
        _ => push(&new.path, shown(old), shown(new), changes),
    }
}

/// True if both nodes have been taken apart, because neither is hidden.
fn inside(old: &Node<'_>, new: &Node<'_>) -> bool {
    old.hidden.is_none() && new.hidden.is_none()
}

/// Elements of a set have no place, so they only come and go.
fn compare_sets(old: &Node<'_>, new: &Node<'_>, changes: &mut Vec<Change>) {
    let (before, after) = (elements(old), elements(new));
    for (_, element) in old
        .children
        .iter()
        .filter(|(_, element)| !after.contains(&ByValue(element.value)))
    {
        push(&element.path, shown(element), None, changes);
    }
    for (_, element) in new
        .children
        .iter()
        .filter(|(_, element)| !before.contains(&ByValue(element.value)))
    {
        push(&element.path, None, shown(element), changes);
    }
}

fn elements<'v>(node: &Node<'v>) -> HashSet<ByValue<'v>> {
    node.children
        .iter()
        .map(|(_, element)| ByValue(element.value))
        .collect()
}

/// A value that is found by what it is.
struct ByValue<'v>(&'v Value);

impl PartialEq for ByValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        step();
        self.0 == other.0
    }
}

impl Eq for ByValue<'_> {}

impl Hash for ByValue<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self.0).hash(state);
        match self.0 {
            Value::Null | Value::Unknown => {}
            Value::Bool(value) => value.hash(state),
            Value::Number(number) => number.hash(state),
            Value::String(text) => text.hash(state),
            Value::List(elements) => elements
                .iter()
                .for_each(|element| ByValue(element).hash(state)),
            Value::Map(members) => members.iter().for_each(|(name, member)| {
                name.hash(state);
                ByValue(member).hash(state);
            }),
            Value::Dynamic(inner) => ByValue(&inner.1).hash(state),
        }
    }
}

fn name_of(key: Key<'_>) -> Option<&str> {
    match key {
        Key::Name(name) => Some(name),
        Key::Index(_) => None,
    }
}

fn child<'a, 'v>(node: &'a Node<'v>, key: Key<'_>) -> Option<&'a Node<'v>> {
    // Children are in order, so that the index of a list's child is its place, and a binary search
    // finds an object's child by its name.
    let at = match key {
        Key::Index(index) => Some(index),
        Key::Name(name) => node
            .children
            .binary_search_by(|(other, _)| name_of(*other).cmp(&Some(name)))
            .ok(),
    };
    at.and_then(|at| node.children.get(at))
        .map(|(_, child)| child)
}

fn pair(old: Option<&Node<'_>>, new: Option<&Node<'_>>, changes: &mut Vec<Change>) {
    match (old, new) {
        (Some(old), Some(new)) => compare(old, new, changes),
        (Some(old), None) => push(&old.path, shown(old), None, changes),
        (None, Some(new)) => push(&new.path, None, shown(new), changes),
        (None, None) => {}
    }
}

fn push(path: &AttributePath, old: Option<Shown>, new: Option<Shown>, changes: &mut Vec<Change>) {
    if old.is_some() || new.is_some() {
        changes.push(Change {
            path: path.clone(),
            old,
            new,
        });
    }
}

#[cfg(test)]
mod tests {
    use upstate::Resource;

    use super::super::StateFile;
    use super::super::steps::steps_of;
    use super::*;

    #[derive(Resource)]
    #[resource(type_name = "example_tags", version = 1)]
    #[upgrade_from(0, model = TagsV0, carry)]
    struct Tags {
        #[attribute(set)]
        tags: Vec<String>,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_tags", version = 0)]
    struct TagsV0 {
        #[attribute(set)]
        tags: Vec<String>,
    }

    /// The number of steps to compare so many tags with the same ones in reverse order, so many of
    /// them marked.
    fn steps(tags: usize, marks: usize) -> usize {
        let list = |tags: &mut dyn Iterator<Item = usize>| {
            let tags: Vec<String> = tags.map(|tag| format!("\"tag-{tag}\"")).collect();
            format!("{{\"tags\":[{}]}}", tags.join(","))
        };
        let mark = |mark| {
            format!(
                r#"[{{"type":"get_attr","value":"tags"}},{{"type":"index","value":{{"value":{mark},"type":"number"}}}}]"#
            )
        };
        let marks: Vec<String> = (0..marks).map(mark).collect();
        let state = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_tags","name":"t","provider":"provider.p",
                "instances":[{{"schema_version":0,"attributes":{},"sensitive_attributes":[{}]}}]}}]}}"#,
            list(&mut (0..tags)),
            marks.join(",")
        );
        let state = StateFile::parse(state.as_bytes()).unwrap();
        let new = list(&mut (0..tags).rev());
        let registry = Registry::new().with::<Tags>();
        steps_of(|| changes(&state.instances()[0], new.as_bytes(), &registry, None))
    }

    #[derive(Resource)]
    #[resource(type_name = "example_login", version = 1)]
    #[upgrade_from(0, model = LoginV0, rename(token => pw))]
    struct Login {
        user: String,
        #[attribute(write_only)]
        pw: Option<i64>,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_login", version = 0, prior)]
    struct LoginV0 {
        user: String,
        token: Option<i64>,
    }

    /// The upgrade of one instance with these attributes and marks, and all that is reported of it.
    fn report(attributes: &str, marks: &str) -> String {
        let state = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_login","name":"t","provider":"provider.p",
                "instances":[{{"schema_version":0,"attributes":{attributes},"sensitive_attributes":[{marks}]}}]}}]}}"#
        );
        let state = StateFile::parse(state.as_bytes()).unwrap();
        let registry = Registry::new().with::<Login>();
        let options = super::super::UpgradeOptions::new().changes(true);
        let mut all = String::new();
        let each = |upgrade: super::super::InstanceUpgrade<'_, '_>| {
            all = format!("{:?}\n{:?}", upgrade.outcome(), upgrade.changes());
            Ok(())
        };
        state
            .upgrade_to(&registry, &options, &mut Vec::new(), each)
            .unwrap();
        all
    }

    #[test]
    fn what_became_write_only_is_not_shown_and_is_reported_as_dropped() {
        let report = report(r#"{"user":"u","token":731673167316}"#, "");
        assert!(
            !report.contains("7316") && report.contains("old: Some(Hidden)"),
            "{report}"
        );
        assert!(report.contains("the attribute is write-only"), "{report}");
    }

    #[derive(Resource)]
    #[resource(type_name = "example_door", version = 1)]
    #[upgrade_from(0, model = DoorV0, rename(digits => code))]
    struct Door {
        #[attribute(sensitive)]
        code: i64,
    }

    #[derive(Resource)]
    #[resource(type_name = "example_door", version = 0, prior)]
    struct DoorV0 {
        digits: i64,
    }

    #[test]
    fn what_is_secret_today_is_not_shown_where_it_goes_back() {
        let state = r#"{"version":4,"resources":[{"mode":"managed","type":"example_door","name":"t","provider":"provider.p",
            "instances":[{"schema_version":1,"attributes":{"code":12}}]}]}"#;
        let state = StateFile::parse(state.as_bytes()).unwrap();
        let registry = Registry::new().with::<Door>();
        let new = br#"{"digits":12}"#;
        let changes = changes(&state.instances()[0], new, &registry, Some(0));
        let both = |change: Change| [change.old, change.new];
        let shown: Vec<Shown> = changes.into_iter().flat_map(both).flatten().collect();
        assert_eq!(shown, [Shown::Hidden, Shown::Hidden]);
    }

    #[test]
    fn a_number_that_cannot_be_read_does_not_switch_off_marks() {
        let mark = r#"[{"type":"get_attr","value":"token"}]"#;
        for odd in ["1e999999999999", "12"] {
            let attributes = format!(
                r#"{{"user":["hunter2-top"],"token":"hunter2-top-secret","tags":{{"x":{odd}}}}}"#
            );
            let refused = report(&attributes, mark);
            assert!(
                !refused.contains("hunter2") && refused.contains("Failed"),
                "{refused}"
            );
            // Changes are found, too, beside what no schema defines.
            let changed = report(
                &format!(r#"{{"user":"u","token":7,"tags":{{"x":{odd}}}}}"#),
                mark,
            );
            assert!(
                changed.contains("tags") && changed.contains("token"),
                "{changed}"
            );
        }
    }

    #[test]
    fn work_grows_with_the_file_and_not_with_its_square() {
        for marks in [0, 1] {
            let (small, large) = (steps(250, 250 * marks), steps(1_000, 1_000 * marks));
            assert!(
                small >= 250 && large <= 5 * small,
                "{small} and {large} steps"
            );
        }
    }
}
