//! The plan of an upgrade of a version, or of its downgrade.

use std::collections::{BTreeMap, HashSet};

use serde_json::value::{RawValue, to_raw_value};
use upstate::UpgradeRequest;
use upstate::upgrade::DowngradeRequest;
use upstate_state::{Address, InstanceOutcome, InstanceUpgrade, StateFile, UpgradeTotals};

use super::super::{Failure, Service};
use super::direction::Direction;
use super::plans::{lost, warned};
use super::{Worker, unreadable};
use crate::model::{Back, Principal, Version, VersionId};
use crate::store::{Listed, Page, StoreError};

/// Instances or workspaces that a plan would change, by what comes with it. One with losses may
/// have warnings, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Values would be lost.
    Losses,
    /// There are warnings that are not about a loss: mostly something to do in the configuration.
    Warnings,
    /// There is neither.
    Neither,
}

impl Effect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Losses, Self::Warnings, Self::Neither];

    /// Its name in URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Losses => "with-losses",
            Self::Warnings => "with-warnings",
            Self::Neither => "with-neither",
        }
    }

    /// The one with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.name() == name)
    }

    /// True if something that would change has it.
    pub(super) const fn is_of(self, loses: bool, is_warned: bool) -> bool {
        match self {
            Self::Losses => loses,
            Self::Warnings => is_warned,
            Self::Neither => !loses && !is_warned,
        }
    }
}

/// The instances of a plan that are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanFilter {
    /// Only those that can be upgraded, or only those that cannot.
    pub failed: Option<bool>,
    /// Only those that can be upgraded and have this effect.
    pub effect: Option<Effect>,
    /// Only those of a type.
    pub type_name: Option<String>,
    /// Only those that are stored at a schema version.
    pub version: Option<u64>,
}

impl PlanFilter {
    /// True if an instance is one of these, by whether it fails, and whether it loses values or has
    /// warnings.
    fn has(
        &self,
        upgrade: &InstanceUpgrade<'_, '_>,
        has_failed: bool,
        (loses, is_warned): (bool, bool),
    ) -> bool {
        let instance = upgrade.instance();
        self.failed.is_none_or(|failed| failed == has_failed)
            && self
                .effect
                .is_none_or(|effect| !has_failed && effect.is_of(loses, is_warned))
            && self
                .type_name
                .as_ref()
                .is_none_or(|name| name == instance.type_name())
            && self
                .version
                .is_none_or(|version| version == instance.schema_version())
    }
}

/// The instances of one type and schema version that meet the same end.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PlanRow {
    /// The type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version they are stored at.
    pub from: u64,
    /// The schema version they are brought to.
    pub to: u64,
    /// `upgraded`, `downgraded` or `failed`.
    pub outcome: &'static str,
    /// The number.
    pub instances: usize,
}

/// An instance of a plan.
#[derive(Debug)]
pub struct PlannedInstance {
    /// Its address.
    pub address: String,
    /// True if it cannot get there.
    pub has_failed: bool,
    /// True if it would lose values.
    pub loses: bool,
    /// Its upgrade, in the form of the report of `plan --format json`.
    pub upgrade: Box<RawValue>,
}

/// The plan of an upgrade or a downgrade. Nothing is written.
#[derive(Debug)]
pub struct Plan {
    /// The version that would be upgraded, or taken back.
    pub version: Version,
    /// The number of instances by outcome.
    pub totals: UpgradeTotals,
    /// The number of instances that would lose values.
    pub with_losses: usize,
    /// The number of instances with a warning that is not about a loss.
    pub with_warnings: usize,
    /// The number of instances that would change with neither.
    pub with_neither: usize,
    /// The upgraded and the failed instances, by type.
    pub rows: Vec<PlanRow>,
    /// A page of the instances that fail, then of those that lose values, then of those with
    /// warnings, and of the others.
    pub instances: Listed<PlannedInstance>,
}

impl Plan {
    /// The number of instances that would change with an effect.
    pub const fn number(&self, effect: Effect) -> usize {
        match effect {
            Effect::Losses => self.with_losses,
            Effect::Warnings => self.with_warnings,
            Effect::Neither => self.with_neither,
        }
    }
}

impl Service {
    /// The plan of a version's upgrade, or of its downgrade to a release. Sensitive values are
    /// hidden.
    pub async fn plan(
        &self,
        principal: &Principal,
        id: &VersionId,
        back: Option<&Back>,
        filter: PlanFilter,
        page: Page,
    ) -> Result<Plan, Failure> {
        let version = self.readable(principal, id).await?;
        let (id, direction) = (id.clone(), self.direction(back)?);
        let planned = self
            .work([&version], move |worker, [bytes]| {
                plan(worker, &id, &bytes, &direction, &filter, page)
            })
            .await??;
        let (totals, effects, rows, instances) = planned;
        let [with_losses, with_warnings, with_neither] = effects;
        Ok(Plan {
            version,
            totals,
            with_losses,
            with_warnings,
            with_neither,
            rows,
            instances,
        })
    }
}

/// The outcome for an instance, if it is in the plan: whether it failed, and the version it should
/// get.
pub(super) fn planned(upgrade: &InstanceUpgrade<'_, '_>) -> Option<(bool, u64)> {
    match upgrade.outcome() {
        InstanceOutcome::Upgraded { to, .. } => Some((false, *to)),
        InstanceOutcome::Failed { to, .. } => Some((true, *to)),
        // Those that stay as they are.
        _ => None,
    }
}

/// Counts of what is upgraded or fails.
#[derive(Default)]
pub(super) struct Rows(BTreeMap<(bool, String, u64, u64), usize>);

impl Rows {
    pub(super) fn add(&mut self, upgrade: &InstanceUpgrade<'_, '_>, (failed, to): (bool, u64)) {
        let instance = upgrade.instance();
        // The key begins with `!failed`, so that what fails comes first.
        let key = (
            !failed,
            instance.type_name().to_owned(),
            instance.schema_version(),
            to,
        );
        *self.0.entry(key).or_default() += 1;
    }

    pub(super) fn list(self, verb: &'static str) -> Vec<PlanRow> {
        let rows = self
            .0
            .into_iter()
            .map(|((upgraded, type_name, from, to), instances)| PlanRow {
                type_name,
                from,
                to,
                outcome: if upgraded { verb } else { "failed" },
                instances,
            });
        rows.collect()
    }
}

/// The numbers by outcome and by effect, the types, and a page of the instances.
type Planned = (
    UpgradeTotals,
    [usize; 3],
    Vec<PlanRow>,
    Listed<PlannedInstance>,
);

fn plan(
    worker: &Worker,
    id: &VersionId,
    bytes: &[u8],
    direction: &Direction,
    filter: &PlanFilter,
    page: Page,
) -> Result<Planned, Failure> {
    let state = StateFile::parse(bytes).map_err(|error| unreadable(id, &error))?;
    let (respond, goal) = (
        |request: &UpgradeRequest<'_>| worker.respond(direction, request),
        |name: &str| direction.goal(name),
    );
    let identity = |request: &DowngradeRequest<'_>| worker.respond_identity(request);
    let all = worker
        .options(direction, &respond, &goal, &identity)
        .partial(true);
    let failed = |error: std::io::Error| direction.refused(id, &error);
    // First everything, without what changes: finding that out takes longer than the upgrade.
    let (mut rows, mut total) = (Rows::default(), 0_u64);
    let offset = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let last = offset.saturating_add(size);
    // Those that fail are listed first, and then those that lose values or have warnings, because a
    // few of them would not be found among many others. Of each, no more are kept than this page
    // can need.
    let mut listed: [Vec<Address<'_>>; 4] = Default::default();
    let mut effects = [0_usize; 3];
    let totals = state
        .upgrade_to(&worker.registry, &all, &mut std::io::sink(), |upgrade| {
            if let Some(end) = planned(&upgrade) {
                rows.add(&upgrade, end);
                let (loses, is_warned) = (
                    !lost(&upgrade, direction).is_empty(),
                    !warned(&upgrade, direction).is_empty(),
                );
                for (number, effect) in effects.iter_mut().zip(Effect::ALL) {
                    *number += usize::from(!end.0 && effect.is_of(loses, is_warned));
                }
                if filter.has(&upgrade, end.0, (loses, is_warned)) {
                    if let Some(listed) = listed
                        .get_mut(place(end.0, loses, is_warned))
                        .filter(|listed| listed.len() < last)
                    {
                        listed.push(upgrade.instance().address().clone());
                    }
                    total += 1;
                }
            }
            Ok(())
        })
        .map_err(failed)?;
    let shown: HashSet<Address<'_>> = listed
        .into_iter()
        .flatten()
        .skip(offset)
        .take(size)
        .collect();
    let mut found = Vec::with_capacity(shown.len());
    if !shown.is_empty() {
        let pick = |address: &Address<'_>| shown.contains(address);
        let options = all.changes(true).only(&pick);
        let mut wrong = None;
        state
            .upgrade_to(
                &worker.registry,
                &options,
                &mut std::io::sink(),
                |upgrade| {
                    if let Some((has_failed, _)) = planned(&upgrade) {
                        let (address, loses) = (
                            upgrade.instance().address().to_string(),
                            !lost(&upgrade, direction).is_empty(),
                        );
                        let place =
                            place(has_failed, loses, !warned(&upgrade, direction).is_empty());
                        match to_raw_value(&upgrade) {
                            Ok(upgrade) => found.push((
                                place,
                                PlannedInstance {
                                    address,
                                    has_failed,
                                    loses,
                                    upgrade,
                                },
                            )),
                            Err(error) => wrong = Some(error),
                        }
                    }
                    Ok(())
                },
            )
            .map_err(failed)?;
        if let Some(error) = wrong {
            return Err(StoreError::new("a plan was not written")
                .because(error)
                .into());
        }
    }
    found.sort_by_key(|(place, _)| *place);
    let items = found.into_iter().map(|(_, one)| one).collect();
    Ok((
        totals,
        effects,
        rows.list(direction.verb()),
        Listed { items, total },
    ))
}

/// The place of an instance in the list of a plan: the less it can be left alone, the earlier.
const fn place(has_failed: bool, loses: bool, is_warned: bool) -> usize {
    match (has_failed, loses, is_warned) {
        (true, _, _) => 0,
        (false, true, _) => 1,
        (false, false, true) => 2,
        (false, false, false) => 3,
    }
}
