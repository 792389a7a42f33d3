//! The definition of a custom resource.

use std::cmp::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::error::CrdError;
use crate::facts::{Column, Deprecated, Facts, Maturity, Version};
use crate::model::{Model, Part};
use crate::schema::Node;
use crate::text::Put as _;
use crate::{convert, cost, declared, structural, text, value};

/// The size from which `kubectl apply` needs `--server-side`: it stores the definition in an
/// annotation.
const LARGE: usize = 256 * 1024;
/// The size that etcd still takes.
const LARGEST: usize = 1024 * 1024;
/// The number of fields that the server lets clients of a version select by.
const SELECTABLE: usize = 8;

/// A `CustomResourceDefinition` of `apiextensions.k8s.io/v1`, with the schema of every version.
///
/// It has the same bytes each time it is written, whatever wrote it: members are in the order of
/// their names, versions in Kubernetes' own.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomResourceDefinition {
    value: Value,
}

/// The webhook that converts objects between versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    client: Client,
    ca_bundle: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Client {
    Service {
        namespace: String,
        name: String,
        path: String,
        port: u16,
    },
    Url(String),
}

impl Webhook {
    /// A webhook behind a service of the cluster, at its port 443 and the path `/convert`.
    #[must_use]
    pub fn service(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        let client = Client::Service {
            namespace: namespace.into(),
            name: name.into(),
            path: "/convert".to_owned(),
            port: 443,
        };
        Self {
            client,
            ca_bundle: None,
        }
    }

    /// A webhook at a URL, which begins with `https://`.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self {
            client: Client::Url(url.into()),
            ca_bundle: None,
        }
    }

    /// Another path of the service.
    #[must_use]
    pub fn path(mut self, other: impl Into<String>) -> Self {
        if let Client::Service { path, .. } = &mut self.client {
            *path = other.into();
        }
        self
    }

    /// Another port of the service.
    #[must_use]
    pub fn port(mut self, other: u16) -> Self {
        if let Client::Service { port, .. } = &mut self.client {
            *port = other;
        }
        self
    }

    /// The certificates that the server trusts, as PEM. Without them, something else writes them
    /// into the definition, such as cert-manager.
    #[must_use]
    pub fn ca_bundle(mut self, pem: impl Into<String>) -> Self {
        self.ca_bundle = Some(pem.into());
        self
    }

    fn checked(&self, facts: &Facts) -> Result<Value, CrdError> {
        let mut config = match &self.client {
            Client::Service {
                namespace,
                name,
                path,
                port,
            } => {
                if *port == 0 || !is_path_of_service(path) {
                    return Err(CrdError::new(
                        facts,
                        format!(
                            "Kubernetes does not call the webhook's service at port {port} and path {path:?}"
                        ),
                        "write a port from 1 on, and a path of `/` and segments of small letters, digits, `-` and `.`, such as `/convert`",
                    ));
                }
                json!({"service": {"namespace": namespace, "name": name, "path": path, "port": port}})
            }
            Client::Url(url) => {
                let host = url
                    .strip_prefix("https://")
                    .map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
                if host.is_none_or(|host| host.is_empty() || host.contains('@'))
                    || url.contains(['?', '#'])
                {
                    return Err(CrdError::new(
                        facts,
                        "Kubernetes does not call this URL of the webhook",
                        "write `https://`, a host and a path, without a user and a query",
                    ));
                }
                json!({"url": url})
            }
        };
        if let (Some(pem), Some(config)) = (&self.ca_bundle, config.as_object_mut()) {
            // The server takes anything here, and finds out when it calls.
            if !pem.contains("-----BEGIN CERTIFICATE-----")
                || !pem.contains("-----END CERTIFICATE-----")
            {
                return Err(CrdError::new(
                    facts,
                    "the CA bundle of the webhook is not PEM",
                    "give the text between and with `-----BEGIN CERTIFICATE-----` and `-----END CERTIFICATE-----`",
                ));
            }
            config.put("caBundle", json!(STANDARD.encode(pem)));
        }
        Ok(
            json!({"strategy": "Webhook", "webhook": {"clientConfig": config, "conversionReviewVersions": ["v1"]}}),
        )
    }
}

/// True if the server takes it: each segment is a name of DNS, of small letters.
fn is_path_of_service(path: &str) -> bool {
    let Some(segments) = path.strip_prefix('/') else {
        return path.is_empty();
    };
    let is_label = |label: &str| {
        let is_alphanumeric = |byte: Option<u8>| {
            byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        is_alphanumeric(label.bytes().next())
            && is_alphanumeric(label.bytes().last())
            && label.bytes().all(inside)
    };
    let is_name = |segment: &str| segment.len() <= 253 && segment.split('.').all(is_label);
    segments.is_empty()
        || segments
            .strip_suffix('/')
            .unwrap_or(segments)
            .split('/')
            .all(is_name)
}

impl CustomResourceDefinition {
    /// The definition of a custom resource whose versions `webhook` converts; `None` where all
    /// versions have one shape.
    pub(crate) fn new(model: &Model, webhook: Option<&Webhook>) -> Result<Self, CrdError> {
        let facts = model.facts;
        let mut versions: Vec<&Version> = facts.versions.iter().collect();
        versions.sort_by(|one, other| by_priority(one.name, other.name));
        let schemas: Vec<(&Version, Value)> = versions
            .into_iter()
            .map(|version| Ok((version, schema(model, version)?)))
            .collect::<Result<_, CrdError>>()?;
        check_columns(model)?;
        check_selectable(model, &schemas)?;
        let conversion = if let Some(webhook) = webhook {
            check_conversion(model)?;
            check_secrets(model)?;
            webhook.checked(facts)?
        } else {
            check_without_webhook(facts, &schemas)?;
            json!({"strategy": "None"})
        };
        let versions: Vec<Value> = schemas
            .into_iter()
            .map(|(version, schema)| of_version(model, version, &schema))
            .collect::<Result<_, CrdError>>()?;
        let mut names = Map::from_iter([
            ("kind".to_owned(), json!(facts.kind)),
            ("listKind".to_owned(), json!(format!("{}List", facts.kind))),
            ("plural".to_owned(), json!(facts.plural)),
            ("singular".to_owned(), json!(facts.singular)),
        ]);
        for (name, values) in [
            ("shortNames", facts.short_names),
            ("categories", facts.categories),
        ] {
            if !values.is_empty() {
                names.put(name, json!(values));
            }
        }
        let scope = facts.scope.name();
        let value = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": facts.crd_name()},
            "spec": {
                "group": facts.group,
                "names": names,
                "scope": scope,
                "conversion": conversion,
                "versions": versions,
            },
        });
        let definition = Self { value };
        let size = definition.value.to_string().len();
        if size > LARGEST {
            return Err(CrdError::new(
                facts,
                format!("the definition has {size} bytes, and etcd takes {LARGEST}"),
                "store parts that clients need not see described with `#[attribute(json)]`, or stop serving old versions",
            ));
        }
        Ok(definition)
    }

    /// The definition as a value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The definition as YAML, for `kubectl apply`.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        text::yaml(&self.value)
    }

    /// The definition as JSON in lines.
    #[must_use]
    pub fn to_json(&self) -> String {
        text::json(&self.value)
    }

    /// A sentence for the person who applies the definition, if it is so large that `kubectl apply`
    /// alone refuses it, or if a rule of CEL looks at all of a list or map without a greatest
    /// length, which servers from Kubernetes 1.25 on may refuse.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let size = self.value.to_string().len();
        if size > LARGE {
            return Some(format!(
                "The definition has {size} bytes, which `kubectl apply` cannot keep in an annotation; write `kubectl apply --server-side`."
            ));
        }
        cost::unbounded(&self.value)
    }
}

/// The order in which Kubernetes has versions: stable, beta and alpha ones, each by their numbers
/// from the highest.
fn by_priority(one: &str, other: &str) -> Ordering {
    Maturity::of(other)
        .cmp(&Maturity::of(one))
        .then_with(|| one.cmp(other))
}

fn schema(model: &Model, version: &Version) -> Result<Value, CrdError> {
    let mut properties = Map::from_iter([
        ("apiVersion".to_owned(), json!({"type": "string"})),
        ("kind".to_owned(), json!({"type": "string"})),
        ("metadata".to_owned(), json!({"type": "object"})),
    ]);
    for part in model.parts() {
        let node = node(model, part, version)?;
        if let Some((path, misfit)) = value::refused_default(node, part.name) {
            let place = misfit.path(&path);
            let at = if place == path {
                format!("the default of `{path}`")
            } else {
                format!("in the default of `{path}`, `{place}`")
            };
            return Err(CrdError::of_version(
                model.facts,
                version,
                format!("{at} {misfit}, so the server refuses the definition"),
                "change the default, or the limits of the field",
            ));
        }
        let mut schema = structural::schema(node);
        let rules = model
            .facts
            .rules
            .iter()
            .map(|rule| (rule.rule, rule.message));
        // Left out of earlier versions, because rules of the struct name its fields, which have
        // other names there.
        if part.name == "spec"
            && version.number == part.engine.current()
            && rules.len() > 0
            && let Some(schema) = schema.as_object_mut()
        {
            schema.put("x-kubernetes-validations", declared::rules(rules));
        }
        properties.put(part.name, schema);
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": ["spec"]});
    if let (false, Some(schema)) = (model.facts.description.is_empty(), schema.as_object_mut()) {
        schema.put("description", json!(model.facts.description));
    }
    Ok(schema)
}

fn node<'m>(model: &Model, part: &'m Part, version: &Version) -> Result<&'m Node, CrdError> {
    // There is a shape for each version of the facts.
    part.shape(part.number(version))
        .map(|shape| &shape.node)
        .ok_or_else(|| {
            CrdError::not_structural(model.facts, version, part.name, "the version has no shape")
        })
}

fn of_version(model: &Model, version: &Version, schema: &Value) -> Result<Value, CrdError> {
    let facts = model.facts;
    let mut made = Map::from_iter([
        ("name".to_owned(), json!(version.name)),
        ("served".to_owned(), json!(version.served)),
        ("storage".to_owned(), json!(version.storage)),
        ("schema".to_owned(), json!({"openAPIV3Schema": schema})),
    ]);
    match version.deprecated {
        Deprecated::No => {}
        Deprecated::Yes => made.put("deprecated", true),
        Deprecated::Warning(text) => {
            made.put("deprecated", true);
            made.put("deprecationWarning", json!(text));
        }
    }
    let mut subresources = Map::new();
    if model.status.is_some() {
        subresources.put("status", json!({}));
    }
    if let Some(scale) = facts.scale {
        let mut paths = json!({"specReplicasPath": scale.spec, "statusReplicasPath": scale.status});
        if let (Some(selector), Some(paths)) = (scale.selector, paths.as_object_mut()) {
            paths.put("labelSelectorPath", json!(selector));
        }
        for path in [Some(scale.spec), Some(scale.status), scale.selector]
            .into_iter()
            .flatten()
        {
            if !has(model, version, path)? {
                return Err(CrdError::of_version(
                    facts,
                    version,
                    format!("the scale subresource has the path `{path}`, which names no field"),
                    "the server takes such a path and scales nothing; keep the field's name in all versions",
                ));
            }
        }
        subresources.put("scale", paths);
    }
    if !subresources.is_empty() {
        made.put("subresources", subresources);
    }
    let mut columns = Vec::new();
    for column in facts.columns {
        if has(model, version, column.path)? {
            columns.push(of_column(column));
        }
    }
    if !columns.is_empty() {
        made.put("additionalPrinterColumns", json!(columns));
    }
    let mut selectable = Vec::new();
    for path in facts.selectable {
        if is_selectable(schema, path) {
            selectable.push(json!({"jsonPath": path}));
        }
    }
    if !selectable.is_empty() {
        made.put("selectableFields", json!(selectable));
    }
    Ok(Value::Object(made))
}

fn of_column(column: &Column) -> Value {
    let mut made = json!({"name": column.name, "type": column.ty, "jsonPath": column.path});
    if let Some(members) = made.as_object_mut() {
        for (name, text) in [
            ("format", column.format),
            ("description", column.description),
        ] {
            if let Some(text) = text {
                members.put(name, json!(text));
            }
        }
        if column.priority != 0 {
            members.put("priority", json!(column.priority));
        }
    }
    made
}

/// True if a path leads to a field of the version. What is behind a bracket is a filter, which no
/// schema knows.
fn has(model: &Model, version: &Version, path: &str) -> Result<bool, CrdError> {
    let plain = path.split('[').next().unwrap_or_default();
    let mut names = plain
        .trim_start_matches('.')
        .split('.')
        .filter(|name| !name.is_empty());
    let first = names.next().unwrap_or_default();
    if first == "metadata" {
        return Ok(true);
    }
    match model.parts().find(|part| part.name == first) {
        Some(part) => Ok(node(model, part, version)?.at(&mut names).is_some()),
        None => Ok(false),
    }
}

/// A path that names no field of the current version is a mistake, which the server does not find.
fn check_columns(model: &Model) -> Result<(), CrdError> {
    let facts = model.facts;
    let current = model.spec.engine.current();
    let Some(version) = facts
        .versions
        .iter()
        .find(|version| version.number == current)
    else {
        return Ok(());
    };
    let columns = facts
        .columns
        .iter()
        .map(|column| ("the column", column.path));
    for (of, path) in columns.chain(
        facts
            .selectable
            .iter()
            .map(|path| ("a selectable field", *path)),
    ) {
        if !has(model, version, path)? {
            return Err(CrdError::of_version(
                facts,
                version,
                format!("the path `{path}` of {of} names no field"),
                "the server takes such a path and shows nothing; write the stored names of the current version",
            ));
        }
    }
    Ok(())
}

/// True if the server lets clients select by a path: it leads through objects to a string, a
/// boolean or an integer.
fn is_selectable(schema: &Value, path: &str) -> bool {
    let mut names = path.trim_start_matches('.').split('.');
    let field = names.try_fold(schema, |schema, name| schema.get("properties")?.get(name));
    let ty = field
        .and_then(|field| field.get("type"))
        .and_then(Value::as_str);
    matches!(ty, Some("string" | "boolean" | "integer"))
}

/// Servers from Kubernetes 1.30 on refuse a definition that selects by other fields, or by more;
/// older ones drop all of it.
fn check_selectable(model: &Model, schemas: &[(&Version, Value)]) -> Result<(), CrdError> {
    let facts = model.facts;
    let current = model.spec.engine.current();
    let Some((version, schema)) = schemas
        .iter()
        .find(|(version, _)| version.number == current)
    else {
        return Ok(());
    };
    if let Some(path) = facts
        .selectable
        .iter()
        .find(|path| !is_selectable(schema, path))
    {
        return Err(CrdError::of_version(
            facts,
            version,
            format!(
                "the path `{path}` of a selectable field does not lead through objects to a string, a boolean or an integer"
            ),
            "Kubernetes selects by such fields alone; name one, or remove `selectable`",
        ));
    }
    if facts.selectable.len() > SELECTABLE {
        return Err(CrdError::new(
            facts,
            format!(
                "it has {} selectable fields, and Kubernetes takes {SELECTABLE}",
                facts.selectable.len()
            ),
            "remove some of the paths from `selectable`",
        ));
    }
    Ok(())
}

/// Refuses versions that differ and that nothing converts: the server would then only change the
/// version's name, and drop what it does not know.
fn check_without_webhook(facts: &Facts, schemas: &[(&Version, Value)]) -> Result<(), CrdError> {
    let Some((first, schema)) = schemas.first() else {
        return Ok(());
    };
    match schemas.iter().find(|(_, other)| other != schema) {
        None => Ok(()),
        Some((other, _)) => Err(CrdError::new(
            facts,
            format!(
                "versions {} and {} differ, and no webhook converts them, so the server would drop values",
                first.name, other.name
            ),
            format!(
                "write `{}::crd_with(&Webhook::service(\"namespace\", \"name\"))`, and serve the webhook there",
                facts.rust_name
            ),
        )),
    }
}

/// Refuses a version that objects of the current one cannot be read in, or that would need secrets
/// in an annotation.
pub(crate) fn check_conversion(model: &Model) -> Result<(), CrdError> {
    for part in model.parts() {
        let current = part.engine.current();
        for version in model.facts.versions {
            let number = part.number(version);
            let (Some(hub), true) = (part.shape(current), number != current) else {
                continue;
            };
            let sample = hub.samples.value(&hub.node, "", false);
            let reason = match part.engine.down(number, &sample) {
                Err(errors) => errors
                    .iter()
                    .next()
                    .map(|error| error.detail().lines().next().unwrap_or_default().to_owned()),
                Ok(mut made) => part.shape(number).and_then(|shape| {
                    value::prune(&shape.node, &mut made);
                    let misfit = value::check(&shape.node, &made, false).err()?;
                    Some(format!("`{}` {misfit}", misfit.path(part.name)))
                }),
            };
            if let Some(reason) = reason
                && !holds_less(part, number, &sample)
            {
                return Err(CrdError::of_version(
                    model.facts,
                    version,
                    format!("no object of the current version can be read in it: {reason}"),
                    "one such object takes the whole collection away from the clients of the version; say what the older version has there, such as `drop(x, \"why\", back = value)`",
                ));
            }
        }
    }
    Ok(())
}

/// True if an older version can hold a value of the current one without parts that it need not
/// have.
fn holds_less(part: &Part, number: u64, sample: &Value) -> bool {
    let Ok(made) = part
        .engine
        .taken_back(number, sample.to_string().as_bytes(), false)
    else {
        return false;
    };
    let (Ok(mut made), Some(shape)) = (serde_json::from_slice(&made), part.shape(number)) else {
        return false;
    };
    value::prune(&shape.node, &mut made);
    value::leave_out(&shape.node, &mut made).is_ok() && part.engine.up(number, &made).is_ok()
}

/// Refuses versions between which a secret would have to be kept in an annotation, which everybody
/// sees who reads metadata.
fn check_secrets(model: &Model) -> Result<(), CrdError> {
    match convert::unkept_secret(model) {
        None => Ok(()),
        Some((version, of, pointer)) => Err(CrdError::of_version(
            model.facts,
            version,
            format!(
                "it cannot hold the sensitive value at `{}` of {}, and no annotation may",
                pointer.trim_start_matches('/').replace('/', "."),
                of.name
            ),
            "objects with such a value could not be read in the version; give it a field for the value, or stop serving it",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::by_priority;

    /// Scenario 14: the order on the server.
    #[test]
    fn versions_are_in_the_order_of_the_server() {
        let mut versions = ["v1", "v2", "v10", "v1beta1", "v3beta1", "v12alpha1", "foo1"];
        versions.sort_by(|one, other| by_priority(one, other));
        assert_eq!(
            versions,
            ["v10", "v2", "v1", "v3beta1", "v1beta1", "v12alpha1", "foo1"]
        );
    }
}
