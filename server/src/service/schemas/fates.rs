//! The fates of the attributes of a type between two of its versions, and the number of stored values that meet them.

use std::collections::BTreeSet;

use upstate::Registry;
use upstate::upgrade::{Fate, Lanes};

use super::super::{Failure, Service};
use super::plan::PlanRow;
use crate::model::VersionId;

/// The attributes of a type by their fates, each by its path in the version where they begin, or, if it is new, where they end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fates {
    /// Those at another path.
    pub(crate) moved: Vec<String>,
    /// Those whose value or type becomes another one; they may have moved, too.
    pub(crate) converted: Vec<String>,
    /// Those that are new.
    pub(crate) new: Vec<String>,
    /// Those that end.
    pub(crate) gone: Vec<String>,
}

impl Fates {
    /// The fates from one version to another, which is the earlier one where state goes back; nothing if several routes lead there, because each
    /// instance takes its own.
    pub(crate) fn between(registry: &Registry, type_name: &str, from: u64, to: u64) -> Option<Self> {
        let routes = registry.get(type_name)?.lanes();
        let column = |route: &Lanes, version: u64| route.versions.iter().position(|versions| versions.contains(&version));
        let mut fitting = routes.iter().filter_map(|route| Some((route, column(route, from)?, column(route, to)?)));
        let (Some((route, first, last)), None) = (fitting.next(), fitting.next()) else { return None };
        let mut fates = Self::default();
        for lane in &route.lanes {
            let place = |column: usize| lane.places.get(column).and_then(Option::as_ref);
            let between = lane.fates.get(first.min(last)..first.max(last)).unwrap_or_default();
            match (place(first), place(last)) {
                (Some(before), Some(after)) => {
                    if before != after {
                        fates.moved.push(before.clone());
                    }
                    if between.iter().any(|fate| matches!(fate, Fate::Converted { .. })) {
                        fates.converted.push(before.clone());
                    }
                }
                (None, Some(after)) => fates.new.push(after.clone()),
                (Some(before), None) => fates.gone.push(before.clone()),
                (None, None) => {}
            }
        }
        Some(fates)
    }
}

impl Service {
    /// The number of values of a version that these rows of its plan move, and of those that they convert. Of what is inside of an attribute, none
    /// is counted, and none of a type that fails in part or whose values were not counted. Permissions were looked at before.
    pub(crate) async fn changed_values(&self, version: &VersionId, rows: &[PlanRow]) -> Result<(usize, usize), Failure> {
        let values = self.values_of(version).await?;
        let failed: BTreeSet<(&str, u64)> =
            rows.iter().filter(|row| row.outcome == "failed").map(|row| (row.type_name.as_str(), row.from)).collect();
        let (mut moved, mut converted) = (0, 0);
        for row in rows.iter().filter(|row| !failed.contains(&(row.type_name.as_str(), row.from))) {
            let Some(Some(held)) = values.get(&(row.type_name.clone(), row.from)) else { continue };
            let Some(fates) = Fates::between(self.registry(), &row.type_name, row.from, row.to) else { continue };
            let number =
                |paths: &[String]| paths.iter().filter_map(|path| held.get(path)).map(|holding| holding.instances).sum::<usize>();
            moved += number(&fates.moved);
            converted += number(&fates.converted);
        }
        Ok((moved, converted))
    }
}
