//! Models from the schemas of a provider, or from the definitions of custom resources, that were
//! written without upstate: Rust source for its author to go on with.

mod custom_resource;
mod difference;
mod model;
mod names;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use upstate::schema::Schema;

pub use self::custom_resource::{Definition, custom_resources, released};
use self::difference::Proposal;
use self::model::Model;
use crate::provider_schemas::provider;
use crate::{Release, lock};

/// One release: its number, and what `terraform providers schema -json` printed for it.
#[derive(Debug, Clone)]
pub struct ReleasedSchemas {
    release: Release,
    schemas: BTreeMap<String, Schema>,
    /// The types whose schemas cannot be read, and why.
    unreadable: Vec<(String, String)>,
}

/// A file of Rust source.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceFile {
    /// Its name, such as `aws_instance.rs`.
    pub name: String,
    /// Its contents.
    pub text: String,
}

impl ReleasedSchemas {
    /// Reads the output of `terraform providers schema -json`. Of several providers only the one
    /// called `name`, by its whole address or the last part of it.
    ///
    /// # Errors
    /// A sentence: the text is not such an output, or has no or more than one such provider.
    pub fn parse(release: Release, json: &[u8], name: Option<&str>) -> Result<Self, String> {
        let mut released = Self {
            release,
            schemas: BTreeMap::new(),
            unreadable: Vec::new(),
        };
        for (type_name, schema) in provider(json, name)?.resources() {
            match schema {
                Ok(schema) => {
                    released.schemas.insert(type_name.to_owned(), schema);
                }
                Err(why) => released.unreadable.push((type_name.to_owned(), why)),
            }
        }
        Ok(released)
    }
}

/// The written changes, and those left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Imported {
    /// A file for each type, in the order of their names, and a `mod.rs` with their registry.
    pub files: Vec<SourceFile>,
    /// The types that no model can describe, each with a sentence that says why.
    pub left_out: Vec<(String, String)>,
    /// The types of which releases stored several shapes under one version, each with a sentence
    /// that says which. It is a comment in the model, too.
    pub reshaped: Vec<(String, String)>,
}

/// The models of the types for which `wanted` says so, as the latest release has them, and a
/// `mod.rs` with their registry.
///
/// Differences from an earlier release that stored a lower version are proposed as an upgrader:
/// fields that are gone and fields that are new are paired where their types are the same and their
/// names close, and marked `// check`. A version that needs a value which no document has is
/// `unsupported`, with a comment that says what is missing.
///
/// ```
/// use upstate_compat::import::{ReleasedSchemas, models};
///
/// let json = br#"{"provider_schemas": {"example.com/test/acme": {"resource_schemas": {"acme_server": {"version": 0, "block": {
///     "attributes": {"name": {"type": "string", "required": true}, "type": {"type": "string", "optional": true}}}}}}}}"#;
/// let release = ReleasedSchemas::parse("1.0.0".parse().unwrap(), json, None).unwrap();
/// let imported = models(&[release], |_| true);
/// assert_eq!(imported.files[0].name, "acme_server.rs");
/// assert!(imported.files[0].text.contains("pub name: String,\n    pub r#type: Option<String>,"));
/// assert_eq!(imported.files[1].name, "mod.rs");
/// ```
#[must_use]
pub fn models(releases: &[ReleasedSchemas], wanted: impl Fn(&str) -> bool) -> Imported {
    let mut releases: Vec<&ReleasedSchemas> = releases.iter().collect();
    releases.sort_by(|one, other| one.release.cmp(&other.release));
    let mut imported = Imported::default();
    let Some(latest) = releases.last() else {
        return imported;
    };
    let unreadable = unreadable(&releases, &wanted);
    let (mut modules, mut registry) = (String::new(), String::new());
    let is_written = |type_name: &str| wanted(type_name) && !unreadable.contains_key(type_name);
    for (type_name, schema) in latest
        .schemas
        .iter()
        .filter(|(type_name, _)| is_written(type_name))
    {
        let shapes = reshaped(type_name, schema.version(), &releases);
        let text = match names::refused(type_name, false) {
            Some(why) => Err(why),
            None => Model::of(
                type_name,
                schema,
                &head(type_name, schema, &releases, &shapes),
            ),
        };
        match text {
            Ok(text) => {
                let module = module(type_name, &imported.files);
                let _ = writeln!(modules, "pub mod {module};");
                let name = names::Structs::default().name(&names::of_type(type_name));
                let _ = write!(registry, "\n        .with::<{module}::{name}>()");
                imported.files.push(SourceFile {
                    name: format!("{module}.rs"),
                    text,
                });
                imported
                    .reshaped
                    .extend(shapes.into_iter().map(|shape| (type_name.clone(), shape)));
            }
            Err(why) => imported.left_out.push((type_name.clone(), why)),
        }
    }
    imported.left_out.extend(unreadable);
    imported.left_out.sort_unstable();
    let text = format!(
        "//! Models of release {}, imported from its schemas.\n\n{modules}\nuse upstate::Registry;\n\n/// All of them.\n#[must_use]\npub fn registry() -> Registry {{\n    Registry::new(){registry}\n}}\n",
        latest.release
    );
    imported.files.push(SourceFile {
        name: "mod.rs".to_owned(),
        text,
    });
    imported
}

/// The module of a type, which no other type has, nor the crate that `mod.rs` imports from.
fn module(type_name: &str, others: &[SourceFile]) -> String {
    let mut module = names::module(type_name);
    while module == "upstate"
        || others
            .iter()
            .any(|file| file.name.strip_suffix(".rs") == Some(&module))
    {
        module.push('_');
    }
    module
}

/// The types of the latest release whose schema cannot be read, in it or in an earlier one: a
/// history without it would be another.
fn unreadable(
    releases: &[&ReleasedSchemas],
    wanted: impl Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let Some(latest) = releases.last() else {
        return BTreeMap::new();
    };
    let is_of_latest = |type_name: &String| {
        latest.schemas.contains_key(type_name)
            || latest
                .unreadable
                .iter()
                .any(|(other, _)| other == type_name)
    };
    let all = releases.iter().flat_map(
        |ReleasedSchemas {
             release,
             unreadable,
             ..
         }| {
            unreadable.iter().map(move |(type_name, why)| {
                (
                    type_name.clone(),
                    format!("its schema in release {release}: {why}"),
                )
            })
        },
    );
    all.filter(|(type_name, _)| wanted(type_name) && is_of_latest(type_name))
        .collect()
}

/// A version that a release stored.
struct Stored<'a> {
    version: u64,
    schema: &'a Schema,
    /// The first release that stored it.
    since: &'a Release,
}

/// The versions of a type that releases stored, the earliest first.
fn stored<'a>(type_name: &str, current: u64, releases: &[&'a ReleasedSchemas]) -> Vec<Stored<'a>> {
    let mut versions: BTreeMap<u64, Stored<'a>> = BTreeMap::new();
    for ReleasedSchemas {
        release, schemas, ..
    } in releases
    {
        let Some(schema) = schemas
            .get(type_name)
            .filter(|schema| schema.version() <= current)
        else {
            continue;
        };
        // The schema of the last release replaces earlier ones, because that release says what the
        // version was.
        let since = versions
            .get(&schema.version())
            .map_or(release, |stored| stored.since);
        versions.insert(
            schema.version(),
            Stored {
                version: schema.version(),
                schema,
                since,
            },
        );
    }
    versions.into_values().collect()
}

/// The versions under which a release stored another shape than the release before it, each as a
/// sentence.
///
/// Go's SDK and framework skip stored attributes that a schema lacks, so providers remove them
/// without a new version.
fn reshaped(type_name: &str, current: u64, releases: &[&ReleasedSchemas]) -> Vec<String> {
    let mut last: BTreeMap<u64, &Schema> = BTreeMap::new();
    let mut found = Vec::new();
    for ReleasedSchemas {
        release, schemas, ..
    } in releases
    {
        let Some(schema) = schemas
            .get(type_name)
            .filter(|schema| schema.version() <= current)
        else {
            continue;
        };
        let version = schema.version();
        if let Some(before) = last.insert(version, schema) {
            let differences = lock::reshaped(before, schema)
                .join("; ")
                .replace(" null?", "");
            if !differences.is_empty() {
                found.push(format!("Before release {release}, version {version} was stored with another shape: {differences}."));
            }
        }
    }
    found
}

/// The attributes of the struct: its version, and an upgrader for each earlier one.
fn head(
    type_name: &str,
    schema: &Schema,
    releases: &[&ReleasedSchemas],
    reshaped: &[String],
) -> Vec<String> {
    let version = schema.version();
    let stored = stored(type_name, version, releases);
    let oldest = stored.first().map_or(version, |stored| stored.version);
    let mut options = vec![
        format!("type_name = {type_name:?}"),
        format!("version = {version}"),
    ];
    let mut lines = Vec::new();
    if oldest > 0 {
        lines.push(format!(
            "// No schema document that this was imported from has a version before {oldest}."
        ));
        options.push(format!("oldest = {oldest}"));
    }
    for ReleasedSchemas {
        release, schemas, ..
    } in releases
    {
        if let Some(later) = schemas
            .get(type_name)
            .map(Schema::version)
            .filter(|stored| *stored > version)
        {
            lines.push(format!(
                "// Release {release} stored version {later}, which is later than {version}: this model refuses that state."
            ));
        }
    }
    lines.extend(reshaped.iter().flat_map(|sentence| {
        [
            format!("// {sentence}"),
            "// That state is read without the removed attributes.".to_owned(),
        ]
    }));
    if stored.len() > 1 {
        let since: Vec<String> = stored
            .iter()
            .map(|Stored { version, since, .. }| format!("\"{since}\" => {version}"))
            .collect();
        options.push(format!("since({})", since.join(", ")));
    }
    if schema.deprecated().is_some() {
        lines.push("// Deprecated; the schema document has no message.".to_owned());
    }
    lines.push(format!("#[resource({})]", options.join(", ")));
    // The latest first. A version that is refused describes no shape, so nothing before it leads to
    // it.
    let mut refused_at = None;
    for pair in stored.windows(2).rev() {
        let [before, now] = pair else { continue };
        let proposal = Proposal::between(
            before.schema.block(),
            now.schema.block(),
            &now.since.to_string(),
        );
        match now.version - before.version {
            1 => {}
            2 => lines.push(unknown(&(before.version + 1).to_string())),
            _ => lines.push(unknown(&format!(
                "{}..={}",
                before.version + 1,
                now.version - 1
            ))),
        }
        if !proposal.open.is_empty() {
            refused_at = Some(now.since);
        }
        match refused_at {
            Some(since) => lines.extend(refused(
                (before.version, now.version),
                &format!("release {since}"),
                &proposal,
            )),
            None => lines.extend(difference(
                (before.version, now.version),
                &proposal.operators,
            )),
        }
    }
    lines
}

/// Versions between two that are known.
fn unknown(versions: &str) -> String {
    format!(
        "#[upgrade_from({versions}, unsupported = \"no schema document says what this version stored\")]"
    )
}

fn difference((from, to): (u64, u64), operators: &[String]) -> Vec<String> {
    if operators.is_empty() {
        return vec![format!("#[upgrade_from({from} => {to}, carry)]")];
    }
    let mut lines = vec![format!("#[upgrade_from({from} => {to},")];
    lines.extend(operators.iter().map(|operator| format!("    {operator}")));
    lines.push(")]".to_owned());
    lines
}

/// The proposed difference, as a comment, and the refusal until the author completes it.
fn refused(
    versions: (u64, u64),
    since: &str,
    Proposal {
        operators, open, ..
    }: &Proposal,
) -> Vec<String> {
    let mut lines = Vec::new();
    if !open.is_empty() {
        lines.push("// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:".to_owned());
        lines.extend(open.iter().map(|open| format!("//   {open}")));
    }
    lines.extend(
        difference(versions, operators)
            .into_iter()
            .map(|line| format!("// {line}")),
    );
    let (from, _) = versions;
    lines.push(format!(
        "#[upgrade_from({from}, unsupported = \"version {from} lacks values that {since} needs\")]"
    ));
    lines
}
