//! The prior attributes of which a current one is made: whose fault a misfit is, what was renamed
//! and what ends are read off this.

use std::collections::BTreeSet;

use super::form::{Form, Objects, member};
use super::row::{ReadAs, starts_empty};
use super::table::{Operators, Path, Production, Stage};
use crate::path::{AttributePath, Names, PathStep};
use crate::schema::{About, Members, Node, Origin, Shape, Tagging, Type, UnionType, stated};

/// A prior attribute that has a part in the target of a production.
struct Part {
    from: Path,
    /// The stage that takes the attribute there; none for what was at the target before, which
    /// nothing takes the place of in any case.
    by: Option<&'static Stage>,
}

impl Production {
    fn parts(&self) -> impl Iterator<Item = Part> {
        let stays = (!starts_empty(self.stages)).then_some(Part {
            from: self.target,
            by: None,
        });
        let taken = |stage: &'static Stage| {
            stage.operation.all_read().map(move |from| Part {
                from,
                by: Some(stage),
            })
        };
        stays.into_iter().chain(self.stages.iter().flat_map(taken))
    }

    /// The member that goes into the keys of a map or comes out of them, with the map, if it is a
    /// member on one side only.
    fn key_pair(
        &self,
        from: Path,
        prior: Members<'_>,
        current: Members<'_>,
    ) -> Option<(Names, Names)> {
        let key = self.key()?;
        let [before, after] =
            [from, self.target].map(|path| path.iter().copied().chain([key]).collect::<Names>());
        match (prior.at(&before), current.at(&after)) {
            (Some(_), None) => Some((before, self.target.to_vec())),
            (None, Some(_)) => Some((from.to_vec(), after)),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}

/// The paths from which the values at these paths of the members `to` are made, as far as paths may
/// be shown.
pub(in crate::upgrade) fn sources_of(
    operators: &Operators,
    from: Members<'_>,
    to: Members<'_>,
    paths: &[AttributePath],
) -> Vec<AttributePath> {
    let mut found: Vec<AttributePath> = Vec::new();
    for path in paths {
        let (before, after) = (
            Objects::new(from, Origin::NONE),
            Objects::new(to, Origin::NONE),
        );
        for steps in sources(operators, before, after, path.steps()) {
            let visible = from.visible(&steps).len;
            let source = steps
                .into_iter()
                .collect::<AttributePath>()
                .truncated(visible);
            if !found.contains(&source) {
                found.push(source);
            }
        }
    }
    found
}

/// The prior paths that the value at a path is made from.
fn sources(
    operators: &Operators,
    from: Objects<'_>,
    to: Objects<'_>,
    path: &[PathStep],
) -> Vec<Vec<PathStep>> {
    let Some((PathStep::Attribute(name), rest)) = path.split_first() else {
        return vec![Vec::new()];
    };
    let names: Vec<&str> = path.iter().filter_map(attribute_name).collect();
    let is_part = |production: &&Production| {
        production
            .target
            .iter()
            .zip(&names)
            .all(|(target, name)| target == name)
    };
    let mut productions = operators.productions.iter().filter(is_part).peekable();
    if productions.peek().is_none() {
        return carried(from, to, name, name, rest);
    }
    let mut found = Vec::new();
    for production in productions {
        let alone = production.stages.len() == 1 && production.target.len() == 1;
        for Part { from: source, by } in production.parts() {
            match (source, by.map(|stage| stage.operation.row().read_as)) {
                ([source], Some(ReadAs::Moved | ReadAs::Copied)) if alone => {
                    found.append(&mut carried(from, to, source, name, rest));
                }
                (source, _) => found.push(
                    source
                        .iter()
                        .map(|name| PathStep::Attribute((*name).into()))
                        .collect(),
                ),
            }
        }
    }
    found
}

/// The prior path of what is carried from the attribute `source` to the attribute `target` and lies
/// at `rest` inside it.
fn carried(
    from: Objects<'_>,
    to: Objects<'_>,
    source: &str,
    target: &str,
    rest: &[PathStep],
) -> Vec<Vec<PathStep>> {
    let start = || vec![PathStep::Attribute(source.to_owned().into())];
    let whole = || vec![start().into_iter().chain(rest.iter().cloned()).collect()];
    let forms = member(from.members, source)
        .zip(member(to.members, target))
        .map(|(from, to)| (from.form, to.form));
    let Some((Form::Objects(from, _), Form::Objects(to, _))) = forms else {
        return whole();
    };
    if from.origin.is(to.origin) {
        return whole();
    }
    let way = rest
        .iter()
        .take_while(|step| attribute_name(step).is_none())
        .count();
    let (way, inner) = rest.split_at(way);
    let operators = to.origin.operators_from(from.origin);
    let below = |inner: Vec<PathStep>| {
        start()
            .into_iter()
            .chain(way.iter().cloned())
            .chain(inner)
            .collect()
    };
    sources(operators, from, to, inner)
        .into_iter()
        .map(below)
        .collect()
}

pub(in crate::upgrade) fn attribute_name(step: &PathStep) -> Option<&str> {
    match step {
        PathStep::Attribute(name) => Some(name),
        PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_) => None,
    }
}

/// Pairs of paths: the prior one, where a value was, and the current one, where it is.
pub(in crate::upgrade) type Pairs = BTreeSet<(Names, Names)>;

/// The pairs that say what the members of an object come from, at every depth.
pub(in crate::upgrade) fn pairs(
    operators: &Operators,
    prior: Members<'static>,
    current: Members<'static>,
) -> Pairs {
    let mut all = Pairs::new();
    for (from, to) in own_pairs(operators, prior, current) {
        let (Some(before), Some(after)) = (prior.at(&from), current.at(&to)) else {
            continue;
        };
        all.extend(nested(pairs, (&from, &to), (before, after)));
        all.insert((from, to));
    }
    all
}

/// The pairs that `find` finds inside of these objects, below the paths of the objects.
fn nested(
    find: fn(&Operators, Members<'static>, Members<'static>) -> Pairs,
    (from, to): (&Names, &Names),
    (before, after): (Node<'static>, Node<'static>),
) -> Pairs {
    let (Some((prior, _, was)), Some((current, _, is))) = (before.objects(), after.objects())
    else {
        return Pairs::new();
    };
    find(is.operators_from(was), prior, current)
        .into_iter()
        .map(|(inner_from, inner_to)| {
            (
                [from.clone(), inner_from].concat(),
                [to.clone(), inner_to].concat(),
            )
        })
        .collect()
}

/// A key of a map, in a path of names. No name of a schema is this.
pub const ANY_KEY: &str = "\0";

/// The sources of the contents of enums that name their variant by a member, at every depth.
pub(in crate::upgrade) fn variant_pairs(
    operators: &Operators,
    prior: Members<'static>,
    current: Members<'static>,
) -> Pairs {
    let mut all = Pairs::new();
    for (from, to) in own_pairs(operators, prior, current) {
        let (Some(before), Some(after)) = (prior.at(&from), current.at(&to)) else {
            continue;
        };
        all.extend(nested(variant_pairs, (&from, &to), (before, after)));
        let (Some((keys, before)), Some((other_keys, after))) = (enum_of(before), enum_of(after))
        else {
            continue;
        };
        let (from, to) = ([from, keys].concat(), [to.clone(), other_keys].concat());
        let own = before
            .variants()
            .iter()
            .map(|variant| (variant.name(), variant.name()));
        for (stored, name) in own.chain(before.aliases().iter().copied()) {
            let name = renamed_variant(operators, &to, name);
            if let Some(other) = after.variants().iter().find(|other| other.name() == name) {
                all.insert((
                    [from.as_slice(), &[stored]].concat(),
                    [to.as_slice(), &[other.name()]].concat(),
                ));
            }
        }
    }
    all
}

/// The enum in an attribute that names its variant by a member, and the steps to it through
/// collections.
fn enum_of(node: Node<'static>) -> Option<(Names, &'static UnionType)> {
    let Node::Attribute(attribute) = node else {
        return None;
    };
    let Shape::Plain(stored) = attribute.shape() else {
        return None;
    };
    let mut ty: &Type = stored;
    let mut keys = Names::new();
    while let Some(element) = ty.element() {
        if matches!(ty, Type::Map(_)) {
            keys.push(ANY_KEY);
        }
        ty = element;
    }
    let Type::Union(union) = ty else {
        return None;
    };
    matches!(union.form(), Tagging::External).then_some((keys, &**union))
}

/// The name that operators give a variant of the enum at a path.
fn renamed_variant(operators: &Operators, target: &Names, name: &'static str) -> &'static str {
    let productions = operators.productions.iter().filter(|production| {
        target
            .strip_prefix(production.target)
            .is_some_and(|rest| rest.iter().all(|key| *key == ANY_KEY))
    });
    let changes = productions
        .flat_map(|production| production.stages)
        .filter_map(|stage| stage.operation.variant_changes());
    changes
        .flatten()
        .find_map(|change| change.renames(name))
        .unwrap_or(name)
}

/// The prior attributes of an object that are dropped, at every depth, and the reasons.
pub(in crate::upgrade) fn ends(
    operators: &Operators,
    prior: Members<'static>,
    current: Members<'static>,
) -> Vec<(Names, &'static str)> {
    let mut all: Vec<_> = operators
        .drops
        .iter()
        .map(|dropped| (dropped.path.to_vec(), dropped.reason))
        .collect();
    for Inner {
        from,
        prior,
        current,
        operators,
        key,
        ..
    } in inner(operators, prior, current)
    {
        let inside = ends(operators, prior, current)
            .into_iter()
            .filter(|(path, _)| key.is_none_or(|key| *path != [key]));
        all.extend(inside.map(|(path, reason)| ([from.clone(), path].concat(), reason)));
    }
    all
}

/// The attributes of an object that show what was sensitive, at every depth, and the reasons that
/// this is right.
pub(in crate::upgrade) fn declassified(
    operators: &Operators,
    prior: Members<'static>,
    current: Members<'static>,
) -> Vec<(Names, &'static str)> {
    let mut all: Vec<_> = operators
        .declassified
        .iter()
        .map(|shown| (shown.path.to_vec(), shown.reason))
        .collect();
    for Inner {
        to,
        prior,
        current,
        operators,
        ..
    } in inner(operators, prior, current)
    {
        let inside = declassified(operators, prior, current);
        all.extend(
            inside
                .into_iter()
                .map(|(path, reason)| ([to.clone(), path].concat(), reason)),
        );
    }
    all
}

/// Nested objects that come from others: both places, and the operators between them.
pub(super) struct Inner {
    pub(super) from: Names,
    pub(super) to: Names,
    pub(super) prior: Members<'static>,
    pub(super) current: Members<'static>,
    pub(super) operators: &'static Operators,
    /// The member of the prior ones that is their key now.
    key: Option<&'static str>,
}

pub(super) fn inner(
    operators: &Operators,
    prior: Members<'static>,
    current: Members<'static>,
) -> impl Iterator<Item = Inner> {
    own_pairs(operators, prior, current)
        .into_iter()
        .filter_map(move |(from, to)| {
            let objects = prior
                .at(&from)
                .and_then(Node::objects)
                .zip(current.at(&to).and_then(Node::objects));
            let ((prior, _, was), (current, _, is)) = objects?;
            let key = operators
                .productions
                .iter()
                .find(|production| *production.target == to)
                .and_then(Production::key);
            Some(Inner {
                from,
                to,
                prior,
                current,
                operators: is.operators_from(was),
                key,
            })
        })
}

/// The pairs that say what the members come from, without what is inside of them.
fn own_pairs(operators: &Operators, prior: Members<'static>, current: Members<'static>) -> Pairs {
    let mut pairs = Pairs::new();
    for production in operators.productions {
        let is_new = prior.at(production.target).is_none();
        for Part { from, by } in production.parts() {
            let is_from = match by.map(|stage| stage.operation.row().read_as) {
                None | Some(ReadAs::Nothing) => false,
                Some(ReadAs::Moved | ReadAs::Copied | ReadAs::Parts) => true,
                // A string that is put together again at its own place has not come from elsewhere.
                Some(ReadAs::Texts) => is_new,
            };
            if is_from {
                pairs.insert((from.to_vec(), production.target.to_vec()));
            }
            if is_from || by.is_none() {
                pairs.extend(production.key_pair(from, prior, current));
            }
        }
    }
    for (from, to) in declared_renames(current) {
        pairs.insert((from.split('.').collect(), vec![to]));
    }
    let carried = prior.names().filter(|name| current.get(name).is_some());
    for name in carried.filter(|name| is_carried(operators.productions, name)) {
        pairs.insert((vec![name], vec![name]));
    }
    pairs
}

/// True if the attributes called `name` before and after an upgrader may be the same.
fn is_carried(productions: &[Production], name: &str) -> bool {
    let taken = |stage: &Stage| {
        matches!(stage.operation.row().read_as, ReadAs::Moved)
            && stage.operation.all_read().any(|from| *from == [name])
    };
    let own = productions
        .iter()
        .find(|production| *production.target == [name]);
    !productions
        .iter()
        .flat_map(|production| production.stages)
        .any(taken)
        && !own.is_some_and(|own| starts_empty(own.stages))
}

/// The earlier names that the members themselves declare, each with the current name.
fn declared_renames(
    current: Members<'static>,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let attributes = current
        .attributes
        .iter()
        .map(|attribute| (attribute.name(), attribute.facts()));
    let blocks = current
        .blocks
        .iter()
        .map(|block| (block.name(), block.block().facts()));
    attributes
        .chain(blocks)
        .flat_map(|(name, facts)| stated(facts, About::RenamedFrom).map(move |from| (from, name)))
}
