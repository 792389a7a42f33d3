//! The flow of Terraform's SDK where it differs: chains without types, and flat state older than
//! the chain.

use std::sync::Arc;

use super::read::{all_known, read};
use super::upgrader::Prior;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::schema::{Attribute, Block, Presence, Type};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::migrate::{FlatState, migrated};
use crate::upgrade::raw_state::RawState;
use crate::value::Value;

pub(super) type Migrate =
    dyn Fn(u64, FlatState, &mut UpgradeContext<'_>) -> Result<FlatState, Diagnostics> + Send + Sync;

/// The parts that only the SDK's flow has.
#[derive(Clone, Default)]
pub(super) struct Sdk {
    /// Brings flat state to the version of the first upgrade.
    pub(super) migrate: Option<Arc<Migrate>>,
}

impl Sdk {
    /// Reads flat state that is taken up at version `at`, by the type of that version.
    pub(super) fn read_flat(
        &self,
        map: &FlatState,
        stored: u64,
        at: u64,
        typed: Option<&Prior>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Diagnostics> {
        let state;
        let map = match &self.migrate {
            Some(migrate) if stored < at => {
                state = migrated(map, context, |state, context| {
                    migrate(stored, state, context)
                })?;
                &state
            }
            _ => map,
        };
        if let (None, true, Some(prior)) = (&self.migrate, stored < at, typed) {
            warn_of_lost(map, stored, at, prior, context);
        }
        let mut value = read(RawState::Flatmap(map), typed, at, context)?;
        if let Some(prior) = typed {
            all_known(&mut value, prior, at, context)?;
        }
        Ok(value)
    }
}

/// Warns of names that this version does not know any more: what is read as a later version than it
/// is may have them.
fn warn_of_lost(
    map: &FlatState,
    stored: u64,
    at: u64,
    prior: &Prior,
    context: &mut UpgradeContext<'_>,
) {
    let Type::Object(fields) = &prior.ty else {
        return;
    };
    let mut lost: Vec<&str> = map.keys().filter_map(|key| key.split('.').next()).collect();
    lost.retain(|name| fields.iter().all(|field| field.name() != *name));
    lost.dedup();
    if !lost.is_empty() {
        let detail = format!(
            "The flat state was stored at schema version {stored} and is read as version {at}, because nothing migrates it. \
             That version does not define {}, which is dropped.",
            lost.join(", ")
        );
        context.warn(
            Diagnostic::warning("Attributes Not Migrated", detail).coded(DiagnosticCode::Undefined),
        );
    }
}

/// The block with the `id` that every resource of the SDK has.
pub(super) fn with_id(block: &Block) -> Block {
    if block
        .attributes()
        .iter()
        .any(|attribute| attribute.name() == "id")
    {
        return block.clone();
    }
    let id = Attribute::new("id", Type::String, Presence::OptionalComputed);
    let with_id = Block::new(block.attributes().iter().cloned().chain([id]))
        .with_blocks(block.blocks().iter().cloned());
    let with_id = with_id.described(block.description());
    let with_id = match block.deprecated() {
        Some(message) => with_id.deprecate(message),
        None => with_id,
    };
    with_id.with_facts_of(block)
}
