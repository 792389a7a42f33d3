//! The ways of attributes between two versions, and the attributes that end there, as far as
//! declared upgraders say so.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{History, Step, UpgraderKind};
use super::operators::{self, Operators, Pairs, ends, pairs, variant_pairs};
use crate::path::Names;
use crate::schema::Members;

/// The places of what is stored at `version` in the model that `history` belongs to, by path;
/// without what has the same path there and what only goes along with the object that it is in.
pub fn renames(history: &'static History, version: u64) -> BTreeMap<Names, BTreeSet<Names>> {
    of_pairs(&on_the_way(history, version, of_step))
}

/// [`renames`] of the contents of enums that name their variant by a member: where that name, or
/// the path to it, is another. A key of a map is [`ANY_KEY`](super::ANY_KEY).
pub fn renamed_contents(
    history: &'static History,
    version: u64,
) -> BTreeMap<Names, BTreeSet<Names>> {
    of_pairs(&on_the_way(history, version, |step, history| {
        of_step_by(step, history, variant_pairs)
    }))
}

/// [`renames`] the other way: the places at `version` of what that model has.
pub fn renames_back(history: &'static History, version: u64) -> BTreeMap<Names, BTreeSet<Names>> {
    of_pairs(&back(&on_the_way(history, version, of_step)))
}

/// [`renamed_contents`] the other way.
pub fn renamed_contents_back(
    history: &'static History,
    version: u64,
) -> BTreeMap<Names, BTreeSet<Names>> {
    let pairs = on_the_way(history, version, |step, history| {
        of_step_by(step, history, variant_pairs)
    });
    of_pairs(&back(&pairs))
}

/// The way back of all but copies: what was copied is itself there.
fn back(pairs: &Pairs) -> Pairs {
    let is_copy =
        |from: &Names, to: &Names| from != to && pairs.contains(&(from.clone(), from.clone()));
    pairs
        .iter()
        .filter(|(from, to)| !is_copy(from, to))
        .map(|(from, to)| (to.clone(), from.clone()))
        .collect()
}

fn of_pairs(pairs: &Pairs) -> BTreeMap<Names, BTreeSet<Names>> {
    let mut renames: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
    for (from, to) in pairs
        .iter()
        .filter(|(from, to)| from != to && !goes_along(pairs, from, to))
    {
        renames.entry(from.clone()).or_default().insert(to.clone());
    }
    renames
}

/// The paths of members that are the same at `version` and in the model that `history` belongs to,
/// and that others have become a part of.
pub fn joined(history: &'static History, version: u64) -> BTreeSet<Names> {
    let pairs = on_the_way(history, version, of_step);
    let is_joined = |path: &Names| pairs.iter().any(|(from, to)| to == path && from != path);
    pairs
        .iter()
        .filter(|(from, to)| from == to && is_joined(to))
        .map(|(path, _)| path.clone())
        .collect()
}

/// The parts of the state stored at `version` that end on their way to the model that `history`
/// belongs to, by path, and why.
pub fn dropped(history: &'static History, version: u64) -> BTreeMap<Names, &'static str> {
    endings(history, version).into_iter().collect()
}

/// The attributes of the model with this `history` that show what was sensitive in state stored at
/// `version`, by dotted path, and the reasons that this is right.
pub fn declassified(history: &'static History, version: u64) -> BTreeMap<String, String> {
    shown(history, version)
        .into_iter()
        .map(|(path, reason)| (path.join("."), reason.to_owned()))
        .collect()
}

fn shown(history: &'static History, version: u64) -> Vec<(Names, &'static str)> {
    let (steps, prior) = last_steps(history, version);
    let own = reasons(&steps, history, operators::declassified);
    let Some(prior) = prior else {
        return own;
    };
    let after = of_steps(&steps, history, of_step);
    let before = shown(prior, version)
        .into_iter()
        .flat_map(|(path, reason)| {
            let goes_on = after
                .iter()
                .filter(|(start, _)| *start == path)
                .map(move |(_, to)| (to.clone(), reason));
            goes_on.collect::<Vec<_>>()
        });
    before.chain(own).collect()
}

fn endings(history: &'static History, version: u64) -> Vec<(Names, &'static str)> {
    let (steps, prior) = last_steps(history, version);
    let own = reasons(&steps, history, ends);
    let Some(prior) = prior else {
        return own;
    };
    let before = on_the_way(prior, version, of_step);
    let later = own.iter().flat_map(|(path, reason)| {
        before
            .iter()
            .filter(move |(_, between)| between == path)
            .map(move |(from, _)| (from.clone(), *reason))
    });
    endings(prior, version).into_iter().chain(later).collect()
}

/// The steps that are the last on the way from a version to the model that `history` belongs to,
/// and the history of the model before them, if the version is earlier than that.
fn last_steps(
    history: &'static History,
    version: u64,
) -> (Vec<&'static Step>, Option<&'static History>) {
    let route = history.route(version);
    match route.and_then(|index| history.steps().get(index)) {
        // Several shapes of one version are distinguished by the state; each says where its own
        // attributes go.
        Some(step) if step.contains(version) => {
            let steps = history.steps().iter();
            let own = steps.filter(|step| step.contains(version));
            (own.collect(), None)
        }
        Some(step) if step.prior().is_some() => (vec![step], step.prior()),
        Some(_) | None => (Vec::new(), None),
    }
}

/// Finds parts of what operators between the members of two objects read or make, and why.
type ReasonsOf = fn(&Operators, Members<'static>, Members<'static>) -> Vec<(Names, &'static str)>;

/// The parts for which declared upgraders give a reason, with those of nested objects.
fn reasons(
    steps: &[&Step],
    history: &'static History,
    of: ReasonsOf,
) -> Vec<(Names, &'static str)> {
    let of_step = |step: &&Step| match (step.written_as(), step.prior()) {
        (UpgraderKind::Operators(operators), Some(prior)) => of(
            operators,
            prior.schema().block().members(),
            history.schema().block().members(),
        ),
        _ => Vec::new(),
    };
    steps.iter().flat_map(of_step).collect()
}

/// Finds what operators between the members of two objects make of which.
type PairsOf = fn(&Operators, Members<'static>, Members<'static>) -> Pairs;

fn goes_along(pairs: &Pairs, from: &Names, to: &Names) -> bool {
    let shared = from
        .iter()
        .rev()
        .zip(to.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    (1..=shared).any(|cut| {
        let (Some(from), Some(to)) = (from.get(..from.len() - cut), to.get(..to.len() - cut))
        else {
            return false;
        };
        !from.is_empty() && pairs.contains(&(from.to_vec(), to.to_vec()))
    })
}

/// Everything that state of `version` has and that the model of `history` has in its place, by what
/// one step does.
fn on_the_way(
    history: &'static History,
    version: u64,
    of_step: fn(&Step, &History) -> Pairs,
) -> Pairs {
    let (steps, prior) = last_steps(history, version);
    let after = of_steps(&steps, history, of_step);
    let Some(prior) = prior else {
        return after;
    };
    let before = on_the_way(prior, version, of_step);
    let joined = |(from, between): &(Names, Names)| {
        let goes_on = after.iter().filter(|(start, _)| start == between);
        goes_on
            .map(|(_, to)| (from.clone(), to.clone()))
            .collect::<Vec<_>>()
    };
    before.iter().flat_map(joined).collect()
}

fn of_steps(steps: &[&Step], history: &History, of_step: fn(&Step, &History) -> Pairs) -> Pairs {
    steps
        .iter()
        .flat_map(|step| of_step(step, history))
        .collect()
}

/// The attributes that those of a prior version become in one step, as far as it says so.
pub(super) fn of_step(step: &Step, history: &History) -> Pairs {
    of_step_by(step, history, pairs)
}

fn of_step_by(step: &Step, history: &History, pairs: PairsOf) -> Pairs {
    let current = history.schema().block().members();
    match (step.written_as(), step.prior()) {
        (UpgraderKind::Operators(operators), Some(prior)) => {
            pairs(operators, prior.schema().block().members(), current)
        }
        // A function tells nothing; what has the same name is taken for the same thing.
        (UpgraderKind::Conversion | UpgraderKind::Function, Some(prior)) => {
            pairs(&Operators::CARRY, prior.schema().block().members(), current)
        }
        (UpgraderKind::Unchanged, _) => pairs(&Operators::CARRY, current, current),
        _ => Pairs::new(),
    }
}
