//! The way of one state through the upgrades of a definition made at run time.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use super::read::{answered, coerced, finish, read, unfit};
use super::sdk::Sdk;
use super::upgrader::{Closure, ClosureMover, ClosureUpgrader, Prior, UpgradedState};
use crate::codec::Encoding;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::schema::{Block, Schema, Shared};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::decode::nothing_stored;
use crate::upgrade::definition::ResourceDefinition;
use crate::upgrade::raw_state::RawState;
use crate::value::{Unknown, Value};

pub(super) type Configure =
    dyn Fn(&mut UpgradeContext<'_>) -> Result<(), Diagnostics> + Send + Sync;

/// The upgrades and moves of a definition made at run time.
pub(in crate::upgrade) struct Dynamic {
    pub(super) current: Prior,
    pub(super) upgraders: BTreeMap<u64, ClosureUpgrader>,
    pub(super) movers: Vec<ClosureMover>,
    pub(super) releases: Vec<(Shared<str>, u64)>,
    pub(super) configure: Option<Arc<Configure>>,
    pub(super) sdk: Option<Sdk>,
}

impl Dynamic {
    pub(in crate::upgrade) fn has_secret(&self) -> bool {
        self.priors().any(|prior| prior.block.has_secret())
            || self.sources().any(ResourceDefinition::has_secret)
    }

    pub(in crate::upgrade) fn hides(&self, name: &str) -> bool {
        self.priors()
            .any(|prior| prior.block.members().hides_below(name))
            || self.sources().any(|source| source.hides(name))
    }

    fn sources(&self) -> impl Iterator<Item = &ResourceDefinition> {
        self.movers.iter().filter_map(ClosureMover::definition)
    }

    fn priors(&self) -> impl Iterator<Item = &Prior> {
        let moved = self.movers.iter().filter_map(ClosureMover::schema);
        self.upgraders
            .values()
            .filter_map(|upgrader| upgrader.prior.as_ref())
            .chain(moved)
    }

    pub(in crate::upgrade) fn movers(&self) -> &[ClosureMover] {
        &self.movers
    }

    pub(in crate::upgrade) fn release_of(&self, version: u64) -> Option<&str> {
        self.releases
            .iter()
            .find(|(_, first)| *first == version)
            .map(|(release, _)| &**release)
    }

    pub(in crate::upgrade) fn prior_block(&self, version: u64) -> Option<&Block> {
        self.upgraders
            .get(&version)?
            .prior
            .as_ref()
            .map(|prior| &prior.block)
    }

    pub(in crate::upgrade) fn versions(&self) -> impl Iterator<Item = u64> {
        self.upgraders.keys().copied()
    }

    /// The version at which an upgrade ends.
    fn end(&self, upgrader: &ClosureUpgrader) -> u64 {
        match upgrader.to {
            Some(to) => to,
            None if self.sdk.is_some() => upgrader.from.saturating_add(1),
            None => u64::MAX,
        }
    }

    pub(in crate::upgrade) fn route(&self, stored: u64, current: u64) -> Vec<u64> {
        let mut versions = vec![stored];
        let mut at = stored;
        // Every upgrade leads up, so this ends.
        while at < current {
            let Some(upgrader) = self.upgraders.get(&at) else {
                return Vec::new();
            };
            at = self.end(upgrader).min(current);
            versions.push(at);
        }
        versions
    }

    /// True if flat state of a version at most the current one can be upgraded: the SDK takes it
    /// where it does not take JSON.
    pub(in crate::upgrade) fn reaches_flat(&self, stored: u64, current: u64) -> bool {
        let from = if self.sdk.is_some() {
            self.flat_start(stored, current)
        } else {
            stored
        };
        !self.route(from, current).is_empty()
    }

    /// The version at which the SDK takes up flat state: the first upgrade's if it is older than
    /// that.
    fn flat_start(&self, stored: u64, current: u64) -> u64 {
        self.upgraders
            .keys()
            .next()
            .copied()
            .unwrap_or(current)
            .max(stored)
    }

    /// Configures the resource before its upgrades, if it wants that.
    pub(in crate::upgrade) fn configure(
        &self,
        context: &mut UpgradeContext<'_>,
    ) -> Result<(), Diagnostics> {
        match &self.configure {
            Some(configure) => configure(context),
            None => Ok(()),
        }
    }

    pub(in crate::upgrade) fn awaits(&self) -> bool {
        self.upgraders
            .values()
            .any(|upgrader| matches!(upgrader.run, Closure::Async(_)))
    }

    pub(in crate::upgrade) fn upgrade(
        &self,
        schema: &Schema,
        stored: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let mut way = Way::begin(self, schema, stored, raw, context)?;
        while let Some(upgrader) = way.next(context)? {
            let answer = match &upgrader.run {
                Closure::Now(run) => run(mem::take(&mut way.value), context)?,
                Closure::Async(_) => return Err(context.subject().asynchronous().into()),
            };
            way.go_on(upgrader, answer, context)?;
        }
        way.end(context, encoding, out)
    }

    pub(in crate::upgrade) async fn upgrade_async(
        &self,
        schema: &Schema,
        stored: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let mut way = Way::begin(self, schema, stored, raw, context)?;
        while let Some(upgrader) = way.next(context)? {
            let answer = match &upgrader.run {
                Closure::Now(run) => run(mem::take(&mut way.value), context)?,
                Closure::Async(run) => run(mem::take(&mut way.value), context).await?.into(),
            };
            way.go_on(upgrader, answer, context)?;
        }
        way.end(context, encoding, out)
    }

    /// Makes state of another type into state of this one, if the mover does that.
    pub(in crate::upgrade) fn finish_move(
        &self,
        state: UpgradedState,
        schema: &Schema,
        context: &UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let value = answered(state, Some(&self.current), schema.version(), context)?;
        finish(value, schema, &self.current, context, encoding, out)
    }
}

/// The progress of one state: the version that it has reached, and its value there.
struct Way<'d> {
    dynamic: &'d Dynamic,
    schema: &'d Schema,
    at: u64,
    value: Value,
    /// True if the value is as it was read, of the type that it was read with.
    fresh: bool,
}

impl<'d> Way<'d> {
    fn begin(
        dynamic: &'d Dynamic,
        schema: &'d Schema,
        stored: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Self, Diagnostics> {
        let current = schema.version();
        let typed = if stored == current {
            Some(&dynamic.current)
        } else {
            dynamic.prior(stored)
        };
        let (at, value) = match (&dynamic.sdk, raw) {
            // The SDK's upgraders work on objects, and nothing is not an object.
            (Some(_), RawState::Empty) => return Err(nothing_stored(context.subject())),
            (Some(sdk), RawState::Flatmap(map)) => {
                let at = dynamic.flat_start(stored, current);
                let typed = if at == current {
                    Some(&dynamic.current)
                } else {
                    dynamic.prior(at)
                };
                (at, sdk.read_flat(map, stored, at, typed, context)?)
            }
            // Between its upgraders the SDK has no types.
            (Some(_), RawState::Json(json)) if stored != current => {
                (stored, super::read::untyped(json, stored, context)?)
            }
            _ => (stored, read(raw, typed, stored, context)?),
        };
        Ok(Self {
            dynamic,
            schema,
            at,
            value,
            fresh: true,
        })
    }

    /// The next upgrade, with the value made ready for it; `None` at the end.
    fn next(
        &mut self,
        context: &UpgradeContext<'_>,
    ) -> Result<Option<&'d ClosureUpgrader>, Diagnostics> {
        if self.at >= self.schema.version() {
            return Ok(None);
        }
        context.check()?;
        let Some(upgrader) = self.dynamic.upgraders.get(&self.at) else {
            let detail = format!("There is no upgrade from version {}.", self.at);
            return Err(
                Diagnostic::error(context.subject().cannot_upgrade(), detail)
                    .coded(DiagnosticCode::NoUpgrade)
                    .into(),
            );
        };
        if let (Some(prior), None, false) = (&upgrader.prior, &self.dynamic.sdk, self.fresh) {
            self.value
                .conform(&prior.ty, Unknown::Refuse)
                .map_err(|error| unfit(&error, self.at, prior, context))?;
        }
        Ok(Some(upgrader))
    }

    fn go_on(
        &mut self,
        upgrader: &ClosureUpgrader,
        answer: UpgradedState,
        context: &UpgradeContext<'_>,
    ) -> Result<(), Diagnostics> {
        let current = self.schema.version();
        self.at = self.dynamic.end(upgrader).min(current);
        let typed = if self.at == current {
            Some(&self.dynamic.current)
        } else {
            self.dynamic.prior(self.at)
        };
        self.value = answered(answer, typed, self.at, context)?;
        self.fresh = false;
        Ok(())
    }

    fn end(
        mut self,
        context: &mut UpgradeContext<'_>,
        encoding: Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostics> {
        let current = &self.dynamic.current;
        if self.dynamic.sdk.is_some() && !self.fresh && matches!(self.value, Value::Map(_)) {
            self.value = coerced(&self.value, current, self.schema.version(), context)?;
        }
        finish(self.value, self.schema, current, context, encoding, out)
    }
}

impl Dynamic {
    fn prior(&self, version: u64) -> Option<&Prior> {
        self.upgraders
            .get(&version)
            .and_then(|upgrader| upgrader.prior.as_ref())
    }
}
