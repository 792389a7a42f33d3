//! Models from the schemas of a provider that was written without upstate: Rust source for its author to go on with.

mod difference;
mod model;
mod names;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use upstate::schema::Schema;

use self::difference::Proposal;
use self::model::Model;
use crate::Release;
use crate::provider_schemas::resources;

/// One release: its number, and what `terraform providers schema -json` printed for it.
#[derive(Debug, Clone)]
pub struct ReleasedSchemas {
    release: Release,
    schemas: BTreeMap<String, Schema>,
}

/// A file of Rust source.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceFile {
    /// Its name, such as `aws_instance.rs`.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl ReleasedSchemas {
    /// Reads the output of `terraform providers schema -json`. Of several providers only the one called `provider`, by its whole
    /// address or the last part of it.
    ///
    /// # Errors
    /// A sentence: the text is not such an output, or has no or more than one such provider.
    pub fn parse(release: Release, json: &[u8], provider: Option<&str>) -> Result<Self, String> {
        Ok(Self { release, schemas: resources(json, provider)? })
    }
}

/// The models of the types for which `wanted` says so, as the latest release has them, and a `mod.rs` with their registry.
///
/// Where an earlier release stored a lower version, the difference is proposed as an upgrader: removed and new fields are paired where
/// their types are the same and their names similar, and marked `// check`. A version that needs a value which no document has is
/// `unsupported`, with a comment that says what is missing.
///
/// ```
/// use upstate_compat::import::{ReleasedSchemas, models};
///
/// let json = br#"{"provider_schemas": {"example.com/test/acme": {"resource_schemas": {"acme_server": {"version": 0, "block": {
///     "attributes": {"name": {"type": "string", "required": true}, "type": {"type": "string", "optional": true}}}}}}}}"#;
/// let release = ReleasedSchemas::parse("1.0.0".parse().unwrap(), json, None).unwrap();
/// let files = models(&[release], |_| true);
/// assert_eq!(files[0].name, "acme_server.rs");
/// assert!(files[0].text.contains("pub name: String,\n    pub r#type: Option<String>,"));
/// assert_eq!(files[1].name, "mod.rs");
/// ```
#[must_use]
pub fn models(releases: &[ReleasedSchemas], wanted: impl Fn(&str) -> bool) -> Vec<SourceFile> {
    let mut releases: Vec<&ReleasedSchemas> = releases.iter().collect();
    releases.sort_by(|one, other| one.release.cmp(&other.release));
    let Some(latest) = releases.last() else { return Vec::new() };
    let mut files = Vec::new();
    let (mut modules, mut registry) = (String::new(), String::new());
    for (type_name, schema) in latest.schemas.iter().filter(|(type_name, _)| wanted(type_name)) {
        let head = head(type_name, schema, &releases);
        let module = names::module(type_name);
        let _ = writeln!(modules, "pub mod {module};");
        let mut structs = names::Structs::default();
        let _ = write!(registry, "\n        .with::<{module}::{}>()", structs.name(&names::of_type(type_name)));
        files.push(SourceFile { name: format!("{module}.rs"), text: Model::of(type_name, schema, &head) });
    }
    let text = format!(
        "//! Models of release {}, imported from its schemas.\n\n{modules}\nuse upstate::Registry;\n\n/// All of them.\n#[must_use]\npub fn registry() -> Registry {{\n    Registry::new(){registry}\n}}\n",
        latest.release
    );
    files.push(SourceFile { name: "mod.rs".to_owned(), text });
    files
}

/// The attributes of the struct: its version, and an upgrader for each earlier one that a release stored.
fn head(type_name: &str, schema: &Schema, releases: &[&ReleasedSchemas]) -> Vec<String> {
    // The last release that stored a version says what it was.
    let mut versions: BTreeMap<u64, (&Schema, &Release)> = BTreeMap::new();
    let mut first: BTreeMap<u64, &Release> = BTreeMap::new();
    for ReleasedSchemas { release, schemas } in releases {
        if let Some(stored) = schemas.get(type_name).filter(|stored| stored.version() <= schema.version()) {
            versions.insert(stored.version(), (stored, release));
            first.entry(stored.version()).or_insert(release);
        }
    }
    let version = schema.version();
    let oldest = versions.keys().next().copied().unwrap_or(version);
    let mut options = vec![format!("type_name = {type_name:?}"), format!("version = {version}")];
    let mut lines = Vec::new();
    if oldest > 0 {
        lines.push(format!("// What was stored before version {oldest} is in no schema document that this was imported from."));
        options.push(format!("oldest = {oldest}"));
    }
    if first.len() > 1 {
        let since: Vec<String> = first.iter().map(|(version, release)| format!("\"{release}\" => {version}")).collect();
        options.push(format!("since({})", since.join(", ")));
    }
    if schema.deprecated().is_some() {
        lines.push("// Deprecated; the schema document has no message.".to_owned());
    }
    lines.push(format!("#[resource({})]", options.join(", ")));
    let known: Vec<(u64, &Schema)> = versions.iter().map(|(version, (schema, _))| (*version, *schema)).collect();
    let mut upgraders = Vec::new();
    for pair in known.windows(2) {
        let [(from, before), (to, now)] = pair else { continue };
        let release = first.get(to).map_or_else(String::new, ToString::to_string);
        let later = versions.get(to).map_or(*now, |(schema, _)| schema);
        upgraders.push(upgrader(*from, *to, &Proposal::between(before.block(), later.block(), &release)));
        // A difference to what is not described by one says nothing.
        if to - from > 1 {
            upgraders.push(vec![format!(
                "#[upgrade_from({}, unsupported = \"no schema document says what was stored\")]",
                if to - from == 2 { (from + 1).to_string() } else { format!("{}..={}", from + 1, to - 1) }
            )]);
        }
    }
    // A version that is refused describes no shape, so none before it can lead to it.
    let refused = upgraders.iter().rposition(|lines| lines.iter().any(|line| line.contains("// This version")));
    for (index, upgrader) in upgraders.into_iter().enumerate().rev() {
        match refused {
            Some(refused) if index < refused => lines.extend(upgrader.into_iter().map(|line| refuse(&line))),
            _ => lines.extend(upgrader),
        }
    }
    lines
}

/// An upgrader that leads to a version which is refused.
fn refuse(line: &str) -> String {
    match line.strip_prefix("#[upgrade_from(").and_then(|rest| rest.split_once(" => ")) {
        Some((version, _)) => format!(
            "#[upgrade_from({version}, unsupported = \"a later version needs values that no schema document has\")]\n// It said: {line}"
        ),
        None if line.starts_with("#[") => line.to_owned(),
        None => format!("// {line}"),
    }
}

fn upgrader(from: u64, to: u64, proposal: &Proposal) -> Vec<String> {
    let Proposal { operators, open } = proposal;
    if open.is_empty() {
        if operators.is_empty() {
            return vec![format!("#[upgrade_from({from} => {to}, carry)]")];
        }
        let mut lines = vec![format!("#[upgrade_from({from} => {to},")];
        lines.extend(operators.iter().map(|operator| format!("    {operator}")));
        lines.push(")]".to_owned());
        return lines;
    }
    let mut lines = vec!["// This version needs values that no schema document has:".to_owned()];
    lines.extend(open.iter().map(|open| format!("// {open}.")));
    lines.extend(operators.iter().map(|operator| format!("// {operator}")));
    lines.push(format!("#[upgrade_from({from}, unsupported = \"upgrade with the release before first\")]"));
    lines
}
