//! Effects of the registry's release on stored states: findings of compatibility, and the number of
//! workspaces that they concern.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use upstate_compat::{Finding, Level, Options, ResourceSnapshot, Snapshot, compare};
use upstate_state::{InstanceStatus, Mode, StoredType};

use super::super::{Failure, Service};
use super::inventory::AT_ONCE;
use super::plan::PlanRow;
use super::{Counted, Schemas};
use crate::model::{OrganizationId, Permission, Principal, VersionId};
use crate::store::StoreError;

/// One finding, and where what it is about is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The type name.
    pub type_name: String,
    /// The schema version that is stored.
    pub from: u64,
    /// The registry's schema version; nothing if it no longer has the type.
    pub to: Option<u64>,
    /// The number of instances stored at that version.
    pub instances: usize,
    /// In how many workspaces.
    pub workspaces: usize,
    /// The number of these with a value there; nothing if the finding is not about an attribute
    /// that is stored, or an earlier release of the server stored some and did not count. Of what
    /// is inside of an attribute, those count that have a value in the attribute.
    pub with_value: Option<Holding>,
    /// The change.
    pub finding: Finding,
}

/// The number with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holding {
    /// The number of instances.
    pub instances: usize,
    /// In how many workspaces.
    pub workspaces: usize,
}

/// The number of instances of a type and version with a value in each attribute; nothing if some
/// were not counted.
type Values = HashMap<(String, u64), Option<HashMap<String, Holding>>>;

/// The values of a version's instances of one type, as [`Content`](crate::content::Content) counted
/// them.
#[derive(serde::Deserialize)]
struct Counts<'t> {
    mode: Mode,
    #[serde(borrow, rename = "type")]
    type_name: Cow<'t, str>,
    version: u64,
    #[serde(borrow)]
    values: Option<HashMap<Cow<'t, str>, usize>>,
}

/// The effects of the registry's release on an organization.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drifts {
    /// The findings, the worst first, of those the ones that most workspaces have a value for
    /// first.
    pub findings: Vec<Drift>,
    /// Types and versions that are stored, but described neither by the registry nor by the lock:
    /// nothing is known of their changes.
    pub undescribed: Vec<Counted>,
}

impl Service {
    /// The effects of the registry's release on the states of an organization.
    pub async fn drift(
        &self,
        principal: &Principal,
        organization: &str,
    ) -> Result<Drifts, Failure> {
        let inventory = self.organization_inventory(principal, organization).await?;
        self.drift_of(principal, organization, inventory.types)
            .await
    }

    /// The effects on types of that inventory. No other ones are looked at, because what is stored
    /// of all may be much.
    pub(crate) async fn drift_of(
        &self,
        principal: &Principal,
        organization: &str,
        types: Vec<Counted>,
    ) -> Result<Drifts, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::ReadState)?;
        let values = self.values_behind(&organization.id, &types).await?;
        let schemas = self.schemas.clone();
        // Comparing schemas reads no states, and is still too long for a thread that answers
        // requests.
        let found = tokio::task::spawn_blocking(move || drifts(&schemas, types, &values)).await;
        Ok(found.map_err(|error| {
            StoreError::new("a comparison of releases was not finished").because(error)
        })?)
    }

    /// The attributes with values, of those of these types that differ from the registry's.
    async fn values_behind(
        &self,
        organization: &OrganizationId,
        types: &[Counted],
    ) -> Result<Values, Failure> {
        let names: BTreeSet<&str> = types.iter().map(|one| one.type_name.as_str()).collect();
        let is_behind = |stored: &StoredType| {
            stored.mode == Mode::Managed
                && names.contains(stored.type_name.as_str())
                && stored.status(self.registry()) != InstanceStatus::Current
        };
        let (mut values, mut at) = (Values::new(), None);
        while let Some(some) = self.some_types(organization, &mut at, AT_ONCE).await? {
            let behind = some
                .into_iter()
                .filter(|workspace| workspace.known.types.iter().any(is_behind));
            let versions: Vec<VersionId> = behind
                .filter_map(|workspace| workspace.head.version)
                .collect();
            self.add_values(&versions, Some(&names), &mut values)
                .await?;
        }
        Ok(values)
    }

    /// The attributes with values of all types of a version. Permissions were looked at before.
    async fn values_of(&self, version: &VersionId) -> Result<Values, Failure> {
        let mut values = Values::new();
        self.add_values(std::slice::from_ref(version), None, &mut values)
            .await?;
        Ok(values)
    }

    /// The number of values of a version that these rows of its plan move, and of those that they
    /// convert. Of what is inside of an attribute, none is counted, and none of a type that fails
    /// in part or whose values were not counted. Permissions were looked at before.
    pub(crate) async fn changed_values(
        &self,
        version: &VersionId,
        rows: &[PlanRow],
    ) -> Result<(usize, usize), Failure> {
        // Mostly no schema version differs, and what is stored of all types may be much.
        if rows.is_empty() {
            return Ok((0, 0));
        }
        let values = self.values_of(version).await?;
        let failed: BTreeSet<(&str, u64)> = rows
            .iter()
            .filter(|row| row.outcome == "failed")
            .map(|row| (row.type_name.as_str(), row.from))
            .collect();
        let (mut moved, mut converted) = (0, 0);
        for row in rows
            .iter()
            .filter(|row| !failed.contains(&(row.type_name.as_str(), row.from)))
        {
            let Some(Some(held)) = values.get(&(row.type_name.clone(), row.from)) else {
                continue;
            };
            let fates =
                self.schemas
                    .fates
                    .between(self.registry(), &row.type_name, row.from, row.to);
            let Some(fates) = fates else { continue };
            let number = |paths: &[String]| {
                paths
                    .iter()
                    .filter_map(|path| held.get(path))
                    .map(|holding| holding.instances)
                    .sum::<usize>()
            };
            moved += number(&fates.moved);
            converted += number(&fates.converted);
        }
        Ok((moved, converted))
    }

    /// Adds the attributes with values of the named types of versions, or of all.
    async fn add_values(
        &self,
        versions: &[VersionId],
        names: Option<&BTreeSet<&str>>,
        values: &mut Values,
    ) -> Result<(), Failure> {
        for found in self.store.types(versions).await? {
            let Some(types) = found.types else { continue };
            let counts: Vec<Counts<'_>> = serde_json::from_str(&types).map_err(|error| {
                StoreError::new("the types of a version cannot be read").because(error)
            })?;
            let is_named =
                |one: &Counts<'_>| names.is_none_or(|names| names.contains(&*one.type_name));
            for one in counts
                .into_iter()
                .filter(|one| one.mode == Mode::Managed && is_named(one))
            {
                add(values, one);
            }
        }
        Ok(())
    }
}

/// Adds what one workspace has.
fn add(values: &mut Values, counts: Counts<'_>) {
    let all = values
        .entry((counts.type_name.into_owned(), counts.version))
        .or_insert_with(|| Some(HashMap::new()));
    let Some(counts) = counts.values else {
        *all = None;
        return;
    };
    let Some(all) = all else { return };
    for (name, instances) in counts {
        let holding = match all.get_mut(&*name) {
            Some(holding) => holding,
            None => all.entry(name.into_owned()).or_default(),
        };
        holding.instances += instances;
        holding.workspaces += 1;
    }
}

/// The number with a value at the place of a finding, if the stored shape has the attribute.
fn with_value(
    path: &str,
    counted: &Counted,
    before: &ResourceSnapshot,
    values: &Values,
) -> Option<Holding> {
    let name = path
        .split(['.', '['])
        .next()
        .filter(|name| !name.is_empty())?;
    if !before.attributes.contains_key(name) && !before.blocks.contains_key(name) {
        return None;
    }
    let all = values
        .get(&(counted.type_name.clone(), counted.version))?
        .as_ref()?;
    Some(all.get(name).copied().unwrap_or_default())
}

fn drifts(schemas: &Schemas, types: Vec<Counted>, values: &Values) -> Drifts {
    let current = schemas
        .shapes
        .get_or_init(|| Snapshot::of(&schemas.registry));
    let mut drifts = Drifts::default();
    for counted in types.into_iter().filter(|counted| {
        counted.mode == Mode::Managed && counted.status != InstanceStatus::Current
    }) {
        let now = current.resources.get(&counted.type_name);
        if now.is_some_and(|now| now.version <= counted.version) {
            // Flat state of the current version, or state of a newer release than the registry's.
            continue;
        }
        let locked = schemas
            .lock
            .get(&counted.type_name, counted.version)
            .filter(|entry| entry.is_released());
        let prior = || {
            current
                .priors
                .get(&counted.type_name)?
                .get(&counted.version)
        };
        let Some(before) = locked
            .map(upstate_compat::lock::Entry::resource)
            .or_else(prior)
        else {
            drifts.undescribed.push(counted);
            continue;
        };
        drifts
            .findings
            .extend(findings(&counted, before, now, values));
    }
    drifts.findings.sort_by(|a, b| {
        let affected = |one: &Drift| {
            one.with_value
                .map_or(one.workspaces, |holding| holding.workspaces)
        };
        let worst = b
            .finding
            .level
            .cmp(&a.finding.level)
            .then(affected(b).cmp(&affected(a)));
        worst.then_with(|| {
            (&a.type_name, a.from, &a.finding.path).cmp(&(&b.type_name, b.from, &b.finding.path))
        })
    });
    drifts
}

/// The changes between the shape that is stored and the current one. Releases are not judged: that
/// is the author's part, before the release.
fn findings(
    counted: &Counted,
    before: &ResourceSnapshot,
    now: Option<&ResourceSnapshot>,
    values: &Values,
) -> Vec<Drift> {
    let one = |resource: Option<&ResourceSnapshot>| Snapshot {
        resources: resource
            .map(|resource| (counted.type_name.clone(), resource.clone()))
            .into_iter()
            .collect::<BTreeMap<_, _>>(),
        ..Snapshot::default()
    };
    let report = compare(&one(Some(before)), &one(now), &Options::default());
    let about_state = |finding: &Finding| {
        // A finding that asks nothing of anybody is not drift; one about the rules of releases is
        // not about stored state.
        finding.level > Level::Safe
            && finding
                .axes
                .iter()
                .any(|axis| *axis != upstate_compat::Axis::Policy)
    };
    let drift = |finding: Finding| Drift {
        type_name: counted.type_name.clone(),
        from: counted.version,
        to: now.map(|now| now.version),
        instances: counted.instances,
        workspaces: counted.workspaces,
        with_value: with_value(&finding.path, counted, before, values),
        finding,
    };
    report
        .findings
        .into_iter()
        .filter(about_state)
        .map(drift)
        .collect()
}
