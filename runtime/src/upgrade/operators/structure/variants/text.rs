//! `variants` on the JSON of a document, where every value is as it should be and nothing of it
//! ends.

use std::borrow::Cow;

use super::super::super::notation::literal_value;
use super::{Changes, members};
use crate::codec::json::{Kind, Reader, write_string};
use crate::codec::{Encoding, Writer};
use crate::schema::{Tagging, Type, UnionType};
use crate::upgrade::operators::table::{Literal, MemberChange, VariantChange};

/// The members of an object that is put together again; one with more is left to the upgrade over
/// values, because each is compared with all.
const MOST: usize = 32;

/// The JSON with other values of the enum, where one changes; `None` for what the upgrade over
/// values has to look at.
pub(in crate::upgrade::operators) fn changed<'j>(
    json: &'j str,
    ty: &Type,
    changes: &[Changes],
) -> Option<Cow<'j, str>> {
    let mut made = Made {
        json,
        ..Made::default()
    };
    let mut reader = Reader::new(json);
    made.each_of(&mut reader, ty, changes)?;
    reader.end().ok()?;
    Some(made.finish())
}

/// The text so far.
#[derive(Default)]
struct Made<'j> {
    json: &'j str,
    /// The end of what is taken over.
    taken: usize,
    text: String,
}

impl<'j> Made<'j> {
    fn each_of(&mut self, reader: &mut Reader<'j>, ty: &Type, changes: &[Changes]) -> Option<()> {
        match (ty, reader.peek().ok()?) {
            (_, Kind::Null) => reader.null().ok(),
            (Type::Union(union), _) => {
                let start = reader.position();
                if let Cow::Owned(new) = one(reader, union, changes)? {
                    let before = self.json.get(self.taken..start)?;
                    if self.text.is_empty() && before.is_empty() {
                        self.text = new;
                    } else {
                        self.text += before;
                        self.text += &new;
                    }
                    self.taken = reader.position();
                }
                Some(())
            }
            (Type::List(element) | Type::Set(element), Kind::Array) => {
                reader.open_array().ok()?;
                let mut first = true;
                while reader.next_element(std::mem::take(&mut first)).ok()? {
                    self.each_of(reader, element, changes)?;
                }
                Some(())
            }
            (Type::Map(element), Kind::Object) => {
                reader.open_object().ok()?;
                let mut first = true;
                while reader
                    .next_member(std::mem::take(&mut first))
                    .ok()?
                    .is_some()
                {
                    self.each_of(reader, element, changes)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn finish(self) -> Cow<'j, str> {
        let Self { json, taken, text } = self;
        if taken == 0 {
            Cow::Borrowed(json)
        } else {
            Cow::Owned(text + json.get(taken..).unwrap_or_default())
        }
    }
}

/// A member of an object: its name, which is written as it is, and its JSON.
type Part<'p> = (&'p str, Cow<'p, str>);

/// The members of the object that comes next, no two of one name and none of a name with an escape.
fn parts<'p>(reader: &mut Reader<'p>) -> Option<Vec<Part<'p>>> {
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    reader.open_object().ok()?;
    let mut parts: Vec<Part<'_>> = Vec::with_capacity(4);
    while let Some(name) = reader.next_member(parts.is_empty()).ok()? {
        reader.peek().ok()?;
        let start = reader.position();
        reader.skip().ok()?;
        let Cow::Borrowed(name) = name else {
            return None;
        };
        if parts.len() == MOST || has(&parts, name) {
            return None;
        }
        let json = reader.text().get(start..reader.position())?;
        parts.push((name, Cow::Borrowed(json)));
    }
    Some(parts)
}

fn has(parts: &[Part<'_>], name: &str) -> bool {
    parts.iter().any(|(found, _)| *found == name)
}

/// The name, if it is written as it is.
fn plain(name: &str) -> Option<&str> {
    // Names are so short that a search costs more than a look at each byte.
    name.bytes()
        .all(|byte| byte >= 0x20 && !matches!(byte, b'"' | b'\\'))
        .then_some(name)
}

/// An object of these members, behind one for the tag and the variant's name, which are written as
/// they are.
fn object(tag: Option<(&str, &str)>, parts: &[Part<'_>]) -> String {
    let mut json = String::with_capacity(
        tag.map_or(2, |(tag, name)| tag.len() + name.len() + 8)
            + parts
                .iter()
                .map(|(name, value)| name.len() + value.len() + 4)
                .sum::<usize>(),
    );
    json.push('{');
    if let Some((tag, name)) = tag {
        json.push('"');
        json.push_str(tag);
        json.push_str("\":\"");
        json.push_str(name);
        json.push('"');
    }
    for (name, value) in parts {
        json.push_str(if json.len() > 1 { ",\"" } else { "\"" });
        json.push_str(name);
        json.push_str("\":");
        json.push_str(value);
    }
    json.push('}');
    json
}

fn quoted(name: &str) -> String {
    let mut json = Vec::with_capacity(name.len() + 2);
    write_string(name, &mut json);
    text(json)
}

/// JSON is text.
fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}

/// A string that is all of the JSON.
fn string(json: &str) -> Option<Cow<'_, str>> {
    let inside = json.strip_prefix('"')?.strip_suffix('"')?;
    if inside.bytes().any(|byte| byte == b'\\') {
        Reader::new(json).string().ok()
    } else {
        Some(Cow::Borrowed(inside))
    }
}

/// The outcome for a variant.
enum Becomes {
    Same,
    Named(&'static str),
    /// Another one, without its content.
    Dropped(&'static str),
}

fn becomes(name: &str, union: &UnionType, changes: Changes) -> Becomes {
    let stored = union.aliased(name);
    let found = changes.iter().find_map(|change| match change {
        VariantChange::Renamed { from, to } if *from == stored.unwrap_or(name) => {
            Some(Becomes::Named(to))
        }
        VariantChange::Dropped {
            name: from,
            becomes,
            ..
        } if *from == stored.unwrap_or(name) => Some(Becomes::Dropped(becomes)),
        VariantChange::Renamed { .. }
        | VariantChange::Dropped { .. }
        | VariantChange::Added { .. }
        | VariantChange::Member { .. } => None,
    });
    found
        .or(stored.map(Becomes::Named))
        .unwrap_or(Becomes::Same)
}

/// The parts of a value of the enum.
struct Tagged<'p> {
    /// The variant's name.
    name: Cow<'p, str>,
    /// The members beside it; of a variant that is the one member of an object, that. None are of
    /// one that is a string.
    parts: Vec<Part<'p>>,
    is_changed: bool,
}

/// The value of the enum that comes next.
fn one<'j>(reader: &mut Reader<'j>, union: &UnionType, all: &[Changes]) -> Option<Cow<'j, str>> {
    let (tagging, start) = (union.form(), reader.position());
    let mut tagged = Tagged::read(reader, &tagging)?;
    for changes in all {
        tagged.change(&tagging, union, changes)?;
    }
    let Tagged {
        name,
        mut parts,
        is_changed,
    } = tagged;
    if !is_changed {
        let json = reader.text().get(start..reader.position())?;
        return Some(Cow::Borrowed(json));
    }
    let json = match (&tagging, &mut parts[..]) {
        (Tagging::External, []) => quoted(&name),
        (Tagging::External, [(_, value), ..]) => {
            let value = std::mem::take(value);
            object(None, &[(plain(&name)?, value)])
        }
        (Tagging::Internal(tag) | Tagging::Adjacent(tag, _), _) => {
            object(Some((plain(tag)?, plain(&name)?)), &parts)
        }
        (Tagging::Untagged, _) => return None,
    };
    Some(Cow::Owned(json))
}

impl<'p> Tagged<'p> {
    fn read(reader: &mut Reader<'p>, tagging: &Tagging<'_>) -> Option<Self> {
        if *tagging == Tagging::External && reader.peek().ok()? == Kind::String {
            return Some(Self {
                name: reader.string().ok()?,
                parts: Vec::new(),
                is_changed: false,
            });
        }
        let mut parts = parts(reader)?;
        let name = match (tagging, &parts[..]) {
            (Tagging::External, [(name, _)]) => Cow::Borrowed(*name),
            (Tagging::Internal(tag) | Tagging::Adjacent(tag, _), all) => {
                let (_, value) =
                    parts.remove(all.iter().position(|(name, _)| *name == tag.as_ref())?);
                match value {
                    Cow::Borrowed(json) => string(json)?,
                    Cow::Owned(json) => Cow::Owned(string(&json)?.into_owned()),
                }
            }
            (Tagging::External | Tagging::Untagged, _) => return None,
        };
        Some(Self {
            name,
            parts,
            is_changed: false,
        })
    }

    /// Does the changes; `None` if a value ends that has to be reported.
    fn change(&mut self, tagging: &Tagging<'_>, union: &UnionType, changes: Changes) -> Option<()> {
        match becomes(&self.name, union, changes) {
            Becomes::Same => {}
            Becomes::Named(new) => {
                self.name = Cow::Borrowed(new);
                self.is_changed = true;
            }
            Becomes::Dropped(new) => {
                // Null counts as no content, because a variant that is the one member of an object
                // always has a value.
                let is_null =
                    |(_, value): &Part<'_>| *tagging == Tagging::External && value == "null";
                if !self.parts.iter().all(is_null) {
                    return None;
                }
                self.parts.clear();
                self.name = Cow::Borrowed(new);
                self.is_changed = true;
                return Some(());
            }
        }
        if members(changes, &self.name).next().is_none() {
            return Some(());
        }
        let content = match tagging {
            Tagging::Internal(tag) => {
                self.is_changed |= change_members(&mut self.parts, &self.name, changes)?;
                return (!has(&self.parts, tag)).then_some(());
            }
            Tagging::External => self.parts.first_mut(),
            Tagging::Adjacent(_, content) => {
                let mut all = self.parts.iter_mut();
                all.find(|(name, _)| *name == content.as_ref())
            }
            Tagging::Untagged => None,
        };
        if let Some((_, value)) = content.filter(|(_, value)| value.starts_with('{')) {
            let mut inside = parts(&mut Reader::new(value))?;
            if change_members(&mut inside, &self.name, changes)? {
                *value = Cow::Owned(object(None, &inside));
                self.is_changed = true;
            }
        }
        Some(())
    }
}

/// Gives a member another name, and says whether it is there; `None` if another one has that.
fn rename(parts: &mut [Part<'_>], from: &str, to: &'static str) -> Option<bool> {
    let Some(at) = parts.iter().position(|(name, _)| *name == from) else {
        return Some(false);
    };
    if has(parts, to) {
        return None;
    }
    let (name, _) = parts.get_mut(at)?;
    *name = plain(to)?;
    Some(true)
}

/// Changes the members of a variant, all at once, and says whether one changed; `None` if a value
/// ends that has to be reported.
fn change_members(parts: &mut Vec<Part<'_>>, variant: &str, changes: Changes) -> Option<bool> {
    let mut all = members(changes, variant);
    if let (Some(MemberChange::Renamed { from, to }), None) = (all.next(), all.next()) {
        return rename(parts, from, to);
    }
    // Each with the place that it had, because members are read soonest in the order of the fields.
    let mut made: Vec<(usize, Part<'_>)> = Vec::new();
    let mut is_changed = false;
    for change in members(changes, variant) {
        let (MemberChange::Renamed { from: before, .. }
        | MemberChange::Dropped { name: before, .. }
        | MemberChange::Set { name: before, .. }
        | MemberChange::Default { name: before, .. }
        | MemberChange::Converted { name: before, .. }) = change;
        let found = parts.iter().position(|(name, _)| name == before);
        match change {
            MemberChange::Renamed { to, .. } => {
                if let Some(at) = found {
                    made.push((at, (plain(to)?, parts.remove(at).1)));
                }
            }
            MemberChange::Dropped { .. } => {
                if let Some(at) = found {
                    if parts.remove(at).1 != "null" {
                        return None;
                    }
                    is_changed = true;
                }
            }
            MemberChange::Set { value, .. } => {
                made.push((MOST, (plain(before)?, Cow::Owned(literal(value)?))));
            }
            MemberChange::Default { .. } => {}
            // One may be refused, which is reported with its place.
            MemberChange::Converted { .. } => return None,
        }
    }
    // The last one first, so that no place has moved.
    for (at, part) in made.into_iter().rev() {
        if has(parts, part.0) {
            return None;
        }
        parts.insert(at.min(parts.len()), part);
        is_changed = true;
    }
    // Last, because a member that was renamed is meant by its later name.
    for change in members(changes, variant) {
        let MemberChange::Default { name, value } = change else {
            continue;
        };
        match parts.iter_mut().find(|(found, _)| found == name) {
            Some((_, json)) if json != "null" => continue,
            Some((_, json)) => *json = Cow::Owned(literal(value)?),
            None => parts.push((plain(name)?, Cow::Owned(literal(value)?))),
        }
        is_changed = true;
    }
    Some(is_changed)
}

/// The JSON of a value that is written in an operator.
fn literal(value: &Literal) -> Option<String> {
    let mut json = Vec::new();
    literal_value(value)
        .write_untyped(&mut Writer::new(&mut json, Encoding::Json))
        .ok()?;
    Some(text(json))
}
