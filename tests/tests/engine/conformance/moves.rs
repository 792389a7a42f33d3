//! Moves between types.

use serde_json::Value as Json;
use upstate::codec::Encoding;
use upstate::upgrade::{ClosureMover, MoveRequest};
use upstate::{RawState, Registry, ResourceDefinition, UpgradeContext, UpgradeRequest, Value};

use super::canonical::schema;
use super::ops::{Made, apply, members};
use super::upgrades::{Answered, Stored, TYPE_NAME};

pub fn answered(case: &Json) -> Answered {
    let current = schema(&case["schema"]);
    let mut builder =
        ResourceDefinition::builder(TYPE_NAME, current.clone()).unsupported(0..=u64::MAX);
    if case["identity_schema"].is_object() {
        let identity = ResourceDefinition::builder("identity", schema(&case["identity_schema"]))
            .unsupported(0..=u64::MAX)
            .build();
        builder = builder.identity(identity.map_err(|error| error.to_string())?);
    }
    for mover in case["movers"].as_array().into_iter().flatten() {
        let ops = mover["ops"].as_array().cloned().unwrap_or_default();
        let target = current.clone();
        let run = move |source: Option<Value>, context: &mut UpgradeContext<'_>| {
            let present = source.is_some();
            let source = match (source, context.raw_state()) {
                (Some(source), _) => source,
                (None, RawState::Json(json)) => {
                    Value::from_untyped_json(json).map_err(|error| error.to_string())?
                }
                (None, _) => Value::Null,
            };
            Ok::<_, upstate::Diagnostics>(
                match apply(&ops, members(source)?, present, &target, context)? {
                    Made::State(state) => Some(state),
                    Made::Nothing | Made::Skipped => None,
                },
            )
        };
        let mut dynamic = ClosureMover::new(run);
        if mover["source_schema"].is_object() {
            dynamic = dynamic.source_schema(&schema(&mover["source_schema"]));
        }
        builder = builder.mover(dynamic);
    }
    let mut registry = Registry::new();
    registry.insert(builder.build().map_err(|error| error.to_string())?);
    let (stored, from) = (Stored::of(case), &case["source"]);
    let version = from["schema_version"].as_u64().unwrap_or(0);
    let source = UpgradeRequest::new(
        from["type_name"].as_str().unwrap_or_default(),
        version,
        stored.raw(),
    );
    let target = case["type_name"].as_str().unwrap_or(TYPE_NAME);
    let request = MoveRequest::new(target, source.with_encoding(Encoding::Msgpack));
    let request = request.from_provider(from["provider_address"].as_str().unwrap_or_default());
    Ok((registry.move_state(&request), current))
}
