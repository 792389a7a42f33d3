//! Values that a version cannot hold, kept in an annotation until an object comes back to a version
//! that can.
//!
//! The annotation `ferry.example.com/upstate-v1` holds values of `v1` by their JSON pointers.
//! Clients see it, edit it and drop it, so it is input and not memory: a value goes back only to a
//! place that is as it was left, and only if the types and limits of the version's schema take it
//! there. For each place there is a hash of what the other version made of it; where that differs
//! by now, a client has changed the object since, and its change wins. Elements of a list have a
//! hash, too, without what is secret in them, by which they are found where the list was reordered;
//! where the list has keys, they have one of these alone. The other version has a last word: what
//! it has without the value, it has with it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::declared::ListType;
use crate::schema::{Kind, Node, Object};
use crate::text;
use crate::value::{self, is_same, is_small};

/// The version of the annotation's own form.
const FORM: u64 = 1;

/// The number of tries where not all values fit together. Each is one over the whole object, so
/// that no annotation holds up a review for long; up to 128 values are each tried alone, if need
/// be.
const TRIES: usize = 256;

/// The contents of one annotation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Kept {
    /// The values, by pointer; `None` where the version has nothing.
    values: BTreeMap<String, Option<Value>>,
    /// Hashes of what is at a pointer of the other version's image.
    hashes: BTreeMap<String, String>,
    /// Hashes of the keys of an element there, if its list has keys: whatever else changes, the
    /// element is the same.
    keys: BTreeMap<String, String>,
}

/// A difference that no annotation may hold: the pointer of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

/// The numbers of kept values by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fates {
    pub(crate) restored: usize,
    pub(crate) superseded: usize,
    pub(crate) ignored: usize,
}

impl Kept {
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The first place.
    pub(crate) fn first(&self) -> Option<&str> {
        self.values.keys().next().map(String::as_str)
    }

    /// Reads an annotation; `None` if it is not one of this form.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let json = json.as_object()?;
        if json.get("v")?.as_u64()? != FORM {
            return None;
        }
        let mut kept = Self::default();
        if let Some(values) = json.get("k") {
            kept.values.extend(
                values
                    .as_object()?
                    .iter()
                    .map(|(pointer, value)| (pointer.clone(), Some(value.clone()))),
            );
        }
        for pointer in json
            .get("d")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            kept.values.insert(pointer.as_str()?.to_owned(), None);
        }
        // Under a name of their own, because earlier releases ignore what they do not know.
        for (name, hashes) in [("h", &mut kept.hashes), ("i", &mut kept.keys)] {
            for (pointer, hash) in json
                .get(name)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                hashes.insert(pointer.clone(), hash.as_str()?.to_owned());
            }
        }
        Some(kept)
    }

    /// The annotation.
    pub(crate) fn to_text(&self) -> String {
        let values = self
            .values
            .iter()
            .filter_map(|(pointer, value)| Some((pointer.clone(), value.clone()?)));
        let values: Map<String, Value> = values.collect();
        let absent: Vec<&String> = self
            .values
            .iter()
            .filter(|(_, value)| value.is_none())
            .map(|(pointer, _)| pointer)
            .collect();
        let mut json = json!({"v": FORM});
        if let Some(json) = json.as_object_mut() {
            if !values.is_empty() {
                json.insert("k".to_owned(), Value::Object(values));
            }
            if !absent.is_empty() {
                json.insert("d".to_owned(), json!(absent));
            }
            for (name, hashes) in [("h", &self.hashes), ("i", &self.keys)] {
                if !hashes.is_empty() {
                    json.insert(name.to_owned(), json!(hashes));
                }
            }
        }
        text::compact(&json)
    }

    /// Adds what `want` has and its image in another version, back in this one, has not; `pointer`
    /// is the place of both.
    pub(crate) fn add(
        &mut self,
        node: &Node,
        want: &Value,
        image: &Value,
        pointer: &str,
    ) -> Result<(), Secret> {
        self.differ(Some(node), Some(want), Some(image), pointer)
    }

    fn differ(
        &mut self,
        node: Option<&Node>,
        want: Option<&Value>,
        image: Option<&Value>,
        pointer: &str,
    ) -> Result<(), Secret> {
        match (want, image) {
            (Some(want), Some(image)) if is_same(want, image) => Ok(()),
            (None, None) => Ok(()),
            (Some(Value::Object(want)), Some(Value::Object(image)))
                if !node.is_some_and(|node| node.sensitive) =>
            {
                let names = want
                    .keys()
                    .chain(image.keys().filter(|name| !want.contains_key(*name)));
                for name in names {
                    let before = self.values.len();
                    let place = format!("{pointer}/{}", escaped(name));
                    let hides = matches!(node.map(|node| &node.kind), Some(Kind::Object(object)) if object.hides(name));
                    let is_same = match (want.get(name), image.get(name)) {
                        (Some(want), Some(image)) => is_same(want, image),
                        (want, image) => want == image,
                    };
                    if hides && !is_same {
                        return Err(Secret(place));
                    }
                    self.differ(
                        node.and_then(|node| node.inner(Some(name))),
                        want.get(name),
                        image.get(name),
                        &place,
                    )?;
                    // Otherwise it could come back in another variant that has a member of the
                    // name.
                    if self.values.len() > before
                        && let Some(tag) = node.and_then(|node| tag_beside(node, name))
                        && let Some(variant) = image.get(tag)
                    {
                        self.hashes
                            .insert(format!("{pointer}/{}", escaped(tag)), hash(variant));
                    }
                }
                Ok(())
            }
            (Some(Value::Array(want)), Some(Value::Array(image)))
                if want.len() == image.len()
                    && !node.is_some_and(|node| {
                        node.sensitive || matches!(node.kind, Kind::Set(_))
                    }) =>
            {
                let keys = node
                    .and_then(keys_of)
                    .and_then(|(names, object)| different(names, object, image))
                    .unwrap_or_default();
                let items = node.and_then(|node| node.inner(None));
                let has_secrets = items.is_some_and(has_secret);
                let (mut noted, mut others) = (BTreeMap::new(), Vec::new());
                for (index, (want, image)) in want.iter().zip(image).enumerate() {
                    if is_same(want, image) {
                        others.push((index, image));
                        continue;
                    }
                    let place = format!("{pointer}/{index}");
                    let hash = shown_hash(items, image);
                    *noted.entry(hash.clone()).or_insert(0) += 1;
                    self.hashes.insert(place.clone(), hash);
                    if let Some(key) = keys.get(index) {
                        self.keys.insert(place.clone(), key.clone());
                    }
                    self.differ(items, Some(want), Some(image), &place)?;
                }
                // Otherwise an element would seem to be the only one with its hash, of which
                // another one has nothing kept. All of those with secrets, because their number
                // says whether one of them came or went.
                for (index, image) in others.into_iter().filter(|_| keys.is_empty()) {
                    let hash = shown_hash(items, image);
                    if let Some(count) = noted
                        .get_mut(&hash)
                        .filter(|count| **count == 1 || has_secrets)
                    {
                        *count += 1;
                        self.hashes.insert(format!("{pointer}/{index}"), hash);
                    }
                }
                Ok(())
            }
            (want, image) => {
                if node.is_some_and(has_secret) {
                    return Err(Secret(pointer.to_owned()));
                }
                if let Some(image) = image {
                    self.hashes.insert(pointer.to_owned(), hash(image));
                }
                self.values.insert(pointer.to_owned(), want.cloned());
                Ok(())
            }
        }
    }

    /// Removes the members at its places; false if there is none.
    pub(crate) fn remove_from(&self, target: &mut Value) -> bool {
        // Counted, so that all of them are removed and not the first alone.
        self.values
            .keys()
            .filter(|pointer| put(target, pointer, None))
            .count()
            > 0
    }

    /// Puts the values that are below `root` back into `target`, wherever their places are as they
    /// were left and the schema takes them. `is_taken` has the last word on the whole.
    pub(crate) fn restore(
        &self,
        node: &Node,
        root: &str,
        target: &mut Value,
        mut is_taken: impl FnMut(&Value) -> bool,
    ) -> Fates {
        let mut fates = Fates::default();
        let below = self
            .values
            .iter()
            .filter_map(|(pointer, value)| Some((pointer, pointer.strip_prefix(root)?, value)));
        let mut found = Vec::new();
        let mut places = Places {
            kept: self,
            node,
            target,
            lists: BTreeMap::new(),
            counts: None,
        };
        for (pointer, path, value) in below.filter(|(_, path, _)| path.starts_with('/')) {
            // All places are found before any changes, since a value that comes back changes the
            // hash of its element.
            match places.find(root, path) {
                Some(place) => {
                    let is_as_left = match (target.pointer(&place), self.hashes.get(pointer)) {
                        (Some(current), Some(left)) => hash(current) == *left,
                        (None, None) => true,
                        (Some(_), None) | (None, Some(_)) => false,
                    };
                    if is_as_left {
                        found.push((place, value.as_ref()));
                    } else {
                        fates.superseded += 1;
                    }
                }
                None => fates.ignored += 1,
            }
        }
        if found.is_empty() {
            return fates;
        }
        let fits = |before: &Value, made: &Value, is_partial: bool| {
            value::check(node, made, is_partial).is_ok()
                && value::takes_changes(node, Some(before), made)
        };
        // Tried at once, because nearly all annotations are as they were written.
        let mut made = target.clone();
        let count = found
            .iter()
            .filter(|(place, value)| put(&mut made, place, value.cloned()))
            .count();
        if count > 0
            && !value::prune(node, &mut made)
            && fits(target, &made, false)
            && is_taken(&made)
        {
            *target = made;
            fates.restored += count;
            fates.ignored += found.len() - count;
            return fates;
        }
        let mut fits_alone =
            |before: &Value, made: &Value| fits(before, made, true) && !adds_unknown(node, made);
        let is_whole = value::check(node, target, false).is_ok();
        let mut is_good =
            |made: &Value| value::check(node, made, !is_whole).is_ok() && is_taken(made);
        // Values that are good together only, such as those of a variant, are on the way to it one
        // after the other.
        let mut tries = TRIES;
        made.clone_from(target);
        let mut restored = put_fitting(&found, &mut made, &mut tries, &mut fits_alone);
        if restored > 0 && !is_good(&made) {
            tries = TRIES;
            made.clone_from(target);
            let mut fits = |before: &Value, made: &Value| fits_alone(before, made) && is_good(made);
            restored = put_fitting(&found, &mut made, &mut tries, &mut fits);
        }
        if restored > 0 {
            *target = made;
        }
        fates.restored += restored;
        fates.ignored += found.len() - restored;
        fates
    }

    /// True if the tag of the object at `left` is another one than it was, which annotations of
    /// earlier releases do not say.
    fn has_changed(&self, left: &str, tag: &str, members: &Map<String, Value>) -> bool {
        let left = self.hashes.get(&format!("{left}/{}", escaped(tag)));
        left.is_some_and(|left| members.get(tag).is_none_or(|tag| hash(tag) != *left))
    }

    /// The number of elements with each hash, by the pointer of their list.
    fn counts(&self) -> BTreeMap<(&str, &str), usize> {
        let mut counts = BTreeMap::new();
        for (pointer, hash) in &self.hashes {
            if let Some((list, index)) = pointer.rsplit_once('/')
                && index.parse::<usize>().is_ok()
            {
                *counts.entry((list, hash.as_str())).or_default() += 1;
            }
        }
        counts
    }
}

/// The places of kept values in an object, where elements of lists may have moved. An annotation
/// may have thousands of values in one list, so that each of its elements is looked at once.
struct Places<'k, 'v> {
    kept: &'k Kept,
    node: &'v Node,
    target: &'v Value,
    /// By their pointers in the object.
    lists: BTreeMap<String, List>,
    counts: Option<BTreeMap<(&'k str, &'k str), usize>>,
}

/// The elements of a list, as far as they were looked at.
#[derive(Default)]
struct List {
    hashes: BTreeMap<usize, String>,
    by_hash: Option<Indexes>,
    /// Those with their secrets, as annotations of earlier releases have them.
    whole_hashes: BTreeMap<usize, String>,
    by_whole_hash: Option<Indexes>,
    by_key: Option<Indexes>,
}

/// Indexes by hash.
type Indexes = BTreeMap<String, Vec<usize>>;

fn indexes(hashes: impl Iterator<Item = String>) -> Indexes {
    let mut found = Indexes::new();
    for (index, hash) in hashes.enumerate() {
        found.entry(hash).or_default().push(index);
    }
    found
}

/// The index of the only element with a hash; nothing tells several of them apart.
fn only(indexes: &[usize]) -> Option<usize> {
    if let [index] = indexes {
        Some(*index)
    } else {
        None
    }
}

impl<'k> Places<'k, '_> {
    /// The pointer of a place; `None` if its parent is not there any more.
    fn find(&mut self, root: &str, path: &str) -> Option<String> {
        let (mut current, mut node, mut place, mut left) =
            (self.target, Some(self.node), String::new(), root.to_owned());
        let mut tokens = path.split('/').skip(1).peekable();
        while let Some(token) = tokens.next() {
            let is_last = tokens.peek().is_none();
            // A step is written in one way, so that an annotation has no place twice.
            match current {
                Value::Object(members) => {
                    let name = unescaped(token);
                    if token.contains('~') && escaped(&name) != token {
                        return None;
                    }
                    let tag = node.and_then(|node| tag_beside(node, &name));
                    if tag.is_some_and(|tag| self.kept.has_changed(&left, tag, members)) {
                        return None;
                    }
                    left = format!("{left}/{token}");
                    node = node.and_then(|node| node.inner(Some(&name)));
                    place = format!("{place}/{token}");
                    match members.get(&name) {
                        Some(below) => current = below,
                        None => return is_last.then_some(place),
                    }
                }
                Value::Array(elements) => {
                    let index = self.index(node, elements, &place, (&left, token))?;
                    left = format!("{left}/{token}");
                    node = node.and_then(|node| node.inner(None));
                    place = format!("{place}/{index}");
                    current = elements.get(index)?;
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            }
        }
        Some(place)
    }

    /// The index of the element that was in the list at `left`: by its keys if it has any, and
    /// otherwise by its index and its hash.
    fn index(
        &mut self,
        node: Option<&Node>,
        elements: &[Value],
        place: &str,
        (left, token): (&str, &str),
    ) -> Option<usize> {
        let kept: &'k Kept = self.kept;
        let list = self.lists.entry(place.to_owned()).or_default();
        let element = format!("{left}/{token}");
        if let (Some(wanted), Some((names, object))) =
            (kept.keys.get(&element), node.and_then(keys_of))
        {
            let by_key = || {
                indexes(
                    elements
                        .iter()
                        .map(|element| key_of(names, object, element)),
                )
            };
            return only(list.by_key.get_or_insert_with(by_key).get(wanted)?);
        }
        let wanted = kept.hashes.get(&element)?;
        let index = token
            .parse::<usize>()
            .ok()
            .filter(|index| index.to_string() == token)?;
        let items = node.and_then(|node| node.inner(None));
        let has_secrets = items.is_some_and(has_secret);
        let counts = self.counts.get_or_insert_with(|| kept.counts());
        let left_count = counts
            .get(&(left, wanted.as_str()))
            .copied()
            .unwrap_or_default();
        let by_hash = || indexes(elements.iter().map(|element| shown_hash(items, element)));
        // Otherwise one of those that differ in their secrets alone came or went, and the value
        // would come to another element.
        let has_all = !has_secrets
            || list
                .by_hash
                .get_or_insert_with(by_hash)
                .get(wanted)
                .map_or(0, Vec::len)
                == left_count;
        if let Some(element) = elements.get(index)
            && (has_all
                && list
                    .hashes
                    .entry(index)
                    .or_insert_with(|| shown_hash(items, element))
                    == wanted
                || has_secrets
                    && list
                        .whole_hashes
                        .entry(index)
                        .or_insert_with(|| hash(element))
                        == wanted)
        {
            return Some(index);
        }
        // Elements with one hash cannot be told apart once they moved, neither those that there
        // were nor those that there are.
        if left_count > 1 {
            return None;
        }
        if let Some(found) = list.by_hash.get_or_insert_with(by_hash).get(wanted) {
            return only(found);
        }
        let by_whole_hash = || indexes(elements.iter().filter(|_| has_secrets).map(hash));
        only(
            list.by_whole_hash
                .get_or_insert_with(by_whole_hash)
                .get(wanted)?,
        )
    }
}

/// A name as a step of a pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a step of a pointer leads to.
fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// The member that names the variant to which another member belongs; `None` if that belongs to all
/// of them.
fn tag_beside<'n>(node: &'n Node, name: &str) -> Option<&'n str> {
    let Kind::Object(object) = &node.kind else {
        return None;
    };
    let tag = object.variants.first()?.tag.as_deref()?;
    (name != tag && !object.is_own(name)).then_some(tag)
}

/// The names of the keys of a list, and the object that has them; none where a key is secret,
/// because its hash would be in the annotation.
fn keys_of(node: &Node) -> Option<(&[&'static str], &Object)> {
    let (Some(ListType::Map(names)), Kind::List { items, .. }) = (&node.declared.list, &node.kind)
    else {
        return None;
    };
    let Kind::Object(object) = &items.kind else {
        return None;
    };
    let is_shown = |name: &&'static str| {
        object
            .members
            .get(name)
            .is_none_or(|member| !has_secret(&member.node))
    };
    names
        .iter()
        .all(is_shown)
        .then_some((names.as_slice(), object))
}

/// Hashes of the keys of all elements; `None` if two of them have the same.
fn different(names: &[&'static str], object: &Object, elements: &[Value]) -> Option<Vec<String>> {
    let keys: Vec<String> = elements
        .iter()
        .map(|element| key_of(names, object, element))
        .collect();
    let once: BTreeSet<&String> = keys.iter().collect();
    (once.len() == keys.len()).then_some(keys)
}

/// The hash of the keys of an element, with the default of one that is absent.
fn key_of(names: &[&'static str], object: &Object, element: &Value) -> String {
    let value = |name: &&'static str| {
        let value = element.get(*name).filter(|value| !value.is_null());
        value
            .or_else(|| object.members.get(name)?.node.default.as_ref())
            .cloned()
            .unwrap_or_default()
    };
    hash(&names.iter().map(value).collect::<Value>())
}

fn has_secret(node: &Node) -> bool {
    node.sensitive
        || matches!(&node.kind, Kind::Object(object) if object.hides_others)
        || node.below().any(has_secret)
}

/// Puts a value at a pointer whose parent is there, or removes it; false if there is no such
/// parent.
pub(crate) fn put(target: &mut Value, pointer: &str, value: Option<Value>) -> bool {
    let Some((parent, token)) = pointer.rsplit_once('/') else {
        return false;
    };
    let token = unescaped(token);
    match (target.pointer_mut(parent), value) {
        (Some(Value::Object(members)), Some(value)) => {
            members.insert(token, value);
            true
        }
        (Some(Value::Object(members)), None) => members.remove(&token).is_some(),
        (Some(Value::Array(elements)), Some(value)) => {
            let place = token
                .parse::<usize>()
                .ok()
                .and_then(|index| elements.get_mut(index));
            place.is_some_and(|place| {
                *place = value;
                true
            })
        }
        (
            Some(
                Value::Array(_)
                | Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_),
            )
            | None,
            _,
        ) => false,
    }
}

/// Puts the values that fit into `made`; the number of them. Values that do not fit together are
/// tried in halves.
fn put_fitting(
    found: &[(String, Option<&Value>)],
    made: &mut Value,
    tries: &mut usize,
    fits: &mut dyn FnMut(&Value, &Value) -> bool,
) -> usize {
    if found.is_empty() || *tries == 0 {
        return 0;
    }
    *tries -= 1;
    let mut candidate = made.clone();
    if found
        .iter()
        .all(|(place, value)| put(&mut candidate, place, value.cloned()))
        && fits(made, &candidate)
    {
        *made = candidate;
        return found.len();
    }
    if found.len() == 1 {
        return 0;
    }
    let (before, after) = found.split_at(found.len() / 2);
    put_fitting(before, made, tries, fits) + put_fitting(after, made, tries, fits)
}

/// True if a value has members that the schema would prune: the server would accept them, and the
/// engine report them.
fn adds_unknown(node: &Node, value: &Value) -> bool {
    let mut pruned = value.clone();
    value::prune(node, &mut pruned);
    pruned != *value
}

/// The hash of an element without its secrets, which somebody could find by trying.
fn shown_hash(node: Option<&Node>, element: &Value) -> String {
    let Some(node) = node.filter(|node| has_secret(node)) else {
        return hash(element);
    };
    let mut shown = element.clone();
    hide(node, &mut shown);
    hash(&shown)
}

/// Puts null in the place of all that is secret.
fn hide(node: &Node, value: &mut Value) {
    if node.sensitive {
        *value = Value::Null;
        return;
    }
    if let (Kind::Object(object), Value::Object(members)) = (&node.kind, &mut *value) {
        members.retain(|name, _| !object.hides(name));
    }
    value::each(node, value, &mut hide);
}

/// A hash of eight digits, the same for values that are one in Kubernetes.
pub(crate) fn hash(value: &Value) -> String {
    fn plain(value: &Value) -> Value {
        match value {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a small float without a fraction is an integer"
            )]
            Value::Number(number) => match number.as_f64() {
                Some(float) if is_small(number) && float.fract() == 0.0 => json!(float as i64),
                Some(_) | None => value.clone(),
            },
            Value::Array(elements) => elements.iter().map(plain).collect(),
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(name, value)| (name.clone(), plain(value)))
                    .collect(),
            ),
            Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
        }
    }
    // FNV-1a in 32 bits.
    let bytes = text::compact(&plain(value));
    let hash = bytes.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{hash:08x}")
}

impl Kept {
    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// True if each of its places is one of another, or in one.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.values.keys().all(|place| {
            let mut above = place
                .match_indices('/')
                .filter_map(|(end, _)| place.get(..end));
            other.values.contains_key(place) || above.any(|place| other.values.contains_key(place))
        })
    }

    /// Adds those of another part.
    pub(crate) fn append(&mut self, other: Self) {
        self.values.extend(other.values);
        self.hashes.extend(other.hashes);
        self.keys.extend(other.keys);
    }

    /// Values that are in both.
    pub(crate) fn common(mut self, other: &Self) -> Self {
        self.values
            .retain(|pointer, value| other.values.get(pointer) == Some(value));
        self.hashes
            .retain(|pointer, hash| other.hashes.get(pointer) == Some(hash));
        self.keys
            .retain(|pointer, hash| other.keys.get(pointer) == Some(hash));
        self
    }
}

impl Fates {
    pub(crate) fn add(&mut self, other: Self) {
        self.restored += other.restored;
        self.superseded += other.superseded;
        self.ignored += other.ignored;
    }
}
