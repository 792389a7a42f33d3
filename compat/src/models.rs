//! Snapshots of models.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use upstate::__internal::{self as internal, Inside, Taken};
use upstate::registry::Served;
use upstate::schema::{Attribute, Block, Nested, NestedBlock, Presence, Schema, Shape, Type};
use upstate::upgrade::{History, Step, UpgraderKind, When};
use upstate::{Registry, ResourceDefinition};
use upstate_words::Hash;
use upstate_words::lock::{INSIDE, fingerprint, integers, path, step, variant};

use super::date::Date;
use super::release::Release;
use super::snapshot::{
    AttributeSnapshot, BlockSnapshot, IdentitySnapshot, Names, NestedSnapshot, ResourceSnapshot,
    Signature, Snapshot,
};
use super::stored_type::StoredType;
use super::upgraders::Upgrader;
use super::{declared, forms};
use crate::fingerprint::fingerprint_of;
use crate::kind::DOCUMENT;

impl Snapshot {
    /// The shapes of a registry. The snapshot has no release number yet; [`Snapshot::at`] gives it
    /// one.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        let resource = |definition: &ResourceDefinition| {
            (
                definition.type_name().to_owned(),
                ResourceSnapshot::of(definition),
            )
        };
        let priors = |definition: &ResourceDefinition| {
            (definition.type_name().to_owned(), priors(definition))
        };
        let served = registry
            .served()
            .map(|served| (served.address(), served.into()));
        let identities = registry
            .definitions()
            .filter_map(ResourceDefinition::identity)
            .map(priors);
        let waivers_of_served = registry
            .served()
            .flat_map(|served| declared::waivers(&served.address(), served.schema()));
        let waivers = |definition: &ResourceDefinition| {
            declared::waivers(definition.type_name(), definition.schema())
        };
        let is_document = |definition: &&ResourceDefinition| definition.schema().is_document();
        let required = |definition: &ResourceDefinition| {
            (
                definition.type_name().to_owned(),
                required_inside(definition.schema()),
            )
        };
        Self {
            resources: registry.definitions().map(resource).chain(served).collect(),
            priors: registry
                .definitions()
                .map(priors)
                .chain(identities)
                .collect(),
            renamed: renamed(registry),
            required_inside: registry
                .definitions()
                .filter(is_document)
                .map(required)
                .collect(),
            waivers: registry
                .definitions()
                .flat_map(waivers)
                .chain(waivers_of_served)
                .collect(),
            ..Self::default()
        }
    }

    /// Sets the release of the snapshot.
    #[must_use]
    pub fn at(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets the day of the release.
    #[must_use]
    pub fn on(mut self, date: Date) -> Self {
        self.date = Some(date);
        self
    }
}

/// The types that one of the registry takes the state of, and which that is.
fn renamed(registry: &Registry) -> BTreeMap<String, String> {
    let mut renamed: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for definition in registry.definitions() {
        // This provider cannot have removed the types of another one.
        for source in definition
            .moves()
            .iter()
            .filter(|source| source.provider().is_none())
        {
            renamed
                .entry(source.type_name().to_owned())
                .or_default()
                .insert(definition.type_name());
        }
    }
    let only = |(from, to): (String, BTreeSet<&str>)| match to.into_iter().collect::<Vec<_>>()[..] {
        [to] => Some((from, to.to_owned())),
        _ => None,
    };
    renamed.into_iter().filter_map(only).collect()
}

/// The members of objects inside of a document's types that must be there.
fn required_inside(schema: &Schema) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    required_of(&mut found, schema.block().attributes(), "");
    for (at, values) in schema.flattened() {
        if let Shape::Plain(ty) = values.shape() {
            required_in(&mut found, ty, &fingerprint::flattened(at));
        }
    }
    found
}

fn required_of(found: &mut BTreeSet<String>, attributes: &[Attribute], at: &str) {
    for attribute in attributes {
        let at = step(at, attribute.name());
        match attribute.shape() {
            Shape::Plain(ty) => required_in(found, ty, &at),
            Shape::Nested(nested) => required_of(found, nested.attributes(), &at),
        }
    }
}

fn required_in(found: &mut BTreeSet<String>, ty: &Type, at: &str) {
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            required_in(found, element, &format!("{at}[*]"));
        }
        Type::Tuple(elements) => {
            for (index, element) in elements.iter().enumerate() {
                required_in(found, element, &format!("{at}[{index}]"));
            }
        }
        Type::Object(members) => {
            for member in members.iter() {
                let at = step(at, member.name());
                required_in(found, member.ty(), &at);
                if member.is_required() {
                    found.insert(at);
                }
            }
        }
        Type::Union(union) => {
            for held in union.variants() {
                required_in(found, held.ty(), &variant(at, held.name()));
            }
        }
        Type::Bool | Type::String | Type::Number | Type::Dynamic | Type::Json => {}
    }
}

/// For each earlier version, the findings about its declared upgraders, by their attributes' paths.
fn of_versions<T>(
    definition: &ResourceDefinition,
    find: impl Fn(&'static History, u64) -> BTreeMap<String, T>,
) -> BTreeMap<u64, BTreeMap<String, T>> {
    let Some(history) = definition.history() else {
        return BTreeMap::new();
    };
    definition
        .supported_versions()
        .into_iter()
        .map(|version| (version, find(history, version)))
        .filter(|(_, found)| !found.is_empty())
        .collect()
}

/// The present paths of attributes of an earlier version, as far as declared upgraders tell.
fn renames(history: &'static History, version: u64) -> BTreeMap<String, Names> {
    internal::renames(history, version)
        .into_iter()
        .map(|(from, to)| (path(&from), Names(to.iter().map(|to| path(to)).collect())))
        .collect()
}

/// The reasons why attributes of an earlier version are gone, as far as declared upgraders tell.
fn dropped(history: &'static History, version: u64) -> BTreeMap<String, String> {
    internal::dropped(history, version)
        .into_iter()
        .map(|(names, reason)| (path(&names), reason.to_owned()))
        .collect()
}

impl ResourceSnapshot {
    /// The shapes of a definition: its current schema, and the earlier versions with a route.
    #[must_use]
    pub fn of(definition: &ResourceDefinition) -> Self {
        Self {
            upgraders: upgraders(definition),
            oldest: Some(definition.oldest()).filter(|oldest| *oldest > 0),
            skips: definition.history().map(never_released).unwrap_or_default(),
            renames: of_versions(definition, renames),
            dropped: of_versions(definition, dropped),
            reformatted: of_versions(definition, forms::reformatted),
            history: priors(definition)
                .into_iter()
                .map(|(version, prior)| (version, fingerprint_of(&prior)))
                .collect(),
            identity: definition.identity().map(|identity| {
                Box::new(IdentitySnapshot {
                    type_name: identity.type_name().to_owned(),
                    schema: Self::of(identity),
                })
            }),
            ..Self::from(definition.schema())
        }
    }
}

impl From<&Served> for ResourceSnapshot {
    fn from(served: &Served) -> Self {
        let signature = served.signature().map(|signature| Signature {
            parameters: signature.parameters.clone(),
            variadic: signature.variadic,
            result: StoredType::from(&signature.result),
        });
        Self {
            kind: Some(served.kind().name().to_owned()),
            signature,
            ..Self::from(served.schema())
        }
    }
}

/// The versions that the model, or one that it is upgraded from, says no release ever stored.
fn never_released(history: &History) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for step in history.steps() {
        match (step.written_as(), step.prior()) {
            (UpgraderKind::NeverReleased, _) => ranges.push((step.from(), step.last())),
            (_, Some(prior)) => ranges.extend(never_released(prior)),
            (_, None) => {}
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    ranges
}

/// The prior models of `definition`, by version.
fn priors(definition: &ResourceDefinition) -> BTreeMap<u64, ResourceSnapshot> {
    fn add(history: &History, priors: &mut BTreeMap<u64, ResourceSnapshot>) {
        for step in history.steps() {
            // A version without changes stored what the model stores. One of several shapes is not
            // looked at, because it is in the model's own entry.
            let is_carried =
                matches!(step.written_as(), UpgraderKind::Unchanged) && step.condition().is_none();
            let described = step.prior().or_else(|| is_carried.then_some(history));
            let Some(described) = described else { continue };
            for version in step.from()..=step.last() {
                let prior = ResourceSnapshot {
                    version,
                    ..ResourceSnapshot::from(described.schema())
                };
                match priors.get_mut(&version) {
                    None => {
                        priors.insert(version, prior);
                    }
                    // Upgraders with conditions give one version several shapes, so the other
                    // shapes are kept beside the first.
                    Some(first) if step.condition().is_some() => {
                        let shape = fingerprint_of(&prior);
                        if fingerprint_of(first) != shape && !first.alternatives.contains(&shape) {
                            first.alternatives.push(shape);
                            first.other_shapes.push(prior);
                        }
                    }
                    Some(_) => {}
                }
            }
            if let Some(prior) = step.prior() {
                add(prior, priors);
            }
        }
    }
    let mut priors = BTreeMap::new();
    if let Some(history) = definition.history() {
        add(history, &mut priors);
    }
    priors
}

/// The upgraders of the supported versions: the first of each version, then the second ones, so
/// that versions in a row that share them stay one entry each.
fn upgraders(definition: &ResourceDefinition) -> Vec<Upgrader> {
    let versions = definition.supported_versions().into_iter();
    let placed = |from| upgraders_of(definition, from).into_iter().enumerate();
    let mut all: Vec<(usize, Upgrader)> = versions.flat_map(placed).collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, upgrader)| upgrader).collect()
}

/// The upgraders that lead on from a stored version, each as written, with a fingerprint of its
/// work where there is one, its author's reason, and its condition.
fn upgraders_of(definition: &ResourceDefinition, from: u64) -> Vec<Upgrader> {
    let to = definition
        .route(from)
        .get(1)
        .copied()
        .filter(|to| *to != definition.version());
    let steps = definition
        .history()
        .map(|history| history.upgraders_from(from))
        .unwrap_or_default();
    let own = steps
        .into_iter()
        .filter(|(_, step)| (step.from()..=step.last()).contains(&from));
    let known = own.map(|(history, step)| Upgrader {
        from,
        to,
        digest: digest(history, step),
        kind: Some(step.written_as().name().to_owned()),
        reason: step.reason().map(str::to_owned),
        when: step.condition().map(condition),
    });
    let mut found: Vec<Upgrader> = known.collect();
    if found.is_empty() {
        // Nothing is known of it, because it was added to a definition while the program runs.
        found.push(Upgrader {
            from,
            to,
            digest: None,
            kind: None,
            reason: None,
            when: None,
        });
    }
    found
}

/// A fingerprint of an upgrader's operators. It includes those of nested objects, because an edit
/// of those is an edit of the upgrader.
#[expect(
    clippy::expect_used,
    reason = "its keys are names; any other text would be that of another upgrader"
)]
fn digest(history: &History, step: &Step) -> Option<String> {
    let table = serde_json::to_string(&history.whole_upgrader(step)?).expect("operators are JSON");
    Some(format!("{:016x}", Hash::new().text(&table).finish()))
}

/// The condition as the lock has it.
fn condition(when: When) -> String {
    match when {
        When::Has(name) => format!("has {name}"),
        When::Lacks(name) => format!("lacks {name}"),
        When::Is(_) => "function".to_owned(),
    }
}

impl From<&Schema> for ResourceSnapshot {
    fn from(schema: &Schema) -> Self {
        let kind = schema.is_document().then(|| DOCUMENT.to_owned());
        let flattened = schema.is_document().then(|| flattened(schema));
        let mut aliases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, name) in schema.aliases() {
            aliases
                .entry(path.to_owned())
                .or_default()
                .insert(name.to_owned());
        }
        let mut untagged: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, name) in schema.untagged() {
            let names = untagged.entry(path.to_owned()).or_default();
            // Two enums at one path, as in a tuple, may have a variant of the same name.
            if names.iter().all(|other| other != name) {
                names.push(name.to_owned());
            }
        }
        let own = Self {
            version: schema.version(),
            kind,
            flattened,
            aliases,
            untagged,
            knows_forms: true,
            ..Self::from(schema.block())
        };
        let resource = declared::resource(schema, own);
        // The schema of a custom resource has no place for any.
        let flattened = resource
            .flattened
            .filter(|_| resource.custom_resource.is_none());
        Self {
            flattened,
            ..resource
        }
    }
}

/// The flattened enums and maps, in an order that does not depend on that of the fields.
fn flattened(schema: &Schema) -> BTreeMap<String, Vec<AttributeSnapshot>> {
    let mut all: BTreeMap<String, Vec<AttributeSnapshot>> = BTreeMap::new();
    for (path, values) in schema.flattened() {
        let ty = match values.shape() {
            Shape::Plain(ty) => Some(StoredType::from(&**ty)),
            Shape::Nested(_) => None,
        };
        all.entry(path.to_owned())
            .or_default()
            .push(AttributeSnapshot {
                ty,
                nested: None,
                ..values.into()
            });
    }
    for parts in all.values_mut() {
        parts.sort_by_cached_key(|part| part.stored().to_string());
    }
    all
}

impl From<&Block> for ResourceSnapshot {
    fn from(block: &Block) -> Self {
        Self {
            attributes: attributes(block.attributes()),
            blocks: blocks(block),
            deprecated: declared::deprecation(block.deprecated(), block.facts()),
            description: block.description().to_owned(),
            ..Self::default()
        }
    }
}

fn attributes(attributes: &[Attribute]) -> BTreeMap<String, AttributeSnapshot> {
    attributes
        .iter()
        .map(|attribute| (attribute.name().to_owned(), attribute.into()))
        .collect()
}

fn blocks(block: &Block) -> BTreeMap<String, BlockSnapshot> {
    block
        .blocks()
        .iter()
        .map(|block| (block.name().to_owned(), block.into()))
        .collect()
}

impl From<&Attribute> for AttributeSnapshot {
    fn from(attribute: &Attribute) -> Self {
        let (ty, nested) = match attribute.shape() {
            Shape::Plain(ty) => (Some(StoredType::from(&**ty)), None),
            Shape::Nested(nested) => (None, Some(NestedSnapshot::from(nested))),
        };
        let presence = attribute.presence();
        let is_required = presence == Presence::Required && !attribute.is_filled_in();
        let snapshot = Self {
            ty,
            nested,
            required: is_required,
            optional: matches!(presence, Presence::Optional | Presence::OptionalComputed)
                || attribute.is_filled_in(),
            computed: matches!(presence, Presence::Computed | Presence::OptionalComputed),
            nullable: Some(attribute.is_nullable()),
            sensitive: attribute.is_sensitive(),
            write_only: attribute.is_write_only(),
            force_new: attribute.requires_replace(),
            default: default_of(attribute),
            description: attribute.description().to_owned(),
            validators: stored_values(attribute),
            ..Self::default()
        };
        declared::attribute(attribute, snapshot)
    }
}

/// The default, if it is one value. A document may have a function that makes another each time,
/// such as an identifier or a time.
pub(crate) fn default_of(attribute: &Attribute) -> Option<Json> {
    let default = attribute.default_json()?;
    if attribute.is_filled_in() && attribute.default_json().as_ref() != Some(&default) {
        return None;
    }
    serde_json::from_str(&default).ok()
}

/// The stored values that the field takes, of all that the attribute's type has.
fn stored_values(attribute: &Attribute) -> BTreeMap<String, Json> {
    let own = attribute.taken().map(|taken| {
        let name = match taken {
            Taken::Integers { .. } => "stored integer",
            Taken::Strings(_) => "stored values",
            Taken::Format(form) if integers(form.as_bytes()).is_some() => "stored integer",
            Taken::Format(_) => "stored form",
        };
        (name.to_owned(), values(taken))
    });
    let inside = attribute
        .taken_inside()
        .into_iter()
        .map(|(position, inside)| match inside {
            Inside::Null => (position, json!("null")),
            Inside::Taken(taken) => (position, values(taken)),
        });
    let inside: Json = inside.collect::<serde_json::Map<_, _>>().into();
    let has_inside = inside.as_object().is_some_and(|inside| !inside.is_empty());
    own.into_iter()
        .chain(has_inside.then(|| (INSIDE.to_owned(), inside)))
        .collect()
}

/// The values that are taken, as the lock has them.
fn values(taken: Taken) -> Json {
    match taken {
        Taken::Integers { min, max } => integer_name(min, max),
        Taken::Strings(strings) => json!(strings),
        Taken::Format(format) => json!(format),
    }
}

/// The name of an integer type, or its range.
fn integer_name(min: i128, max: i128) -> Json {
    let bits = 128 - max.leading_zeros() + u32::from(min < 0);
    json!(format!("{}{bits}", if min < 0 { 'i' } else { 'u' }))
}

impl From<&Nested> for NestedSnapshot {
    fn from(nested: &Nested) -> Self {
        Self {
            mode: nested.nesting(),
            attributes: attributes(nested.attributes()),
        }
    }
}

impl From<&NestedBlock> for BlockSnapshot {
    fn from(nested: &NestedBlock) -> Self {
        let block = nested.block();
        let snapshot = Self {
            mode: nested.nesting(),
            min_items: nested.min_items(),
            max_items: Some(nested.max_items()).filter(|max| *max > 0),
            attributes: attributes(block.attributes()),
            blocks: blocks(block),
            description: block.description().to_owned(),
            ..Self::default()
        };
        declared::block(nested, snapshot)
    }
}
