//! Rewriting a state file as Terraform writes it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use upstate::__internal::{Layout, compact, indented, write_string};
use upstate::AttributePath;
use upstate::codec::Encoding;
use upstate::path::PathStep;

use super::address::{Mode, Resource};
use super::checks::{self, CheckResult};
use super::names;
use super::outputs;
use super::parse::{Instance, StateFile};
use super::record::{base64_encoded, flat_map};
use super::scan::{Scanner, Slot};

impl StateFile<'_> {
    /// Rewrites the whole file as Terraform does: its indentation and order of names, resources and
    /// instances sorted, no members that the format does not define, a final newline. Attributes
    /// keep their digits and the order of their names. Members of the format as `OpenTofu` has it
    /// stay, because only the state says that an object is not to be destroyed.
    ///
    /// The serial and the version of the Terraform that wrote it stay.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn normalize(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut part = Vec::new();
        let mut head = Json::new();
        head.number("version", 4);
        head.text("terraform_version", self.terraform_version());
        head.number("serial", self.serial());
        head.text("lineage", self.lineage());
        head.raw("outputs", &self.normalized_outputs()?);
        head.name("resources");
        let resources = self.sorted();
        if resources.is_empty() {
            head.out.extend_from_slice(b"[]");
        }
        laid_out(&head.out, "", &mut part);
        out.write_all(&part)?;
        for (index, (resource, provider, instances)) in resources.iter().enumerate() {
            out.write_all(if index == 0 { b"[" } else { b"," })?;
            write_resource(resource, provider, instances, out)?;
        }
        if !resources.is_empty() {
            out.write_all(b"\n  ]")?;
        }
        let checks = self.checks();
        let checks = if checks.is_empty() {
            b"null".to_vec()
        } else {
            serde_json::to_vec(&checks)?
        };
        let mut escaped = Vec::new();
        compact(&String::from_utf8_lossy(&checks), &mut escaped);
        part.clear();
        laid_out(&escaped, "  ", &mut part);
        out.write_all(b",\n  \"check_results\": ")?;
        out.write_all(&part)?;
        out.write_all(b"\n}\n")
    }

    /// Each resource once, sorted, with the provider that was named last and its instances sorted.
    fn sorted(&self) -> Vec<(&Arc<Resource<'_>>, &Arc<str>, Vec<&Instance<'_>>)> {
        let mut resources: BTreeMap<&Arc<Resource<'_>>, (&Arc<str>, Vec<&Instance<'_>>)> =
            BTreeMap::new();
        for (resource, provider) in &self.resources {
            let named = &mut resources
                .entry(resource)
                .or_insert_with(|| (provider, Vec::new()))
                .0;
            // In OpenTofu's files it may be with the instances only.
            if !provider.is_empty() {
                *named = provider;
            }
        }
        for instance in &self.instances {
            if let Some((_, instances)) = resources.get_mut(&instance.address.resource) {
                instances.push(instance);
            }
        }
        for (_, instances) in resources.values_mut() {
            instances.sort_by(|a, b| {
                (&a.address.key, &a.address.deposed).cmp(&(&b.address.key, &b.address.deposed))
            });
        }
        resources
            .into_iter()
            .map(|(resource, (provider, instances))| (resource, provider, instances))
            .collect()
    }

    fn normalized_outputs(&self) -> io::Result<Vec<u8>> {
        let mut all = BTreeMap::new();
        if let Some(range) = self.header.outputs.clone() {
            let mut scanner = Scanner::new(self.text.get(range).unwrap_or_default());
            // It was read before, without a problem.
            let _ = outputs::read(&mut scanner, |name, output| {
                all.insert(name, output);
            });
        }
        let mut json = Json::new();
        for (name, output) in &all {
            let value = output
                .value
                .encode(&output.ty, Encoding::Json)
                .map_err(io::Error::other)?;
            let mut inner = Json::new();
            inner.raw("value", &value);
            inner.raw("type", output.ty.to_string().as_bytes());
            if output.sensitive {
                inner.raw("sensitive", b"true");
            }
            if !output.deprecated.is_empty() {
                inner.text("deprecated", &output.deprecated);
            }
            json.raw(name, &inner.done());
        }
        Ok(json.done())
    }

    fn checks(&self) -> Vec<CheckResult<'_>> {
        let mut all = Vec::new();
        if let Some(range) = self.header.check_results.clone() {
            let mut scanner = Scanner::new(self.text.get(range).unwrap_or_default());
            let _ = checks::read(&mut scanner, |result| all.push(result));
        }
        CheckResult::sort(&mut all);
        all
    }
}

fn write_resource(
    resource: &Resource<'_>,
    provider: &str,
    instances: &[&Instance<'_>],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut json = Json::new();
    if !resource.module.is_empty() {
        json.text("module", &resource.module);
    }
    json.text(
        "mode",
        if resource.mode == Mode::Data {
            "data"
        } else {
            "managed"
        },
    );
    json.text("type", &resource.type_name);
    json.text("name", &resource.name);
    if !provider.is_empty() {
        json.text("provider", provider);
    }
    json.name("instances");
    if instances.is_empty() {
        json.out.extend_from_slice(b"[]");
    }
    let mut part = b"\n    ".to_vec();
    laid_out(&json.out, "    ", &mut part);
    out.write_all(&part)?;
    for (index, instance) in instances.iter().enumerate() {
        part.clear();
        part.extend_from_slice(if index == 0 {
            b"[\n        "
        } else {
            b",\n        "
        });
        laid_out(&instance_json(instance), "        ", &mut part);
        out.write_all(&part)?;
    }
    out.write_all(if instances.is_empty() {
        b"\n    }"
    } else {
        b"\n      ]\n    }"
    })
}

fn instance_json(instance: &Instance<'_>) -> Vec<u8> {
    use super::address::InstanceKey;
    use super::parse::Attributes;
    let text = instance.object();
    let Some(record) = instance.record() else {
        return b"{}".to_vec();
    };
    let at = |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default();
    let mut json = Json::new();
    match &record.key {
        InstanceKey::None => {}
        InstanceKey::Int(index) => json.raw("index_key", index.to_string().as_bytes()),
        InstanceKey::Text(key) => json.text("index_key", key),
    }
    if record.tainted {
        json.text("status", "tainted");
    }
    if !record.deposed.is_empty() {
        json.text("deposed", &record.deposed);
    }
    if let Some(provider) = record
        .provider
        .as_ref()
        .and_then(|(text, _)| names::provider_instance(text))
    {
        json.text("provider", &provider);
    }
    json.number("schema_version", record.schema_version);
    match (&instance.attributes, &record.attributes, &record.flat) {
        (Attributes::Json(_), Some(slot), _) => json.compacted("attributes", at(&slot.range)),
        (Attributes::Flat(_), _, Some(slot)) => {
            let mut flat = Json::new();
            for (key, value) in flat_map(at(&slot.range)) {
                flat.text(&key, &value);
            }
            json.raw("attributes_flat", &flat.done());
        }
        _ => json.raw("attributes", b"{}"),
    }
    let paths: Vec<Vec<u8>> = instance
        .sensitive_attributes()
        .iter()
        .map(path_json)
        .collect();
    json.raw("sensitive_attributes", &list(&paths));
    json.number("identity_schema_version", record.identity.version);
    if let Some(Slot { range, .. }) = &record.identity.slot {
        json.compacted("identity", at(range));
    }
    if let Some(bytes) = instance.private() {
        json.text("private", &base64_encoded(&bytes));
    }
    let dependencies: Vec<Vec<u8>> = instance
        .dependencies()
        .iter()
        .map(|address| quoted(address))
        .collect();
    if !dependencies.is_empty() {
        json.raw("dependencies", &list(&dependencies));
    }
    if let Some(instances) = record
        .depends_on
        .as_ref()
        .and_then(|range| depends_on(at(range)))
    {
        json.raw("depends_on", &list(&instances));
    }
    if record.create_before_destroy {
        json.raw("create_before_destroy", b"true");
    }
    if record.skip_destroy {
        json.raw("skip_destroy", b"true");
    }
    json.done()
}

/// The addresses in `depends_on`; none if it is not a list of instances, which is what `OpenTofu`
/// writes there.
fn depends_on(json: &str) -> Option<Vec<Vec<u8>>> {
    let addresses: Vec<String> = serde_json::from_str(json).ok()?;
    let instance = |address: &String| {
        names::checkable("resource", address, true).map(|address| quoted(&address))
    };
    let instances: Vec<Vec<u8>> = addresses.iter().map(instance).collect::<Option<_>>()?;
    (!instances.is_empty()).then_some(instances)
}

/// A path as `sensitive_attributes` holds it.
fn path_json(path: &AttributePath) -> Vec<u8> {
    let step = |step: &PathStep| {
        let mut json = Json::new();
        let index = |value: &[u8], ty: &str| {
            let mut index = Json::new();
            index.raw("value", value);
            index.text("type", ty);
            index.done()
        };
        match step {
            PathStep::Attribute(name) => {
                json.text("type", "get_attr");
                json.text("value", name);
            }
            PathStep::Key(key) => {
                json.text("type", "index");
                json.raw("value", &index(&quoted(key), "string"));
            }
            PathStep::Index(number) => {
                json.text("type", "index");
                json.raw("value", &index(number.to_string().as_bytes(), "number"));
            }
            // An index step of `sensitive_attributes` is a number or a string, so no path that was
            // read has an element of a set.
            PathStep::Element(_) => {}
        }
        json.done()
    };
    list(&path.steps().iter().map(step).collect::<Vec<_>>())
}

fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(text, &mut out);
    out
}

fn list(elements: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"[".to_vec();
    out.extend_from_slice(&elements.join(b",".as_slice()));
    out.push(b']');
    out
}

/// Compact JSON over lines. What is only begun is not closed.
fn laid_out(json: &[u8], indent: &str, out: &mut Vec<u8>) {
    // Nothing is replaced here, because the JSON was put together from strings.
    indented(
        &String::from_utf8_lossy(json),
        Layout {
            indent,
            ..Layout::TERRAFORM
        },
        out,
    );
}

/// A JSON object while it is put together, compact.
struct Json {
    out: Vec<u8>,
}

impl Json {
    fn new() -> Self {
        Self { out: b"{".to_vec() }
    }

    fn name(&mut self, name: &str) {
        if self.out.len() > 1 {
            self.out.push(b',');
        }
        write_string(name, &mut self.out);
        self.out.push(b':');
    }

    fn raw(&mut self, name: &str, json: &[u8]) {
        self.name(name);
        self.out.extend_from_slice(json);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        write_string(text, &mut self.out);
    }

    fn number(&mut self, name: &str, number: u64) {
        self.raw(name, number.to_string().as_bytes());
    }

    /// JSON as it was read, without its white space.
    fn compacted(&mut self, name: &str, json: &str) {
        self.name(name);
        compact(json, &mut self.out);
    }

    fn done(mut self) -> Vec<u8> {
        self.out.push(b'}');
        self.out
    }
}
