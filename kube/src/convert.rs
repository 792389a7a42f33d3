//! One object from one version to another: through the current version, so that every pair of
//! versions is one upgrade and one downgrade.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use upstate::path::PathStep;
use upstate::{Diagnostic, Diagnostics};

use crate::facts::Version;
use crate::held::is_held;
use crate::kept::{self, Fates, Kept, Secret};
use crate::model::{Model, Names, Part, Shape};
use crate::schema::Node;
use crate::stored::{is_plain, is_stored, pruned};
use crate::value::{self, is_same};
use crate::wire::{Annotations, Members, Object, text};

/// The bytes that the server lets all annotations of an object have, keys and values together.
const ANNOTATIONS: usize = 262_144;
/// The bytes of these that kept values may have.
const OWN: usize = 128 * 1024;
/// The runs of the engine that find out which values to leave out of a part, so that an annotation
/// that somebody edited holds up no review. They are enough for as many values as are tried alone,
/// each of which takes several.
const TRIES: usize = 4_096;
/// The bytes up to which a part has all of them for its annotation; otherwise one of a megabyte
/// would keep a processor busy for a minute.
const SMALL: usize = 64 * 1024;
/// The least of them that follow the errors of one value.
const PASSES: usize = 8;

/// The runs for the annotation of a part of this many bytes: all together look at no more bytes
/// than those of a small part, or little more.
fn tries_of(bytes: usize) -> usize {
    (TRIES.saturating_mul(SMALL) / bytes.max(SMALL)).max(TRIES / 16)
}

/// The number of values by outcome in a conversion.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Converted {
    pub(crate) fates: Fates,
    /// Values that the version cannot hold, and that are in no annotation.
    pub(crate) lost: usize,
}

/// Annotations by the version whose values they keep.
#[derive(Debug, Default, Clone)]
struct Keeps {
    by_version: BTreeMap<&'static str, Kept>,
    fates: Fates,
}

/// The letters of a text of a client that a message shows: those of the longest name that Kubernetes
/// has.
const LONGEST: usize = 253;

/// The start of a text that a client wrote, without control characters.
pub(crate) fn start(text: &str) -> String {
    let shown = text.chars().take(LONGEST).flat_map(char::escape_debug);
    let more = text.chars().nth(LONGEST).map(|_| '…');
    shown.chain(more).collect()
}

/// The start of a path, in which the keys that a client wrote are quoted already.
fn short(path: &str) -> String {
    first_letters(path, LONGEST)
}

/// The start of an error's sentences, in which an author's function may have put a client's text.
fn of_error(detail: &str) -> String {
    // Several names long, because the advice is at their end.
    first_letters(detail, 4 * LONGEST)
}

/// The first letters, and a sign where there are more.
fn first_letters(text: &str, longest: usize) -> String {
    let more = text.chars().nth(longest).map(|_| '…');
    text.chars().take(longest).chain(more).collect()
}

/// A sentence about an object that may have no name, by its place in the review.
pub(crate) fn unnamed(number: usize, problem: &str) -> String {
    format!("object {number} of the review {problem}")
}

/// Appends an object in the wanted version; an error is a sentence for every client, and holds no
/// value that is secret.
pub(crate) fn object(
    model: &Model,
    (number, object): (usize, Object<'_>),
    to: &Names,
    drops: bool,
    out: &mut Vec<u8>,
) -> Result<Converted, String> {
    let Some(kind) = &object.kind else {
        return Err(unnamed(number, "has no kind"));
    };
    let Some(api_version) = &object.api_version else {
        return Err(unnamed(number, "has no apiVersion"));
    };
    let facts = model.facts;
    let Some(mut metadata) = object.metadata else {
        return Err(unnamed(number, "has no metadata"));
    };
    let (name, namespace) = (
        metadata.name.and_then(text),
        metadata.namespace.and_then(text),
    );
    let at = |problem: String| {
        let namespace = namespace
            .as_ref()
            .map(|namespace| format!(" in namespace \"{}\"", start(namespace)))
            .unwrap_or_default();
        // The server has not made one up yet where an object is created with `generateName`.
        let name = match &name {
            Some(name) => format!("\"{}\"", start(name)),
            None => format!("(object {number} of the review)"),
        };
        format!(
            "{} {name}{namespace}, {} to {}: {problem}",
            facts.crd_name(),
            start(api_version),
            to.version.name
        )
    };
    let Some(from) = model.names(api_version).filter(|_| *kind == facts.kind) else {
        return Err(at(format!(
            "{}, kind {}, is not a version of the custom resource",
            start(api_version),
            start(kind)
        )));
    };
    let mut annotations = match std::mem::take(&mut metadata.annotations) {
        Annotations::None => BTreeMap::new(),
        Annotations::Some(annotations) => annotations,
        Annotations::Other => return Err(at("metadata.annotations is not an object".to_owned())),
    };
    let (from, is_same_version) = (from.version, from.version == to.version);
    let mut keeps = Keeps::default();
    for names in model.names.iter().filter(|_| !is_same_version) {
        let Some(annotation) = annotations.remove(&*names.annotation) else {
            continue;
        };
        match text(annotation).and_then(|text| Kept::parse(&text)) {
            Some(kept) => drop(keeps.by_version.insert(names.version.name, kept)),
            None => keeps.fates.ignored += 1,
        }
    }
    let mut values =
        [object.spec, object.status].map(|stored| stored.map(|stored| Cow::Borrowed(stored.get())));
    if !is_same_version {
        let is_of_field_manager = metadata.resource_version.is_some();
        let through = kept_between(model, from, &keeps).and_then(|between| {
            through(
                model,
                [from, between, to.version],
                is_of_field_manager,
                &keeps,
                &values,
            )
        });
        // Otherwise the object goes straight on, because an annotation is never the reason for
        // which it cannot be read.
        if let Some(done) = through {
            (keeps, values) = done;
        } else {
            parts(
                model,
                (from, to.version),
                is_of_field_manager,
                &mut keeps,
                &mut values,
            )
            .map_err(&at)?;
        }
    }
    let (kept, lost) = write(model, to.version, &keeps, &annotations, drops).map_err(&at)?;
    let mut members = Members::begin(out);
    members.text("apiVersion", &to.api_version);
    members.text("kind", kind);
    let mut inner = Members::begin(members.name("metadata"));
    for (name, raw) in [
        ("name", metadata.name),
        ("namespace", metadata.namespace),
        ("resourceVersion", metadata.resource_version),
    ] {
        inner.raw(name, raw);
    }
    inner.raws(&metadata.others);
    if !(annotations.is_empty() && kept.is_empty()) {
        let mut all = Members::begin(inner.name("annotations"));
        for (name, raw) in &annotations {
            all.raw(name, Some(raw));
        }
        for (name, text) in &kept {
            all.text(name, text);
        }
        all.end();
    }
    inner.end();
    members.raws(&object.others);
    for (name, json) in ["spec", "status"].into_iter().zip(&values) {
        if let Some(json) = json {
            members.name(name).extend_from_slice(json.as_bytes());
        }
    }
    members.end();
    Ok(Converted {
        fates: keeps.fates,
        lost,
    })
}

/// The current version, which all others are converted through.
fn hub(model: &Model) -> Option<&'static Version> {
    model
        .facts
        .versions
        .iter()
        .find(|version| version.number == model.spec.engine.current())
}

/// The highest version between `from` and the current one that has an annotation: it was the
/// current version of an earlier release, whose values come back in it before the object goes on.
/// An annotation of the current version is newer, and then there is none.
fn kept_between(model: &Model, from: &Version, keeps: &Keeps) -> Option<&'static Version> {
    let hub = hub(model)?;
    let is_between =
        |version: &&Version| version.number > from.number && version.number < hub.number;
    let has_kept = |version: &&Version| keeps.by_version.contains_key(version.name);
    let versions = model
        .facts
        .versions
        .iter()
        .filter(is_between)
        .filter(has_kept);
    if keeps.by_version.contains_key(hub.name) {
        None
    } else {
        versions.max_by_key(|version| version.number)
    }
}

/// The spec and the status of an object that goes through a version between, in which values come
/// back; nothing if that fails.
fn through<'j>(
    model: &Model,
    [from, between, to]: [&'static Version; 3],
    is_of_field_manager: bool,
    keeps: &Keeps,
    values: &[Option<Cow<'j, str>>; 2],
) -> Option<(Keeps, [Option<Cow<'j, str>>; 2])> {
    let convert = |ends, keeps: &mut Keeps, values: &mut [Option<Cow<'_, str>>; 2]| {
        parts(model, ends, is_of_field_manager, keeps, values).ok()
    };
    let (mut there, mut values_there) = (keeps.clone(), values.clone());
    convert((from, between), &mut there, &mut values_there)?;
    // A default that stands where a value came back does not count, because the object never was in
    // the current version. The rest does: an upgrader that skips the version between brings it
    // there.
    if let Some(hub) = hub(model)
        && let Some(kept) = there.by_version.remove(hub.name)
    {
        let (mut bare, mut bare_values) = (keeps.clone(), values.clone());
        bare.by_version.remove(between.name);
        convert((from, between), &mut bare, &mut bare_values)?;
        if let Some(without) = bare.by_version.remove(hub.name) {
            there.by_version.insert(hub.name, kept.common(&without));
        }
    }
    if between != to {
        convert((between, to), &mut there, &mut values_there)?;
    }
    Some((there, values_there))
}

/// Converts the spec and the status of an object, which is not converted where no document is the
/// status; what they cannot hold is kept.
fn parts(
    model: &Model,
    (from, to): (&'static Version, &'static Version),
    is_of_field_manager: bool,
    keeps: &mut Keeps,
    values: &mut [Option<Cow<'_, str>>; 2],
) -> Result<(), String> {
    // Nothing is kept for the version itself, because an object in it holds all there is.
    keeps.by_version.remove(from.name);
    let taken = keeps.by_version.remove(to.name);
    let hub = hub(model).unwrap_or(to);
    let from_hub = (hub != from && hub != to)
        .then(|| keeps.by_version.remove(hub.name))
        .flatten();
    let mut new_keeps: BTreeMap<&'static str, Kept> = BTreeMap::new();
    for (part, json) in model.parts().zip(values) {
        // Server-side apply sends objects without a spec, or with null.
        let Some(text) = json.take_if(|json| *json != "null") else {
            continue;
        };
        if !text.starts_with('{') {
            return Err(format!("{} is not an object", part.name));
        }
        if part.number(from) == part.number(to) {
            // Left alone, because both versions have one schema, by which the server has judged it.
            *json = Some(text);
            continue;
        }
        let mut path = Path {
            part,
            from,
            to,
            hub,
            to_hub: if hub == to {
                taken.as_ref()
            } else {
                from_hub.as_ref()
            },
            to_target: taken.as_ref(),
            // Tested on a server, because objects on their way from and to etcd have none.
            is_of_field_manager,
            leaves_out: false,
            tries: Cell::new(TRIES),
        };
        let outcome = match path.convert(text.clone()) {
            Ok(outcome) => outcome,
            // Only now, because the older version can hold nearly all objects whole.
            Err(problem) => {
                path.leaves_out = true;
                path.tries.set(TRIES);
                path.convert(text).map_err(|_| problem)?
            }
        };
        for (version, kept) in outcome.kept {
            new_keeps.entry(version).or_default().append(kept);
        }
        keeps.fates.add(outcome.fates);
        *json = Some(outcome.doc.into_json());
    }
    // Values that an earlier conversion kept for the version give way, because they are older and
    // about the same places.
    keeps.by_version.extend(new_keeps);
    Ok(())
}

/// The advice about an object with a value of a version that another cannot hold.
fn way_out(holder: &str, to: &Version) -> String {
    if to.storage {
        // Nothing is stored yet where this is a write, so that there is nothing to read.
        format!(
            "write the object without what {} cannot hold; one that is stored as {holder} can be read as {holder}",
            to.name
        )
    } else {
        format!("read the object as {holder}")
    }
}

/// Annotations and their texts.
type Written<'m> = Vec<(&'m str, String)>;

/// The annotations for what is kept, beside the others; and the number of values for which there is
/// no room.
fn write<'m>(
    model: &'m Model,
    to: &Version,
    keeps: &Keeps,
    others: &BTreeMap<Cow<'_, str>, &RawValue>,
    drops: bool,
) -> Result<(Written<'m>, usize), String> {
    let (mut made, mut own, mut lost) = (Vec::new(), 0, 0);
    if keeps.by_version.values().all(Kept::is_empty) {
        return Ok((made, lost));
    }
    let others: usize = others
        .iter()
        .map(|(key, value)| key.len() + text(value).map_or(0, |text| text.len()))
        .sum();
    for names in &model.names {
        let Some(kept) = keeps
            .by_version
            .get(names.version.name)
            .filter(|kept| !kept.is_empty())
        else {
            continue;
        };
        let (key, text) = (&*names.annotation, kept.to_text());
        let size = key.len() + text.len();
        if own + size > OWN || others + own + size > ANNOTATIONS {
            if !drops {
                let first = start(kept.first().unwrap_or_default());
                let room = OWN
                    .min(ANNOTATIONS.saturating_sub(others))
                    .saturating_sub(own);
                let (values, from) = (kept.len(), names.version.name);
                return Err(format!(
                    "the version cannot hold {values} values of {from}, such as {first}, and they are too large for an annotation, which has room for {room} bytes; {}",
                    way_out(from, to)
                ));
            }
            lost += kept.len();
            continue;
        }
        own += size;
        made.push((key, text));
    }
    Ok((made, lost))
}

/// A secret that a version cannot hold: the version, the one that has the secret, and its pointer
/// there.
pub(crate) fn unkept_secret(model: &Model) -> Option<(&'static Version, &'static Version, String)> {
    let hub = hub(model)?;
    let older = || {
        model
            .facts
            .versions
            .iter()
            .filter(|version| *version != hub)
    };
    model
        .parts()
        .find_map(|part| older().find_map(|version| of_part(part, version, hub)))
}

fn of_part(
    part: &Part,
    version: &'static Version,
    hub: &'static Version,
) -> Option<(&'static Version, &'static Version, String)> {
    let (engine, older, current) = (&part.engine, part.number(version), part.number(hub));
    if older == current {
        return None;
    }
    let root = format!("/{}", part.name);
    let differs = |shape: &Shape,
                   sample: &Value,
                   made: (Value, bool),
                   other: Option<&Value>|
     -> Option<String> {
        let (mut sample, (mut image, is_whole)) = (sample.clone(), made);
        value::prune(&shape.node, &mut image);
        loop {
            let Secret(pointer) = Kept::default()
                .add(&shape.node, &sample, &image, &root)
                .err()?;
            let place = pointer.strip_prefix(root.as_str()).unwrap_or_default();
            let mut without = sample.clone();
            // Nobody could write a value that is out of the limits, so that it says nothing of
            // those that the version has.
            let is_skipped = !is_whole
                && kept::put(&mut without, place, Some(Value::Null))
                && !value::takes_changes(&shape.node, Some(&without), &sample)
                && other
                    .and_then(|other| other.pointer(place))
                    .is_some_and(|other| !other.is_null());
            if !is_skipped || !kept::put(&mut image, place, Some(Value::Null)) {
                return Some(pointer);
            }
            sample = without;
        }
    };
    let path = Path {
        part,
        from: hub,
        to: version,
        hub,
        to_hub: None,
        to_target: None,
        is_of_field_manager: false,
        leaves_out: true,
        tries: Cell::new(TRIES),
    };
    // As a conversion does it, because one value that the version does not take would hide all
    // others.
    let without = |newest: &Value| -> Option<Value> {
        path.tries.set(TRIES);
        serde_json::from_str(&path.back(&newest.to_string(), false, true).ok()?).ok()
    };
    let down = |newest: &Value| match engine.down(older, newest) {
        Ok(made) => Some((made, true)),
        Err(_) => without(newest).map(|made| (made, false)),
    };
    // Tried with two samples, since one of them may have what the upgrade would put there anyway.
    [false, true].into_iter().find_map(|second| {
        let (before, after) = (part.shape(older)?, part.shape(current)?);
        let newest = after.samples.whole(&after.node, second);
        let oldest = before.samples.whole(&before.node, second);
        let (taken_back, upgraded) = (down(&newest), engine.up(older, &oldest).ok());
        let of_newest = || {
            let (made, is_whole) = taken_back.as_ref()?;
            let image = engine.up(older, made).ok()?;
            differs(after, &newest, (image, *is_whole), upgraded.as_ref())
                .map(|pointer| (version, hub, pointer))
        };
        let of_oldest = || {
            let image = down(upgraded.as_ref()?)?;
            let other = taken_back.as_ref().map(|(made, _)| made);
            differs(before, &oldest, image, other).map(|pointer| (hub, version, pointer))
        };
        of_newest().or_else(of_oldest)
    })
}

/// JSON and the value that it is, each made of the other when it is needed: most objects are
/// converted as JSON alone.
#[derive(Debug)]
struct Doc<'a> {
    name: &'static str,
    value: Option<Value>,
    json: Option<Cow<'a, str>>,
}

impl<'a> Doc<'a> {
    /// JSON of a part.
    fn of_json(json: impl Into<Cow<'a, str>>, name: &'static str) -> Self {
        Self {
            name,
            value: None,
            json: Some(json.into()),
        }
    }

    fn of_value(value: Value, name: &'static str) -> Self {
        Self {
            name,
            value: Some(value),
            json: None,
        }
    }

    /// The value, read once; the error does not quote it.
    fn read(&mut self) -> Result<&mut Value, String> {
        if self.value.is_none() {
            let name = self.name;
            let read = serde_json::from_str(self.json.as_deref().unwrap_or_default());
            let problem = |error: serde_json::Error| {
                format!(
                    "column {} of {name} is not JSON of numbers and depths that are read",
                    error.column()
                )
            };
            self.value = Some(read.map_err(problem)?);
        }
        Ok(self.value.get_or_insert_default())
    }

    /// Changes the value; `change` says whether it did.
    fn change(&mut self, change: impl FnOnce(&mut Value) -> bool) -> Result<(), String> {
        if change(self.read()?) {
            self.json = None;
        }
        Ok(())
    }

    /// The JSON, written once.
    fn json(&mut self) -> &str {
        let value = &self.value;
        self.json.get_or_insert_with(|| {
            Cow::Owned(value.as_ref().map(Value::to_string).unwrap_or_default())
        })
    }

    fn into_json(mut self) -> Cow<'a, str> {
        self.json();
        self.json.unwrap_or_default()
    }
}

/// JSON that the engine wrote.
fn written(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}

/// A part on its way from one version to another.
struct Path<'a> {
    part: &'a Part,
    from: &'static Version,
    to: &'static Version,
    hub: &'static Version,
    /// Values that were kept for the current version, and for the one that is wanted.
    to_hub: Option<&'a Kept>,
    to_target: Option<&'a Kept>,
    /// True if the server's field manager wants it, to find out who owns which field. A default
    /// that is in no manager's object would be a field there.
    is_of_field_manager: bool,
    /// True if what the wanted version cannot hold is absent there, wherever it may be.
    leaves_out: bool,
    /// The number of further runs that find out what that is.
    tries: Cell<usize>,
}

/// A part in the version that is wanted.
#[derive(Debug)]
struct Outcome<'a> {
    doc: Doc<'a>,
    kept: Vec<(&'static str, Kept)>,
    fates: Fates,
}

impl<'p> Path<'p> {
    fn shape(&self, version: &'static Version) -> Result<&'p Shape, String> {
        let shape = self.part.shape(self.part.number(version));
        shape.ok_or_else(|| format!("version {} has no shape", version.name))
    }

    fn root(&self) -> String {
        format!("/{}", self.part.name)
    }

    fn convert<'d>(&self, stored: Cow<'d, str>) -> Result<Outcome<'d>, String> {
        let (shape, name) = (self.shape(self.from)?, self.part.name);
        // Judged at last, because most objects come back as the same text, which says it.
        let unjudged = is_plain(&shape.node).then_some(&*stored);
        if (unjudged.is_some() || is_stored(&shape.node, &stored))
            && let Some(outcome) = self.whole(Doc::of_json(stored.clone(), name), true, unjudged)?
        {
            return Ok(outcome);
        }
        let mut stored = Doc::of_json(stored, name);
        stored.change(|value| value::prune(&shape.node, value))?;
        let value = stored.read()?;
        let lacks_required = || {
            value::check(&shape.node, value, false).is_err()
                && value::check(&shape.node, value, true).is_ok()
        };
        let lacks_default =
            || self.is_of_field_manager && value::complete(&shape.node, &mut value.clone());
        if !lacks_required() && !lacks_default() {
            stored.change(|value| value::complete(&shape.node, value))?;
            return self.judged(stored, true);
        }
        // Members that depend on what is missing differ between two ways of filling it in, and are
        // missing then, too.
        let [first, second] = [false, true].map(|second| {
            let mut filled = value.clone();
            shape.samples.fill(&shape.node, &mut filled, second);
            self.judged(Doc::of_value(filled, name), false)
        });
        let (mut first, mut second) = (first?, second?);
        let value = common(first.doc.read()?, second.doc.read()?).unwrap_or_else(|| json!({}));
        let kept = first.kept.into_iter().filter_map(|(version, kept)| {
            let other = second.kept.iter().find(|(other, _)| *other == version)?;
            Some((version, kept.common(&other.1)))
        });
        Ok(Outcome {
            doc: Doc::of_value(value, name),
            kept: kept.collect(),
            fates: first.fates,
        })
    }

    /// Converts what has all that its version needs.
    fn judged<'d>(&self, stored: Doc<'d>, completes: bool) -> Result<Outcome<'d>, String> {
        self.whole(stored, completes, None)?
            .ok_or_else(|| format!("{} is not as its version stores it", self.part.name))
    }

    /// True if what is stored has all that its version needs, and no more. Nothing is `unjudged`
    /// then.
    fn judge(&self, unjudged: &mut Option<&str>) -> Result<bool, String> {
        let node = &self.shape(self.from)?.node;
        Ok(unjudged.take().is_none_or(|json| is_stored(node, json)))
    }

    /// Converts what has all that its version needs, and puts defaults where the wanted version has
    /// any, unless nothing is to be there that was not. JSON that is `unjudged` may lack something;
    /// then it returns nothing.
    fn whole<'d>(
        &self,
        stored: Doc<'d>,
        completes: bool,
        mut unjudged: Option<&str>,
    ) -> Result<Option<Outcome<'d>>, String> {
        let (engine, name) = (&self.part.engine, self.part.name);
        let current = engine.current();
        let (from, to) = (self.part.number(self.from), self.part.number(self.to));
        let mut outcome = Outcome {
            doc: stored,
            kept: Vec::new(),
            fates: Fates::default(),
        };
        // JSON that is as its version stores it needs no value, as long as nothing comes back from
        // an annotation.
        let plain = |node: &Node, json: &str, kept: Option<&Kept>| {
            if completes && kept.is_none() {
                pruned(node, json)
            } else {
                None
            }
        };
        let (mut is_judged, mut stored) = (false, None);
        if from != current {
            let hub_node = &self.shape(self.hub)?.node;
            let upgraded = engine.upgraded(from, outcome.doc.json().as_bytes());
            if upgraded.is_err() && !self.judge(&mut unjudged)? {
                return Ok(None);
            }
            let upgraded = written(upgraded.map_err(|errors| self.refused(&errors))?);
            if let Some(json) = plain(hub_node, &upgraded, self.to_hub) {
                let image = self.taken_back(self.from, &upgraded, true);
                let is_same = image
                    .as_ref()
                    .is_ok_and(|image| self.is_text(self.from, &outcome.doc, image));
                if !is_same && !self.judge(&mut unjudged)? {
                    return Ok(None);
                }
                let image = image.map_err(|errors| self.refused(&errors))?;
                let mut own = std::mem::replace(&mut outcome.doc, Doc::of_json(json, name));
                let mut lost = if is_same {
                    Kept::default()
                } else {
                    self.differing(self.from, &mut own, &image, false)?
                };
                // A default of the current version may be one that this version cannot hold.
                if !lost.is_empty() && pruned(&self.shape(self.from)?.node, &image).is_none() {
                    lost = self.lost_back(&mut own, (&upgraded, true), completes)?;
                }
                outcome.keep(self.from, lost);
                (is_judged, stored) = (true, Some(own));
            } else {
                if !self.judge(&mut unjudged)? {
                    return Ok(None);
                }
                stored = Some(self.by_value(&mut outcome, upgraded, completes)?);
            }
            unjudged = None;
        }
        let node = &self.shape(self.to)?.node;
        if to != current {
            let is_canonical = from != current;
            if self.leaves_out && !self.judge(&mut unjudged)? {
                return Ok(None);
            }
            let made = self.back(outcome.doc.json(), is_canonical, completes);
            let json = made
                .as_ref()
                .ok()
                .and_then(|made| plain(node, made, self.to_target));
            is_judged = json.is_some();
            if !is_judged && !self.judge(&mut unjudged)? {
                return Ok(None);
            }
            let made = made?;
            let (mut doc, mut image) = (Doc::of_json(json.unwrap_or(made), name), None);
            if !is_judged {
                // Before nulls are pruned, because the engine reads its own JSON.
                let kept = self.to_target.map(|kept| (kept, doc.json().to_owned()));
                doc.change(|value| value::prune(node, value))?;
                if let Some((kept, made)) = kept {
                    image = self.restore(
                        kept,
                        (&mut doc, made.as_str()),
                        (&mut outcome, stored.as_mut()),
                        completes,
                    )?;
                }
                let mut is_completed = false;
                doc.change(|value| {
                    is_completed = completes && value::complete(node, value);
                    is_completed
                })?;
                image = image.filter(|_| !is_completed);
            }
            let image = match image {
                Some(image) => Ok(image),
                None => engine.upgraded(to, doc.json().as_bytes()).map(written),
            };
            let mut hub = std::mem::replace(&mut outcome.doc, doc);
            let is_same = image
                .as_ref()
                .is_ok_and(|image| self.is_text(self.hub, &hub, image));
            if !is_same && !self.judge(&mut unjudged)? {
                return Ok(None);
            }
            let image = image.map_err(|errors| self.cannot_hold(&errors))?;
            let lost = if is_same {
                Kept::default()
            } else {
                self.differing(self.hub, &mut hub, &image, completes)?
            };
            self.check_lost(&mut hub, &lost)?;
            outcome.keep(self.hub, lost);
        }
        if !is_judged && let Err(misfit) = value::check(node, outcome.doc.read()?, false) {
            // Otherwise the server would store it, and refuse every later write of it.
            return Err(format!("{} {misfit}", short(&misfit.path(name))));
        }
        Ok(Some(outcome))
    }

    /// Makes the object in the current version, with what comes back from an annotation, and with
    /// defaults; keeps what it cannot hold. Returns what is stored.
    fn by_value<'d>(
        &self,
        outcome: &mut Outcome<'d>,
        upgraded: String,
        completes: bool,
    ) -> Result<Doc<'d>, String> {
        let hub_node = &self.shape(self.hub)?.node;
        let mut doc = Doc::of_json(upgraded, self.part.name);
        let bytes = doc.json().len();
        doc.read()?;
        // Taken before nulls are pruned, because the engine reads its own JSON, and nothing else
        // has changed.
        let upgraded = doc.json.take();
        let value = doc.read()?;
        value::prune(hub_node, value);
        let mut is_changed = false;
        let mut taken = None;
        if let Some(kept) = self.to_hub {
            let (stored, before) = (&mut outcome.doc, OnceCell::new());
            let mut lost = |json: &str, is_canonical: bool| {
                self.lost_back(stored, (json, is_canonical), completes).ok()
            };
            let is_taken = |value: &Value| {
                let json = value.to_string();
                let Some(with) = lost(&json, false) else {
                    return false;
                };
                let is_taken = takes_nothing(&with, &before, || {
                    self.with_runs(tries_of(bytes), || lost(upgraded.as_deref()?, true))
                });
                if is_taken {
                    taken = Some((json, with));
                }
                is_taken
            };
            self.tries.set(tries_of(bytes));
            let fates = kept.restore(hub_node, &self.root(), value, is_taken);
            is_changed = fates.restored > 0;
            outcome.fates.add(fates);
        }
        // Otherwise an annotation that somebody edited could be the reason for which the object
        // cannot be read.
        self.tries.set(TRIES);
        let is_completed = completes && value::complete(hub_node, value);
        let lost = if let Some((json, lost)) = taken.filter(|_| is_changed && !is_completed) {
            // The last value that was taken, since nothing is restored otherwise.
            doc.json = Some(Cow::Owned(json));
            lost
        } else {
            is_changed |= is_completed;
            let json = upgraded
                .filter(|_| !is_changed)
                .unwrap_or_else(|| Cow::Owned(doc.json().to_owned()));
            self.lost_back(&mut outcome.doc, (&json, true), completes)?
        };
        outcome.keep(self.from, lost);
        Ok(std::mem::replace(&mut outcome.doc, doc))
    }

    /// Puts back what was kept for the wanted version, into a value that was made as JSON. Returns
    /// its image in the current version if anything came back.
    fn restore(
        &self,
        kept: &Kept,
        (doc, made): (&mut Doc<'_>, &str),
        (outcome, stored): (&mut Outcome<'_>, Option<&mut Doc<'_>>),
        completes: bool,
    ) -> Result<Option<String>, String> {
        let (engine, to) = (&self.part.engine, self.part.number(self.to));
        // If nothing came back there, the current version has no more than what is stored and
        // defaults, which do not count.
        let mut stored = stored.filter(|_| self.to_hub.is_none());
        let known = outcome
            .kept
            .first()
            .filter(|_| stored.is_some())
            .map(|(_, lost)| lost);
        let (hub, before, mut taken) = (&mut outcome.doc, OnceCell::new(), None);
        let mut lost = |image: &str| match &mut stored {
            Some(stored) => self.lost_back(stored, (image, true), completes).ok(),
            None => self.lost(self.hub, hub, image, completes).ok(),
        };
        let upgraded = |json: &str| engine.upgraded(to, json.as_bytes()).ok().map(written);
        let is_taken = |value: &Value| {
            let Some(image) = upgraded(&value.to_string()) else {
                return false;
            };
            let Some(with) = lost(&image) else {
                return false;
            };
            let is_taken = known.is_some_and(|known| with.is_within(known))
                || takes_nothing(&with, &before, || {
                    self.with_runs(tries_of(made.len()), || lost(&upgraded(made)?))
                });
            if is_taken {
                taken = Some(image);
            }
            is_taken
        };
        self.tries.set(tries_of(made.len()));
        let fates = kept.restore(
            &self.shape(self.to)?.node,
            &self.root(),
            doc.read()?,
            is_taken,
        );
        // As above: an object that lacks something is converted once more by what is left.
        self.tries.set(TRIES);
        outcome.fates.add(fates);
        doc.change(|_| fates.restored > 0)?;
        // The last value that was taken, since nothing is restored otherwise.
        Ok(taken.filter(|_| fates.restored > 0))
    }

    /// Takes JSON of the current version back to the one that is wanted.
    fn back(&self, json: &str, is_canonical: bool, completes: bool) -> Result<String, String> {
        let made = self.taken_back(self.to, json, is_canonical);
        // Otherwise what is left out could not come back, such as a list of two elements with one
        // key.
        let fits = || -> Result<bool, String> {
            let current = Doc::of_json(json, self.part.name).read()?.take();
            Ok(value::check(&self.shape(self.hub)?.node, &current, false).is_ok())
        };
        let leaves_out = self.leaves_out && fits()?;
        let less = if leaves_out {
            self.without_misfits(self.to, (json, is_canonical), &made, completes)
        } else {
            None
        };
        less.map_or_else(|| made.map_err(|errors| self.refused(&errors)), Ok)
    }

    fn taken_back(
        &self,
        version: &'static Version,
        json: &str,
        is_canonical: bool,
    ) -> Result<String, Diagnostics> {
        self.part
            .engine
            .taken_back(self.part.number(version), json.as_bytes(), is_canonical)
            .map(written)
    }

    /// Finds the values that are stored, and that JSON of the current version has not once it is
    /// taken back.
    fn lost_back(
        &self,
        stored: &mut Doc<'_>,
        (json, is_canonical): (&str, bool),
        completes: bool,
    ) -> Result<Kept, String> {
        let made = self.taken_back(self.from, json, is_canonical);
        let lost = match &made {
            Ok(image) => self.lost(self.from, stored, image, false),
            Err(errors) => Err(self.refused(errors)),
        };
        if matches!(&lost, Ok(lost) if lost.is_empty()) {
            return lost;
        }
        // A value that came back may be one that was left out.
        match self.without_misfits(self.from, (json, is_canonical), &made, completes) {
            Some(image) => self.lost(self.from, stored, &image, false),
            None => lost,
        }
    }

    /// JSON of an older version without what that cannot hold and need not have: it is kept then,
    /// as all that the version lacks. `made` is what the engine made of JSON of the current
    /// version. Nothing if the older version must have such a value.
    fn without_misfits(
        &self,
        version: &'static Version,
        (json, is_canonical): (&str, bool),
        made: &Result<String, Diagnostics>,
        completes: bool,
    ) -> Option<String> {
        let (engine, number) = (&self.part.engine, self.part.number(version));
        let node = &self.shape(version).ok()?.node;
        let made = match made {
            Ok(made) => made.clone(),
            Err(errors) => {
                let canonical = if is_canonical {
                    None
                } else {
                    Some(engine.upgraded(engine.current(), json.as_bytes()).ok()?)
                };
                let mut current =
                    serde_json::from_str(&canonical.map_or_else(|| json.to_owned(), written))
                        .ok()?;
                // The engine reads its own JSON also without members that it always has.
                let run = |less: &str| self.taken_back(version, less, true);
                self.of_less(&mut current, errors, run, |errors, less| {
                    self.remove_between(version, errors, less).is_some()
                })?
            }
        };
        let mut older = serde_json::from_str(&made).ok()?;
        value::prune(node, &mut older);
        value::leave_out(node, &mut older).ok()?;
        if completes {
            value::complete(node, &mut older);
        }
        let run = |less: &str| engine.upgraded(number, less.as_bytes()).map(drop);
        if let Err(errors) = self.run(&older, run)? {
            self.of_less(&mut older, &errors, run, |_, _| false)?;
            value::check(node, &older, false).ok()?;
            if completes {
                value::complete(node, &mut older);
            }
        }
        Some(older.to_string())
    }

    /// Runs on a value without the members that `first` removes, or those that errors are about if
    /// there are none.
    fn of_less<T>(
        &self,
        value: &mut Value,
        errors: &Diagnostics,
        run: impl Fn(&str) -> Result<T, Diagnostics>,
        first: impl Fn(&Diagnostics, &mut Value) -> bool,
    ) -> Option<T> {
        let mut errors = errors.clone();
        // An operator names the entries of a map one after the other. A part of the runs, so that
        // the others are left for further values.
        for _ in 0..PASSES.max(self.tries.get() / 16) {
            // Before the names of the errors, because another member of the current version may
            // have one of them by now.
            if !first(&errors, value) && !remove_refused(&errors, value) {
                break;
            }
            match self.run(value, &run)? {
                Ok(made) => return Some(made),
                Err(others) => errors = others,
            }
        }
        None
    }

    /// Removes from a value of the current version what an older one cannot hold: errors name it as
    /// the version above the step that fails does. Nothing if there is none.
    fn remove_between(
        &self,
        version: &'static Version,
        errors: &Diagnostics,
        current: &mut Value,
    ) -> Option<()> {
        let (engine, number) = (&self.part.engine, self.part.number(version));
        let (mut above, mut of_step) = (None, None);
        for between in engine.between(number) {
            match self.run(current, |json| {
                engine.taken_back(between, json.as_bytes(), true)
            })? {
                Ok(made) => above = Some((between, made)),
                Err(errors) => {
                    of_step = Some(errors);
                    break;
                }
            }
        }
        let errors = of_step.as_ref().unwrap_or(errors);
        let Some((between, made)) = above else {
            return remove_refused(errors, current).then_some(());
        };
        let up = |less: &Value| -> Option<Value> {
            let made = self
                .run(less, |json| engine.upgraded(between, json.as_bytes()))?
                .ok()?;
            serde_json::from_slice(&made).ok()
        };
        let mut less: Value = serde_json::from_slice(&made).ok()?;
        // Otherwise a model of that version would not read it again.
        if let Some(shape) = self.part.shape(between) {
            let _ = value::leave_out(&shape.node, &mut less);
        }
        // Not the current value, because that version may hold other parts of it in another form.
        let whole = up(&less)?;
        if !remove_refused(errors, &mut less) {
            return None;
        }
        let mut lost = Kept::default();
        let is_removed = match lost.add(&self.shape(self.hub).ok()?.node, &whole, &up(&less)?, "") {
            Ok(()) => lost.remove_from(current),
            // Removed as well, so that it is found to be lost.
            Err(Secret(pointer)) => kept::put(current, &pointer, None),
        };
        is_removed.then_some(())
    }

    /// Does something with runs of its own, so that an object is converted without its annotation
    /// as if that had used none.
    fn with_runs<T>(&self, runs: usize, act: impl FnOnce() -> T) -> T {
        let left = self.tries.replace(runs);
        let made = act();
        self.tries.set(left);
        made
    }

    /// Runs the engine; nothing once it ran often enough.
    fn run<T>(
        &self,
        value: &Value,
        run: impl Fn(&str) -> Result<T, Diagnostics>,
    ) -> Option<Result<T, Diagnostics>> {
        self.tries.set(self.tries.get().checked_sub(1)?);
        Some(run(&value.to_string()))
    }

    /// True if an image, back in a version, is the same text as the part, which is then as the
    /// version stores it.
    fn is_text(&self, version: &'static Version, doc: &Doc<'_>, image: &str) -> bool {
        let is_it = |json: &str| {
            self.shape(version)
                .is_ok_and(|shape| pruned(&shape.node, image).as_deref() == Some(json))
        };
        doc.json.as_deref().is_some_and(is_it)
    }

    /// Finds the values that a part has in a version, and that its image, back in the same version,
    /// has not.
    fn lost(
        &self,
        version: &'static Version,
        doc: &mut Doc<'_>,
        image: &str,
        completes: bool,
    ) -> Result<Kept, String> {
        // Most objects lose nothing, and no value need be made of them to see that.
        if self.is_text(version, doc, image) {
            return Ok(Kept::default());
        }
        self.differing(version, doc, image, completes)
    }

    /// Finds them where the two are not the same text.
    fn differing(
        &self,
        version: &'static Version,
        doc: &mut Doc<'_>,
        image: &str,
        completes: bool,
    ) -> Result<Kept, String> {
        let node = &self.shape(version)?.node;
        let mut kept = Kept::default();
        if is_held(doc.read()?, image) {
            return Ok(kept);
        }
        let mut image = Doc::of_json(image, doc.name);
        let (value, image) = (doc.read()?, image.read()?);
        value::prune(node, image);
        if completes {
            value::complete(node, image);
        }
        kept.add(node, value, image, &self.root()).map_err(|Secret(pointer)| {
            let (from, advice) = (version.name, way_out(version.name, self.to));
            let pointer = start(&pointer);
            format!("a version cannot hold the sensitive value at {pointer} of {from}, and no annotation may; {advice}")
        })?;
        Ok(kept)
    }

    /// Refuses to keep a list of the current version that could not come back, since two of its
    /// elements have one key.
    fn check_lost(&self, hub: &mut Doc<'_>, lost: &Kept) -> Result<(), String> {
        if lost.is_empty() {
            return Ok(());
        }
        let (node, value, name) = (&self.shape(self.hub)?.node, hub.read()?, self.part.name);
        // No other problem, because the name of a variant that is read alone, for example, keeps
        // nothing from coming back.
        let Some(misfit) = value::check(node, value, false)
            .err()
            .filter(|misfit| misfit.problem == value::ONE_KEY)
        else {
            return Ok(());
        };
        let mut rest = json!({name: value});
        lost.remove_from(&mut rest);
        // Not refused here, because the wanted version has the list then, and may have no keys.
        if rest
            .get(name)
            .and_then(|rest| value::check(node, rest, true).err())
            .as_ref()
            == Some(&misfit)
        {
            return Ok(());
        }
        Err(format!("{} {misfit}", short(&misfit.path(name))))
    }

    /// The first error, with its place.
    fn refused(&self, errors: &Diagnostics) -> String {
        let Some(error) = errors.iter().next() else {
            return "the engine refused it".to_owned();
        };
        let detail = of_error(error.detail().lines().next().unwrap_or_default());
        match error.path() {
            Some(path) => {
                let path = short(&path.to_string());
                format!("{}.{path}: {detail}", self.part.name)
            }
            None => format!("{}: {detail}", self.part.name),
        }
    }

    /// The first error of what was to come back from the wanted version.
    fn cannot_hold(&self, errors: &Diagnostics) -> String {
        let to = self.to.name;
        format!(
            "{to} cannot hold it: what would be there cannot be upgraded again: {}",
            self.refused(errors)
        )
    }
}

impl Outcome<'_> {
    /// Adds what is kept for a version, if there is any.
    fn keep(&mut self, version: &'static Version, kept: Kept) {
        if !kept.is_empty() {
            self.kept.push((version.name, kept));
        }
    }
}

/// Removes the innermost members on the paths of errors; false if there is none.
fn remove_refused(errors: &Diagnostics, value: &mut Value) -> bool {
    let paths = errors.iter().filter_map(Diagnostic::path);
    // Counted, so that all of them are removed and not the first alone.
    paths
        .filter(|path| remove_innermost(value, path.steps()))
        .count()
        > 0
}

fn remove_innermost(value: &mut Value, steps: &[PathStep]) -> bool {
    let Some((step, below)) = steps.split_first() else {
        return false;
    };
    let name = match step {
        PathStep::Attribute(name) => &**name,
        PathStep::Key(name) => name.as_str(),
        PathStep::Index(index) => {
            let element = usize::try_from(*index)
                .ok()
                .and_then(|index| value.get_mut(index));
            return element.is_some_and(|element| remove_innermost(element, below));
        }
        PathStep::Element(_) => return false,
    };
    let Some(members) = value.as_object_mut() else {
        return false;
    };
    let is_below = members
        .get_mut(name)
        .is_some_and(|member| remove_innermost(member, below));
    is_below || members.remove(name).is_some()
}

/// True if what comes back takes nothing away from the other version: no more is lost there `with`
/// it than without. Where an object cannot be converted without it, anything may come back.
fn takes_nothing(
    with: &Kept,
    before: &OnceCell<Option<Kept>>,
    without: impl FnOnce() -> Option<Kept>,
) -> bool {
    // Converted once more only then, because most objects lose nothing.
    with.is_empty()
        || before
            .get_or_init(without)
            .as_ref()
            .is_none_or(|before| with.is_within(before))
}

/// The part of two values that is the same in both; objects of which nothing is left are left out.
fn common(one: &Value, other: &Value) -> Option<Value> {
    if is_same(one, other) {
        return Some(one.clone());
    }
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let members = one
                .iter()
                .filter_map(|(name, one)| Some((name.clone(), common(one, other.get(name)?)?)));
            let members: Map<String, Value> = members.collect();
            (!members.is_empty()).then_some(Value::Object(members))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .map(|(one, other)| common(one, other))
            .collect::<Option<Vec<_>>>()
            .map(Value::Array),
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => None,
    }
}

#[cfg(test)]
mod tests {
    use upstate::{Document, Resource as _};

    use super::*;
    use crate::facts::{Deprecated, Facts, Scope};

    const VERSIONS: &[Version] = &[
        version(0, "v1alpha1"),
        version(1, "v1beta1"),
        version(2, "v1"),
    ];

    const FACTS: &Facts = &Facts {
        rust_name: "Raft",
        group: "ferry.example.com",
        kind: "Raft",
        plural: "rafts",
        singular: "raft",
        short_names: &[],
        categories: &[],
        scope: Scope::Namespaced,
        description: "",
        versions: VERSIONS,
        columns: &[],
        selectable: &[],
        scale: None,
        rules: &[],
        status: false,
    };

    const fn version(number: u64, name: &'static str) -> Version {
        Version {
            number,
            name,
            served: true,
            storage: number == 2,
            deprecated: Deprecated::No,
        }
    }

    #[derive(Debug, Document)]
    #[document(type_name = "ferry.raft", version = 2, rename_all = "camelCase")]
    #[upgrade_from(1 => 2, rename(title => name), drop(berth: Option<String>, "nobody used it"))]
    #[upgrade_from(0 => 1, nest(colour => paint), set(paint.gloss = null), rename(len: Option<i32> => length), default(length = 7))]
    struct Raft {
        paint: Paint,
        #[attribute(default = 7)]
        length: i32,
        name: Option<String>,
        masts: Option<Vec<Mast>>,
        ports: BTreeMap<String, String>,
    }

    #[derive(Debug, Document)]
    struct Paint {
        colour: String,
        gloss: Option<u32>,
    }

    #[derive(Debug, Document)]
    struct Mast {
        height: u8,
        flag: Option<String>,
    }

    /// Rafts of a version, of up to four members, some of which are not as a server stores them.
    fn rafts(number: u64) -> Vec<String> {
        let mut members = vec![
            r#""masts":[{"flag":null,"height":1}]"#,
            r#""masts":[{"height":2}]"#,
            r#""ports":{"a":"b"}"#,
            r#""ports":{"b":"x","a":"y"}"#,
            r#""ports":{}"#,
            r#""unknown":1"#,
        ];
        members.extend(match number {
            0 => [
                r#""berth":"b""#,
                r#""colour":"red""#,
                r#""len":2147483648"#,
                r#""len":7"#,
                r#""len":null"#,
                r#""title":"t""#,
            ],
            1 => [
                r#""berth":"b""#,
                r#""le\u006egth":8"#,
                r#""length":7"#,
                r#""paint":{"colour":"red"}"#,
                r#""paint":{"gloss":3,"colour":"red"}"#,
                r#""title":"\u0074""#,
            ],
            _ => [
                r#""length":7"#,
                r#""length":7.0"#,
                r#""name":"n""#,
                r#""name":"\ud800""#,
                r#""paint":{"colour":"red","gloss":3}"#,
                r#""paint":{"colour":"red"}"#,
            ],
        });
        members.sort_unstable();
        let mut texts = Vec::new();
        for chosen in (0..1_u32 << members.len()).filter(|chosen| chosen.count_ones() <= 4) {
            let mut chosen: Vec<&str> = (0_u32..)
                .zip(&members)
                .filter(|(bit, _)| chosen >> *bit & 1 == 1)
                .map(|(_, member)| *member)
                .collect();
            texts.push(format!("{{{}}}", chosen.join(",")));
            chosen.reverse();
            texts.push(format!("{{ {} }}", chosen.join(" , ")));
        }
        texts
    }

    /// Otherwise an object that the server would prune or complete could be taken for one that it
    /// stores.
    #[test]
    fn an_object_that_is_judged_last_is_what_it_is_if_judged_first() {
        let model = Model::new(FACTS, Raft::DEFINITION, None).expect("it is structural");
        let hub = hub(&model).expect("there is one");
        let pairs = VERSIONS
            .iter()
            .flat_map(|from| VERSIONS.iter().map(move |to| (from, to)))
            .filter(|(from, to)| from != to);
        let plain = |made: Result<Option<Outcome<'_>>, String>| {
            made.map(|made| made.map(|made| (made.doc.into_json().into_owned(), made.kept)))
        };
        let mut compared = 0;
        for (from, to) in pairs {
            let path = |leaves_out| Path {
                part: &model.spec,
                from,
                to,
                hub,
                to_hub: None,
                to_target: None,
                is_of_field_manager: false,
                leaves_out,
                tries: Cell::new(TRIES),
            };
            let node = &path(false).shape(from).expect("it has one").node;
            assert!(is_plain(node));
            for (text, leaves_out) in rafts(from.number)
                .iter()
                .flat_map(|text| [false, true].map(|leaves_out| (text.as_str(), leaves_out)))
            {
                let made =
                    |unjudged| path(leaves_out).whole(Doc::of_json(text, "spec"), true, unjudged);
                let expected = if is_stored(node, text) {
                    compared += 1;
                    made(None)
                } else {
                    Ok(None)
                };
                let (name, other) = (from.name, to.name);
                assert_eq!(
                    plain(made(Some(text))),
                    plain(expected),
                    "{name} to {other}: {text}"
                );
            }
        }
        assert!(compared > 50, "{compared}");
    }

    #[test]
    fn the_annotation_of_a_large_part_has_fewer_runs() {
        for bytes in [0, 1, SMALL] {
            assert_eq!(tries_of(bytes), TRIES, "{bytes}");
        }
        assert_eq!(tries_of(4 * SMALL), TRIES / 4);
        // As many as are tried alone of all values.
        assert_eq!(tries_of(usize::MAX), 256);
    }

    /// A key has as many letters as a client gives it.
    #[test]
    fn a_path_and_an_error_are_shown_in_part() {
        let path = format!("spec.labels[\"{}\"]", "é".repeat(1_000));
        let shown = short(&path);
        assert!(path.starts_with(shown.trim_end_matches('…')));
        assert_eq!(shown.chars().count(), LONGEST + 1);
        assert_eq!(short("spec.labels[\"a\"]"), "spec.labels[\"a\"]");
        let detail = format!("it is too long: {}", "é".repeat(10_000));
        let shown = of_error(&detail);
        assert!(detail.starts_with(shown.trim_end_matches('…')));
        assert_eq!(shown.chars().count(), 4 * LONGEST + 1);
        assert_eq!(of_error("it is odd."), "it is odd.");
    }
}
