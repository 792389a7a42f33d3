//! The work of an upgrader on a document: it looks at few members, and the others stay as they are.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::form::{Form, Objects, member};
use super::place::Place;
use super::run::{Work, stays};
use super::structure::changed_variants;
use super::table::{Condition, Existing, Operation, Operators, Path, Production, Stage, Variants};
use crate::schema::{Members, Origin, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

/// The work of an upgrader of documents.
pub(in crate::upgrade) struct DocumentWork {
    operators: &'static Operators,
    from: Objects<'static>,
    to: Objects<'static>,
    /// The members that only get another name: that, and the current one.
    pub(in crate::upgrade) renamed: Vec<(&'static str, &'static str)>,
    /// The members whose JSON says enough.
    pub(in crate::upgrade) direct: Vec<(&'static str, Direct)>,
    /// The others that are looked at.
    pub(in crate::upgrade) looked_at: Vec<&'static str>,
    /// True if there is nothing else to do.
    is_direct: bool,
    /// The work without that on JSON.
    work: Work<'static>,
    /// All of it, for JSON that does not say enough.
    whole: Work<'static>,
}

/// The work on a member that can be done to its JSON, where that is as it should be.
pub(in crate::upgrade) enum Direct {
    /// The changes to the variants of an enum, one after the other.
    Variants(Type, Vec<Variants>),
    /// A string becomes the number that it is.
    Number,
    /// A scalar of this type ends.
    Dropped(Type, &'static str),
}

/// The outcome for the JSON of a member.
pub(in crate::upgrade) enum MemberOutcome {
    Same,
    New(String),
    Nothing,
    /// It has to be looked at as a value.
    Unclear,
}

impl Direct {
    /// Does the work to the JSON of the member `name`.
    pub(in crate::upgrade) fn apply(
        &self,
        name: &'static str,
        json: &str,
        context: &mut UpgradeContext<'_>,
    ) -> MemberOutcome {
        match self {
            Self::Variants(ty, changes) => match changed_variants(json, ty, changes) {
                Some(Cow::Owned(new)) => MemberOutcome::New(new),
                Some(Cow::Borrowed(_)) => MemberOutcome::Same,
                None => MemberOutcome::Unclear,
            },
            Self::Number => match json
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'))
            {
                Some(digits) if is_whole(digits) => MemberOutcome::New(digits.to_owned()),
                Some(_) | None => MemberOutcome::Unclear,
            },
            Self::Dropped(ty, reason) => {
                let fits = match ty {
                    Type::Bool => matches!(json, "true" | "false"),
                    Type::String => json.starts_with('"') && !json.contains('\\'),
                    Type::Number => is_whole(json),
                    Type::Dynamic
                    | Type::List(_)
                    | Type::Set(_)
                    | Type::Map(_)
                    | Type::Tuple(_)
                    | Type::Object(_)
                    | Type::Json
                    | Type::Union(_) => false,
                };
                match (fits, json) {
                    (true, _) => {
                        context.note_dropped_member(name, reason);
                        MemberOutcome::Nothing
                    }
                    (false, "null") => MemberOutcome::Nothing,
                    (false, _) => MemberOutcome::Unclear,
                }
            }
        }
    }
}

/// True for the digits of a number that is written in no other way.
fn is_whole(digits: &str) -> bool {
    digits == "0"
        || digits.len() < 18
            && digits.starts_with(|first| matches!(first, '1'..='9'))
            && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The work on a member that its JSON is enough for, if no operator looks at it but this one.
fn direct(
    name: &str,
    operators: &Operators,
    read: &[Path],
    from: Members<'_>,
    to: Members<'_>,
) -> Option<Direct> {
    let is_it = |path: &&Path| path.first().is_some_and(|first| *first == name);
    let type_in = |members| match member(members, name)?.form {
        Form::Plain(ty) => Some(ty),
        Form::Objects(..) | Form::Made(_) | Form::Open => None,
    };
    let ty = type_in(from)?;
    let mut makers = operators
        .productions
        .iter()
        .filter(|production| is_it(&&production.target));
    match (
        makers.next(),
        makers.next(),
        read.iter().filter(is_it).count(),
    ) {
        (
            Some(Production {
                target: [_],
                stages,
                ..
            }),
            None,
            0,
        ) => {
            let goal = type_in(to)?;
            if let (
                [
                    Stage {
                        operation: Operation::Convert(_),
                        each: false,
                        only_if: None,
                    },
                ],
                Type::String,
                Type::Number,
            ) = (stages, ty, goal)
            {
                return Some(Direct::Number);
            }
            let changes = stages.iter().map(|stage| match stage {
                Stage {
                    operation,
                    each: false,
                    only_if: None,
                } => operation.variant_changes(),
                _ => None,
            });
            Some(Direct::Variants(
                ty.clone(),
                changes.collect::<Option<_>>()?,
            ))
            .filter(|_| *goal != Type::Dynamic)
        }
        (None, None, 1) if to.get(name).is_none() => {
            let dropped = operators
                .drops
                .iter()
                .find(|dropped| dropped.path == [name])?;
            Some(Direct::Dropped(ty.clone(), dropped.reason))
        }
        _ => None,
    }
}

impl DocumentWork {
    /// The work of an upgrader from one shape to the other.
    pub(in crate::upgrade) fn new(
        operators: &'static Operators,
        from: Members<'static>,
        to: Members<'static>,
    ) -> Self {
        let Operators {
            productions,
            drops,
            notices,
            declassified: _,
        } = operators;
        let stages = productions.iter().flat_map(|production| production.stages);
        let read: Vec<Path> = (stages.flat_map(Stage::all_read))
            .chain(drops.iter().map(|drop| drop.path))
            .chain(notices.iter().map(|notice| notice.at))
            .chain(
                notices
                    .iter()
                    .filter_map(|notice| notice.only_if)
                    .flat_map(Condition::all_read),
            )
            .collect();
        let renamed: Vec<_> = productions
            .iter()
            .filter_map(|production| {
                let (
                    [to_name],
                    [
                        Stage {
                            operation,
                            each: false,
                            only_if: None,
                        },
                    ],
                ) = (production.target, production.stages)
                else {
                    return None;
                };
                let Operation::Take([name], Existing::Unsaid) = operation else {
                    return None;
                };
                let readers = read
                    .iter()
                    .filter(|path| path.first() == Some(name))
                    .count();
                let is_one = |first: &&&str| *first == to_name || *first == name;
                let makers = productions
                    .iter()
                    .filter_map(|production| production.target.first())
                    .filter(is_one)
                    .count();
                let moves = stays(from.get(name), to.get(to_name))
                    && !from.defines(to_name)
                    && !to.defines(name);
                (moves && readers == 1 && makers == 1).then_some((*name, *to_name))
            })
            .collect();
        let is_renamed = |name: &str| {
            renamed
                .iter()
                .any(|(before, after)| [before, after].contains(&&name))
        };
        let changed = from
            .names()
            .chain(to.names())
            .filter(|name| !stays(from.get(name), to.get(name)));
        let targets = productions.iter().map(|production| production.target);
        let looked_at: BTreeSet<_> = (targets
            .chain(read.iter().copied())
            .filter_map(|path| path.first().copied()))
        .chain(changed)
        .filter(|name| !is_renamed(name))
        .collect();
        let mut direct: Vec<_> = looked_at
            .iter()
            .filter_map(|name| Some((*name, direct(name, operators, &read, from, to)?)))
            .collect();
        let drops_of = |direct: &[(&str, Direct)]| {
            direct
                .iter()
                .filter(|(_, one)| matches!(one, Direct::Dropped(..)))
                .count()
        };
        // Because values that end are reported in the order of the operators.
        if drops_of(&direct) > 1 || drops_of(&direct) < drops.len() {
            direct.retain(|(_, one)| !matches!(one, Direct::Dropped(..)));
        }
        let is_direct = |name: &&str| direct.iter().any(|(one, _)| one == name);
        let looked_at: Vec<_> = looked_at
            .into_iter()
            .filter(|name| !is_direct(name))
            .collect();
        let (from, to) = (
            Objects::new(from, Origin::NONE),
            Objects::new(to, Origin::NONE),
        );
        let (mut work, mut whole) = (Work::of(operators, from, to), Work::of(operators, from, to));
        work.made
            .retain(|(name, _)| !is_renamed(name) && !is_direct(name));
        whole.made.retain(|(name, _)| !is_renamed(name));
        let is_direct = looked_at.is_empty() && notices.is_empty();
        Self {
            operators,
            from,
            to,
            renamed,
            direct,
            looked_at,
            is_direct,
            work,
            whole,
        }
    }

    /// True if a member of either version does not just stay as it is.
    pub(in crate::upgrade) fn touches(&self, name: &str) -> bool {
        self.renamed
            .iter()
            .any(|(before, after)| [before, after].contains(&&name))
            || self.direct.iter().any(|(one, _)| *one == name)
            || self.looked_at.contains(&name)
    }

    /// Does the work to the members that are looked at; `None` if operators refuse one. Some are
    /// `unclear` by their JSON.
    pub(in crate::upgrade) fn run(
        &self,
        members: BTreeMap<String, Value>,
        unclear: bool,
        context: &mut UpgradeContext<'_>,
    ) -> Option<BTreeMap<String, Value>> {
        if self.is_direct && !unclear {
            return Some(members);
        }
        let members = Value::Map(members);
        let work = if unclear { &self.whole } else { &self.work };
        let made = work.run(
            self.operators,
            members,
            (self.from, self.to),
            &Place::default(),
            context,
        );
        let Value::Map(members) = made.ok()? else {
            return None;
        };
        Some(members)
    }
}
