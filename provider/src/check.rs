//! Mistakes of a provider that Terraform refuses and the compiler does not see.

use upstate::codec::UnknownAttributes;
use upstate::schema::{
    Attribute, Block, Check, NestedBlock, Nesting, Presence, Schema, Shape, Type,
};
use upstate::{AttributePath, Diagnostics, ResourceDefinition, Value};

use crate::diagnostics;
use crate::function::AnyFunction;
use crate::plan::{self, Members, is_computed, is_found_again};
use crate::provider::Parts;

/// Names that a `provider` block keeps for Terraform.
const RESERVED: [&str; 8] = [
    "alias",
    "count",
    "depends_on",
    "for_each",
    "lifecycle",
    "locals",
    "source",
    "version",
];

impl Parts {
    /// The mistakes of the provider itself, for any request.
    pub(crate) fn problems(&self) -> Diagnostics {
        let mut problems = Problems(Diagnostics::new());
        for name in &self.twice {
            let what = "so one of them is not served. Rename one, or register it once.";
            problems.push("Duplicate Name", &format!("Two {name}, {what}"));
        }
        problems.definitions(self);
        if self.validates_another {
            let detail = "`validated_by` was given a function about another type than that of the provider's configuration. Name the type that \
                          the provider is made with.";
            problems.push("Another Provider Configuration", detail);
        }
        problems.configuration(self.config_schema.block());
        if let Some(meta) = self.meta_schema {
            problems.written("provider_meta", meta);
        }
        for (name, resource) in &self.resources {
            let block = resource.definition().schema().block();
            // What the provider has to say cannot be forgotten where the plan is a type of its own,
            // because the model is not made without it.
            problems.block(
                &Place {
                    answered: !resource.has_own_plan(),
                    ..Place::of(name)
                },
                block,
            );
            problems.undecided(name, Members::Block(block), false);
            let paths: Vec<String> = resource
                .stable_paths()
                .iter()
                .map(ToString::to_string)
                .collect();
            problems.stable(name, resource.stable(), block);
            if let Some((stored, write_only)) = plan::mispaired(block, resource.prefer_write_only())
            {
                let detail = format!(
                    "{name} prefers {write_only:?} to {stored:?}, which have to be a write-only attribute and one that is stored, side by side."
                );
                problems.push("Invalid Write-only Alternative", &detail);
            }
            problems.stable(
                name,
                &paths.iter().map(String::as_str).collect::<Vec<_>>(),
                block,
            );
            problems.imported(name, resource.import_id(), block);
            if let Some(identity) = resource.identity() {
                problems.identity(name, identity);
            }
        }
        for (name, source) in &self.data_sources {
            let name = format!("data source {name}");
            problems.stateless(
                &Place {
                    answered: !source.has_own_plan(),
                    ..Place::of(&name)
                },
                source.schema(),
            );
        }
        for (name, ephemeral) in &self.ephemeral_resources {
            let name = format!("ephemeral resource {name}");
            problems.stateless(
                &Place {
                    answered: !ephemeral.has_own_plan(),
                    ..Place::of(&name)
                },
                ephemeral.schema(),
            );
        }
        for (name, list) in &self.list_resources {
            problems.written(&format!("list resource {name}"), list.schema());
            problems.listed(name, self);
        }
        for (name, action) in &self.actions {
            problems.written(&format!("action {name}"), action.schema());
        }
        for (name, function) in &self.functions {
            problems.function(name, function);
        }
        problems.0
    }

    /// Types without a value for what is not known yet, found by trying. Nothing that has to be
    /// tried each time that the provider starts.
    pub(crate) fn unfillable(&self) -> Diagnostics {
        let mut problems = Problems(Diagnostics::new());
        for (name, resource) in &self.resources {
            problems.unfillable(name, resource.unfillable(), resource.import_id().is_some());
            problems.unchecked(name, resource.unchecked());
        }
        for (name, source) in &self.data_sources {
            let what = format!("data source {name}");
            problems.unfillable(&what, source.unfillable(), false);
            problems.unchecked(&what, source.unchecked());
        }
        for (name, ephemeral) in &self.ephemeral_resources {
            let what = format!("ephemeral resource {name}");
            problems.unfillable(&what, ephemeral.unfillable(), false);
            problems.unchecked(&what, ephemeral.unchecked());
        }
        problems.0
    }
}

struct Problems(Diagnostics);

/// The path of a part of a schema, and the parts around it.
#[derive(Clone)]
struct Place {
    /// The resource and the names on the way, with dots between them.
    name: String,
    in_set: bool,
    /// Inside blocks that there may be several of.
    in_blocks: bool,
    /// Functions answer what is computed, one by one.
    answered: bool,
}

impl Place {
    fn of(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            in_set: false,
            in_blocks: false,
            answered: true,
        }
    }

    fn below(&self, name: &str) -> Self {
        Self {
            name: format!("{}.{name}", self.name),
            ..*self
        }
    }

    fn inside(&self, name: &str, nesting: Nesting, blocks: bool) -> Self {
        Self {
            in_set: self.in_set || nesting == Nesting::Set,
            in_blocks: self.in_blocks || blocks && nesting != Nesting::Single,
            ..self.below(name)
        }
    }
}

impl Problems {
    fn push(&mut self, summary: &str, detail: &str) {
        self.0.push(diagnostics::mistake(summary, detail));
    }

    fn definitions(&mut self, parts: &Parts) {
        for definition in parts.registry.definitions() {
            let name = definition.type_name();
            let why = match parts.resources.get(name) {
                Some(resource) if resource.definition().schema() == definition.schema() => continue,
                Some(_) => "its schema is not that of the model",
                None => "there is no such resource",
            };
            self.push(
                "Unusable Definition",
                &format!("The definition that upgrades {name} can't be used: {why}."),
            );
        }
    }

    fn configuration(&mut self, block: &Block) {
        let names = block
            .attributes()
            .iter()
            .map(Attribute::name)
            .chain(block.blocks().iter().map(NestedBlock::name));
        for name in names.filter(|name| RESERVED.contains(name)) {
            let detail = format!(
                "The provider's configuration calls something {name:?}, which Terraform keeps for itself. Rename it."
            );
            self.push("Reserved Name", &detail);
        }
        self.block(
            &Place {
                answered: false,
                ..Place::of("provider")
            },
            block,
        );
    }

    fn stable(&mut self, resource: &str, stable: &[&str], block: &Block) {
        // The list has "id" unless its author wrote another.
        for name in stable.iter().filter(|name| **name != "id") {
            match named(Members::Block(block), name) {
                Some(attribute) if is_computed(attribute) => {}
                Some(_) => {
                    let detail = match computed_above(block, name) {
                        Some(above) => format!(
                            "{resource} names {name:?} as stable, but it is part of {above:?}, which is computed as a whole. \
                             Name {above:?} instead."
                        ),
                        None => format!(
                            "{resource} names {name:?} as stable, but it is not computed: it has the value that is configured. \
                             Remove it from the list."
                        ),
                    };
                    self.push("Stable Attribute Not Computed", &detail);
                }
                None => self.push(
                    "Unknown Stable Attribute",
                    &format!("{resource} names {name:?} as stable, but has no such attribute."),
                ),
            }
        }
    }

    fn unfillable(&mut self, what: &str, found: Option<(AttributePath, bool)>, imported: bool) {
        match found {
            Some((path, true)) => self.cannot_be_forgotten(&format!("{what}.{path}")),
            Some((path, false)) if imported => {
                let detail = format!(
                    "{what} is imported by `IMPORT_ID`, before whose `read` nothing else is known, and the type of {path} has no value for \
                     that. Write the function `import`, or make the field an `Option`."
                );
                self.push("Import Needs Its Own Function", &detail);
            }
            Some((_, false)) | None => {}
        }
    }

    fn unchecked(&mut self, what: &str, found: Option<AttributePath>) {
        if let Some(path) = found {
            let detail = format!(
                "{what}.{path} is computed, and its type has neither null nor an empty value: no function of `validate` would be called with the \
                 object that it is in. Make the field an `Option`."
            );
            self.push("Computed Attribute Without A Filler", &detail);
        }
    }

    /// Functions that decide about replacements are called with the value before, which an element
    /// of a set does not have.
    fn undecided(&mut self, name: &str, of: Members<'_>, in_set: bool) {
        for attribute in of
            .attributes()
            .iter()
            .filter(|attribute| in_set && attribute.decides_replacement())
        {
            let detail = format!(
                "{name}.{} is inside a set, whose elements are not compared with what they were one by one, so `requires_replace_if` would \
                 decide nothing. Write `requires_replace`, make the set a list or a map, or decide in `modify_plan`.",
                attribute.name()
            );
            self.push("Undecided Replacement In A Set", &detail);
        }
        // Each change of a whole that replaces the resource does so, and nothing is decided about
        // its parts.
        let is_whole = |name: &str| {
            of.attributes()
                .iter()
                .any(|attribute| attribute.name() == name && attribute.requires_replace())
        };
        for (inside, nesting, inner) in of.nested().filter(|(inside, ..)| !is_whole(inside)) {
            self.undecided(
                &format!("{name}.{inside}"),
                inner,
                in_set || nesting == Nesting::Set,
            );
        }
    }

    /// A field that is computed says what it holds while nobody knows it, so that what `create`
    /// forgets is found.
    fn cannot_be_forgotten(&mut self, name: &str) {
        let detail = format!(
            "{name} is computed, and every value of its type could be an answer: no check could find that a function forgot to set it. \
             Make the field an `Option`."
        );
        self.push("Computed Attribute Without A Filler", &detail);
    }

    fn imported(&mut self, resource: &str, by: Option<&str>, block: &Block) {
        let Some(name) = by else { return };
        let attribute = block
            .attributes()
            .iter()
            .find(|attribute| attribute.name() == name);
        if !attribute.is_some_and(|attribute| {
            matches!(attribute.implied_type(), Type::String | Type::Number)
        }) {
            let detail = format!(
                "{resource} is imported by {name:?}, which is not one of its strings or numbers."
            );
            self.push("Unknown Import Id", &detail);
        }
    }

    /// The kinds of which Terraform stores no versions.
    fn stateless(&mut self, place: &Place, schema: &Schema) {
        let what = &*place.name;
        self.versionless(what, schema);
        if let Some(path) = write_only_in(schema.block()) {
            let detail = format!(
                "{path} in the {what} is write-only, which only attributes of resources are. Make it sensitive."
            );
            self.push("Write-Only Attribute Without State", &detail);
        }
        self.block(place, schema.block());
    }

    /// Models that are only a configuration.
    fn written(&mut self, what: &str, schema: &Schema) {
        self.stateless(&Place::of(what), schema);
        if let Some(path) = computed_in(schema.block()) {
            let detail = format!(
                "{path} in the {what} is computed, and nothing is answered there. Remove `computed`, or the attribute."
            );
            self.push("Computed Attribute Without State", &detail);
        }
    }

    fn listed(&mut self, name: &str, parts: &Parts) {
        let resource = parts.resources.get(name);
        if resource.is_none_or(|resource| resource.identity().is_none()) {
            let detail = format!(
                "The list resource {name} lists resources that the provider does not have, or whose identity it does not know. Register \
                 the resource `with_identified`."
            );
            self.push("Unusable List Resource", &detail);
        }
    }

    fn versionless(&mut self, what: &str, schema: &Schema) {
        if schema.version() > 0 {
            let version = schema.version();
            let detail = format!(
                "The {what} is of version {version}, and Terraform stores no state of it. Remove `version` and the upgraders."
            );
            self.push("Version Without State", &detail);
        }
    }

    fn function(&mut self, name: &str, function: &AnyFunction) {
        let schema = (function.arguments)();
        self.versionless(&format!("function {name}"), schema);
        let block = schema.block();
        for nested in block.blocks() {
            let detail = format!(
                "The parameter {} of the function {name} is a block. Remove `#[block]`.",
                nested.name()
            );
            self.push("Unusable Function", &detail);
        }
        for attribute in block.attributes() {
            let given = matches!(
                attribute.presence(),
                Presence::Required | Presence::Optional
            );
            if !given || attribute.has_default() || attribute.is_write_only() {
                let parameter = attribute.name();
                let detail = format!(
                    "The parameter {parameter} of the function {name} is computed, write-only or has a default. A call gives every argument: \
                     make it an `Option` if it may be null."
                );
                self.push("Unusable Function", &detail);
            }
        }
        let last = function
            .parameters
            .last()
            .and_then(|last| block.attributes().iter().find(|it| it.name() == *last));
        if function.variadic
            && !last.is_some_and(|last| matches!(last.implied_type(), Type::List(_)))
        {
            let detail = format!(
                "The function {name} is variadic, and its last parameter is not a list. Make it a `Vec`."
            );
            self.push("Unusable Function", &detail);
        }
    }

    fn block(&mut self, place: &Place, block: &Block) {
        for attribute in block.attributes() {
            self.attribute(place, attribute);
        }
        for nested in block.blocks() {
            self.count(&place.below(nested.name()), nested);
            self.block(
                &place.inside(nested.name(), nested.nesting(), true),
                nested.block(),
            );
        }
    }

    fn count(&mut self, place: &Place, nested: &NestedBlock) {
        let (name, min, max) = (&place.name, nested.min_items(), nested.max_items());
        match nested.nesting() {
            Nesting::Map if min > 0 || max > 0 => {
                let detail = format!(
                    "{name} counts the blocks of a map, which Terraform does not. Remove `min` and `max`."
                );
                self.push("Counted Map", &detail);
            }
            Nesting::Single if min > 1 || max > 1 => {
                let detail = format!(
                    "{name} is one block at most, and its `min` or `max` is above 1. Make the field's type a `Vec`."
                );
                self.push("Counted Block", &detail);
            }
            Nesting::Single | Nesting::List | Nesting::Set | Nesting::Map => {}
        }
    }

    fn attribute(&mut self, place: &Place, attribute: &Attribute) {
        let at = place.below(attribute.name());
        let name = &at.name;
        if attribute.is_write_only() && at.in_set {
            let detail = format!(
                "{name} is write-only and inside a set, whose elements Terraform tells apart by their stored values. Use a list or a map."
            );
            self.push("Write-Only Attribute In A Set", &detail);
        }
        if let Some(json) = attribute.default_json() {
            if attribute.is_write_only() {
                let detail = format!(
                    "{name} is write-only and has a default, which would be stored. Put it in where the value is used."
                );
                self.push("Write-Only Attribute With A Default", &detail);
            }
            if let Err(error) = Value::from_json(
                json.as_bytes(),
                &attribute.implied_type(),
                UnknownAttributes::Deny,
            ) {
                self.push(
                    "Invalid Default",
                    &format!(
                        "The default of {name} is not one of its values: {}.",
                        error.problem()
                    ),
                );
            }
        }
        if at.answered
            && is_computed(attribute)
            && !attribute.has_default()
            && !is_found_again(attribute)
        {
            self.cannot_be_forgotten(name);
        }
        for check in attribute.checks() {
            if let Check::Pattern { pattern, .. } = check
                && let Err(error) = regex_lite::Regex::new(pattern)
            {
                self.push(
                    "Invalid Pattern",
                    &format!("The pattern of {name} is not a regular expression: {error}."),
                );
            }
        }
        match attribute.shape() {
            Shape::Plain(ty) if (at.in_set || at.in_blocks) && is_dynamic(ty) => {
                let around = if at.in_set {
                    "a set"
                } else {
                    "blocks that there may be several of"
                };
                let detail = format!(
                    "{name} is dynamic and inside {around}, whose elements need one type. Take the `Dynamic` out, or make the field around it \
                     a nested attribute that is a list, or one block."
                );
                self.push("Dynamic Attribute In A Collection", &detail);
            }
            Shape::Plain(_) => {}
            Shape::Nested(nested) => {
                let inside = place.inside(attribute.name(), nested.nesting(), false);
                let inside = Place {
                    answered: inside.answered && !is_computed(attribute),
                    ..inside
                };
                nested
                    .attributes()
                    .iter()
                    .for_each(|inner| self.attribute(&inside, inner));
            }
        }
    }

    fn identity(&mut self, resource: &str, identity: &ResourceDefinition) {
        let block = identity.schema().block();
        for nested in block.blocks() {
            let detail = format!(
                "The identity of {resource} has the blocks {}. Terraform takes attributes only.",
                nested.name()
            );
            self.push("Unusable Identity", &detail);
        }
        for attribute in block.attributes() {
            let name = attribute.name();
            let fits = match attribute.shape() {
                Shape::Plain(ty) => match &**ty {
                    Type::List(element) => is_primitive(element),
                    ty => is_primitive(ty),
                },
                Shape::Nested(_) => false,
            };
            if !fits {
                let ty = attribute.implied_type();
                let detail = format!(
                    "{name} in the identity of {resource} is of the type {ty}. Terraform takes strings, numbers, bools and lists of them."
                );
                self.push("Unusable Identity", &detail);
            }
            if attribute.is_sensitive() || attribute.is_write_only() {
                let detail = format!(
                    "{name} in the identity of {resource} is a secret, and Terraform shows identities."
                );
                self.push("Unusable Identity", &detail);
            }
        }
    }
}

/// The attribute that names with dots between them lead to.
fn named<'b>(of: Members<'b>, name: &str) -> Option<&'b Attribute> {
    match name.split_once('.') {
        Some((first, rest)) => of
            .nested()
            .find(|(name, ..)| *name == first)
            .and_then(|(_, _, inner)| named(inner, rest)),
        None => of
            .attributes()
            .iter()
            .find(|attribute| attribute.name() == name),
    }
}

/// The first part of the names that leads to an attribute which the provider sets, with all that is
/// in it.
fn computed_above<'n>(block: &Block, names: &'n str) -> Option<&'n str> {
    names
        .match_indices('.')
        .filter_map(|(at, _)| names.get(..at))
        .find(|above| named(Members::Block(block), above).is_some_and(is_computed))
}

/// The names that lead to the first attribute that is write-only.
fn write_only_in(block: &Block) -> Option<String> {
    first(block, Attribute::is_write_only)
}

/// The names that lead to the first attribute that the provider sets.
fn computed_in(block: &Block) -> Option<String> {
    first(block, is_computed)
}

fn first(block: &Block, is_it: fn(&Attribute) -> bool) -> Option<String> {
    fn find(attribute: &Attribute, is_it: fn(&Attribute) -> bool) -> Option<String> {
        let name = attribute.name();
        if is_it(attribute) {
            return Some(name.to_owned());
        }
        match attribute.shape() {
            Shape::Plain(_) => None,
            Shape::Nested(nested) => nested
                .attributes()
                .iter()
                .find_map(|inner| find(inner, is_it))
                .map(|below| format!("{name}.{below}")),
        }
    }
    let below = |nested: &NestedBlock| {
        Some(format!(
            "{}.{}",
            nested.name(),
            first(nested.block(), is_it)?
        ))
    };
    block
        .attributes()
        .iter()
        .find_map(|attribute| find(attribute, is_it))
        .or_else(|| block.blocks().iter().find_map(below))
}

fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::String | Type::Number | Type::Bool)
}

fn is_dynamic(ty: &Type) -> bool {
    match ty {
        Type::Dynamic => true,
        Type::Bool | Type::String | Type::Number | Type::Json | Type::Union(_) => false,
        Type::List(element) | Type::Set(element) | Type::Map(element) => is_dynamic(element),
        Type::Tuple(types) => types.iter().any(|ty| is_dynamic(ty)),
        Type::Object(fields) => fields.iter().any(|field| is_dynamic(field.ty())),
    }
}

#[cfg(test)]
mod tests;
