//! Waves: patterns of names that choose a part of the workspaces of a plan, so that somebody can
//! begin with a few.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::{Failure, Service};
use super::jobs::matches_name;
use crate::model::{JobId, Principal};

/// The number of patterns that are looked at: those with the most workspaces.
const LOOKED_AT: usize = 20;

/// The number of patterns that are offered.
const OFFERED: usize = 6;

impl Service {
    /// Patterns of names, each with the number of workspaces that a job of a plan would take now,
    /// the most first.
    pub(crate) async fn waves(
        &self,
        principal: &Principal,
        plan: &JobId,
    ) -> Result<Vec<(String, usize)>, Failure> {
        let (_, counts) = self.stored_plan(principal, plan).await?;
        // Somebody may resume it meanwhile. No job can begin then, but a look at the plan must not
        // be refused because of that.
        if counts.waiting > 0 {
            return Ok(Vec::new());
        }
        let planned = self.store.unchanged_heads(plan).await?;
        Ok(patterns(
            &planned
                .iter()
                .map(|head| head.name.to_lowercase())
                .collect::<Vec<_>>(),
        ))
    }
}

/// The patterns by the parts of the names between dashes that choose several of them and not all.
fn patterns(names: &[String]) -> Vec<(String, usize)> {
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        let last = name.matches('-').count();
        for (place, part) in name.split('-').enumerate() {
            // A number would mostly choose one workspace alone.
            if last == 0 || part.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let (before, after) = (
                if place == 0 { "" } else { "*-" },
                if place == last { "" } else { "-*" },
            );
            *met.entry(format!("{before}{part}{after}")).or_default() += 1;
        }
    }
    let mut met: Vec<(String, usize)> = met.into_iter().collect();
    met.sort_by_key(|(_, number)| Reverse(*number));
    met.truncate(LOOKED_AT);
    // Others may fit it, too, such as names with more parts.
    let fitting = |pattern: &str| {
        names
            .iter()
            .filter(|name| matches_name(pattern, name))
            .count()
    };
    for (pattern, number) in &mut met {
        *number = fitting(pattern.as_str());
    }
    met.retain(|(_, number)| *number > 1 && *number < names.len());
    met.sort_by_key(|(_, number)| Reverse(*number));
    met.truncate(OFFERED);
    met
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_names_that_several_have_are_patterns() {
        let names = [
            "core-dev-01",
            "core-dev-02",
            "core-prod-01",
            "shop-dev-01",
            "shop-eu-dev",
            "alone",
        ]
        .map(str::to_owned);
        let found = patterns(&names);
        let found: Vec<(&str, usize)> = found
            .iter()
            .map(|(pattern, number)| (pattern.as_str(), *number))
            .collect();
        assert_eq!(found, [("*-dev-*", 3), ("core-*", 3), ("shop-*", 2)]);
        assert_eq!(
            patterns(&["a-b".to_owned(), "a-c".to_owned()]),
            [],
            "all of them are no part"
        );
        assert_eq!(patterns(&[]), []);
    }
}
