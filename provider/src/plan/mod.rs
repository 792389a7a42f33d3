//! Plans: a change, computed from configuration, prior state and schema alone.
//!
//! Everything here is about values with unknowns in them, so that models need none.

mod apart;
mod checks;
mod computed;
mod constraints;
mod defaults;
mod deprecations;
mod fillers;
mod generated;
mod import;
mod meaning;
mod model;
mod nested;
#[cfg(test)]
mod nested_checks_tests;
mod planned;
mod proposed;
mod read_only;
mod replace;
#[cfg(test)]
mod replace_tests;
mod sent;
#[cfg(test)]
mod tests;
mod unknown;
mod unset;
mod write_only;

pub(crate) use apart::plan_of;
pub(crate) use checks::{listed, must, unchecked};
pub(crate) use constraints::broken;
pub(crate) use deprecations::{deprecated, deprecation_text};
#[cfg(test)]
use fillers::NOT_KNOWN;
#[cfg(feature = "testing")]
pub(crate) use fillers::attribute_at;
pub(crate) use fillers::{Fillers, Owed, fillers_in, forget_fillers, forgotten, is_found_again};
pub use generated::GeneratedConfig;
pub(crate) use generated::configuration_of;
pub(crate) use import::{Named, by_id, by_identity, may_stand_in, named, never_set};
pub(crate) use meaning::{Read, keep};
pub(crate) use model::{Filled, Why, fill, fill_stored, fill_unset, merge_write_only, unfillable};
pub(crate) use nested::{Members, member};
#[cfg(feature = "testing")]
pub(crate) use nested::{at, each_object};
pub(crate) use planned::Draft;
pub use planned::{Change, Planned, ResourceConfig};
pub(crate) use proposed::proposed;
pub(crate) use sent::{arrange, complete};
pub(crate) use unknown::with_unset_unknown;
pub(crate) use unset::is_computed;
#[cfg(feature = "testing")]
pub(crate) use unset::is_filled;
pub(crate) use write_only::{mispaired, stored_instead, write_only_given};

use upstate::codec::Encoding;
use upstate::schema::{Block, Schema, Type};
use upstate::{AttributeNames, AttributePath, Diagnostics, Value};

use crate::diagnostics;

/// A resource's schema as the planner needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) block: &'a Block,
    pub(crate) ty: &'a Type,
    /// Computed attributes that keep their value through an update.
    pub(crate) stable: &'a [&'a str],
    /// Those that are declared by typed paths.
    pub(crate) stable_paths: &'a [AttributeNames],
}

impl Plan<'_> {
    /// The planned state of a change, before its author's own planning: `proposed` with defaults,
    /// and unknown where the provider will decide.
    ///
    /// `keep` puts prior values in the place of those that mean the same.
    pub(crate) fn propose(
        &self,
        config: &Value,
        prior: &Value,
        proposed: Value,
        keep: impl FnOnce(&mut Value),
    ) -> Result<Value, Diagnostics> {
        let mut planned = proposed;
        defaults::apply(self.block, config, &mut planned)?;
        if planned == *prior {
            return Ok(planned);
        }
        let mut planned = self.normalized(&planned)?;
        if planned != *prior && !prior.is_null() {
            keep(&mut planned);
        }
        if planned == *prior {
            return Ok(planned);
        }
        unknown::mark(
            self.block,
            config,
            prior,
            &mut planned,
            (self.stable, self.stable_paths),
        );
        self.normalized(&planned)
    }

    /// The attributes whose change replaces the resource.
    pub(crate) fn replaced(
        &self,
        config: &Value,
        prior: &Value,
        planned: &Value,
    ) -> Vec<AttributePath> {
        let mut paths = Vec::new();
        replace::find(self.block, config, prior, planned, &mut paths);
        paths
    }

    /// The value with every attribute there and sets in order, so that equal values compare equal.
    pub(crate) fn normalized(&self, value: &Value) -> Result<Value, Diagnostics> {
        let bytes = crate::wire::value::to_wire(value, self.ty, "planned state")?;
        crate::wire::value::from_wire(Some(&bytes), self.ty, "planned state")
    }
}

/// The diagnostics of a configuration, besides those of the model's author: mistakes, and
/// deprecated parts.
pub(crate) fn remarks(schema: &Schema, config: &Value) -> Diagnostics {
    let mut remarks = read_only::set_by_user(schema.block(), config);
    remarks.append(broken(schema, config));
    remarks.append(deprecated(schema, config));
    remarks
}

/// A provider's configuration with its defaults.
pub(crate) fn with_defaults(block: &Block, config: &Value) -> Result<Value, Diagnostics> {
    let mut complete = config.clone();
    defaults::apply(block, config, &mut complete)?;
    Ok(complete)
}

/// True if a value holds something unknown, at any depth.
pub(crate) fn has_unknown(value: &Value) -> bool {
    match value {
        Value::Unknown => true,
        Value::List(list) => list.iter().any(has_unknown),
        Value::Map(map) => map.values().any(has_unknown),
        Value::Dynamic(dynamic) => has_unknown(&dynamic.1),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The value as JSON, for decoding a model from it. It holds no unknown.
pub(crate) fn to_json(value: &Value, ty: &Type) -> Result<Vec<u8>, Diagnostics> {
    value
        .encode(ty, Encoding::Json)
        .map_err(|error| diagnostics::unfit_value("value", &error).into())
}
