//! What the registry's release changes for what is stored: findings of compatibility, and in how many workspaces they matter.

use std::collections::BTreeMap;

use upstate_compat::{Finding, Level, Options, ResourceSnapshot, Snapshot, compare};
use upstate_state::{Mode, Standing};

use super::super::{Failure, Service};
use super::{Counted, Schemas};
use crate::model::Principal;

/// One finding, and where what it is about is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The type name.
    pub type_name: String,
    /// The schema version that is stored.
    pub from: u64,
    /// The registry's schema version; nothing if it no longer has the type.
    pub to: Option<u64>,
    /// How many instances are stored at that version.
    pub instances: usize,
    /// In how many workspaces.
    pub workspaces: usize,
    /// What changes.
    pub finding: Finding,
}

/// What the registry's release changes for an organization.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drifts {
    /// The findings, the worst first, of those the ones in most workspaces first.
    pub findings: Vec<Drift>,
    /// Types and versions that are stored, but described neither by the registry nor by the lock: nothing is known of their changes.
    pub undescribed: Vec<Counted>,
}

impl Service {
    /// What the registry's release changes for what an organization stores.
    pub async fn drift(&self, principal: &Principal, organization: &str) -> Result<Drifts, Failure> {
        let inventory = self.organization_inventory(principal, organization).await?;
        let schemas = self.schemas.clone();
        // Comparing schemas reads no states, and is still too long for a thread that answers requests.
        let found = tokio::task::spawn_blocking(move || drifts(&schemas, inventory.types)).await;
        Ok(found.map_err(|error| crate::store::StoreError::new("a comparison of releases was not finished").because(error))?)
    }
}

fn drifts(schemas: &Schemas, types: Vec<Counted>) -> Drifts {
    let current = schemas.shapes.get_or_init(|| Snapshot::of(&schemas.registry));
    let mut drifts = Drifts::default();
    for counted in types.into_iter().filter(|counted| counted.mode == Mode::Managed && counted.standing != Standing::Current) {
        let now = current.resources.get(&counted.type_name);
        if now.is_some_and(|now| now.version <= counted.version) {
            // Flat state of the current version, or state of a newer release than the registry's.
            continue;
        }
        let locked = schemas.lock.get(&counted.type_name, counted.version).filter(|entry| entry.is_released());
        let prior = || current.priors.get(&counted.type_name)?.get(&counted.version);
        let Some(before) = locked.map(upstate_compat::lock::Entry::resource).or_else(prior) else {
            drifts.undescribed.push(counted);
            continue;
        };
        drifts.findings.extend(findings(&counted, before, now));
    }
    drifts.findings.sort_by(|a, b| {
        let worst = b.finding.level.cmp(&a.finding.level).then(b.workspaces.cmp(&a.workspaces));
        worst.then_with(|| (&a.type_name, a.from, &a.finding.path).cmp(&(&b.type_name, b.from, &b.finding.path)))
    });
    drifts
}

/// The changes between the shape that is stored and the current one. Releases are not judged: that is the author's part, before the release.
fn findings(counted: &Counted, before: &ResourceSnapshot, now: Option<&ResourceSnapshot>) -> Vec<Drift> {
    let one = |resource: Option<&ResourceSnapshot>| Snapshot {
        resources: resource.map(|resource| (counted.type_name.clone(), resource.clone())).into_iter().collect::<BTreeMap<_, _>>(),
        ..Snapshot::default()
    };
    let report = compare(&one(Some(before)), &one(now), &Options::default());
    let about_state = |finding: &Finding| {
        // What nobody has to do anything about is no drift; what is about the rules of releases is not about what is stored.
        finding.level > Level::Safe && finding.axes.iter().any(|axis| *axis != upstate_compat::Axis::Policy)
    };
    let drift = |finding: Finding| Drift {
        type_name: counted.type_name.clone(),
        from: counted.version,
        to: now.map(|now| now.version),
        instances: counted.instances,
        workspaces: counted.workspaces,
        finding,
    };
    report.findings.into_iter().filter(about_state).map(drift).collect()
}
