//! The contents of a version: its instances with the values of their attributes.

use std::collections::BTreeMap;

use upstate_state::{Instance, InstanceStatus, Mode, Shown, StateFile, StoredType};

use super::super::{Failure, Service};
use super::{Worker, unreadable};
use crate::model::{Principal, VersionId};
use crate::store::{Listed, Page};

/// An instance of a version, with its attributes as far as they may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The path of its module; empty for the root module.
    pub module: String,
    /// The address of its resource, without the module.
    pub resource: String,
    /// Its address.
    pub address: String,
    /// The configuration of the provider that it belongs to.
    pub provider: String,
    /// The schema version it is stored at.
    pub schema_version: u64,
    /// Its status in the registry.
    pub status: InstanceStatus,
    /// True if Terraform will replace it at the next apply.
    pub is_tainted: bool,
    /// The values of its attributes without those that are null. Without a path: of the whole.
    pub values: Vec<(String, Shown)>,
}

impl Service {
    /// A page of the instances of a version, in the order of its state. Sensitive values are
    /// hidden, and all of types that are not registered.
    pub async fn contents(
        &self,
        principal: &Principal,
        id: &VersionId,
        page: Page,
    ) -> Result<Listed<Held>, Failure> {
        let (id, version) = (id.clone(), self.readable(principal, id).await?);
        self.work([&version], move |worker, [bytes]| {
            let state = StateFile::parse(&bytes).map_err(|error| unreadable(&id, &error))?;
            let total = u64::try_from(state.instances().len()).unwrap_or(u64::MAX);
            let shown = page.of(by_module(state.instances()));
            Ok(Listed {
                items: shown.map(|instance| held(worker, instance)).collect(),
                total,
            })
        })
        .await?
    }
}

/// The instances with those of a module together, the root module first: a state need not be
/// sorted.
fn by_module<'i, 's>(instances: &'i [Instance<'s>]) -> Vec<&'i Instance<'s>> {
    let mut all: Vec<&Instance<'_>> = instances.iter().collect();
    all.sort_by(|a, b| a.address().module().cmp(b.address().module()));
    all
}

fn held(worker: &Worker, instance: &Instance<'_>) -> Held {
    let address = instance.address();
    let data = match address.mode() {
        Mode::Managed => "",
        Mode::Data => "data.",
    };
    let stored = StoredType {
        mode: instance.mode(),
        type_name: instance.type_name().to_owned(),
        version: instance.schema_version(),
        instances: 1,
        flat: usize::from(instance.attributes().is_none()),
        providers: Vec::new(),
        identities: BTreeMap::new(),
    };
    let values = instance
        .values(&worker.registry)
        .into_iter()
        .map(|(path, shown)| (path.to_string(), shown));
    Held {
        module: address.module().to_owned(),
        resource: format!("{data}{}.{}", address.type_name(), address.name()),
        address: address.to_string(),
        provider: instance.provider().to_owned(),
        schema_version: instance.schema_version(),
        status: stored.status(&worker.registry),
        is_tainted: instance.is_tainted(),
        values: values.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instances_of_a_module_are_together_in_the_order_of_the_state() {
        let resource = |module: &str, name: &str| {
            let module = if module.is_empty() {
                String::new()
            } else {
                format!(r#""module":"{module}","#)
            };
            format!(
                r#"{{{module}"mode":"managed","type":"t_x","name":"{name}","provider":"provider[\"a/b/c\"]","instances":[{{"schema_version":0,"attributes":{{}}}}]}}"#
            )
        };
        let resources = [
            resource("module.a", "z"),
            resource("", "y"),
            resource("module.a", "x"),
            resource("", "w"),
        ]
        .join(",");
        let state = format!(
            r#"{{"version":4,"serial":1,"lineage":"l","outputs":{{}},"resources":[{resources}]}}"#
        );
        let state = StateFile::parse(state.as_bytes()).unwrap();
        let found: Vec<String> = by_module(state.instances())
            .into_iter()
            .map(|one| one.address().to_string())
            .collect();
        assert_eq!(
            found,
            ["t_x.y", "t_x.w", "module.a.t_x.z", "module.a.t_x.x"]
        );
    }
}
