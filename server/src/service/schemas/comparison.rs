//! Two versions beside each other.

use std::collections::BTreeMap;

use upstate::Registry;
use upstate_state::{Change, Difference, Instance, InstanceStatus, Mode, Output, StateFile};

use super::super::{Failure, Service};
use super::plan::PlanRow;
use super::{Worker, unreadable};
use crate::model::{Principal, Version, VersionId};
use crate::store::{Listed, Page};

/// The change of an instance between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
pub enum Action {
    /// The later one alone has it.
    #[serde(rename = "add")]
    Added,
    /// The earlier one alone has it.
    #[serde(rename = "remove")]
    Removed,
    /// Both have it, and it differs.
    #[serde(rename = "change")]
    Changed,
}

impl Action {
    /// `added`, `removed` or `changed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// A difference between two versions: an instance, or an output of the root module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The address of the instance, or `output.` and the name.
    pub address: String,
    /// The type name; empty for an output.
    pub type_name: String,
    /// The schema version before; nothing if it was added, or is an output.
    pub from: Option<u64>,
    /// The schema version after; nothing if it was removed, or is an output.
    pub to: Option<u64>,
    /// Its change.
    pub action: Action,
    /// The differences of its attributes; none for an output.
    pub changes: Vec<Change>,
    /// The value of an output before and after, as JSON, unless it is sensitive.
    pub values: Option<(Option<String>, Option<String>)>,
}

/// The comparison of two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The version before; nothing if everything is compared with nothing.
    pub before: Option<Version>,
    /// The version after.
    pub after: Version,
    /// The number of all that differs, by type and change. The type name of outputs is empty.
    pub counts: BTreeMap<(String, Action), u64>,
    /// The values that moved to another attribute with another schema version, as far as they were
    /// counted.
    pub moved: usize,
    /// The values that were converted with another schema version, as far as they were counted.
    pub converted: usize,
    /// The values that an upgrade or a downgrade dropped, by the report of the version that it
    /// made; nothing if the later version was not made so of the earlier one.
    pub dropped: Option<usize>,
    /// The number of instances of which that report keeps no details, so that what they dropped is
    /// not counted.
    pub dropped_omitted: usize,
    /// A page of those that are wanted: outputs first.
    pub differences: Listed<Compared>,
}

/// The differences of a comparison that are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComparisonFilter {
    /// Only those with a change.
    pub action: Option<Action>,
    /// Only instances of a type.
    pub type_name: Option<String>,
}

impl ComparisonFilter {
    /// True if a difference is one of these.
    fn has(&self, type_name: &str, action: Action) -> bool {
        self.action.is_none_or(|wanted| wanted == action)
            && self.type_name.as_ref().is_none_or(|name| name == type_name)
    }
}

/// The number of all that differs, a page of those that are wanted, and the versions that instances
/// got.
type Differing = (
    BTreeMap<(String, Action), u64>,
    Listed<Compared>,
    Vec<PlanRow>,
);

/// The effect of a state that takes the place of another one on the resources that Terraform knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replaced {
    /// The addresses of the first resources that Terraform no longer knows then.
    pub forgotten: Vec<String>,
    /// The number of them.
    pub forgotten_total: usize,
    /// The addresses of the first resources that it knows again.
    pub known_again: Vec<String>,
    /// The number of them.
    pub known_again_total: usize,
    /// The number of instances that get other values or another schema version.
    pub changed: usize,
}

/// The number of addresses that [`Replaced`] names.
const NAMED: usize = 20;

impl Service {
    /// The effect of making an earlier version current again in place of the current one.
    pub async fn replaced(
        &self,
        principal: &Principal,
        current: &VersionId,
        by: &VersionId,
    ) -> Result<Replaced, Failure> {
        let (current, by) = (
            self.readable(principal, current).await?,
            self.readable(principal, by).await?,
        );
        let ids = (current.id.clone(), by.id.clone());
        self.work([&current, &by], move |_, [old, new]| {
            replaced((&ids.0, &old), (&ids.1, &new))
        })
        .await?
    }

    /// Compares a version with another one, or with the one before it. Sensitive values are hidden.
    pub async fn compare(
        &self,
        principal: &Principal,
        after: &VersionId,
        before: Option<&VersionId>,
        filter: ComparisonFilter,
        page: Page,
    ) -> Result<Comparison, Failure> {
        let after = self.readable(principal, after).await?;
        let before = if let Some(before) = before {
            Some(before.clone())
        } else {
            let beside = self.store.beside(std::slice::from_ref(&after)).await?;
            beside.into_iter().next().and_then(|beside| beside.previous)
        };
        let new_id = after.id.clone();
        let Some(before) = before else {
            let compared = self.work([&after], move |worker, [new]| {
                compare(
                    worker,
                    (&new_id, b"{\"version\": 4}"),
                    (&new_id, &new),
                    &filter,
                    page,
                )
            });
            let (counts, differences, _) = compared.await??;
            return Ok(Comparison {
                before: None,
                after,
                counts,
                moved: 0,
                converted: 0,
                dropped: None,
                dropped_omitted: 0,
                differences,
            });
        };
        let before = self.readable(principal, &before).await?;
        let old_id = before.id.clone();
        let compared = self.work([&before, &after], move |worker, [old, new]| {
            compare(worker, (&old_id, &old), (&new_id, &new), &filter, page)
        });
        let (counts, differences, steps) = compared.await??;
        let (moved, converted) = self.changed_values(&before.id, &steps).await?;
        let dropped = self.dropped_values(&before.id, &after).await?;
        Ok(Comparison {
            before: Some(before),
            after,
            counts,
            moved,
            converted,
            dropped: dropped.map(|(values, _)| values),
            dropped_omitted: dropped.map_or(0, |(_, omitted)| omitted),
            differences,
        })
    }
}

fn replaced(
    (old_id, old): (&VersionId, &[u8]),
    (new_id, new): (&VersionId, &[u8]),
) -> Result<Replaced, Failure> {
    let old = StateFile::parse(old).map_err(|error| unreadable(old_id, &error))?;
    let new = StateFile::parse(new).map_err(|error| unreadable(new_id, &error))?;
    let mut replaced = Replaced::default();
    for difference in old.differences(&new) {
        let (list, total, one) = match (difference.old(), difference.new_instance()) {
            (Some(old), None) => (
                &mut replaced.forgotten,
                &mut replaced.forgotten_total,
                old.address(),
            ),
            (None, Some(new)) => (
                &mut replaced.known_again,
                &mut replaced.known_again_total,
                new.address(),
            ),
            (Some(old), Some(_)) => {
                replaced.changed += usize::from(old.address().mode() == Mode::Managed);
                continue;
            }
            (None, None) => continue,
        };
        // None is forgotten, since Terraform reads data sources again.
        if one.mode() == Mode::Data {
            continue;
        }
        *total += 1;
        if list.len() < NAMED {
            list.push(one.to_string());
        }
    }
    Ok(replaced)
}

fn compare(
    worker: &Worker,
    (old_id, old): (&VersionId, &[u8]),
    (new_id, new): (&VersionId, &[u8]),
    filter: &ComparisonFilter,
    page: Page,
) -> Result<Differing, Failure> {
    let old = StateFile::parse(old).map_err(|error| unreadable(old_id, &error))?;
    let new = StateFile::parse(new).map_err(|error| unreadable(new_id, &error))?;
    let outputs = outputs(&old.outputs(), &new.outputs());
    let instances = old.differences(&new);
    let steps = steps(&worker.registry, &old, &instances);
    let mut counts: BTreeMap<(String, Action), u64> = BTreeMap::new();
    for one in &outputs {
        *counts.entry((String::new(), one.action)).or_default() += 1;
    }
    let mut wanted = Vec::new();
    for difference in &instances {
        let (old, new) = (difference.old(), difference.new_instance());
        let Some(named) = new.map(Instance::address).or(old.map(Instance::address)) else {
            continue;
        };
        let change = action(old.is_some(), new.is_some());
        *counts
            .entry((named.type_name().to_owned(), change))
            .or_default() += 1;
        if filter.has(named.type_name(), change) {
            wanted.push(difference);
        }
    }
    let outputs: Vec<Compared> = outputs
        .into_iter()
        .filter(|one| filter.has(&one.type_name, one.action))
        .collect();
    let total = u64::try_from(outputs.len() + wanted.len()).unwrap_or(u64::MAX);
    let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let take = usize::try_from(page.size).unwrap_or(usize::MAX);
    let rest = skip.saturating_sub(outputs.len());
    let mut items: Vec<Compared> = outputs.into_iter().skip(skip).take(take).collect();
    let room = take - items.len();
    for difference in wanted.into_iter().skip(rest).take(room) {
        let (old, new) = (difference.old(), difference.new_instance());
        let Some(named) = new.map(Instance::address).or(old.map(Instance::address)) else {
            continue;
        };
        items.push(Compared {
            address: named.to_string(),
            type_name: named.type_name().to_owned(),
            from: old.map(Instance::schema_version),
            to: new.map(Instance::schema_version),
            action: action(old.is_some(), new.is_some()),
            changes: difference.changes(&worker.registry),
            values: None,
        });
    }
    Ok((counts, Listed { items, total }, steps))
}

/// The versions that instances got, of those types and versions of which all got the same one: of
/// others, nobody knows which values are theirs. Both are versions that the registry knows, because
/// the fates between them are kept, and a client may write any number as a version.
fn steps(
    registry: &Registry,
    old: &StateFile<'_>,
    differences: &[Difference<'_, '_, '_>],
) -> Vec<PlanRow> {
    let is_managed = |instance: &Instance<'_>| instance.address().mode() == Mode::Managed;
    let is_known = |type_name: &str, version: u64| {
        registry.get(type_name).is_some_and(|definition| {
            match InstanceStatus::at(definition, version) {
                InstanceStatus::Current | InstanceStatus::NeedsUpgrade => true,
                InstanceStatus::CannotUpgrade
                | InstanceStatus::UnknownType
                | InstanceStatus::Data => false,
            }
        })
    };
    let mut stored: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for instance in old
        .instances()
        .iter()
        .filter(|instance| is_managed(instance))
    {
        *stored
            .entry((instance.type_name(), instance.schema_version()))
            .or_default() += 1;
    }
    let mut steps: BTreeMap<(&str, u64, u64), usize> = BTreeMap::new();
    for (before, after) in differences
        .iter()
        .filter_map(|one| one.old().zip(one.new_instance()))
    {
        let (from, to) = (before.schema_version(), after.schema_version());
        if from != to && is_managed(before) {
            *steps.entry((before.type_name(), from, to)).or_default() += 1;
        }
    }
    let whole = steps.into_iter().filter(|((type_name, from, to), number)| {
        stored.get(&(*type_name, *from)) == Some(number)
            && is_known(type_name, *from)
            && is_known(type_name, *to)
    });
    let row = |((type_name, from, to), instances): ((&str, u64, u64), usize)| PlanRow {
        type_name: type_name.to_owned(),
        from,
        to,
        outcome: "upgraded",
        instances,
    };
    whole.map(row).collect()
}

const fn action(before: bool, after: bool) -> Action {
    match (before, after) {
        (false, _) => Action::Added,
        (_, false) => Action::Removed,
        (true, true) => Action::Changed,
    }
}

fn outputs(old: &[Output<'_>], new: &[Output<'_>]) -> Vec<Compared> {
    let mut beside: BTreeMap<&str, (Option<&Output<'_>>, Option<&Output<'_>>)> = BTreeMap::new();
    for output in old {
        beside.entry(output.name()).or_default().0 = Some(output);
    }
    for output in new {
        beside.entry(output.name()).or_default().1 = Some(output);
    }
    let reported = |output: &Output<'_>| {
        (
            output.value_json().to_owned(),
            output.type_json().to_owned(),
            output.is_sensitive(),
        )
    };
    let different = beside
        .into_iter()
        .filter(|(_, (old, new))| old.map(reported) != new.map(reported));
    different
        .map(|(name, (old, new))| {
            let is_sensitive = [old, new].into_iter().flatten().any(Output::is_sensitive);
            let value =
                |output: Option<&Output<'_>>| output.map(|output| output.value_json().to_owned());
            Compared {
                address: format!("output.{name}"),
                type_name: String::new(),
                from: None,
                to: None,
                action: action(old.is_some(), new.is_some()),
                changes: Vec::new(),
                values: (!is_sensitive).then(|| (value(old), value(new))),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client may write any type and any number as its version, and what is looked up of them is
    /// kept.
    #[test]
    fn steps_of_unknown_types_are_left_out() {
        let state = |version: u64| {
            let instances = format!(r#"[{{"schema_version": {version}, "attributes": {{}}}}]"#);
            format!(
                r#"{{"version": 4, "resources": [{{"mode": "managed", "type": "example_note", "name": "a",
                "provider": "provider[\"example.com/test/example\"]", "instances": {instances}}}]}}"#
            )
        };
        let (old, new) = (state(0), state(1));
        let (old, new) = (
            StateFile::parse(old.as_bytes()).unwrap(),
            StateFile::parse(new.as_bytes()).unwrap(),
        );
        let differences = old.differences(&new);
        assert_eq!(
            (
                differences.len(),
                steps(&Registry::new(), &old, &differences)
            ),
            (1, Vec::new())
        );
    }
}
