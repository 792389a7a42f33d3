//! The contents of a state file other than its instances, and the file with another serial: a
//! service that keeps states asks for both.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::address::{Mode, Resource};
use super::outputs;
use super::parse::StateFile;
use super::scan::Scanner;

/// An output of the root module.
#[derive(Clone, PartialEq, Eq)]
pub struct Output<'t> {
    name: Cow<'t, str>,
    value: &'t str,
    ty: &'t str,
    sensitive: bool,
}

impl<'t> Output<'t> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its value as it is stored, a JSON text; it has the type that [`type_json`](Self::type_json)
    /// says.
    pub const fn value_json(&self) -> &'t str {
        self.value
    }

    /// Its type as it is stored, in the JSON form of Terraform: `"string"`, `["list","string"]`.
    pub const fn type_json(&self) -> &'t str {
        self.ty
    }

    /// True if the configuration marks the output as sensitive.
    pub const fn is_sensitive(&self) -> bool {
        self.sensitive
    }
}

upstate::__debug_parts! {
    /// Without the value, which may be secret.
    Output<'_> |self| {
        name: self.name,
        type: self.ty,
    }
}

/// A resource or data source of a state file, also one without instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceContents<'s> {
    module: &'s str,
    mode: Mode,
    type_name: &'s str,
    name: &'s str,
    provider: &'s str,
    instances: usize,
    deposed: usize,
}

impl<'s> ResourceContents<'s> {
    /// The path of the module instance; empty for the root module.
    pub const fn module(&self) -> &'s str {
        self.module
    }

    /// The mode: it is a resource or a data source.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Its type name.
    pub const fn type_name(&self) -> &'s str {
        self.type_name
    }

    /// Its name.
    pub const fn name(&self) -> &'s str {
        self.name
    }

    /// The provider's configuration, in its full form; that of the first instance where each has
    /// its own.
    pub const fn provider(&self) -> &'s str {
        self.provider
    }

    /// The number of its instances, without the objects that a newer one has taken the place of.
    pub const fn instances(&self) -> usize {
        self.instances
    }

    /// The number of its objects that a newer one has taken the place of.
    pub const fn deposed(&self) -> usize {
        self.deposed
    }
}

impl<'t> StateFile<'t> {
    /// The outputs of the root module, by name.
    pub fn outputs(&self) -> Vec<Output<'t>> {
        let mut found: BTreeMap<Cow<'t, str>, Output<'t>> = BTreeMap::new();
        if let Some(text) = self
            .header
            .outputs
            .clone()
            .and_then(|range| self.text.get(range))
        {
            // It was read before, without a problem. Of a repeated name the last one counts.
            let _ = outputs::read(&mut Scanner::new(text), |name, output| {
                let json =
                    |range: Option<_>| range.and_then(|range| text.get(range)).unwrap_or("null");
                let (value, ty) = (json(output.value_at), json(output.type_at));
                found.insert(
                    name.clone(),
                    Output {
                        name,
                        value,
                        ty,
                        sensitive: output.sensitive,
                    },
                );
            });
        }
        found.into_values().collect()
    }

    /// The resources and data sources in file order, each once, also those without instances.
    pub fn resources(&self) -> Vec<ResourceContents<'_>> {
        let mut places: HashMap<&Resource<'_>, usize> =
            HashMap::with_capacity(self.resources.len());
        let mut all: Vec<ResourceContents<'_>> = Vec::with_capacity(self.resources.len());
        let found: Vec<usize> = self
            .resources
            .iter()
            .map(|(resource, provider)| {
                *places.entry(resource).or_insert_with(|| {
                    all.push(ResourceContents {
                        module: &resource.module,
                        mode: resource.mode,
                        type_name: &resource.type_name,
                        name: &resource.name,
                        provider,
                        instances: 0,
                        deposed: 0,
                    });
                    all.len() - 1
                })
            })
            .collect();
        // Instances stand in the order of their resources: to find each by the name of its own would
        // take longer than to read the file does.
        let mut resources = self.resources.iter().zip(found).peekable();
        for instance in &self.instances {
            let is_another =
                |resource: &Arc<Resource<'_>>| !Arc::ptr_eq(resource, &instance.address.resource);
            while resources
                .next_if(|((resource, _), _)| is_another(resource))
                .is_some()
            {}
            let place = resources.peek().map(|(_, place)| *place);
            if let Some(contents) = place.and_then(|place| all.get_mut(place)) {
                if contents.provider.is_empty() {
                    contents.provider = &instance.provider;
                }
                if instance.address.deposed.is_empty() {
                    contents.instances += 1;
                } else {
                    contents.deposed += 1;
                }
            }
        }
        all
    }

    /// The whole file with another serial: only its digits change. Where the file has no serial,
    /// one is written behind its format version.
    pub fn with_serial(&self, serial: u64) -> String {
        let (range, digits) = match &self.header.serial {
            Some((_, range)) => (range.clone(), serial.to_string()),
            None => (
                self.header.version_end..self.header.version_end,
                format!(", \"serial\": {serial}"),
            ),
        };
        let before = self.text.get(..range.start).unwrap_or_default();
        let after = self.text.get(range.end..).unwrap_or_default();
        [before, &digits, after].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A resource may stand twice, and one without instances may stand between.
    #[test]
    fn instances_are_counted_in_any_order_of_resources() {
        let resource = |name: &str, more: &str| {
            format!(r#"{{"mode": "managed", "type": "t", "name": "{name}"{more}}}"#)
        };
        let named = r#", "provider": "provider[\"a.b/c/d\"]", "instances": "#;
        let own = r#", "instances": [{"provider": "provider[\"a.b/c/e\"]", "schema_version": 0}]"#;
        let several =
            r#"[{"index_key": 0}, {"index_key": 1}, {"index_key": 0, "deposed": "0000abcd"}]"#;
        let resources = [
            resource("none", &format!("{named}[]")),
            resource("several", &format!("{named}{several}")),
            resource("none", &format!("{named}[]")),
            resource("own", own),
            resource("several", &format!("{named}[{{\"index_key\": 2}}]")),
            resource("last", &format!("{named}[{{}}]")),
        ];
        let text = format!(
            r#"{{"version": 4, "resources": [{}]}}"#,
            resources.join(",\n")
        );
        let state = StateFile::parse(text.as_bytes()).unwrap();
        let all: Vec<_> = state
            .resources()
            .iter()
            .map(|all| (all.name, all.instances, all.deposed, all.provider))
            .collect();
        let (d, e) = (r#"provider["a.b/c/d"]"#, r#"provider["a.b/c/e"]"#);
        assert_eq!(
            all,
            [
                ("none", 0, 0, d),
                ("several", 3, 1, d),
                ("own", 1, 0, e),
                ("last", 1, 0, d),
            ]
        );
    }
}
