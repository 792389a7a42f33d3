//! The work of an upgrader on a document: it looks at few members, and the others stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use super::form::Objects;
use super::place::Place;
use super::run::{Work, stays};
use super::table::{Condition, Existing, Operation, Operators, Path, Stage};
use crate::schema::{Members, Origin};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

/// The work of an upgrader of documents.
pub(in crate::upgrade) struct DocumentWork {
    operators: &'static Operators,
    from: Objects<'static>,
    to: Objects<'static>,
    /// The members that only get another name: that, and the current one.
    pub(in crate::upgrade) renamed: Vec<(&'static str, &'static str)>,
    /// The members that are looked at.
    pub(in crate::upgrade) looked_at: Vec<&'static str>,
    work: Work<'static>,
}

impl DocumentWork {
    /// The work of an upgrader from one shape to the other.
    pub(in crate::upgrade) fn new(operators: &'static Operators, from: Members<'static>, to: Members<'static>) -> Self {
        let Operators { productions, drops, notices, declassified: _ } = operators;
        let stages = productions.iter().flat_map(|production| production.stages);
        let read: Vec<Path> = (stages.flat_map(Stage::all_read))
            .chain(drops.iter().map(|drop| drop.path))
            .chain(notices.iter().map(|notice| notice.at))
            .chain(notices.iter().filter_map(|notice| notice.only_if).flat_map(Condition::all_read))
            .collect();
        let renamed: Vec<_> = productions
            .iter()
            .filter_map(|production| {
                let ([to_name], [Stage { operation, each: false, only_if: None }]) = (production.target, production.stages)
                else {
                    return None;
                };
                let Operation::Take([name], Existing::Unsaid) = operation else { return None };
                let readers = read.iter().filter(|path| path.first() == Some(name)).count();
                let is_one = |first: &&&str| *first == to_name || *first == name;
                let makers = productions.iter().filter_map(|production| production.target.first()).filter(is_one).count();
                let moves = stays(from.get(name), to.get(to_name)) && !from.defines(to_name) && !to.defines(name);
                (moves && readers == 1 && makers == 1).then_some((*name, *to_name))
            })
            .collect();
        let is_renamed = |name: &str| renamed.iter().any(|(before, after)| [before, after].contains(&&name));
        let changed = from.names().chain(to.names()).filter(|name| !stays(from.get(name), to.get(name)));
        let targets = productions.iter().map(|production| production.target);
        let looked_at: BTreeSet<_> = (targets.chain(read.iter().copied()).filter_map(|path| path.first().copied()))
            .chain(changed)
            .filter(|name| !is_renamed(name))
            .collect();
        let (from, to) = (Objects::new(from, Origin::NONE), Objects::new(to, Origin::NONE));
        let mut work = Work::of(operators, from, to);
        work.made.retain(|(name, _)| !is_renamed(name));
        Self { operators, from, to, renamed, looked_at: looked_at.into_iter().collect(), work }
    }

    /// Does the work to the members that are looked at; `None` if operators refuse one.
    pub(in crate::upgrade) fn run(
        &self,
        members: BTreeMap<String, Value>,
        context: &mut UpgradeContext<'_>,
    ) -> Option<BTreeMap<String, Value>> {
        let members = Value::Map(members);
        match self.work.run(self.operators, members, (self.from, self.to), &Place::default(), context).ok()? {
            Value::Map(members) => Some(members),
            Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Dynamic(_) => None,
        }
    }
}
