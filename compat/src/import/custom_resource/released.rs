//! The shapes that a release stored, by its definitions: what its lock would have, if models had
//! written them.
//!
//! A definition says less than a model: a list may be a tuple, and any member a secret. Where the
//! model that the program has for the version would have the same definition, the shape is in the
//! model's words, so that a later release is compared as if the model had been frozen.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use upstate::{Registry, ResourceDefinition};
use upstate_words::lock::step;

use super::shape::{Member, Node};
use super::{Definition, Version, limits, types};
use crate::import::names;
use crate::kind::DOCUMENT;
use crate::{
    ApiVersionSnapshot, AttributeSnapshot, CustomResourceSnapshot, NestedSnapshot, Nesting,
    ResourceSnapshot, Snapshot, StoredType,
};

/// The most members inside one another that a lock is read with.
const MAX_DEPTH: usize = 60;

type Attributes = BTreeMap<String, AttributeSnapshot>;

/// The shape of each version of each definition, by type name: those of a model in `registry` that
/// has the group and the kind, with its numbers; otherwise the names and numbers that
/// [`custom_resources`](super::custom_resources) gives. A status is there if the registry has a
/// document for it, `boat_status` for the kind `Boat`.
///
/// # Errors
/// A sentence: there are two definitions of a kind, or one lacks what a server asks for, or the
/// model has no version of a name.
pub fn released(
    definitions: &[Definition],
    registry: &Registry,
) -> Result<Vec<(String, ResourceSnapshot)>, String> {
    let current = Snapshot::of(registry);
    let mut shapes = Vec::new();
    for (position, definition) in definitions.iter().enumerate() {
        let name = definition.name.escape_debug();
        let is_same = |other: &&Definition| {
            (&other.group, &other.kind) == (&definition.group, &definition.kind)
        };
        if definitions
            .iter()
            .take(position)
            .any(|other| is_same(&other) || other.name == definition.name)
        {
            return Err(format!(
                "{name} is there twice: a release has one definition of a kind"
            ));
        }
        let refuse = |why: String| format!("{name}: {why}");
        definition.check_complete().map_err(refuse)?;
        let own = current.resources.iter().find(|(_, resource)| {
            let facts = resource.custom_resource.as_ref();
            facts.is_some_and(|facts| {
                (&facts.group, &facts.kind) == (&definition.group, &definition.kind)
            })
        });
        let type_name = own.map_or_else(
            || definition.type_name_among(definitions),
            |(type_name, _)| type_name.clone(),
        );
        let facts = own.and_then(|(_, resource)| resource.custom_resource.as_ref());
        let numbers = definition.numbers(&type_name, facts).map_err(refuse)?;
        let spec = Part {
            model: Model::of(&current, registry, &type_name),
            type_name,
        };
        let mut of_spec = spec
            .shapes(definition, &numbers, |version| Some(version.described()))
            .map_err(refuse)?;
        if let Some((_, last)) = of_spec.last_mut() {
            last.custom_resource = Some(definition.facts(&numbers));
        }
        shapes.append(&mut of_spec);
        let type_name = format!("{}_status", names::snake(&definition.kind));
        let model = Model::of(&current, registry, &type_name);
        if let Some(model) = model.filter(|model| {
            model.current.custom_resource.is_none() && model.definition.schema().is_document()
        }) {
            let status = Part {
                type_name,
                model: Some(model),
            };
            shapes.append(
                &mut status
                    .shapes(definition, &numbers, Version::described_status)
                    .map_err(refuse)?,
            );
        }
    }
    Ok(shapes)
}

impl Definition {
    /// Refuses what no server takes, because a file that was cut off may read like a whole one.
    fn check_complete(&self) -> Result<(), String> {
        for Version {
            name,
            served,
            storage,
            ..
        } in &self.versions
        {
            for (keyword, there) in [("served", served), ("storage", storage)] {
                if there.is_none() {
                    return Err(format!(
                        "{name} does not say if it is `{keyword}`: is the file complete?"
                    ));
                }
            }
            if self
                .versions
                .iter()
                .filter(|other| other.name == *name)
                .count()
                > 1
            {
                return Err(format!("{name} is there twice"));
            }
        }
        match self.versions.iter().filter(|version| version.storage == Some(true)).count() {
            1 => Ok(()),
            0 => Err("no version is the one that objects are stored in, with `storage: true`: is the file complete?".to_owned()),
            many => Err(format!("{many} versions have `storage: true`, and objects are stored in one")),
        }
    }

    /// The number of each version, in their order: the model's, and of one that the model lacks the
    /// next in their order.
    fn numbers(
        &self,
        type_name: &str,
        facts: Option<&CustomResourceSnapshot>,
    ) -> Result<Vec<u64>, String> {
        let known = |version: &Version| Some(facts?.versions.get(&version.name)?.number);
        let counted = || (0..).zip(&self.versions);
        // The numbers that `import` gives, which a model may have left out of its versions.
        let is_counted =
            counted().all(|(number, version)| known(version).is_none_or(|known| known == number));
        let is_taken = |number: u64| {
            facts.is_some_and(|facts| {
                facts
                    .versions
                    .values()
                    .any(|version| version.number == number)
            })
        };
        let number = |(number, version): (u64, &Version)| match known(version) {
            Some(known) => Ok(known),
            None if is_counted && !is_taken(number) => Ok(number),
            None => Err(format!(
                "the model of {type_name} has no version {0}: declare it, `version(… = \"{0}\")`, with its upgrader; or remove it from the \
                 file if no object is stored in it any more",
                version.name
            )),
        };
        counted().map(number).collect()
    }

    fn facts(&self, numbers: &[u64]) -> CustomResourceSnapshot {
        let version = |(number, version): (&u64, &Version)| {
            let snapshot = ApiVersionSnapshot {
                number: *number,
                served: version.served == Some(true),
                storage: version.storage == Some(true),
                deprecated: version.deprecated.clone(),
                since: None,
            };
            (version.name.clone(), snapshot)
        };
        let last = self.versions.last();
        let subresources = [
            ("status", last.is_some_and(|last| last.has_status)),
            ("scale", last.is_some_and(|last| last.has_scale)),
        ];
        CustomResourceSnapshot {
            group: self.group.clone(),
            kind: self.kind.clone(),
            plural: self.plural.clone(),
            scope: self.scope.clone(),
            subresources: subresources
                .iter()
                .filter(|(_, is_there)| *is_there)
                .map(|(name, _)| (*name).to_owned())
                .collect(),
            versions: numbers.iter().zip(&self.versions).map(version).collect(),
        }
    }
}

impl Version {
    /// The spec, and the description of the whole object, which models have for it.
    fn described(&self) -> (&Node, &str) {
        (
            &self.spec,
            if self.description.is_empty() {
                &self.spec.description
            } else {
                &self.description
            },
        )
    }

    fn described_status(&self) -> Option<(&Node, &str)> {
        self.status
            .as_ref()
            .map(|status| (status, status.description.as_str()))
    }
}

/// The model of a spec or a status.
struct Model<'m> {
    definition: &'m ResourceDefinition,
    current: &'m ResourceSnapshot,
    priors: Option<&'m BTreeMap<u64, ResourceSnapshot>>,
}

impl<'m> Model<'m> {
    fn of(all: &'m Snapshot, registry: &'m Registry, type_name: &str) -> Option<Self> {
        let definition = registry.get(type_name)?;
        Some(Self {
            definition,
            current: all.resources.get(type_name)?,
            priors: all.priors.get(type_name),
        })
    }

    /// The model's shape of a version.
    fn shape(&self, number: u64) -> Option<&'m ResourceSnapshot> {
        if number == self.current.version {
            Some(self.current)
        } else {
            self.priors?.get(&number)
        }
    }

    /// The enums that are flattened into objects of a version, by the path of the object.
    fn flattened(&self, shape: &ResourceSnapshot) -> BTreeMap<String, Vec<StoredType>> {
        let types =
            |parts: &[AttributeSnapshot]| parts.iter().filter_map(|part| part.ty.clone()).collect();
        if let Some(flattened) = &shape.flattened {
            return flattened
                .iter()
                .map(|(path, parts)| (path.clone(), types(parts)))
                .collect();
        }
        let mut all: BTreeMap<String, Vec<StoredType>> = BTreeMap::new();
        for (path, values) in self.definition.schema().flattened() {
            all.entry(path.to_owned())
                .or_default()
                .extend(AttributeSnapshot::from(values).ty);
        }
        all
    }
}

/// The spec or the status of a definition.
struct Part<'m> {
    type_name: String,
    model: Option<Model<'m>>,
}

impl Part<'_> {
    /// The shape of each version, in the order of their numbers.
    fn shapes<'v>(
        &self,
        definition: &'v Definition,
        numbers: &[u64],
        of: fn(&'v Version) -> Option<(&'v Node, &'v str)>,
    ) -> Result<Vec<(String, ResourceSnapshot)>, String> {
        let mut shapes: BTreeMap<u64, (&str, ResourceSnapshot)> = BTreeMap::new();
        for (number, version) in numbers.iter().zip(&definition.versions) {
            let Some((node, description)) = of(version) else {
                continue;
            };
            // A status that never changed has one version.
            let number = self
                .model
                .as_ref()
                .map_or(*number, |model| model.current.version.min(*number));
            let shape = self.shape(number, node, description)?;
            if let Some((other, before)) = shapes.insert(number, (&version.name, shape.clone()))
                && (&before.attributes, &before.blocks) != (&shape.attributes, &shape.blocks)
            {
                return Err(format!(
                    "{other} and {} are both version {number} of {}, and their schemas differ",
                    version.name, self.type_name
                ));
            }
        }
        Ok(shapes
            .into_values()
            .map(|(_, shape)| (self.type_name.clone(), shape))
            .collect())
    }

    fn shape(
        &self,
        number: u64,
        node: &Node,
        description: &str,
    ) -> Result<ResourceSnapshot, String> {
        let model = self
            .model
            .as_ref()
            .and_then(|model| Some((model, model.shape(number)?)));
        let flattened = model
            .map(|(model, shape)| model.flattened(shape))
            .unwrap_or_default();
        let nothing = Attributes::new();
        let of_model = model.map_or(&nothing, |(_, shape)| &shape.attributes);
        Ok(ResourceSnapshot {
            version: number,
            kind: Some(DOCUMENT.to_owned()),
            attributes: Place {
                path: "",
                depth: 0,
                flattened: &flattened,
            }
            .members(node.members(), of_model)?,
            description: description_of(
                description,
                model.map(|(_, shape)| shape.description.as_str()),
            ),
            imported: true,
            ..ResourceSnapshot::default()
        })
    }
}

/// The place of an object.
struct Place<'p> {
    /// As a lock writes it.
    path: &'p str,
    depth: usize,
    flattened: &'p BTreeMap<String, Vec<StoredType>>,
}

impl Place<'_> {
    fn members(&self, members: &[Member], model: &Attributes) -> Result<Attributes, String> {
        if self.depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} objects inside one another"));
        }
        let beside = self
            .flattened
            .get(self.path)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let is_of_enum = |member: &Member| {
            beside.iter().any(|ty| {
                if let StoredType::Union(tagging, variants) = ty {
                    types::has_member(tagging, variants, member)
                } else {
                    false
                }
            })
        };
        let mut attributes = Attributes::new();
        for member in members {
            let model = model.get(&member.name);
            // No name, because the schema of a custom resource has none for it either.
            if model.is_some() || !is_of_enum(member) {
                attributes.insert(member.name.clone(), self.attribute(member, model)?);
            }
        }
        Ok(attributes)
    }

    fn attribute(
        &self,
        member: &Member,
        model: Option<&AttributeSnapshot>,
    ) -> Result<AttributeSnapshot, String> {
        let node = &member.node;
        let path = step(self.path, &member.name);
        let nothing = Attributes::new();
        let (mut ty, mut nested) = (None, None);
        let of_model = model.and_then(|model| model.ty.as_ref());
        let of_nested = model.and_then(|model| model.nested.as_ref());
        // Objects without named members are any JSON where the model does not have them as objects.
        let is_open = of_nested.is_none_or(|nested| !nested.attributes.is_empty());
        match node
            .objects()
            .filter(|(_, objects)| !(objects.is_open_object && is_open))
        {
            Some((mode, objects)) if of_model.is_none_or(|ty| !has_objects(ty)) => {
                let model = of_nested;
                let is_set = mode == Nesting::List
                    && model.is_some_and(|model| model.mode == Nesting::Set)
                    && types::is_set(node);
                let mode = if is_set { Nesting::Set } else { mode };
                let inside = Place {
                    path: &path,
                    depth: self.depth + 1,
                    flattened: self.flattened,
                };
                let attributes = inside.members(
                    objects.members(),
                    model.map_or(&nothing, |model| &model.attributes),
                )?;
                nested = Some(NestedSnapshot { mode, attributes });
            }
            Some(_) | None => ty = Some(types::of(node, of_model)),
        }
        let is_set = matches!(ty, Some(StoredType::Set(_)))
            || nested
                .as_ref()
                .is_some_and(|nested: &NestedSnapshot| nested.mode == Nesting::Set);
        // The type alone says which values there are, so that nothing else is compared.
        let has_limits = !matches!(ty, Some(StoredType::Tuple(_) | StoredType::Json));
        let is_enum = ty.as_ref().is_some_and(types::is_enum);
        let validators = match model {
            Some(model) if !has_limits => model.validators.clone(),
            Some(_) | None => limits::of(
                node,
                (is_set, is_enum),
                model.map(|model| &model.validators),
            ),
        };
        // An empty string is left out of our own definitions, because some servers take it for
        // null.
        let empty = || {
            model
                .and_then(|model| model.default.clone())
                .filter(|default| default.as_str() == Some(""))
        };
        let default = node
            .default
            .clone()
            .or_else(|| empty().filter(|_| !member.is_required));
        let required = member.is_required && default.is_none();
        let may_be_absent = !member.is_required && default.is_none();
        let is_read = |model: &&AttributeSnapshot| {
            !(may_be_absent && model.required) && (!node.nullable || model.nullable == Some(true))
        };
        let nullable = match model.filter(is_read) {
            Some(model) => model.nullable,
            None if model.is_some() => Some(may_be_absent || node.nullable),
            None => Some(!member.is_always_there()),
        };
        let known = model.cloned().unwrap_or_default();
        Ok(AttributeSnapshot {
            description: description_of(
                &node.description,
                model.map(|model| model.description.as_str()),
            ),
            default: default.map(|default| {
                known
                    .default
                    .clone()
                    .filter(|known| is_same(known, &default))
                    .unwrap_or(default)
            }),
            ty,
            nested,
            required,
            optional: !required,
            nullable,
            validators,
            ..known
        })
    }
}

/// True for a type that models have where objects could be nested.
fn has_objects(ty: &StoredType) -> bool {
    match ty {
        StoredType::Object(..) | StoredType::Union(..) | StoredType::Json => true,
        StoredType::List(element) | StoredType::Set(element) | StoredType::Map(element) => {
            has_objects(element)
        }
        StoredType::Tuple(elements) => elements.iter().any(has_objects),
        StoredType::Bool
        | StoredType::String
        | StoredType::Number
        | StoredType::Int64
        | StoredType::Float64
        | StoredType::Dynamic => false,
    }
}

/// True if nothing but the form of a number, or a member that is null and may be absent, makes the
/// difference.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let of = |members: &Map<String, Value>, name: &str| {
                members.get(name).cloned().unwrap_or_default()
            };
            one.keys()
                .chain(other.keys())
                .all(|name| is_same(&of(one, name), &of(other, name)))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => one == other,
    }
}

/// The description, as the model has it if lines are broken elsewhere or the definition has none.
fn description_of(description: &str, model: Option<&str>) -> String {
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    model
        .filter(|model| description.is_empty() || words(model) == words(description))
        .unwrap_or(description)
        .to_owned()
}
