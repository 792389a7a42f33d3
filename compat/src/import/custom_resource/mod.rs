//! Models from the definitions of custom resources that were written without upstate.

mod difference;
mod limits;
mod model;
mod released;
mod shape;
mod types;

use std::fmt::Write as _;

use serde_json::Value;

use self::model::Model;
pub use self::released::released;
use self::shape::{Kind, Member, Node, literal};
use super::difference::Proposal;
use super::{Imported, SourceFile, names};

/// The definition of a custom resource, as `kubectl get crd -o json` prints it.
#[derive(Debug, Clone)]
pub struct Definition {
    name: String,
    group: String,
    kind: String,
    plural: String,
    scope: String,
    /// The options of `#[kube(…)]` that are about the kind.
    options: Vec<String>,
    /// The least stable one first.
    versions: Vec<Version>,
}

#[derive(Debug, Clone)]
struct Version {
    name: String,
    /// Nothing where the definition lacks it, which a server would refuse.
    served: Option<bool>,
    storage: Option<bool>,
    /// The warning for clients if it is deprecated; empty if the server is to write one.
    deprecated: Option<String>,
    columns: Vec<String>,
    has_status: bool,
    has_scale: bool,
    /// Options of `#[kube(…)]` about subresources and fields.
    subresources: Vec<String>,
    description: String,
    spec: Node,
    status: Option<Node>,
    /// Facts that no model has.
    lost: Vec<String>,
}

impl Definition {
    /// Reads a `CustomResourceDefinition` of `apiextensions.k8s.io/v1`.
    ///
    /// # Errors
    /// A sentence: it is none, or a version of it cannot be a model.
    pub fn parse(definition: &Value) -> Result<Self, String> {
        let is = |keyword: &str| {
            definition
                .get(keyword)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        match (is("apiVersion"), is("kind")) {
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => {}
            (old, "CustomResourceDefinition") => {
                return Err(format!(
                    "it is a definition of `{}`; `kubectl get crd NAME -o yaml` prints it as `apiextensions.k8s.io/v1`",
                    old.escape_debug()
                ));
            }
            (_, kind) => {
                return Err(format!(
                    "expected a CustomResourceDefinition, found `{}`",
                    kind.escape_debug()
                ));
            }
        }
        let spec = definition.get("spec").unwrap_or(&Value::Null);
        let text = |value: &Value, keyword: &str| {
            value
                .get(keyword)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let texts = |value: &Value, keyword: &str| -> Vec<String> {
            value
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(literal)
                .collect()
        };
        let missing = |what: &str| format!("the definition has no `{what}`");
        let group = text(spec, "group").ok_or_else(|| missing("spec.group"))?;
        let named = spec.get("names").unwrap_or(&Value::Null);
        let kind = text(named, "kind").ok_or_else(|| missing("spec.names.kind"))?;
        if !(kind.starts_with(|first: char| first.is_ascii_uppercase())
            && kind.chars().all(|letter| letter.is_ascii_alphanumeric()))
        {
            return Err(format!(
                "`{}` is not a kind: letters and digits, a capital first",
                kind.escape_debug()
            ));
        }
        let plural = text(named, "plural").ok_or_else(|| missing("spec.names.plural"))?;
        let mut options = vec![
            format!("group = {}", literal(&group)),
            format!("kind = {}", literal(&kind)),
        ];
        options.push(format!("plural = {}", literal(&plural)));
        if let Some(singular) = text(named, "singular")
            .filter(|singular| !singular.is_empty() && *singular != kind.to_lowercase())
        {
            options.push(format!("singular = {}", literal(&singular)));
        }
        for (option, keyword) in [("short_names", "shortNames"), ("categories", "categories")] {
            let list = texts(named, keyword);
            options.extend((!list.is_empty()).then(|| format!("{option}({})", list.join(", "))));
        }
        let scope = text(spec, "scope").unwrap_or_else(|| "Namespaced".to_owned());
        if scope == "Cluster" {
            options.push("scope = Cluster".to_owned());
        }
        let mut versions = Vec::new();
        for version in spec
            .get("versions")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            versions.push(Version::parse(version)?);
        }
        versions.sort_by_key(|version: &Version| stability(&version.name));
        if versions.is_empty() {
            return Err(missing("spec.versions"));
        }
        Ok(Self {
            name: format!("{plural}.{group}"),
            group,
            kind,
            plural,
            scope,
            options,
            versions,
        })
    }

    /// The name, such as `boats.ferry.example.com`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type name of the model, with the first label of the group, or with all of them.
    fn type_name(&self, whole_group: bool) -> String {
        let area = if whole_group {
            self.group.clone()
        } else {
            names::snake(self.group.split('.').next().unwrap_or_default())
        };
        format!("{area}.{}", names::snake(&self.kind))
    }

    fn type_name_among(&self, all: &[Self]) -> String {
        let short = self.type_name(false);
        // Otherwise a registry and a lock could not have both.
        let is_shared = all
            .iter()
            .filter(|other| other.type_name(false) == short)
            .count()
            > 1;
        if is_shared {
            self.type_name(true)
        } else {
            short
        }
    }

    fn model(&self, type_name: &str) -> String {
        let mut model = Model::default();
        let Some(now) = self.versions.last() else {
            return String::new();
        };
        let current = self.versions.len() - 1;
        let spec = history(&self.versions, |version| Some(&version.spec));
        let status = history(&self.versions, |version| version.status.as_ref());
        let refused = spec.refused.max(status.refused);
        let status_name = now.status.is_some().then(|| format!("{}Status", self.kind));
        let mut head = vec![format!(
            "#[document(type_name = {}, version = {current}, rename_all = \"camelCase\")]",
            literal(type_name)
        )];
        head.extend(spec.lines);
        head.extend(
            now.lost
                .iter()
                .map(|lost| format!("// No model has {}.", model::line(lost))),
        );
        head.push("#[kube(".to_owned());
        let mut options = self.options.clone();
        options.extend(status_name.iter().map(|name| format!("status = {name}")));
        for (number, version) in (0_u64..).zip(&self.versions) {
            let comment = if refused.is_some_and(|last| number <= last) {
                "// "
            } else {
                ""
            };
            options.push(format!(
                "{comment}version({number} = {}{})",
                literal(&version.name),
                version.options()
            ));
        }
        options.extend(
            now.columns
                .iter()
                .chain(&now.subresources)
                .chain(now.spec.options.iter().filter(|option| is_rule(option)))
                .cloned(),
        );
        head.extend(options.iter().map(|option| format!("    {option},")));
        head.push(")]".to_owned());
        let mut root = now.spec.clone();
        if !now.description.is_empty() {
            root.description.clone_from(&now.description);
        }
        let mut text = model.document(&format!("{}Spec", self.kind), &self.kind, &root, &head);
        if let (Some(name), Some(node)) = (status_name, &now.status) {
            let version = if status.is_changed {
                format!("version = {current}, ")
            } else {
                String::new()
            };
            let mut head = vec![format!("#[document({version}rename_all = \"camelCase\")]")];
            head.extend(status.lines.into_iter().filter(|_| status.is_changed));
            text.push('\n');
            text += &model.document(&name, &name, node, &head);
        }
        format!("use upstate::Document;\n\n{text}")
    }
}

impl Version {
    fn parse(version: &Value) -> Result<Self, String> {
        let text = |keyword: &str| {
            version
                .get(keyword)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let has = |keyword: &str| version.get(keyword).and_then(Value::as_bool);
        let name = text("name").to_owned();
        // It is repeated in comments and reasons, so that a line break in it would be source.
        let is_label =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if !(name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(is_label))
        {
            return Err(format!(
                "`{}` is not a version: small letters, digits and `-`, a letter first",
                name.escape_debug()
            ));
        }
        let schema = version
            .pointer("/schema/openAPIV3Schema")
            .ok_or_else(|| format!("{name} has no schema"))?;
        let root = Node::of(schema, &name)?;
        let Kind::Object { members, .. } = root.kind else {
            return Err(format!("{name}: its schema describes no object"));
        };
        let mut lost = root.lost;
        lost.extend(
            root.options
                .iter()
                .map(|option| format!("of the whole object: `{option}`")),
        );
        let (mut spec, mut status) = (None, None);
        for Member {
            name: member, node, ..
        } in members
        {
            match member.as_str() {
                "apiVersion" | "kind" | "metadata" => {}
                "spec" => spec = Some(node),
                "status" => status = Some(node),
                other => {
                    return Err(format!(
                        "{name}: `{}` is next to `spec` and `status`",
                        other.escape_debug()
                    ));
                }
            }
        }
        let spec = spec
            .filter(Node::is_object)
            .ok_or_else(|| format!("{name}: its `spec` is not an object with members"))?;
        if !status.as_ref().is_none_or(Node::is_object) {
            return Err(format!(
                "{name}: its `status` is not an object with members"
            ));
        }
        // Lost, because a model has defaults of fields only.
        if let Some(default) = &spec.default {
            lost.push(format!("of the spec: `default: {default}`"));
        }
        lost.extend(spec.lost.iter().map(|lost| format!("of the spec: {lost}")));
        let others = spec.options.iter().filter(|option| !is_rule(option));
        lost.extend(others.map(|option| format!("of the spec: `{option}`")));
        let deprecated = has("deprecated")
            .unwrap_or(false)
            .then(|| text("deprecationWarning").to_owned());
        let columns = version
            .get("additionalPrinterColumns")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(column)
            .collect();
        let mut subresources = Vec::new();
        if let Some(scale) = version.pointer("/subresources/scale") {
            let path = |keyword: &str| scale.get(keyword).and_then(Value::as_str).map(literal);
            let paths = [
                ("spec", "specReplicasPath"),
                ("status", "statusReplicasPath"),
                ("selector", "labelSelectorPath"),
            ];
            let paths: Vec<String> = paths
                .iter()
                .filter_map(|(option, keyword)| Some(format!("{option} = {}", path(keyword)?)))
                .collect();
            subresources.push(format!("scale({})", paths.join(", ")));
        }
        let selectable = version
            .get("selectableFields")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let selectable: Vec<String> = selectable
            .filter_map(|field| field.get("jsonPath").and_then(Value::as_str))
            .map(literal)
            .collect();
        subresources.extend(
            (!selectable.is_empty()).then(|| format!("selectable({})", selectable.join(", "))),
        );
        Ok(Self {
            name,
            served: has("served"),
            storage: has("storage"),
            deprecated,
            columns,
            has_status: version.pointer("/subresources/status").is_some(),
            has_scale: version.pointer("/subresources/scale").is_some(),
            subresources,
            description: root.description,
            spec,
            status,
            lost,
        })
    }

    /// The options of `version(…)`, behind the name.
    fn options(&self) -> String {
        let mut options = String::new();
        if self.storage == Some(true) {
            options += ", storage";
        }
        if self.served != Some(true) {
            options += ", served = false";
        }
        match self.deprecated.as_deref() {
            Some("") => options += ", deprecated",
            Some(warning) => {
                let _ = write!(options, ", deprecated = {}", literal(warning));
            }
            None => {}
        }
        options
    }
}

fn is_rule(option: &str) -> bool {
    option.starts_with("rule(")
}

fn column(column: &Value) -> String {
    let text = |keyword: &str| column.get(keyword).and_then(Value::as_str);
    let mut options: Vec<String> = [
        ("name", "name"),
        ("path", "jsonPath"),
        ("type", "type"),
        ("format", "format"),
        ("description", "description"),
    ]
    .iter()
    .filter_map(|(option, keyword)| Some(format!("{option} = {}", literal(text(keyword)?))))
    .collect();
    options.extend(
        column
            .get("priority")
            .and_then(Value::as_i64)
            .filter(|priority| *priority != 0)
            .map(|it| format!("priority = {it}")),
    );
    format!("column({})", options.join(", "))
}

/// The upgraders of the spec or the status.
struct History {
    lines: Vec<String>,
    /// The last version that has none, because values are missing.
    refused: Option<u64>,
    /// True if versions differ.
    is_changed: bool,
}

fn history<'v>(versions: &'v [Version], of: impl Fn(&'v Version) -> Option<&'v Node>) -> History {
    let members = |version: &'v Version| -> &'v [Member] {
        let Some(Kind::Object { members, .. }) = of(version).map(|node| &node.kind) else {
            return &[];
        };
        members
    };
    let mut lines = Vec::new();
    let mut refused = None;
    let mut is_changed = false;
    let pairs: Vec<(u64, &[Version])> = (0..).zip(versions.windows(2)).collect();
    for (number, pair) in pairs.into_iter().rev() {
        let [before, now] = pair else { continue };
        let proposal = difference::between(members(before), members(now), &before.name);
        is_changed |= proposal != Proposal::default();
        if refused.is_none() && !proposal.open.is_empty() {
            refused = Some((number, now.name.as_str()));
        }
        lines.extend(proposal.notes.iter().map(|note| format!("// {note}")));
        lines.extend(match refused {
            Some((_, name)) => super::refused((number, number + 1), name, &proposal),
            None => super::difference((number, number + 1), &proposal.operators),
        });
    }
    History {
        lines,
        refused: refused.map(|(number, _)| number),
        is_changed,
    }
}

/// The order in which Kubernetes prefers versions, the least first.
fn stability(name: &str) -> (u8, u64, u64, String) {
    let number = |text: &str| text.parse::<u64>().ok();
    let parsed = name.strip_prefix('v').and_then(|rest| {
        if let Some(major) = number(rest) {
            return Some((3, major, 0));
        }
        ["alpha", "beta"]
            .iter()
            .zip([1, 2])
            .find_map(|(word, rank)| {
                let (major, minor) = rest.split_once(word)?;
                Some((rank, number(major)?, number(minor)?))
            })
    });
    // First, because Kubernetes prefers each version of the usual form.
    parsed.map_or((0, 0, 0, name.to_owned()), |(rank, major, minor)| {
        (rank, major, minor, String::new())
    })
}

/// The models of custom resources, and a `mod.rs` with their registry.
///
/// The versions of a definition become those of the model, the most stable one the current.
/// Differences between them are proposed as an upgrader: fields that are gone and fields that are
/// new are paired where their types are the same and their names close, and marked `// check`. A
/// version that needs a value which no object has is `unsupported`, with a comment that says what
/// is missing.
///
/// ```
/// use upstate_compat::import::{Definition, custom_resources};
///
/// let definition = serde_json::json!({
///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
///     "spec": {"group": "ferry.example.com", "names": {"kind": "Boat", "plural": "boats"}, "scope": "Namespaced", "versions": [
///         {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
///             "spec": {"type": "object", "properties": {"homePort": {"type": "string"}}}}}}}]}});
/// let imported = custom_resources(&[Definition::parse(&definition)?]);
/// assert_eq!(imported.files[0].name, "boat.rs");
/// assert!(imported.files[0].text.contains("pub home_port: Option<String>,"));
/// # Ok::<(), String>(())
/// ```
#[must_use]
pub fn custom_resources(definitions: &[Definition]) -> Imported {
    let mut imported = Imported::default();
    let (mut modules, mut registry) = (String::new(), String::new());
    let mut sorted: Vec<&Definition> = definitions.iter().collect();
    sorted.sort_by(|one, other| one.name.cmp(&other.name));
    for definition in sorted {
        let type_name = definition.type_name_among(definitions);
        let module = super::module(&names::snake(&definition.kind), &imported.files);
        let _ = writeln!(modules, "pub mod {module};");
        let _ = write!(
            registry,
            "\n        .with::<{module}::{}Spec>()",
            definition.kind
        );
        imported.files.push(SourceFile {
            name: format!("{module}.rs"),
            text: definition.model(&type_name),
        });
    }
    let text = format!(
        "//! Models of custom resources, imported from their definitions.\n\n{modules}\nuse upstate::Registry;\n\n/// All of them.\n#[must_use]\npub fn registry() -> Registry {{\n    Registry::new(){registry}\n}}\n"
    );
    imported.files.push(SourceFile {
        name: "mod.rs".to_owned(),
        text,
    });
    imported
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition(versions: &Value) -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {"group": "ferry.example.com", "names": {"kind": "Boat", "plural": "boats"}, "versions": versions},
        })
    }

    fn version(name: &str, spec: &Value) -> Value {
        json!({"name": name, "served": true, "storage": name == "v1",
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}}})
    }

    #[test]
    fn kinds_of_one_name_in_two_groups_have_their_own_type_names() {
        let of = |group: &str, kind: &str| {
            let mut definition = definition(&json!([version(
                "v1",
                &json!({"name": {"type": "string"}})
            )]));
            definition["spec"]["group"] = json!(group);
            definition["spec"]["names"]["kind"] = json!(kind);
            Definition::parse(&definition).unwrap()
        };
        let files = custom_resources(&[
            of("ferry.example.com", "Boat"),
            of("ferry.example.org", "Boat"),
            of("ferry.example.org", "Ship"),
        ])
        .files;
        let name = |text: &str| {
            text.split("type_name = \"")
                .nth(1)
                .and_then(|rest| rest.split('"').next())
                .map(str::to_owned)
        };
        let names: Vec<(String, String)> = files
            .iter()
            .filter_map(|file| Some((file.name.clone(), name(&file.text)?)))
            .collect();
        let expected = [
            ("boat.rs", "ferry.example.com.boat"),
            ("boat_.rs", "ferry.example.org.boat"),
            ("ship.rs", "ferry.ship"),
        ];
        assert_eq!(
            names,
            expected.map(|(file, name)| (file.to_owned(), name.to_owned()))
        );
    }

    fn text(versions: &Value) -> String {
        custom_resources(&[Definition::parse(&definition(versions)).unwrap()])
            .files
            .swap_remove(0)
            .text
    }

    #[test]
    fn the_most_stable_version_is_the_current_one() {
        let name = json!({"name": {"type": "string"}});
        let names = [
            "v1",
            "v1alpha1",
            "v2",
            "v1beta2",
            "v1beta10",
            "v10",
            "v11alpha2",
            "edge",
        ];
        let versions: Vec<Value> = names.iter().map(|of| version(of, &name)).collect();
        let text = text(&versions.into());
        let found: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("version(")?.split('"').nth(1))
            .collect();
        assert_eq!(
            found,
            [
                "edge",
                "v1alpha1",
                "v11alpha2",
                "v1beta2",
                "v1beta10",
                "v1",
                "v2",
                "v10"
            ]
        );
    }

    #[test]
    fn members_are_fields_of_rust() {
        let text = text(&json!([version(
            "v1",
            &json!({
                "homePort": {"type": "string", "minLength": 1, "default": "Kiel"},
                "URL": {"type": "string", "pattern": "^\\\\w+$"},
                "type": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 9},
                "self": {"type": "number"},
                "x-y": {"type": "boolean", "nullable": true},
                "any": {"x-kubernetes-preserve-unknown-fields": true},
                "size": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                "ports": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 4}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "paint": {"type": "object", "required": ["colour"], "default": {"colour": "red"},
                    "properties": {"colour": {"type": "string", "format": "hex\n\u{202e}"}}},
            })
        )]));
        for line in [
            "#[attribute(name = \"URL\")]\n    #[kube(pattern = r\"^\\\\w+$\")]\n    pub url: Option<String>,",
            "#[attribute(json)]\n    pub any: Option<serde_json::Value>,",
            "#[attribute(default = \"Kiel\".to_owned())]\n    #[kube(length = 1..)]\n    pub home_port: String,",
            "pub labels: Option<std::collections::BTreeMap<String, String>>,",
            "// The default is `{\"colour\":\"red\"}`: `#[attribute(default = …)]` and a type without `Option` say so.\n    pub paint: Option<BoatPaint>,",
            "#[kube(length = ..=3, each(length = ..=4), list_type = \"set\")]\n    pub ports: Option<Vec<String>>,",
            "pub self_: Option<f64>,",
            "#[attribute(json)]\n    #[kube(int_or_string)]\n    pub size: Option<serde_json::Value>,",
            "#[kube(range = 0..=9)]\n    pub r#type: Option<i32>,",
            "#[attribute(name = \"x-y\")]\n    #[kube(nullable)]\n    pub x_y: Option<bool>,",
            "// No model has `format: \"hex\\n \"`.\n    pub colour: String,",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn changes_between_versions_are_operators() {
        let text = text(&json!([
            version(
                "v1",
                &json!({"fullName": {"type": "string"}, "speed": {"type": "integer"}, "crew": {"type": "array", "items": {"type": "string"}, "default": []}})
            ),
            version(
                "v1beta1",
                &json!({"fullNames": {"type": "string"}, "speed": {"type": "string"}, "berth": {"type": "string", "default": "A"}})
            ),
        ]));
        let operators = "#[upgrade_from(0 => 1,\n    rename(fullNames => full_name), // check\n    set(crew = []),\n    drop(berth: String, \"it was in v1beta1 only\", back = \"A\"),\n    convert(speed: Option<String>, empty = null),\n)]";
        assert!(text.contains(operators), "{text}");
    }

    #[test]
    fn a_name_that_no_rule_makes_is_written_as_it_is() {
        let hull = |members: Value| json!({"type": "object", "properties": members});
        let now = json!({
            "speed": {"type": "integer"},
            "hull": hull(json!({"beam": {"type": "integer"}})),
        });
        let before = json!({
            "speed": {"type": "integer"},
            "API_key": {"type": "string"},
            "hull": hull(json!({"beam": {"type": "integer"}, "API_key": {"type": "string"}})),
        });
        let text = text(&json!([version("v1", &now), version("v1beta1", &before)]));
        for operator in [
            "drop(r#API_key: Option<String>, \"it was in v1beta1 only\")",
            "drop(hull.r#API_key: Option<String>, \"it was in v1beta1 only\")",
        ] {
            assert!(text.contains(operator), "{text}");
        }
    }

    #[test]
    fn a_version_without_the_values_of_the_next_one_is_refused() {
        let mut next = version("v1", &json!({"name": {"type": "string"}}));
        next["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] = json!(["name"]);
        let text = text(&json!([
            next,
            version("v1beta1", &json!({"name": {"type": "string"}}))
        ]));
        assert!(
            text.contains("//   `name` is required now: `default(name = …)` says what null was"),
            "{text}"
        );
        assert!(
            text.contains(
                "#[upgrade_from(0, unsupported = \"version 0 lacks values that v1 needs\")]"
            ),
            "{text}"
        );
        assert!(
            text.contains("    // version(0 = \"v1beta1\"),\n    version(1 = \"v1\", storage),"),
            "{text}"
        );
    }

    #[test]
    fn what_is_no_definition_is_refused() {
        let spec = |schema: &Value| {
            definition(
                &json!([{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}}}]),
            )
        };
        let mut beside = definition(&json!([version("v1", &json!({}))]));
        beside["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["data"] =
            json!({"type": "string"});
        let mut kind = definition(&json!([version("v1", &json!({}))]));
        kind["spec"]["names"]["kind"] = json!("Boat { } fn main() { }");
        let cases = [
            (json!([]), "expected a CustomResourceDefinition, found ``"),
            (
                json!({"kind": "Service"}),
                "expected a CustomResourceDefinition, found `Service`",
            ),
            (
                json!({"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1beta1"}),
                "it is a definition of `apiextensions.k8s.io/v1beta1`; `kubectl get crd NAME -o yaml` prints it as `apiextensions.k8s.io/v1`",
            ),
            (
                json!({"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}),
                "the definition has no `spec.group`",
            ),
            (
                definition(&json!([])),
                "the definition has no `spec.versions`",
            ),
            (definition(&json!([{"name": "v1"}])), "v1 has no schema"),
            (
                definition(&json!([version("v1\npub fn evil() {}", &json!({}))])),
                "`v1\\npub fn evil() {}` is not a version: small letters, digits and `-`, a letter first",
            ),
            (
                definition(&json!([{}])),
                "`` is not a version: small letters, digits and `-`, a letter first",
            ),
            (
                spec(&json!({"type": "object", "properties": {"a\nb": {}}})),
                "v1.spec.a\\nb: its schema has no type",
            ),
            (
                spec(&json!({"type": "string"})),
                "v1: its `spec` is not an object with members",
            ),
            (
                spec(&json!({"type": "object", "properties": {"a": {"type": "null"}}})),
                "v1.spec.a: `null` is not a type of Kubernetes",
            ),
            (
                spec(&json!({"type": "object", "properties": {"a": {}}})),
                "v1.spec.a: its schema has no type",
            ),
            (
                spec(&json!({"type": "object", "properties": {"a": 1}})),
                "v1.spec.a: its schema is not an object",
            ),
            (
                spec(&json!({"type": "object", "properties": {"a": {"type": "array"}}})),
                "v1.spec.a: a list has no `items`",
            ),
            (beside, "v1: `data` is next to `spec` and `status`"),
            (
                kind,
                "`Boat { } fn main() { }` is not a kind: letters and digits, a capital first",
            ),
        ];
        for (definition, why) in cases {
            assert_eq!(Definition::parse(&definition).unwrap_err(), why);
        }
    }
}
