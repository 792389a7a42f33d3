//! Makes a plan of a table of operators and two schemas.

use super::super::dropped::is_carried;
use super::super::form::{Form, Member, Objects, member};
use super::super::row::{ReadAs, starts_empty};
use super::super::table::{Condition, Operation, Operators, Path, Stage};
use super::Upgrader;
use super::draft::{Draft, Named, along, by_upgrader, position, way};
use super::plan::{Carried, Ending, Kind, Make, Nothing, Plan, Step};
use super::schedule::Schedule;
use crate::schema::{Holds, Members, Nesting, Takes, Type};
use crate::value::Value;

/// The plan of one upgrader; `None` if there is no such way.
pub(super) fn plan(upgrader: &Upgrader) -> Option<Plan> {
    let Upgrader {
        operators,
        from,
        to,
    } = *upgrader;
    if from.with.is_some() || from.without.is_some() {
        return None;
    }
    let stored: Vec<Named> = Names::new(from.members).collect();
    let outputs: Vec<Draft> = Names::new(to.members)
        .map(|(name, target)| by_upgrader(upgrader, name, target, &stored))
        .collect();
    let slowly = !reports_simply(upgrader);
    let mut gathered: Vec<usize> = needed(operators, &outputs, slowly)
        .into_iter()
        .filter_map(|name| position(&stored, name))
        .collect();
    gathered.sort_unstable();
    let mut schedule = Schedule::new(&stored, &outputs, &gathered);
    let mut drops = Vec::new();
    if slowly {
        schedule.gather(&gathered, true);
    } else {
        let ending = |drop: &super::super::table::Dropped| {
            let name = *drop.path.first()?;
            let index = position(&stored, name)?;
            schedule.end(index, name, drop.reason)
        };
        drops = operators.drops.iter().filter_map(ending).collect();
    }
    Some(finish(schedule, outputs, &gathered, drops, upgrader))
}

/// The plan of a whole route, if nothing in it needs what is between its upgraders.
pub(super) fn whole(route: &[Upgrader]) -> Option<Plan> {
    let [first, .., last] = route else {
        return None;
    };
    let stored: Vec<Named> = Names::new(first.from.members).collect();
    let outputs: Vec<Draft> = Names::new(last.to.members)
        .map(|(name, target)| along(route, name, target, &stored))
        .collect::<Option<_>>()?;
    let mut schedule = Schedule::new(&stored, &outputs, &[]);
    let mut drops = Vec::new();
    // Reports follow the order of the upgraders, and each upgrader first reports what ends there.
    // One run keeps that order only if all other reports are of one upgrader, and no drop is of a
    // later one.
    let mut reporting = outputs
        .iter()
        .filter(|draft| reports(&draft.make))
        .map(|draft| draft.level.unwrap_or_default());
    let last_reporting = reporting.next();
    if reporting.any(|level| Some(level) != last_reporting) {
        return None;
    }
    for (level, upgrader) in route.iter().enumerate() {
        if !reports_simply(upgrader) {
            return None;
        }
        for drop in upgrader.operators.drops {
            let name = *drop.path.first()?;
            let target = member(upgrader.from.members, name)?;
            if last_reporting.is_some_and(|last| last < level) || level > 0 && target.is_block {
                return None;
            }
            match along(route.get(..level)?, name, target, &stored)? {
                Draft {
                    source: Some(source),
                    make: Make::Carry(_),
                    level: None,
                    ..
                } => {
                    drops.push(schedule.end(source, name, drop.reason)?);
                }
                _ => return None,
            }
        }
    }
    let upgrader = Upgrader {
        operators: &Operators::CARRY,
        from: first.from,
        to: last.to,
    };
    Some(finish(schedule, outputs, &[], drops, &upgrader))
}

fn finish(
    mut schedule: Schedule<'_>,
    outputs: Vec<Draft>,
    gathered: &[usize],
    drops: Vec<Ending>,
    upgrader: &Upgrader,
) -> Plan {
    let members = outputs.len();
    for draft in outputs {
        if let Make::Gathered { .. } = draft.make {
            schedule.gather(gathered, false);
        }
        schedule.write(draft);
    }
    schedule.pass_the_rest();
    let Schedule { steps, taken, .. } = schedule;
    let Upgrader {
        operators,
        from,
        to,
    } = *upgrader;
    Plan {
        steps: steps.into(),
        members,
        registers: taken,
        drops: drops.into(),
        operators,
        from,
        to,
    }
}

/// True if an upgrader reports nothing but that a dropped member was there.
///
/// A function of several values, or a string made of them, may leave one of them without a place,
/// and the value that a dropped one makes room for may be the same.
fn reports_simply(upgrader: &Upgrader) -> bool {
    let operators = upgrader.operators;
    let mut read: Vec<Path> = Vec::new();
    for stage in operators
        .productions
        .iter()
        .flat_map(|production| production.stages)
    {
        read.extend(stage.all_read());
    }
    let source = |name| way(operators, name).map_or(name, |(source, _)| source);
    let stays = |path: Path| {
        operators
            .productions
            .iter()
            .any(|production| production.target == path)
            || Names::new(upgrader.to.members).any(|(name, _)| path.first() == Some(&source(name)))
    };
    let is_read = |path: Path| read.iter().any(|read| read.first() == path.first());
    let combines = |stage: &Stage| match stage.operation.row().read_as {
        ReadAs::Parts => matches!(stage.operation, Operation::Combine(..)),
        ReadAs::Texts => stage
            .operation
            .all_read()
            .any(|path| !is_carried(operators, upgrader.to.members, path)),
        ReadAs::Nothing | ReadAs::Moved | ReadAs::Copied => false,
    };
    operators.notices.is_empty()
        && !operators
            .productions
            .iter()
            .flat_map(|production| production.stages)
            .any(combines)
        && operators
            .drops
            .iter()
            .all(|drop| drop.path.len() == 1 && !is_read(drop.path) && !stays(drop.path))
}

/// True if something inside the value may be reported when it is made so.
pub(super) fn reports(make: &Make) -> bool {
    match make {
        Make::Carry(carried) => kind_reports(&carried.kind),
        Make::Constant(_) | Make::OfBool(_) | Make::Scalar { .. } => false,
        Make::Value { .. } | Make::Gathered { .. } => true,
    }
}

/// True if something may be reported of an object, or of what is inside of it.
pub(super) fn plan_reports(plan: &Plan) -> bool {
    !plan.drops.is_empty()
        || plan.steps.iter().any(|step| match step {
            Step::Keep(kept) => kind_reports(&kept.carried.kind),
            Step::Write(output) => reports(&output.make),
            Step::Gather { report, .. } => *report,
            Step::Pass { .. } => false,
        })
}

fn kind_reports(kind: &Kind) -> bool {
    match kind {
        Kind::List(element) | Kind::Map(element) => kind_reports(&element.kind),
        Kind::Object(plan) => plan_reports(plan),
        Kind::Reshaped(..) => true,
        Kind::Bool
        | Kind::Text
        | Kind::OneOf(_)
        | Kind::Integer { .. }
        | Kind::Unsigned { .. }
        | Kind::Float
        | Kind::Number
        | Kind::SetOfTexts(..)
        | Kind::Typed(..)
        | Kind::WriteOnly(_) => false,
    }
}

/// The value that means null for this member.
pub(super) fn null(target: Member<'static>) -> Nothing {
    match target.form {
        Form::Objects(_, Nesting::List | Nesting::Set) if target.is_block => Nothing::List,
        Form::Objects(_, Nesting::Map) if target.is_block => Nothing::Map,
        _ if target.holds.nullable || target.write_only => Nothing::Null,
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Nothing::Refused,
    }
}

/// Describes how a value of `from` is taken over as one of `to`.
pub(super) fn carried(from: Member<'static>, to: Member<'static>) -> Carried {
    if to.write_only {
        let stored = Member {
            write_only: false,
            ..from
        };
        return Carried {
            kind: Kind::WriteOnly(Box::new(carried(stored, stored))),
            null: Nothing::Null,
            own_type: false,
        };
    }
    let kind = match (from.form, to.form) {
        (Form::Objects(a, arranged), Form::Objects(b, as_now))
            if arranged == as_now && arranged != Nesting::Set =>
        {
            match object(a, b) {
                Some(plan) => arranged_objects(plan, arranged),
                None => Kind::Reshaped(Box::new((from, to))),
            }
        }
        (Form::Plain(a), Form::Plain(b)) if std::ptr::eq(a, b) || a == b => {
            return plain(b, &to.holds, to);
        }
        _ => Kind::Reshaped(Box::new((from, to))),
    };
    Carried {
        kind,
        null: nothing(from, to),
        own_type: false,
    }
}

/// The value that a stored null becomes: where blocks were before, it is a collection without
/// elements.
fn nothing(from: Member<'static>, to: Member<'static>) -> Nothing {
    match (from.form.nothing(), to.write_only) {
        (Value::List(_), false) => Nothing::List,
        (Value::Map(_), false) => Nothing::Map,
        _ => null(to),
    }
}

/// Objects that all go by one plan.
pub(super) fn arranged_objects(plan: Plan, arranged: Nesting) -> Kind {
    let one = Carried {
        kind: Kind::Object(Box::new(plan)),
        null: Nothing::Refused,
        own_type: false,
    };
    match arranged {
        Nesting::List => Kind::List(Box::new(one)),
        Nesting::Map => Kind::Map(Box::new(one)),
        Nesting::Single | Nesting::Set => one.kind,
    }
}

fn object(from: Objects<'static>, to: Objects<'static>) -> Option<Plan> {
    let operators = if from.origin.is(to.origin) {
        &Operators::CARRY
    } else {
        to.origin.operators_from(from.origin)
    };
    plan(&Upgrader {
        operators,
        from,
        to,
    })
}

/// A value of a plain type, which stays of that type.
fn plain(ty: &'static Type, holds: &Holds, to: Member<'static>) -> Carried {
    let inner = |element: &'static Type| {
        // Without more said, elements are never null.
        let inner = holds.elements.copied().unwrap_or(Holds::ANYTHING);
        let null = if inner.nullable {
            Nothing::Null
        } else {
            Nothing::Refused
        };
        let to = Member {
            form: Form::Plain(element),
            holds: inner,
            is_block: false,
            ..to
        };
        Box::new(Carried {
            null,
            ..plain(element, &inner, to)
        })
    };
    let any = matches!(holds.takes, Takes::Anything)
        && holds
            .elements
            .is_none_or(|inner| matches!(inner.takes, Takes::Anything));
    let kind = match (ty, holds.takes) {
        (Type::Bool, _) => Kind::Bool,
        (Type::String, Takes::Texts(texts)) => Kind::OneOf(texts),
        (Type::String, _) => Kind::Text,
        (Type::Number, Takes::Integers { min, max }) => {
            match (i64::try_from(min), i64::try_from(max), u64::try_from(max)) {
                (Ok(min), Ok(max), _) => Kind::Integer { min, max },
                (_, _, Ok(max)) if min == 0 => Kind::Unsigned { max },
                _ => Kind::Typed(ty, to),
            }
        }
        (Type::Number, Takes::Floats) => Kind::Float,
        (Type::Number, _) => Kind::Number,
        (Type::List(element), _) => Kind::List(inner(element)),
        (Type::Map(element), _) => Kind::Map(inner(element)),
        (Type::Set(element), _) if any && **element == Type::String => Kind::SetOfTexts(ty, to),
        _ => Kind::Typed(ty, to),
    };
    Carried {
        kind,
        null: null(to),
        own_type: matches!(holds.takes, Takes::OwnType) || holds.integer != 0,
    }
}

/// The prior members that operators look at together.
fn needed(operators: &'static Operators, outputs: &[Draft], reports: bool) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    let mut want = |path: Path| {
        if let Some(name) = path.first()
            && !names.contains(name)
        {
            names.push(name);
        }
    };
    let together = |name: Option<&&'static str>| {
        outputs
            .iter()
            .any(|draft| Some(&draft.name) == name && matches!(draft.make, Make::Gathered { .. }))
    };
    for production in operators
        .productions
        .iter()
        .filter(|production| together(production.target.first()))
    {
        if !starts_empty(production.stages) || production.target.len() > 1 {
            want(production.target);
        }
        production
            .stages
            .iter()
            .flat_map(Stage::all_read)
            .for_each(&mut want);
    }
    if reports {
        for drop in operators.drops {
            want(drop.path);
            let at_its_place = operators
                .productions
                .iter()
                .filter(|production| production.target == drop.path);
            at_its_place
                .flat_map(|production| production.stages)
                .flat_map(Stage::all_read)
                .for_each(&mut want);
        }
        for notice in operators.notices {
            want(notice.at);
            notice
                .only_if
                .into_iter()
                .flat_map(Condition::all_read)
                .for_each(&mut want);
        }
        // The guards are wanted, too, because they decide whether a dropped value goes elsewhere.
        let stages = operators
            .productions
            .iter()
            .flat_map(|production| production.stages);
        stages
            .filter_map(|stage| stage.only_if)
            .flat_map(Condition::all_read)
            .for_each(&mut want);
    }
    names
}

/// Attributes and blocks together, in byte order of their names.
struct Names {
    members: Members<'static>,
    attribute: usize,
    block: usize,
}

impl Names {
    fn new(members: Members<'static>) -> Self {
        Self {
            members,
            attribute: 0,
            block: 0,
        }
    }
}

impl Iterator for Names {
    type Item = (&'static str, Member<'static>);

    fn next(&mut self) -> Option<Self::Item> {
        let attribute = self.members.attributes.get(self.attribute);
        let block = self.members.blocks.get(self.block);
        match (attribute, block) {
            (Some(attribute), Some(block)) if attribute.name() > block.name() => {
                self.block += 1;
                Some((block.name(), Member::block(block)))
            }
            (Some(attribute), _) => {
                self.attribute += 1;
                Some((attribute.name(), Member::attribute(attribute)))
            }
            (None, Some(block)) => {
                self.block += 1;
                Some((block.name(), Member::block(block)))
            }
            (None, None) => None,
        }
    }
}
