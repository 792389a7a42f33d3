//! One object from one version to another: through the current version, so that every pair of versions is one upgrade and one downgrade.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use upstate::Diagnostics;

use crate::facts::Version;
use crate::kept::{Fates, Kept, Secret, is_same};
use crate::model::{Model, Part, Shape};
use crate::schema::Node;
use crate::value;

/// The bytes that the server lets all annotations of an object have, keys and values together.
const ANNOTATIONS: usize = 262_144;
/// The bytes of these that kept values may have.
const OWN: usize = 128 * 1024;

/// An object, and what came of values that were kept for it.
#[derive(Debug)]
pub(crate) struct Converted {
    pub(crate) object: Value,
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

/// Converts an object; an error is a sentence for every client, and holds no value that is secret.
pub(crate) fn object(model: &Model, object: &Map<String, Value>, to: &'static Version, drops: bool) -> Result<Converted, String> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
        return Err("an object has no apiVersion or kind".to_owned());
    };
    let facts = model.facts;
    let Some(Value::Object(metadata)) = object.get("metadata") else { return Err(format!("a {kind} has no metadata")) };
    let at = |problem: String| {
        let name = metadata.get("name").and_then(Value::as_str).unwrap_or_default();
        let namespace = metadata.get("namespace").and_then(Value::as_str);
        let namespace = namespace.map(|namespace| format!(" in namespace {namespace:?}")).unwrap_or_default();
        format!("{} {name:?}{namespace}, {api_version} to {}: {problem}", facts.crd_name(), to.name)
    };
    let version = api_version.strip_prefix(facts.group).and_then(|rest| rest.strip_prefix('/'));
    let Some(from) = version.and_then(|version| facts.version(version)).filter(|_| kind == facts.kind) else {
        return Err(at(format!("{api_version}, kind {kind}, is not a version of the custom resource")));
    };
    if from == to {
        return Ok(Converted { object: Value::Object(object.clone()), fates: Fates::default(), lost: 0 });
    }
    let mut annotations = match metadata.get("annotations") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(annotations)) => annotations.clone(),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            return Err(at("metadata.annotations is not an object".to_owned()));
        }
    };
    let mut keeps = Keeps::default();
    for version in facts.versions {
        match annotations.remove(&key(model, version)) {
            None => {}
            Some(Value::String(text)) => match Kept::parse(&text) {
                Some(kept) => drop(keeps.by_version.insert(version.name, kept)),
                None => keeps.fates.ignored += 1,
            },
            Some(_) => keeps.fates.ignored += 1,
        }
    }
    // Nothing is kept for the version itself, because an object in it holds all there is.
    keeps.by_version.remove(from.name);
    let taken = keeps.by_version.remove(to.name);
    let hub = facts.versions.iter().find(|version| version.number == model.spec.engine.current()).unwrap_or(to);
    let from_hub = (hub != from && hub != to).then(|| keeps.by_version.remove(hub.name)).flatten();
    let mut made = object.clone();
    let mut new_keeps: BTreeMap<&'static str, Kept> = BTreeMap::new();
    for part in model.parts() {
        let Some(Value::Object(stored)) = object.get(part.name) else {
            // Server-side apply sends objects without a spec, or with null.
            if object.get(part.name).is_some_and(|value| !value.is_null()) {
                return Err(at(format!("{} is not an object", part.name)));
            }
            continue;
        };
        let path = Path {
            part,
            from,
            to,
            hub,
            to_hub: if hub == to { taken.as_ref() } else { from_hub.as_ref() },
            to_target: taken.as_ref(),
            // Tested on a server, because objects on their way from and to etcd have none.
            is_of_field_manager: metadata.contains_key("resourceVersion"),
        };
        let outcome = path.convert(&Value::Object(stored.clone())).map_err(&at)?;
        for (version, kept) in outcome.kept {
            let all = new_keeps.entry(version).or_default();
            all.append(kept);
        }
        keeps.fates.add(outcome.fates);
        made.insert(part.name.to_owned(), outcome.value);
    }
    for (version, kept) in new_keeps {
        // Values that an earlier conversion kept for the version give way, because they are older and about the same places.
        keeps.by_version.insert(version, kept);
    }
    let lost = write(model, &keeps, &mut annotations, drops).map_err(&at)?;
    made.insert("apiVersion".to_owned(), json!(model.api_version(to)));
    let mut metadata = metadata.clone();
    if annotations.is_empty() {
        metadata.remove("annotations");
    } else {
        metadata.insert("annotations".to_owned(), Value::Object(annotations));
    }
    made.insert("metadata".to_owned(), Value::Object(metadata));
    Ok(Converted { object: Value::Object(made), fates: keeps.fates, lost })
}

/// The annotation for values of a version.
fn key(model: &Model, version: &Version) -> String {
    format!("{}/upstate-{}", model.facts.group, version.name)
}

/// Writes what is kept among the other annotations; the number of values for which there is no room.
fn write(model: &Model, keeps: &Keeps, annotations: &mut Map<String, Value>, drops: bool) -> Result<usize, String> {
    let others: usize = annotations.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
    let (mut own, mut lost) = (0, 0);
    for version in model.facts.versions {
        let Some(kept) = keeps.by_version.get(version.name).filter(|kept| !kept.is_empty()) else { continue };
        let (key, text) = (key(model, version), kept.to_text());
        let size = key.len() + text.len();
        if own + size > OWN || others + own + size > ANNOTATIONS {
            if !drops {
                let first = kept.first().unwrap_or_default();
                return Err(format!(
                    "the version cannot hold {} values of {}, such as {first}, and they are too large for an annotation",
                    kept.len(),
                    version.name
                ));
            }
            lost += kept.len();
            continue;
        }
        own += size;
        annotations.insert(key, json!(text));
    }
    Ok(lost)
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
    /// True if the server's field manager wants it, to find out who owns which field. A default that is in no manager's object would be a field there.
    is_of_field_manager: bool,
}

/// A part in the version that is wanted.
#[derive(Debug, Default)]
struct Outcome {
    value: Value,
    kept: Vec<(&'static str, Kept)>,
    fates: Fates,
}

impl Path<'_> {
    fn shape(&self, version: &'static Version) -> Result<&Shape, String> {
        let shape = self.part.shape(self.part.number(version));
        shape.ok_or_else(|| format!("version {} has no shape", version.name))
    }

    fn root(&self) -> String {
        format!("/{}", self.part.name)
    }

    fn convert(&self, stored: &Value) -> Result<Outcome, String> {
        let shape = self.shape(self.from)?;
        let mut stored = stored.clone();
        value::prune(&shape.node, &mut stored);
        let lacks_required =
            value::check(&shape.node, &stored, false).is_err() && value::check(&shape.node, &stored, true).is_ok();
        let mut completed = stored.clone();
        value::complete(&shape.node, &mut completed);
        let is_partial = lacks_required || self.is_of_field_manager && completed != stored;
        if !is_partial {
            return self.whole(&completed, true);
        }
        // Members that depend on what is missing differ between two ways of filling it in, and are missing then, too.
        let [first, second] = [false, true].map(|second| {
            let mut filled = stored.clone();
            shape.samples.fill(&shape.node, &mut filled, second);
            self.whole(&filled, false)
        });
        let (first, second) = (first?, second?);
        let value = common(&first.value, &second.value).unwrap_or_else(|| json!({}));
        let kept = first.kept.into_iter().filter_map(|(version, kept)| {
            let other = second.kept.iter().find(|(other, _)| *other == version)?;
            Some((version, kept.common(&other.1)))
        });
        Ok(Outcome { value, kept: kept.collect(), fates: first.fates })
    }

    /// Converts what has all that its version needs, and puts defaults where the wanted version has any, unless nothing is to be there that was not.
    fn whole(&self, stored: &Value, completes: bool) -> Result<Outcome, String> {
        let complete = |node: &Node, value: &mut Value| {
            if completes {
                value::complete(node, value);
            }
        };
        let (engine, root) = (&self.part.engine, self.root());
        let current = engine.current();
        let (from, to) = (self.part.number(self.from), self.part.number(self.to));
        let hub_node = &self.shape(self.hub)?.node;
        let mut outcome = Outcome::default();
        let mut value = stored.clone();
        if from != current {
            let from_node = &self.shape(self.from)?.node;
            value = engine.up(from, stored).map_err(|errors| self.refused(&errors))?;
            value::prune(hub_node, &mut value);
            if let Some(kept) = self.to_hub {
                outcome.fates.add(kept.restore(hub_node, &root, &mut value, |value| engine.up(current, value).is_ok()));
            }
            complete(hub_node, &mut value);
            let mut image = engine.down(from, &value).map_err(|errors| self.refused(&errors))?;
            value::prune(from_node, &mut image);
            outcome.keep(self.from.name, |kept| kept.add(from_node, stored, &image, &root))?;
        }
        let node = &self.shape(self.to)?.node;
        if to != current {
            let hub = value;
            value = engine.down(to, &hub).map_err(|errors| self.refused(&errors))?;
            value::prune(node, &mut value);
            if let Some(kept) = self.to_target {
                outcome.fates.add(kept.restore(node, &root, &mut value, |value| engine.up(to, value).is_ok()));
            }
            complete(node, &mut value);
            let mut image = engine.up(to, &value).map_err(|errors| self.refused(&errors))?;
            value::prune(hub_node, &mut image);
            complete(hub_node, &mut image);
            outcome.keep(self.hub.name, |kept| kept.add(hub_node, &hub, &image, &root))?;
        }
        if let Err(misfit) = value::check(node, &value, false) {
            // Otherwise the server would store it, and refuse every later write of it.
            return Err(format!("{} {}", misfit.path(self.part.name), misfit.problem));
        }
        outcome.value = value;
        Ok(outcome)
    }

    /// The first error, with its place.
    fn refused(&self, errors: &Diagnostics) -> String {
        let Some(error) = errors.iter().next() else { return "the engine refused it".to_owned() };
        let detail = error.detail().lines().next().unwrap_or_default();
        match error.path() {
            Some(path) => format!("{}.{path}: {detail}", self.part.name),
            None => format!("{}: {detail}", self.part.name),
        }
    }
}

impl Outcome {
    fn keep(&mut self, version: &'static str, add: impl FnOnce(&mut Kept) -> Result<(), Secret>) -> Result<(), String> {
        let mut kept = Kept::default();
        add(&mut kept).map_err(|Secret(pointer)| {
            format!("a version cannot hold the sensitive value at {pointer} of {version}, and no annotation may")
        })?;
        self.kept.push((version, kept));
        Ok(())
    }
}

/// The part of two values that is the same in both; objects of which nothing is left are left out.
fn common(one: &Value, other: &Value) -> Option<Value> {
    if is_same(one, other) {
        return Some(one.clone());
    }
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let members = one.iter().filter_map(|(name, one)| Some((name.clone(), common(one, other.get(name)?)?)));
            let members: Map<String, Value> = members.collect();
            (!members.is_empty()).then_some(Value::Object(members))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).map(|(one, other)| common(one, other)).collect::<Option<Vec<_>>>().map(Value::Array)
        }
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_), _) => None,
    }
}
