//! A custom resource with the shape of every version, as definitions are written from it and
//! objects converted by it.

use std::collections::BTreeMap;

use upstate::ResourceDefinition;

use crate::engine::Engine;
use crate::error::CrdError;
use crate::facts::{Facts, Version};
use crate::sample::{self, Samples};
use crate::schema::Node;

/// A custom resource.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) facts: &'static Facts,
    /// In the order of the facts, as every object needs them.
    pub(crate) names: Vec<Names>,
    pub(crate) spec: Part,
    pub(crate) status: Option<Part>,
}

/// The names of a version in an object.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) version: &'static Version,
    /// Such as `ferry.example.com/v1`.
    pub(crate) api_version: String,
    /// The annotation for values of the version.
    pub(crate) annotation: String,
}

/// The spec, or the status.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its member in the object.
    pub(crate) name: &'static str,
    pub(crate) engine: Engine,
    shapes: BTreeMap<u64, Shape>,
}

/// The shape of a part in a version.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) node: Node,
    pub(crate) samples: Samples,
}

impl Model {
    /// The model of a spec, and of a status if there is one.
    pub(crate) fn new(
        facts: &'static Facts,
        spec: &'static ResourceDefinition,
        status: Option<&'static ResourceDefinition>,
    ) -> Result<Self, CrdError> {
        let status = status
            .map(|status| Part::new("status", status, facts))
            .transpose()?;
        let names = facts.versions.iter().map(|version| Names {
            version,
            api_version: format!("{}/{}", facts.group, version.name),
            annotation: format!("{}/upstate-{}", facts.group, version.name),
        });
        Ok(Self {
            facts,
            names: names.collect(),
            spec: Part::new("spec", spec, facts)?,
            status,
        })
    }

    /// The spec, and the status if there is one.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&self.spec).chain(&self.status)
    }

    /// The names of the version with this API version.
    pub(crate) fn names(&self, api_version: &str) -> Option<&Names> {
        self.names
            .iter()
            .find(|names| names.api_version == api_version)
    }
}

impl Part {
    fn new(
        name: &'static str,
        definition: &'static ResourceDefinition,
        facts: &'static Facts,
    ) -> Result<Self, CrdError> {
        let engine = Engine::new(definition);
        let mut shapes = BTreeMap::new();
        for version in facts.versions {
            let number = number_in(&engine, version);
            if shapes.contains_key(&number) {
                continue;
            }
            let refused =
                |path: &str, why: &str| CrdError::not_structural(facts, version, path, why);
            let forms = definition.forms_of(number);
            let form = match forms.as_slice() {
                [form] => form,
                [] => {
                    return Err(refused(
                        name,
                        "the version has no shape: an upgrader takes it as raw JSON; operators or a model give it one",
                    ));
                }
                _ => {
                    return Err(refused(
                        name,
                        "the version was stored in several shapes, and Kubernetes has one for each",
                    ));
                }
            };
            let mut node =
                Node::of_root(form, name).map_err(|problem| refused(&problem.path, problem.why))?;
            let samples = sample::complete(&engine, number, &mut node).map_err(|untried| {
                CrdError::untried(
                    facts,
                    version,
                    &format!("{name}.{}", untried.path),
                    &untried.reason,
                )
            })?;
            node.note_defaults();
            shapes.insert(number, Shape { node, samples });
        }
        let rules = shapes
            .get(&engine.current())
            .map(|shape| shape.node.rules())
            .unwrap_or_default();
        for shape in shapes.values_mut().filter(|_| !rules.is_empty()) {
            shape.node.retain_rules(&rules);
        }
        Ok(Self {
            name,
            engine,
            shapes,
        })
    }

    /// The document's version of a version of the object: a status that never changed has one.
    pub(crate) fn number(&self, version: &Version) -> u64 {
        number_in(&self.engine, version)
    }

    /// The shape in a version, which is one of the facts.
    pub(crate) fn shape(&self, number: u64) -> Option<&Shape> {
        self.shapes.get(&number)
    }
}

fn number_in(engine: &Engine, version: &Version) -> u64 {
    version.number.min(engine.current())
}
