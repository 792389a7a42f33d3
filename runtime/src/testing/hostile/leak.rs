//! Sensitive values that end in attributes which show them.

use std::collections::BTreeSet;

use super::super::json::Json;
use super::run::Runner;
use super::sample::{At, SECRET, SECRET_NUMBER};
use super::{HostileReport, State};
use crate::schema::{Block, Nesting};
use crate::upgrade::declassified;

impl Runner<'_> {
    /// Upgrades a state whose sensitive attributes hold known values, and looks for these in
    /// attributes that are not sensitive. Only what this version marks is sensitive: under another
    /// one the same name may be of another attribute.
    pub(super) fn check_leaks(&self, state: &Json, block: &Block, report: &mut HostileReport) {
        let state = State::of(
            "sensitive values",
            &super::sample::with_secrets(state, block, &BTreeSet::new()),
        );
        let response = self.upgrade(&self.request(&state));
        let Some(Ok(upgraded)) = response.state().map(Json::parse) else {
            return;
        };
        let declared = self
            .definition
            .history()
            .map(|history| declassified(history, self.version))
            .unwrap_or_default();
        let shown: BTreeSet<String> = declared
            .into_keys()
            .chain(self.hostile.declassified.iter().cloned())
            .collect();
        let mut found = Vec::new();
        leaks(
            &upgraded,
            At::Block(self.definition.schema().block()),
            "",
            &shown,
            &mut found,
        );
        let (version, type_name) = (self.version, &self.hostile.type_name);
        report.problems.extend(found.into_iter().map(|path| {
            format!(
                "version {version} of {type_name}: a sensitive value ends in `{path}`, which is not sensitive\n\
                 help: mark `{path}` as `#[attribute(sensitive)]`; or say why it may be shown: `declassified = \"…\"` in the operator, \
                 `Hostile::declassified(\"{path}\")` where a function upgrades"
            )
        }));
    }
}

/// The attributes that show a known value.
fn leaks(value: &Json, at: At<'_>, above: &str, shown: &BTreeSet<String>, found: &mut Vec<String>) {
    let Json::Map(members) = value else { return };
    for member in at.members().into_iter().filter(|member| !member.sensitive) {
        let Some((_, value)) = members.iter().find(|(name, _)| name == member.name) else {
            continue;
        };
        let path = if above.is_empty() {
            member.name.to_owned()
        } else {
            format!("{above}.{}", member.name)
        };
        if shown.contains(&path) {
            continue;
        }
        match (member.at, member.nesting, value) {
            (At::Type(_), ..) => {
                let text = value.to_text();
                if text.contains(SECRET) || text.contains(SECRET_NUMBER) {
                    found.push(path);
                }
            }
            (inner, Some(Nesting::List | Nesting::Set), Json::List(elements)) => {
                for element in elements {
                    leaks(element, inner, &path, shown, found);
                }
            }
            (inner, Some(Nesting::Map), Json::Map(entries)) => {
                for (_, entry) in entries {
                    leaks(entry, inner, &path, shown, found);
                }
            }
            (inner, _, value) => leaks(value, inner, &path, shown, found),
        }
    }
}
