//! Where attributes went on the way between two versions, and which end there, as far as declared upgraders say so.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{History, Step, UpgraderKind};
use super::operators::{Existing, Operation, Operators, Path, Production, Segment, Stage};
use crate::schema::{About, Members, Origin, Shape, said};

/// The names on the way to an attribute or block, from the outside in.
type Names = Vec<&'static str>;
/// What is somewhere, and where it was.
type Pairs = BTreeSet<(Names, Names)>;

/// What stands at a path.
#[derive(Clone, Copy)]
enum Node {
    Value,
    /// Nested objects: what is in them, and what they are made of.
    Objects(Members<'static>, Origin),
}

/// Where what is stored at `version` is in the model that `history` belongs to, by dotted path; without what has the same path there
/// and what only goes along with the object that it is in.
pub fn renames(history: &'static History, version: u64) -> BTreeMap<String, BTreeSet<String>> {
    let pairs = on_the_way(history, version);
    let mut renames: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in pairs.iter().filter(|(from, to)| from != to && !goes_along(&pairs, from, to)) {
        renames.entry(from.join(".")).or_default().insert(to.join("."));
    }
    renames
}

/// What of the state stored at `version` ends on its way to the model that `history` belongs to, by dotted path, and why.
pub fn dropped(history: &'static History, version: u64) -> BTreeMap<String, String> {
    endings(history, version).into_iter().map(|(path, reason)| (path.join("."), reason.to_owned())).collect()
}

fn endings(history: &'static History, version: u64) -> Vec<(Names, &'static str)> {
    let Some(step) = history.route(version).and_then(|index| history.steps().get(index)) else { return Vec::new() };
    if step.contains(version) {
        return history.steps().iter().filter(|step| step.contains(version)).flat_map(|step| ends_of(step, history)).collect();
    }
    let Some(via) = step.via() else { return Vec::new() };
    let before = on_the_way(via, version);
    let later = ends_of(step, history);
    let later = later.iter().flat_map(|(path, reason)| {
        before.iter().filter(move |(_, between)| between == path).map(move |(from, _)| (from.clone(), *reason))
    });
    endings(via, version).into_iter().chain(later).collect()
}

/// What a declared upgrader drops, with what the upgraders of nested objects do.
fn ends_of(step: &Step, history: &'static History) -> Vec<(Names, &'static str)> {
    match (step.written_as(), step.via()) {
        (UpgraderKind::Operators(operators), Some(via)) => {
            ends(operators, via.schema().block().members(), history.schema().block().members())
        }
        _ => Vec::new(),
    }
}

fn ends(operators: &Operators, prior: Members<'static>, current: Members<'static>) -> Vec<(Names, &'static str)> {
    let mut all: Vec<_> = operators.drops.iter().map(|dropped| (dropped.path.to_vec(), dropped.reason)).collect();
    for (from, to) in sources(Some(operators), prior, current) {
        let (Some(Node::Objects(prior, was)), Some(Node::Objects(current, is))) = (at(prior, &from), at(current, &to)) else {
            continue;
        };
        let upgrader = is.upgraders.iter().find(|upgrader| !was.rust_name.is_empty() && upgrader.prior_name() == was.rust_name);
        let inside = upgrader.map_or_else(Vec::new, |upgrader| ends(upgrader.operators(), prior, current));
        all.extend(inside.into_iter().map(|(path, reason)| ([from.clone(), path].concat(), reason)));
    }
    all
}

fn goes_along(pairs: &Pairs, from: &Names, to: &Names) -> bool {
    let shared = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
    (1..=shared).any(|cut| {
        let (Some(from), Some(to)) = (from.get(..from.len() - cut), to.get(..to.len() - cut)) else { return false };
        !from.is_empty() && pairs.contains(&(from.to_vec(), to.to_vec()))
    })
}

/// Everything that state of `version` has and that the model of `history` has in its place.
fn on_the_way(history: &'static History, version: u64) -> Pairs {
    let Some(step) = history.route(version).and_then(|index| history.steps().get(index)) else { return Pairs::new() };
    if step.contains(version) {
        // Several shapes of one version are told apart by the state; each says where its own attributes go.
        return history.steps().iter().filter(|step| step.contains(version)).flat_map(|step| of_step(step, history)).collect();
    }
    let Some(via) = step.via() else { return Pairs::new() };
    let before = on_the_way(via, version);
    let after = of_step(step, history);
    let joined = |(from, between): &(Names, Names)| {
        let goes_on = after.iter().filter(|(start, _)| start == between);
        goes_on.map(|(_, to)| (from.clone(), to.clone())).collect::<Vec<_>>()
    };
    before.iter().flat_map(joined).collect()
}

fn of_step(step: &Step, history: &'static History) -> Pairs {
    let current = history.schema().block().members();
    match (step.written_as(), step.via()) {
        (UpgraderKind::Operators(operators), Some(via)) => pairs(Some(operators), via.schema().block().members(), current),
        // A function tells nothing; what has the same name is taken for the same thing.
        (UpgraderKind::Conversion | UpgraderKind::Function, Some(via)) => pairs(None, via.schema().block().members(), current),
        (UpgraderKind::Unchanged, _) => pairs(None, current, current),
        _ => Pairs::new(),
    }
}

/// What the members of an object come from.
fn pairs(operators: Option<&Operators>, prior: Members<'static>, current: Members<'static>) -> Pairs {
    let mut all = Pairs::new();
    for (from, to) in sources(operators, prior, current) {
        let (Some(before), Some(after)) = (at(prior, &from), at(current, &to)) else { continue };
        if let (Node::Objects(prior, was), Node::Objects(current, is)) = (before, after) {
            let upgrader =
                is.upgraders.iter().find(|upgrader| !was.rust_name.is_empty() && upgrader.prior_name() == was.rust_name);
            for (inner_from, inner_to) in pairs(upgrader.map(crate::schema::ObjectUpgrader::operators), prior, current) {
                all.insert(([from.clone(), inner_from].concat(), [to.clone(), inner_to].concat()));
            }
        }
        all.insert((from, to));
    }
    all
}

/// The same without what is inside of them.
fn sources(operators: Option<&Operators>, prior: Members<'static>, current: Members<'static>) -> Pairs {
    let productions = operators.map_or(&[][..], |operators| operators.productions);
    let mut sources = Pairs::new();
    for Production { target, stages } in productions {
        let is_new = at(prior, target).is_none();
        for from in stages.iter().flat_map(|stage| read(&stage.operation, is_new)) {
            sources.insert((from.to_vec(), target.to_vec()));
        }
    }
    for (from, to) in said_to_be_renamed(current) {
        sources.insert((from.split('.').collect(), vec![to]));
    }
    let carried = names(prior).filter(|name| names(current).any(|other| other == *name));
    for name in carried.filter(|name| is_carried(productions, name)) {
        sources.insert((vec![name], vec![name]));
    }
    sources
}

/// Whether what is called `name` before and after an upgrader may be the same.
fn is_carried(productions: &[Production], name: &str) -> bool {
    let taken = |stage: &Stage| matches!(stage.operation, Operation::Take { from: [from], .. } if *from == name);
    if productions.iter().flat_map(|production| production.stages).any(taken) {
        return false;
    }
    let replaced = |stage: &Stage| {
        stage.only_if.is_none()
            && match stage.operation {
                Operation::Take { existing, .. } => existing == Existing::Unsaid,
                Operation::Copy { .. }
                | Operation::Set(_)
                | Operation::Compose(_)
                | Operation::Extract { .. }
                | Operation::Merge(_) => true,
                _ => false,
            }
    };
    let own = productions.iter().find(|production| matches!(production.target, [target] if *target == name));
    !own.and_then(|own| own.stages.first()).is_some_and(replaced)
}

/// The prior attributes that go into a target. Text that is put together anew at its own place has not come from elsewhere.
fn read(operation: &Operation, is_new: bool) -> Vec<Path> {
    match operation {
        Operation::Take { from, .. } | Operation::Copy { from } | Operation::Extract { from, .. } => vec![from],
        Operation::Merge(paths) => paths.to_vec(),
        Operation::Compose(template) if is_new => template
            .iter()
            .filter_map(|segment| match segment {
                Segment::Prior(path, _) => Some(*path),
                Segment::Text(_) | Segment::Found(..) => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// What the members themselves say they were called before.
fn said_to_be_renamed(current: Members<'static>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let attributes = current.attributes.iter().map(|attribute| (attribute.name(), attribute.facts()));
    let blocks = current.blocks.iter().map(|block| (block.name(), block.block().facts()));
    attributes.chain(blocks).flat_map(|(name, facts)| said(facts, About::RenamedFrom).map(move |from| (from, name)))
}

fn names(members: Members<'static>) -> impl Iterator<Item = &'static str> {
    let attributes = members.attributes.iter().map(crate::schema::Attribute::name);
    attributes.chain(members.blocks.iter().map(crate::schema::NestedBlock::name))
}

fn at(members: Members<'static>, path: &[&str]) -> Option<Node> {
    let (last, above) = path.split_last()?;
    let inside = above.iter().try_fold(members, |members, name| match member(members, name)? {
        Node::Objects(inside, _) => Some(inside),
        Node::Value => None,
    })?;
    member(inside, last)
}

fn member(members: Members<'static>, name: &str) -> Option<Node> {
    if let Some(attribute) = members.attributes.iter().find(|attribute| attribute.name() == name) {
        return Some(match attribute.shape() {
            Shape::Plain(_) => Node::Value,
            Shape::Nested(nested) => Node::Objects(Members { attributes: nested.attributes(), blocks: &[] }, nested.origin()),
        });
    }
    let block = members.blocks.iter().find(|block| block.name() == name)?;
    Some(Node::Objects(block.block().members(), block.origin()))
}
