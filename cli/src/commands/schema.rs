//! `schema`: what the known types look like.

use std::collections::BTreeMap;
use std::io::Write as _;

use clap::{Args as ClapArgs, ValueEnum};
use upstate::schema::{Attribute, Block, Nesting, Presence, Shape, Type};
use upstate::{Registry, ResourceDefinition};

use crate::outcome::Outcome;
use crate::terminal::{self, BOLD, DIM};

/// The format of printed schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// As `terraform providers schema -json` does, by type name
    Json,
    /// JSON Schema of the stored state of one type
    JsonSchema,
}

/// Show the current schema of the known types, or of one
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  {program} schema\n  {program} schema example_thing --format json\n  {program} schema example_thing --format json-schema --version 0\n  {program} schema findings > findings.schema.json"
)]
pub(crate) struct Schema {
    /// A type; all types unless given. `findings` and `guide` are the JSON Schemas of what `check`
    /// and `guide` print as json
    #[arg(value_name = "TYPE")]
    type_name: Option<String>,
    /// The format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The stored version for the JSON Schema; the current one unless given
    #[arg(long, value_name = "VERSION")]
    version: Option<u64>,
}

impl Schema {
    /// Prints also the schemas of what `check` and `guide` print.
    pub(crate) fn run_with_published(&self, registry: &Registry) -> Outcome {
        let name = self.type_name.as_deref().filter(|name| {
            registry
                .definitions()
                .all(|known| known.type_name() != *name)
        });
        match name.and_then(crate::lock::published) {
            Some(schema) => {
                terminal::printed(std::io::stdout().lock().write_all(schema.as_bytes()))
            }
            None => self.run(registry),
        }
    }

    pub(crate) fn run(&self, registry: &Registry) -> Outcome {
        let wanted: Vec<&ResourceDefinition> = match &self.type_name {
            None => registry.definitions().collect(),
            Some(name) => match super::definition::definition(registry, name) {
                Ok(definition) => vec![definition],
                Err(outcome) => return outcome,
            },
        };
        if self.version.is_some() && self.format != Format::JsonSchema {
            terminal::fail("--version is for --format json-schema");
            return Outcome::Usage;
        }
        match (self.format, wanted.as_slice()) {
            (Format::Json, _) => terminal::printed(json(&wanted)),
            (Format::Text, _) => terminal::printed(text(&wanted)),
            (Format::JsonSchema, [definition]) => self.json_schema(definition),
            (Format::JsonSchema, _) => {
                terminal::fail("a JSON Schema is of one type; name it");
                Outcome::Usage
            }
        }
    }

    fn json_schema(&self, definition: &ResourceDefinition) -> Outcome {
        let version = self.version.unwrap_or_else(|| definition.version());
        let Some(schema) = upstate_compat::json_schema(definition, version) else {
            let prior = definition.supported_ranges();
            let prior = prior.iter().filter(|versions| {
                upstate_compat::json_schema(definition, *versions.start()).is_some()
            });
            let current = definition.version();
            let known: Vec<String> = prior
                .chain([&(current..=current)])
                .map(super::explain::stored)
                .collect();
            terminal::fail(&format!(
                "{} has no schema of version {version}; it has those of: {}",
                definition.type_name(),
                known.join(", ")
            ));
            return Outcome::Usage;
        };
        let print = || {
            let mut out = std::io::stdout().lock();
            serde_json::to_writer_pretty(&mut out, &schema)?;
            writeln!(out)?;
            out.flush()
        };
        terminal::printed(print())
    }
}

fn json(definitions: &[&ResourceDefinition]) -> std::io::Result<()> {
    let by_type: BTreeMap<&str, &upstate::schema::Schema> = definitions
        .iter()
        .map(|definition| (definition.type_name(), definition.schema()))
        .collect();
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &by_type)?;
    writeln!(out)?;
    out.flush()
}

fn text(definitions: &[&ResourceDefinition]) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    for (position, definition) in definitions.iter().enumerate() {
        if position > 0 {
            writeln!(out)?;
        }
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}, schema version {}",
            definition.type_name(),
            definition.version()
        )?;
        for line in definition.schema().description().lines() {
            writeln!(out, "  {line}")?;
        }
        if let Some(message) = definition.schema().deprecated() {
            writeln!(out, "  deprecated: {message}")?;
        }
        for versions in definition.supported_ranges() {
            let later = definition
                .route(*versions.start())
                .into_iter()
                .skip(1)
                .map(|version| version.to_string());
            let route: Vec<String> = std::iter::once(super::explain::stored(&versions))
                .chain(later)
                .collect();
            writeln!(out, "  {DIM}upgrades{DIM:#} {}", route.join(" → "))?;
        }
        block(&mut out, definition.schema().block(), 1)?;
    }
    out.flush()
}

fn block(out: &mut dyn std::io::Write, of: &Block, depth: usize) -> std::io::Result<()> {
    attributes(out, of.attributes(), depth)?;
    let indent = depth * 2;
    for nested in of.blocks() {
        let limits = match (nested.min_items(), nested.max_items()) {
            (0, 0) => String::new(),
            (min, 0) => format!(", at least {min}"),
            (0, max) => format!(", at most {max}"),
            (min, max) => format!(", {min} to {max}"),
        };
        let shape = block_text(nested.nesting());
        writeln!(out, "{:indent$}{}  {shape}{limits}", "", nested.name())?;
        block(out, nested.block(), depth + 1)?;
    }
    Ok(())
}

fn attributes(
    out: &mut dyn std::io::Write,
    attributes_of: &[Attribute],
    depth: usize,
) -> std::io::Result<()> {
    let width = attributes_of
        .iter()
        .map(|attribute| attribute.name().len())
        .max()
        .unwrap_or(0);
    for attribute in attributes_of {
        let presence = match attribute.presence() {
            Presence::Required => "required",
            Presence::Optional => "optional",
            Presence::Computed => "computed",
            Presence::OptionalComputed => "optional, computed",
        };
        let (shape, nested) = match attribute.shape() {
            Shape::Plain(ty) => (type_text(ty), None),
            Shape::Nested(nested) => (
                object_text(nested.nesting()).to_owned(),
                Some(nested.attributes()),
            ),
        };
        let sensitive = if attribute.is_sensitive() {
            ", sensitive"
        } else {
            ""
        };
        let deprecated = attribute
            .deprecated()
            .map_or(String::new(), |message| match message {
                "" => ", deprecated".to_owned(),
                message => format!(", deprecated: {message}"),
            });
        let indent = depth * 2;
        writeln!(
            out,
            "{:indent$}{:width$}  {shape}, {presence}{sensitive}{deprecated}",
            "",
            attribute.name()
        )?;
        for line in attribute.description().lines() {
            writeln!(out, "{:indent$}{:width$}  {DIM}{line}{DIM:#}", "", "")?;
        }
        if let Some(nested) = nested {
            attributes(out, nested, depth + 1)?;
        }
    }
    Ok(())
}

pub(super) const fn block_text(nesting: Nesting) -> &'static str {
    match nesting {
        Nesting::Single => "block",
        Nesting::List => "list of blocks",
        Nesting::Set => "set of blocks",
        Nesting::Map => "map of blocks",
    }
}

pub(super) const fn object_text(nesting: Nesting) -> &'static str {
    match nesting {
        Nesting::Single => "object",
        Nesting::List => "list of objects",
        Nesting::Set => "set of objects",
        Nesting::Map => "map of objects",
    }
}

pub(super) fn type_text(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::String => "string".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Dynamic => "any type".to_owned(),
        Type::List(element) => format!("list of {}", type_text(element)),
        Type::Set(element) => format!("set of {}", type_text(element)),
        Type::Map(element) => format!("map of {}", type_text(element)),
        // Tuples and objects without a model of their own read best in the notation.
        other => other.to_string(),
    }
}
