//! The elements of lists and entries of maps that a model has at another place since it was read.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use upstate::AttributePath;
use upstate::schema::Type;

use super::place::{
    Content, Place, content, element_type, in_one_order, is_set, member_type, without_absent,
};
use super::tree::Tree;

/// The elements and entries that two values of a model have at different places, by the path of the
/// list or map. All others are where they were.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    lists: HashMap<AttributePath, List>,
    /// For each new key the one that the entry had.
    keys: HashMap<AttributePath, BTreeMap<String, String>>,
    /// For each edited element of a set the one that was read.
    sets: HashMap<AttributePath, HashMap<Vec<u8>, Vec<u8>>>,
}

#[derive(Debug)]
struct List {
    /// The number of elements that were read.
    read: usize,
    origins: Vec<Option<usize>>,
}

impl Pairs {
    /// Those of a model that was `read` and is written as `new`, both of this type.
    pub(super) fn of(read: &Tree<'_>, new: &Tree<'_>, ty: &Type) -> Self {
        let mut pairs = Self::default();
        pairs.find(read, new, &Place::of(ty));
        pairs
    }

    fn find(&mut self, read: &Tree<'_>, new: &Tree<'_>, place: &Place<'_>) {
        match (read, new) {
            (Tree::Array(read), Tree::Array(new)) if is_set(place.ty) => {
                let edited = edited(read, new, place.ty);
                if !edited.is_empty() {
                    self.sets.insert(place.path(), edited);
                }
            }
            (Tree::Array(read), Tree::Array(new)) => {
                let all: Vec<&Tree<'_>> = new.iter().collect();
                let origins = origins(read, &all, place.ty);
                for (index, (new, origin)) in new.iter().zip(&origins).enumerate() {
                    if let Some(read) = origin.and_then(|origin| read.get(origin))
                        && read != new
                    {
                        self.find(read, new, &place.element(index));
                    }
                }
                if !are_in_place(&origins, read.len()) {
                    let read = read.len();
                    self.lists.insert(place.path(), List { read, origins });
                }
            }
            (Tree::Object(read), Tree::Object(new)) => {
                let stored: HashMap<&str, &Tree<'_>> =
                    read.iter().map(|(name, value)| (&**name, value)).collect();
                let mut added = Vec::new();
                for (name, new) in new {
                    match stored.get(&**name) {
                        Some(read) if *read != new => {
                            self.find(read, new, &place.member(name, name));
                        }
                        Some(_) => {}
                        None => added.push((&**name, new)),
                    }
                }
                let Some(Type::Map(entry)) = place.ty else {
                    return;
                };
                if added.is_empty() {
                    return;
                }
                let now: HashSet<&str> = new.iter().map(|(name, _)| &**name).collect();
                let gone: Vec<Entry<'_, '_>> = read
                    .iter()
                    .filter(|(name, _)| !now.contains(&**name))
                    .map(|(name, value)| (&**name, value))
                    .collect();
                let keys = renamed(gone, added, entry);
                if !keys.is_empty() {
                    self.keys.insert(place.path(), keys);
                }
            }
            (
                Tree::Null
                | Tree::Bool(_)
                | Tree::Number(_)
                | Tree::String(_)
                | Tree::Array(_)
                | Tree::Object(_),
                _,
            ) => {}
        }
    }

    /// The element of a set that a new one was before it was edited.
    pub(super) fn edited(&self, place: &Place<'_>, new: &Tree<'_>) -> Option<Tree<'_>> {
        if self.sets.is_empty() {
            return None;
        }
        let edited = self.sets.get(&place.path())?;
        let was = edited.get(&without_nulls(new, element_type(place.ty, 0)))?;
        Tree::parse(std::str::from_utf8(was).ok()?).ok()
    }

    /// For each element of a new list the one that it was; nothing if the list that was read had
    /// another number of elements than the stored one.
    pub(super) fn elements(
        &self,
        place: &Place<'_>,
        old: usize,
        new: usize,
    ) -> Option<Vec<Option<usize>>> {
        let list = if self.lists.is_empty() {
            None
        } else {
            self.lists.get(&place.path())
        };
        match list {
            Some(list) => {
                let fits = list.read == old && list.origins.len() == new;
                fits.then(|| list.origins.clone())
            }
            None => (old == new).then(|| (0..new).map(Some).collect()),
        }
    }

    /// The keys that entries of a map had, by their new ones.
    pub(super) fn keys(&self, place: &Place<'_>) -> Option<&BTreeMap<String, String>> {
        if self.keys.is_empty() {
            return None;
        }
        self.keys.get(&place.path())
    }
}

/// For each new element the one that was read: an equal one, each once, else the one of the same
/// key, else the one that was changed where it is, unless their keys say that it is another one. A
/// name alone says so only if no value of the two is one that no other element has.
pub(super) fn origins(
    read: &[Tree<'_>],
    new: &[&Tree<'_>],
    ty: Option<&Type>,
) -> Vec<Option<usize>> {
    let same = |at: usize, index: usize| read.get(at) == new.get(index).copied();
    let mut origins = if read.len() == new.len() {
        (0..new.len())
            .map(|index| same(index, index).then_some(index))
            .collect()
    } else {
        at_ends(read.len(), new.len(), same)
    };
    if origins.iter().any(Option::is_none) {
        let all: Vec<&Tree<'_>> = read.iter().collect();
        pair_equal(&all, new, &mut origins, ty);
        let mut expected = origins.clone();
        fill(&mut expected, read.len());
        let keys = [Keys::of(&all, ty), Keys::of(new, ty)];
        let found = pair_by_keys(&all, new, &mut origins, ty, &keys);
        let [now_of, was_of] = partners(&found);
        // Because each element of a tuple is at its place, whatever it is called.
        let has_places = matches!(ty, Some(Type::Tuple(_)));
        let values = OnceCell::new();
        let is_renamed = |at: usize, index: usize| {
            let everywhere = || {
                let places: [Vec<usize>; 2] = [(0..all.len()).collect(), (0..new.len()).collect()];
                Values::of((all.as_slice(), new), &places, ty)
            };
            let values = values.get_or_init(everywhere);
            new.get(index)
                .is_some_and(|element| values.is_renamed(element, (at, index), ty))
        };
        for (index, at) in expected.iter_mut().enumerate() {
            // Because an element that has the key of another one, or one that none had, is not what
            // stood there, unless it only has another name.
            let is_another = at.is_some_and(|at| {
                !has_places && are_others(&keys, at, index) && !is_renamed(at, index)
                    || now_of.get(&at).is_some_and(|now| *now != Some(index))
                    || was_of.get(&index).is_some_and(|was| *was != Some(at))
            });
            if is_another {
                *at = None;
            }
        }
        pair_as(&mut origins, &expected, read.len());
    }
    origins
}

/// For each new element of a set that was edited the one that was read, as JSON: the one of the
/// same key, or the last that is left, if both have the same key, as others may.
fn edited(read: &[Tree<'_>], new: &[Tree<'_>], ty: Option<&Type>) -> HashMap<Vec<u8>, Vec<u8>> {
    let (read, new): (Vec<_>, Vec<_>) = (read.iter().collect(), new.iter().collect());
    let mut equal = vec![None; new.len()];
    pair_equal(&read, &new, &mut equal, ty);
    let keys = [Keys::of(&read, ty), Keys::of(&new, ty)];
    let mut origins = equal.clone();
    pair_by_keys(&read, &new, &mut origins, ty, &keys);
    let [was, now] = unpaired(&origins, read.len());
    if let ([at], [index]) = (&was[..], &now[..])
        && is_other(&keys, *at, *index) == Some(false)
        && let Some(origin) = origins.get_mut(*index)
    {
        *origin = Some(*at);
    }
    let json = |element: &Tree<'_>| without_nulls(element, element_type(ty, 0));
    let all = origins.iter().zip(equal).enumerate();
    all.filter(|(_, (_, equal))| equal.is_none())
        .filter_map(|(index, (origin, _))| {
            let (&now, &was) = (new.get(index)?, read.get((*origin)?)?);
            Some((json(now), json(was)))
        })
        .collect()
}

/// For each new element the one that had its key, if each has one of its own, in another order than
/// before; nothing if new ones came and others went, or if a key may have been given to another
/// element, which has all else that is at its place: the `expected` one, if that is known. One that
/// may be either, because the keys may have been counted again and nothing else says which it is,
/// is none of them; nor is one whose key several had. `stored` gives the key of this name that a
/// stored element has.
pub(super) fn by_keys(
    (old, new): (usize, &[&Tree<'_>]),
    expected: &[Option<usize>],
    same: impl Fn(usize, &Tree<'_>) -> bool,
    stored: impl Fn(usize, &str) -> Option<StoredKey>,
) -> Option<Vec<Option<usize>>> {
    let mut kinds = KEYS.into_iter().enumerate();
    kinds.find_map(|(kind, name)| by_key((kind, name), (old, new), expected, &same, &stored))
}

fn by_key(
    (kind, name): (usize, &str),
    (old, new): (usize, &[&Tree<'_>]),
    expected: &[Option<usize>],
    same: impl Fn(usize, &Tree<'_>) -> bool,
    stored: impl Fn(usize, &str) -> Option<StoredKey>,
) -> Option<Vec<Option<usize>>> {
    let is_key = |(other, _): &&(Cow<'_, str>, Tree<'_>)| other.eq_ignore_ascii_case(name);
    let (mut keys, mut known) = (Vec::with_capacity(new.len()), HashSet::new());
    for element in new {
        let Tree::Object(members) = *element else {
            return None;
        };
        let key = key_of(element, name)?;
        if !known.insert(key) {
            return None;
        }
        let mut named = members.iter().filter(is_key);
        // Because it is not known which of two is the key.
        let (Some(member), None) = (named.next(), named.next()) else {
            return None;
        };
        keys.push((key, Tree::Object(vec![member.clone()])));
    }
    let has_key = |at: usize, index: usize| keys.get(index).is_some_and(|(_, key)| same(at, key));
    let mut origins: Vec<Option<usize>> = (0..new.len())
        .map(|index| has_key(index, index).then_some(index))
        .collect();
    // Looked up, because the search for each of many gives up before it ends.
    let mut places: HashMap<StoredKey, Option<usize>> = HashMap::new();
    for at in 0..old {
        if let Some(key) = stored(at, name) {
            places
                .entry(key)
                .and_modify(|at| *at = None)
                .or_insert(Some(at));
        }
    }
    let known_at = |(is_text, key): Key<'_>| places.get(&(is_text, key.to_owned())).copied();
    if origins.iter().any(Option::is_none) {
        for (index, (origin, (key, _))) in origins.iter_mut().zip(&keys).enumerate() {
            if origin.is_none() {
                *origin = known_at(*key).flatten().filter(|at| has_key(*at, index));
            }
        }
        find_elsewhere(&mut origins, old, has_key);
    }
    let are_found = origins.iter().flatten().count() == old.min(new.len());
    if !are_found || origins.iter().flatten().is_sorted() {
        return None;
    }
    let place = |index: usize| expected.get(index).copied().flatten().unwrap_or(index);
    let is_counted = may_be_counted(kind, keys.iter().map(|(key, _)| *key));
    let (mut are_there, mut are_moved) = (false, false);
    for (index, (element, at)) in new.iter().zip(&origins).enumerate() {
        let (Some(at), Tree::Object(members)) = (*at, *element) else {
            continue;
        };
        let place = place(index);
        if at == place {
            continue;
        }
        let others: Vec<_> = members
            .iter()
            .filter(|member| !is_key(member))
            .cloned()
            .collect();
        // One by one, too, because the upgrade may have changed another one.
        let long = others
            .iter()
            .filter(|(_, value)| is_counted && is_long(&in_order(value, None)))
            .map(|member| vec![member.clone()]);
        for part in long.chain([others.clone()]) {
            let part = Tree::Object(part);
            let (is_there, is_moved) = (same(place, &part), same(at, &part));
            are_there |= is_there && !is_moved;
            are_moved |= is_moved && !is_there;
        }
    }
    if are_there && (!is_counted || !are_moved) {
        return None;
    }
    let is_sure = !is_counted || are_moved && !are_there;
    for (index, (origin, (key, _))) in origins.iter_mut().zip(&keys).enumerate() {
        let is_it = is_sure || *origin == Some(place(index));
        if !is_it || known_at(*key) == Some(None) {
            *origin = None;
        }
    }
    Some(origins)
}

/// True if keys may have been given by a count: identifiers that are, or end in, greater and
/// greater numbers, or other keys that are such numbers.
fn may_be_counted<'e>(kind: usize, keys: impl Iterator<Item = Key<'e>>) -> bool {
    let number = |(is_text, key): Key<'e>| {
        let ends = is_text && kind < IDS && key.len() <= LONGEST_GIVEN;
        let mut parts = key.rsplit(|letter: char| !letter.is_ascii_digit());
        let digits = if ends { parts.next()? } else { key };
        digits.parse::<u64>().ok()
    };
    let numbers: Option<Vec<u64>> = keys.map(number).collect();
    numbers.is_some_and(|numbers| numbers.is_sorted_by(|one, other| one < other))
}

/// Pairs the new elements that have no origin yet with the same ones at other places.
pub(super) fn find_elsewhere(
    origins: &mut [Option<usize>],
    old: usize,
    is_same: impl Fn(usize, usize) -> bool,
) {
    let [mut all, _] = unpaired(origins, old);
    // Otherwise a long list of which each element is another one takes minutes. As many as 400
    // elements in whichever order are found.
    let mut tries = (16 * (old + origins.len())).max(100_000);
    let mut next = 0;
    for (index, origin) in origins.iter_mut().enumerate() {
        if origin.is_some() {
            continue;
        }
        for step in 0..all.len().min(tries) {
            tries -= 1;
            let at = (next + step) % all.len();
            if all.get(at).is_some_and(|old| is_same(*old, index)) {
                *origin = Some(all.remove(at));
                next = at;
                break;
            }
        }
    }
}

/// A key of a map and its value.
type Entry<'e, 't> = (&'e str, &'e Tree<'t>);

/// The keys that new entries of a map had: that of the only equal one that is gone. Of several it
/// is not sure which one has which. A scalar says nothing, because many are equal.
fn renamed<'e, 't>(
    gone: Vec<Entry<'e, 't>>,
    added: Vec<Entry<'e, 't>>,
    ty: &Type,
) -> BTreeMap<String, String> {
    let mut equal: HashMap<Vec<u8>, [Vec<&str>; 2]> = HashMap::new();
    let all = gone.into_iter().map(|entry| (0_usize, entry));
    for (side, (key, value)) in all.chain(added.into_iter().map(|entry| (1, entry))) {
        if matches!(value, Tree::Object(_) | Tree::Array(_)) {
            let sides = equal.entry(in_order(value, Some(ty))).or_default();
            if let Some(keys) = sides.get_mut(side) {
                keys.push(key);
            }
        }
    }
    let mut keys = BTreeMap::new();
    for [was, now] in equal.values() {
        if let ([was], [now]) = (&was[..], &now[..]) {
            keys.insert((*now).to_owned(), (*was).to_owned());
        }
    }
    keys
}

/// The JSON of a value in one order, because that of hash maps is another one each time.
fn in_order(value: &Tree<'_>, ty: Option<&Type>) -> Vec<u8> {
    let mut json = Vec::new();
    in_one_order(value.clone(), ty, false).write(&mut json);
    json
}

/// That, without the nulls that may be absent, as syntaxes without null have it.
fn without_nulls(value: &Tree<'_>, ty: Option<&Type>) -> Vec<u8> {
    let mut value = value.clone();
    without_absent(&mut value, ty);
    in_order(&value, ty)
}

/// Pairs the new values that have no origin yet with equal ones, in order.
fn pair_equal(
    read: &[&Tree<'_>],
    new: &[&Tree<'_>],
    origins: &mut [Option<usize>],
    ty: Option<&Type>,
) {
    let key = |index: usize, value: &Tree<'_>| in_order(value, element_type(ty, index));
    let is_left = left(origins, read.len());
    // The first of equal ones comes last, because the last is taken first.
    let mut equal: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (at, value) in read.iter().enumerate().rev() {
        if is_left.get(at) == Some(&true) {
            equal.entry(key(at, value)).or_default().push(at);
        }
    }
    for (index, (origin, value)) in origins.iter_mut().zip(new).enumerate() {
        if origin.is_none() {
            *origin = equal.get_mut(&key(index, value)).and_then(Vec::pop);
        }
    }
}

/// The names of members that tell which element one is, the surest first, because a number may be
/// given to another element, and a name be changed.
const KEYS: [&str; 5] = ["uuid", "guid", "id", "key", "name"];
/// The number of those at the front that are identifiers and no names.
const IDS: usize = 3;
/// The length in JSON of the longest key that a person or a count may have given to another element.
/// A longer identifier, such as a UUID, is made for one.
const LONGEST_GIVEN: usize = 18;

/// A key that is given: true if it is a string, with its text or its digits.
type Key<'e> = (bool, &'e str);

/// That of a stored element.
pub(super) type StoredKey = (bool, String);

/// The key of this name that a stored element has.
pub(super) fn stored_key(element: &Tree<'_>, name: &str) -> Option<StoredKey> {
    key_of(element, name).map(|(is_text, key)| (is_text, key.to_owned()))
}

/// The keys of the elements of a list.
struct Keys<'e> {
    /// Those of each element, in the order of [`KEYS`].
    of: Vec<[Option<Key<'e>>; KEYS.len()]>,
    /// The number of elements that have each, by its place in [`KEYS`].
    counts: HashMap<(usize, Key<'e>), usize>,
}

impl<'e> Keys<'e> {
    fn of(elements: &[&'e Tree<'_>], ty: Option<&Type>) -> Self {
        let mut all = Vec::with_capacity(elements.len());
        let mut counts = HashMap::new();
        for (index, element) in elements.iter().copied().enumerate() {
            let members = members_of(element, element_type(ty, index));
            let keys = KEYS.map(|name| key_of(members, name));
            for (kind, key) in keys.iter().enumerate() {
                if let Some(key) = key {
                    *counts.entry((kind, *key)).or_insert(0) += 1;
                }
            }
            all.push(keys);
        }
        Self { of: all, counts }
    }

    fn is_unique(&self, kind: usize, key: Key<'e>) -> bool {
        self.counts.get(&(kind, key)) == Some(&1)
    }

    /// True if this key tells an element from all others. Zero may be one that is not given yet.
    fn is_key(&self, kind: usize, place: usize) -> bool {
        let keys = self.of.get(place);
        let key = keys.and_then(|keys| keys.get(kind).copied().flatten());
        key.is_some_and(|key| key != (false, "0") && self.is_unique(kind, key))
    }

    /// False if several elements have it because it is not given yet.
    fn is_given(&self, kind: usize, key: Key<'e>) -> bool {
        key != (false, "0") || self.is_unique(kind, key)
    }
}

/// The object that has the members of an element: that of its variant, if it is an enum.
fn members_of<'e, 't>(element: &'e Tree<'t>, ty: Option<&Type>) -> &'e Tree<'t> {
    let (Tree::Object(members), Some(Type::Union(union))) = (element, ty) else {
        return element;
    };
    match content(union, members) {
        Content::External(_) => members.first().map_or(element, |(_, value)| value),
        Content::Adjacent(name, _) => element.member(&name).unwrap_or(element),
        Content::Members(_) | Content::Unknown => element,
    }
}

/// The key of this name, in whichever case it is written.
fn key_of<'e>(element: &'e Tree<'_>, name: &str) -> Option<Key<'e>> {
    let Tree::Object(members) = element else {
        return None;
    };
    let (_, key) = members
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name))?;
    match key {
        Tree::String(text) if !text.is_empty() => Some((true, &**text)),
        Tree::Number(digits) => Some((false, &**digits)),
        Tree::String(_) | Tree::Null | Tree::Bool(_) | Tree::Array(_) | Tree::Object(_) => None,
    }
}

/// True if an element that was read and a new one are two: the surest of the keys that both have
/// differs.
fn are_others(keys: &[Keys<'_>; 2], at: usize, index: usize) -> bool {
    is_other(keys, at, index) == Some(true)
}

/// That, if both have such a key.
fn is_other([read, new]: &[Keys<'_>; 2], at: usize, index: usize) -> Option<bool> {
    let (was, now) = (read.of.get(at)?, new.of.get(index)?);
    let mut kinds = was.iter().zip(now).enumerate();
    kinds.find_map(|(kind, keys)| {
        let (Some(was), Some(now)) = keys else {
            return None;
        };
        (read.is_given(kind, *was) && new.is_given(kind, *now)).then_some(was != now)
    })
}

/// Pairs the elements that are left by a key that one element had and one has, unless a surer key
/// or a value says that one of the two is another element, which may have got the key. No value
/// says so of a long identifier, and no number of a key that was not counted again. Gives the
/// elements of which the keys are the same, paired or not.
fn pair_by_keys(
    read: &[&Tree<'_>],
    new: &[&Tree<'_>],
    origins: &mut [Option<usize>],
    ty: Option<&Type>,
    keys: &[Keys<'_>; 2],
) -> Vec<(usize, usize)> {
    let values = Values::of((read, new), &unpaired(origins, read.len()), ty);
    let shared: Vec<(&str, &[u8], (usize, usize))> = values
        .places
        .iter()
        .filter_map(|((name, json), [was, now])| match (&was[..], &now[..]) {
            ([at], [index]) => Some((*name, &json[..], (*at, *index))),
            _ => None,
        })
        .collect();
    let [was, now] = keys;
    let key = |name: &str, (at, index): (usize, usize)| {
        let mut kinds = KEYS.iter();
        let kind = kinds.position(|key| name.eq_ignore_ascii_case(key))?;
        let is_key = was.is_key(kind, at) && now.is_key(kind, index);
        (is_key && !are_others(keys, at, index)).then_some(kind)
    };
    let found: Vec<(usize, &[u8], (usize, usize))> = shared
        .iter()
        .filter_map(|&(name, json, pair)| key(name, pair).map(|kind| (kind, json, pair)))
        .collect();
    let (mut all, mut long) = (Vec::new(), Vec::new());
    for &(_, json, pair) in &shared {
        if !is_counted(json, pair) {
            all.push(pair);
        }
        if is_long(json) {
            long.push(pair);
        }
    }
    let (of_all, of_long) = (partners(&all), partners(&long));
    let pairs: Vec<(usize, usize)> = found.iter().map(|&(_, _, pair)| pair).collect();
    let of_keys = partners(&pairs);
    for &(kind, json, (at, index)) in &found {
        let others = if is_counted(json, (at, index)) {
            &of_all
        } else if kind < IDS && json.len() > LONGEST_GIVEN {
            &of_keys
        } else {
            &of_long
        };
        let is_sure = [&of_keys, others].iter().all(|[now_of, was_of]| {
            now_of.get(&at).is_none_or(|now| *now == Some(index))
                && was_of.get(&index).is_none_or(|was| *was == Some(at))
        });
        if let (true, Some(origin)) = (is_sure, origins.get_mut(index)) {
            *origin = Some(at);
        }
    }
    pairs
}

/// The places of the elements of two lists that have each value of a member.
struct Values<'e> {
    places: HashMap<(&'e str, Vec<u8>), [Vec<usize>; 2]>,
}

impl<'e> Values<'e> {
    /// Those of the elements at these places, which ascend.
    fn of(
        (read, new): (&[&'e Tree<'_>], &[&'e Tree<'_>]),
        [was, now]: &[Vec<usize>; 2],
        ty: Option<&Type>,
    ) -> Self {
        let mut values: HashMap<(&str, Vec<u8>), [Vec<usize>; 2]> = HashMap::new();
        for (side, elements, places) in [(0_usize, read, was), (1, new, now)] {
            for place in places {
                let ty = element_type(ty, *place);
                let element = elements.get(*place).copied();
                let Some(Tree::Object(members)) = element.map(|element| members_of(element, ty))
                else {
                    continue;
                };
                for (name, value) in members {
                    let ty = member_type(ty, name);
                    let sides = values.entry((&**name, in_order(value, ty))).or_default();
                    if let Some(places) = sides.get_mut(side) {
                        places.push(*place);
                    }
                }
            }
        }
        Self { places: values }
    }

    /// True if all but the names of a new element is what the one that was read has, and one of
    /// these values is that of no other element, so that it was only given another name.
    fn is_renamed(
        &self,
        element: &'e Tree<'_>,
        (at, index): (usize, usize),
        ty: Option<&Type>,
    ) -> bool {
        let ty = element_type(ty, index);
        let Tree::Object(members) = element else {
            return false;
        };
        // Because the values of another variant may be the same.
        if matches!(ty, Some(Type::Union(_))) {
            return false;
        }
        let names = KEYS.iter().skip(IDS);
        let is_name = |name: &str| names.clone().any(|key| name.eq_ignore_ascii_case(key));
        let mut is_own = false;
        let mut others = members.iter().filter(|(name, _)| !is_name(name));
        let are_same = others.all(|(name, value)| {
            let key = (&**name, in_order(value, member_type(ty, name)));
            let Some([was, now]) = self.places.get(&key) else {
                return false;
            };
            is_own |= is_long(&key.1) && was[..] == [at] && now[..] == [index];
            was.binary_search(&at).is_ok()
        });
        are_same && is_own
    }
}

/// True if a value is long enough to be that of one element: numbers are counted again, and many
/// have each of the shortest ones.
fn is_long(json: &[u8]) -> bool {
    json.len() > 2 && matches!(json.first(), Some(b'"' | b'[' | b'{'))
}

/// True if a value ends in the number of the place that it had and has, so that it may have been
/// given to another element where all were counted again. A long text is made otherwise.
fn is_counted(json: &[u8], (at, index): (usize, usize)) -> bool {
    let text = std::str::from_utf8(json).unwrap_or_default();
    let mut parts = text
        .trim_end_matches('"')
        .rsplit(|letter: char| !letter.is_ascii_digit());
    let number = parts.next().and_then(|digits| digits.parse::<usize>().ok());
    let is_place = number.is_some_and(|number| number == at || number == at + 1);
    at == index && is_place && text.len() <= LONGEST_GIVEN
}

/// For each first of some pairs its second, and for each second its first; none of one that has
/// several.
fn partners(pairs: &[(usize, usize)]) -> [HashMap<usize, Option<usize>>; 2] {
    let mut partners = [HashMap::new(), HashMap::new()];
    for (first, second) in pairs {
        let [of_first, of_second] = &mut partners;
        for (partners, one, other) in [(of_first, first, second), (of_second, second, first)] {
            let known = partners.entry(*one).or_insert(Some(*other));
            if *known != Some(*other) {
                *known = None;
            }
        }
    }
    partners
}

/// Gives elements that have no origin the expected one, if that is left.
pub(super) fn pair_as(origins: &mut [Option<usize>], expected: &[Option<usize>], old: usize) {
    let mut is_left = left(origins, old);
    for (origin, at) in origins.iter_mut().zip(expected) {
        if origin.is_none()
            && let Some(left) = at.and_then(|at| is_left.get_mut(at))
            && std::mem::take(left)
        {
            *origin = *at;
        }
    }
}

/// True if each new element is the one that was at its place, and none is gone.
pub(super) fn are_in_place(origins: &[Option<usize>], old: usize) -> bool {
    let mut all = origins.iter().enumerate();
    origins.len() == old && all.all(|(index, origin)| *origin == Some(index))
}

/// The origins of the elements at both ends that are the same as before.
pub(super) fn at_ends(
    old: usize,
    new: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let most = old.min(new);
    let front = (0..most).take_while(|index| same(*index, *index)).count();
    let back = (0..most - front)
        .take_while(|behind| same(old - 1 - behind, new - 1 - behind))
        .count();
    let origin = |index: usize| {
        if index < front {
            Some(index)
        } else {
            (index >= new - back).then(|| index + old - new)
        }
    };
    (0..new).map(origin).collect()
}

/// Pairs the elements that were left over where they cannot be others: as many as before, between
/// the same ones.
pub(super) fn fill(origins: &mut [Option<usize>], old: usize) {
    let is_left = left(origins, old);
    let mut at = 0;
    while at < origins.len() {
        let unpaired = origins.iter().skip(at).take_while(|one| one.is_none());
        let length = unpaired.count();
        if length == 0 {
            at += 1;
            continue;
        }
        let start = match at.checked_sub(1) {
            Some(before) => origins.get(before).copied().flatten().map(|one| one + 1),
            None => Some(0),
        };
        let end = origins.get(at + length).copied().unwrap_or(Some(old));
        if let (Some(start), Some(end)) = (start, end)
            && start + length == end
            && (start..end).all(|index| is_left.get(index) == Some(&true))
        {
            for (origin, index) in origins.iter_mut().skip(at).zip(start..end) {
                *origin = Some(index);
            }
        }
        at += length;
    }
}

/// The elements of before that are the origin of none, and those of now that have none.
fn unpaired(origins: &[Option<usize>], old: usize) -> [Vec<usize>; 2] {
    let is_left = left(origins, old);
    [
        (0..old)
            .filter(|at| is_left.get(*at) == Some(&true))
            .collect(),
        (0..origins.len())
            .filter(|index| origins.get(*index) == Some(&None))
            .collect(),
    ]
}

/// For each element of before, true if it is the origin of none.
pub(super) fn left(origins: &[Option<usize>], old: usize) -> Vec<bool> {
    let mut is_left = vec![true; old];
    for origin in origins.iter().flatten() {
        if let Some(left) = is_left.get_mut(*origin) {
            *left = false;
        }
    }
    is_left
}

#[cfg(test)]
mod tests {
    use upstate::schema::Type;
    use upstate::{Document, Resource as _, Union};

    use super::{by_keys, fill, member_type, origins, renamed, stored_key};
    use crate::document::edits::is_alike;
    use crate::document::tree::Tree;

    #[test]
    fn long_lists_are_paired_by_value() {
        let read: Vec<Tree<'_>> = (0..50_000)
            .map(|id| Tree::Number(id.to_string().into()))
            .collect();
        let new: Vec<&Tree<'_>> = read.iter().rev().collect();
        // Because to compare each with each takes minutes.
        let found = origins(&read, &new, None);
        let expected: Vec<Option<usize>> = (0..50_000).rev().map(Some).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn changed_elements_are_those_of_the_same_keys_where_nothing_contradicts() {
        let element = |(id, name): (&'static str, &'static str)| {
            Tree::Object(vec![
                ("id".into(), Tree::Number(id.into())),
                ("name".into(), Tree::String(name.into())),
            ])
        };
        let abc = [("1", "a"), ("2", "b"), ("3", "c")];
        for (new, expected) in [
            // Found by its key, because another one is gone.
            (vec![("1", "a"), ("3", "x")], vec![Some(0), Some(2)]),
            (vec![("3", "x"), ("1", "y")], vec![Some(2), Some(0)]),
            // The numbers were given again, or may have been.
            (vec![("1", "b"), ("2", "c")], vec![None, None]),
            (vec![("1", "a"), ("2", "c")], vec![Some(0), None]),
            // Not by a key that several have.
            (vec![("3", "x"), ("3", "y")], vec![None, None]),
            // Not the new one, which has no key of another.
            (vec![("2", "x"), ("9", "y")], vec![Some(1), None]),
            // A new one takes nothing of the one that stood there, though it has its name.
            (
                vec![("1", "a"), ("9", "y"), ("3", "c")],
                vec![Some(0), None, Some(2)],
            ),
            (
                vec![("1", "a"), ("9", "b"), ("3", "c")],
                vec![Some(0), None, Some(2)],
            ),
            // Only its name was changed.
            (
                vec![("1", "a"), ("2", "y"), ("3", "c")],
                vec![Some(0), Some(1), Some(2)],
            ),
            (
                vec![("2", "x"), ("1", "y"), ("3", "c")],
                vec![Some(1), Some(0), Some(2)],
            ),
        ] {
            let read = abc.map(element);
            let now: Vec<Tree<'_>> = new.iter().copied().map(element).collect();
            let found = origins(&read, &now.iter().collect::<Vec<_>>(), None);
            assert_eq!(found, expected, "{new:?}");
        }
        // Numbers from zero on are given, and those that all have are not.
        let read = [("0", "a"), ("1", "b")].map(element);
        let now = [("5", "x"), ("1", "b")].map(element);
        let found = origins(&read, &now.iter().collect::<Vec<_>>(), None);
        assert_eq!(found, [None, Some(1)]);
        let read = [("0", "a"), ("0", "b")].map(element);
        let now = [("5", "a"), ("6", "x")].map(element);
        let found = origins(&read, &now.iter().collect::<Vec<_>>(), None);
        assert_eq!(found, [Some(0), None]);
        // Zero and empty strings say nothing, because they may be keys that are not given yet.
        let read = [("0", ""), ("1", "a")].map(element);
        for new in [("0", "x"), ("5", "")] {
            let new = element(new);
            assert_eq!(origins(&read, &[&new], None), vec![None::<usize>]);
        }
    }

    #[test]
    fn what_is_counted_again_contradicts_no_key() {
        let text = |text: &'static str| Tree::String(text.into());
        let number = |digits: &'static str| Tree::Number(digits.into());
        let elements = |all: &[(Tree<'static>, Tree<'static>)]| -> Vec<Tree<'static>> {
            let element = |(id, other): &(Tree<'static>, Tree<'static>)| {
                Tree::Object(vec![
                    ("id".into(), id.clone()),
                    ("another".into(), other.clone()),
                ])
            };
            all.iter().map(element).collect()
        };
        let found = |read: &[_], new: &[_]| {
            let (read, new) = (elements(read), elements(new));
            origins(&read, &new.iter().collect::<Vec<_>>(), None)
        };
        for [a, b, c] in [
            [text("a"), text("b"), text("c")],
            [number("1"), number("2"), number("3")],
            [number("70"), number("80"), number("90")],
        ] {
            let [zero, one, two] = ["0", "1", "2"].map(number);
            let read = [
                (a.clone(), zero.clone()),
                (b.clone(), one.clone()),
                (c.clone(), two.clone()),
            ];
            // Found, because the others are only counted from zero on where the first one is gone.
            let new = [(b.clone(), zero.clone()), (c.clone(), one.clone())];
            assert_eq!(found(&read, &new), [Some(1), Some(2)], "{new:?}");
            // Found, because they are only counted again where the last one became the first.
            let new = [(c, zero), (a, one), (b, two)];
            assert_eq!(found(&read, &new), [Some(2), Some(0), Some(1)], "{new:?}");
        }
        // Found by ids that are not counted, because each number is only one more.
        let counts = ["5", "6", "7"].map(number);
        for (ids, expected) in [
            (["a", "b", "c"].map(text), [Some(0), Some(1)]),
            (["70", "80", "90"].map(number), [Some(0), Some(1)]),
            // They may have been counted again.
            (["1", "2", "3"].map(number), [None, None]),
        ] {
            let read: Vec<_> = ids.iter().cloned().zip(counts.clone()).collect();
            let more = counts.iter().skip(1).cloned();
            let new: Vec<_> = ids.iter().cloned().zip(more).collect();
            assert_eq!(found(&read, &new), expected, "{new:?}");
        }
        // Not found by short ids, because the first one led to the one that is gone.
        for (ids, expected) in [
            (["a", "b", "c"].map(text), [None, Some(2)]),
            (["70", "80", "90"].map(number), [None, Some(2)]),
            // Found, because nobody gives such an identifier to another element.
            (
                [
                    "01890a5d-ac96-774b-bcce-b302099a8057",
                    "01890a5d-ac96-774b-bcce-b302099a8058",
                    "01890a5d-ac96-774b-bcce-b302099a8059",
                ]
                .map(text),
                [Some(0), Some(2)],
            ),
        ] {
            let [a, b, c] = ids;
            let [to_b, to_c, to_d] = ["to b", "to c", "to d"].map(text);
            let read = [(a.clone(), to_b), (b, to_c.clone()), (c.clone(), to_d)];
            let new = [(a, to_c), (c, text("to e"))];
            assert_eq!(found(&read, &new), expected, "{new:?}");
        }
    }

    #[test]
    fn an_element_of_which_only_the_name_is_another_one_is_still_that_element() {
        let elements = |key: &'static str, all: &[[&'static str; 2]]| -> Vec<Tree<'static>> {
            let text = |text: &'static str| Tree::String(text.into());
            let element = |[name, path]: &[&'static str; 2]| {
                let path = ("path".into(), text(path));
                Tree::Object(vec![(key.into(), text(name)), path])
            };
            all.iter().map(element).collect()
        };
        for (read, new, expected) in [
            ([["a", "x"], ["b", "y"]], ["c", "x"], [Some(0), Some(1)]),
            // Each may have that value, such as one that is a default.
            ([["a", "x"], ["b", "x"]], ["c", "x"], [None, Some(1)]),
            ([["a", ""], ["b", "y"]], ["c", ""], [None, Some(1)]),
            ([["a", "x"], ["b", "y"]], ["c", "z"], [None, Some(1)]),
        ] {
            for (key, expected) in [
                ("name", expected),
                ("Key", expected),
                ("id", [None, Some(1)]),
            ] {
                let now = elements(key, &[new, read[1]]);
                let read = elements(key, &read);
                let found = origins(&read, &now.iter().collect::<Vec<_>>(), None);
                assert_eq!(found, expected, "{now:?}");
            }
        }
    }

    #[test]
    fn an_edited_element_is_the_same_one_though_others_have_its_id() {
        let element = |[id, name]: [&'static str; 2]| {
            Tree::Object(vec![
                ("id".into(), Tree::String(id.into())),
                ("name".into(), Tree::String(name.into())),
            ])
        };
        let read = [["x", "a"], ["x", "b"], ["y", "c"]].map(element);
        for (new, expected) in [
            (["x", "d"], Some(1)),
            (["y", "d"], None),
            (["z", "b"], None),
        ] {
            let new = [["x", "a"], new, ["y", "c"]].map(element);
            let found = origins(&read, &new.iter().collect::<Vec<_>>(), None);
            assert_eq!(found, [Some(0), expected, Some(2)], "{new:?}");
        }
    }

    #[test]
    fn all_of_many_are_found_by_their_keys() {
        let element = |id: u32, count: u32| {
            Tree::Object(vec![
                ("id".into(), Tree::Number(id.to_string().into())),
                ("count".into(), Tree::Number(count.to_string().into())),
            ])
        };
        let read: Vec<Tree<'_>> = (1..10_000).map(|id| element(id, 0)).collect();
        let new: Vec<Tree<'_>> = (2..10_000).rev().map(|id| element(id, 1)).collect();
        let found = origins(&read, &new.iter().collect::<Vec<_>>(), None);
        let expected: Vec<Option<usize>> = (1..9_999).rev().map(Some).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn elements_of_an_upgrade_are_found_by_keys_that_no_count_has_given_again() {
        type Pair = (&'static str, &'static str);
        let element = |(id, title): Pair| {
            let id = if id.parse::<u64>().is_ok() {
                ("id".into(), Tree::Number(id.into()))
            } else {
                ("name".into(), Tree::String(id.into()))
            };
            Tree::Object(vec![id, ("title".into(), Tree::String(title.into()))])
        };
        let found = |read: &[Pair], new: &[Pair]| {
            let read: Vec<Tree<'_>> = read.iter().copied().map(element).collect();
            let new: Vec<Tree<'_>> = new.iter().copied().map(element).collect();
            let same = |at: usize, value: &Tree<'_>| {
                read.get(at).is_some_and(|old| is_alike(old, value, None))
            };
            let key = |at: usize, name: &str| read.get(at).and_then(|old| stored_key(old, name));
            let new: Vec<&Tree<'_>> = new.iter().collect();
            by_keys((read.len(), new.as_slice()), &[], same, key)
        };
        let read = [("3", "c"), ("1", "a"), ("2", "b")];
        for (new, expected) in [
            // Either sorted or numbered again.
            (["x", "y", "z"], Some([None, None, None])),
            // Sorted, or numbered again, because one still has its title.
            (["a", "y", "z"], Some([Some(1), Some(2), Some(0)])),
            (["c", "y", "z"], None),
            (["c", "b", "z"], Some([None, None, None])),
        ] {
            let [x, y, z] = new;
            let origins = found(&read, &[("1", x), ("2", y), ("3", z)]);
            assert_eq!(origins, expected.map(Vec::from), "{new:?}");
        }
        // Found, because the first one is at its place either way.
        let read = [("1", "a"), ("3", "c"), ("2", "b")];
        let origins = found(&read, &[("1", "x"), ("2", "y"), ("3", "z")]);
        assert_eq!(origins, Some(vec![Some(0), None, None]));
        // Not counted, because these are in no such order, or names.
        let read = [("9", "c"), ("1", "a"), ("5", "b")];
        let origins = found(&read, &[("5", "x"), ("9", "y"), ("1", "z")]);
        assert_eq!(origins, Some(vec![Some(2), Some(0), Some(1)]));
        let read = [("s3", "c"), ("s1", "a"), ("s2", "b")];
        let origins = found(&read, &[("s1", "x"), ("s2", "y"), ("s3", "z")]);
        assert_eq!(origins, Some(vec![Some(1), Some(2), Some(0)]));
        // It may be either of two.
        let read = [("b", "c"), ("a", "a"), ("b", "b")];
        let origins = found(&read, &[("a", "x"), ("b", "y")]);
        assert_eq!(origins, Some(vec![Some(1), None]));
    }

    #[derive(Document)]
    #[document(type_name = "rack")]
    struct Rack {
        items: Vec<Item>,
    }

    #[derive(Union)]
    enum Item {
        Lamp { id: u32, watts: u32 },
    }

    #[test]
    fn keys_are_those_of_the_variant() {
        let ty = Rack::DEFINITION.schema().implied_type();
        let element = |id: &'static str, watts: &'static str| {
            let members = vec![
                ("id".into(), Tree::Number(id.into())),
                ("watts".into(), Tree::Number(watts.into())),
            ];
            Tree::Object(vec![("Lamp".into(), Tree::Object(members))])
        };
        for (new, expected) in [
            (element("1", "60"), Some(0)),
            (element("2", "40"), None),
            (element("2", "60"), None),
        ] {
            let read = [element("1", "40")];
            let found = origins(&read, &[&new], member_type(Some(&ty), "items"));
            assert_eq!(found, [expected], "{new:?}");
            let read = [element("7", "80"), element("1", "40")];
            let found = origins(&read, &[&new], member_type(Some(&ty), "items"));
            assert_eq!(found, [expected.map(|at| at + 1)], "{new:?}");
        }
    }

    #[test]
    fn each_element_of_a_tuple_is_at_its_place() {
        let element =
            |name: &'static str| Tree::Object(vec![("name".into(), Tree::String(name.into()))]);
        let ty = Type::tuple([Type::Dynamic, Type::Dynamic]);
        let (read, new) = ([element("a"), element("b")], [element("a"), element("c")]);
        let new: Vec<&Tree<'_>> = new.iter().collect();
        assert_eq!(origins(&read, &new, Some(&ty)), [Some(0), Some(1)]);
        let list = Type::list(Type::Dynamic);
        assert_eq!(origins(&read, &new, Some(&list)), [Some(0), None]);
    }

    #[test]
    fn entries_are_those_of_other_keys_only_where_that_is_sure() {
        let object = Tree::Object(vec![("x".into(), Tree::Null)]);
        let other = Tree::Object(vec![("x".into(), Tree::Bool(true))]);
        let scalar = Tree::Bool(true);
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|key| (key, &object));
        for (gone, added, expected) in [
            (vec![a], vec![c], vec![("c", "a")]),
            // Either may have been either.
            (vec![b, a], vec![c, d], Vec::new()),
            (
                vec![b, ("a", &other)],
                vec![("c", &other), d],
                vec![("c", "a"), ("d", "b")],
            ),
            (vec![a, b], vec![c], Vec::new()),
            (vec![a, ("b", &other)], vec![c], vec![("c", "a")]),
            (vec![("a", &scalar)], vec![("c", &scalar)], Vec::new()),
        ] {
            let found = renamed(gone, added, &Type::Dynamic);
            let pairs: Vec<_> = found.iter().map(|(now, was)| (&**now, &**was)).collect();
            assert_eq!(pairs, expected);
        }
    }

    #[test]
    fn what_is_left_over_is_paired_between_the_same_neighbours_alone() {
        for (origins, old, expected) in [
            // Changed where it is.
            (
                vec![Some(0), None, Some(2)],
                3,
                vec![Some(0), Some(1), Some(2)],
            ),
            (vec![None, None], 2, vec![Some(0), Some(1)]),
            // A new one takes nothing, because it is elsewhere than the one that was removed.
            (
                vec![Some(0), Some(2), None],
                3,
                vec![Some(0), Some(2), None],
            ),
            // The new one may be either of the two that are left, so that it takes nothing.
            (vec![None, Some(2)], 3, vec![None, Some(2)]),
            // Between others than before.
            (
                vec![Some(2), None, Some(0)],
                3,
                vec![Some(2), None, Some(0)],
            ),
        ] {
            let mut found = origins.clone();
            fill(&mut found, old);
            assert_eq!(found, expected, "{origins:?} of {old}");
        }
    }
}
