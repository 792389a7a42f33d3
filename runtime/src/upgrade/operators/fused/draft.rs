//! Drafts of the current members: each says what its member is made of, before the order of steps
//! is known.

use std::collections::BTreeMap;

use super::super::form::{Form, Member, Objects, member};
use super::super::place::Place;
use super::super::run::{Source, carry};
use super::super::table::{Constant, Operation, Operators, Production, Stage};
use super::super::transit::Transit;
use super::compile::{arranged_objects, carried, null, plan, plan_reports, reports, whole};
use super::plan::{Carried, Kind, Made, Make};
use super::value::Judged;
use super::{Upgrader, scalar, value};
use crate::codec::{Encoding, Writer};
use crate::schema::{Members, Nesting, Origin, Type};
use crate::upgrade::UpgradeRequest;
use crate::upgrade::context::{Scope, UpgradeContext};
use crate::value::Value;

/// Members of an object, by name.
pub(super) type Named = (&'static str, Member<'static>);

/// A current member before the order of steps is known.
pub(super) struct Draft {
    pub(super) name: &'static str,
    /// The stored member that it is made of.
    pub(super) source: Option<usize>,
    pub(super) sensitive: bool,
    pub(super) make: Make,
    /// The position in the route of the upgrader that changes it, if one does; if several do, of
    /// the one that reports something.
    pub(super) level: Option<usize>,
}

/// The position of the stored member of this name.
pub(super) fn position(stored: &[Named], name: &str) -> Option<usize> {
    stored
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()
}

/// The current member `name`, whatever one upgrader says about it.
pub(super) fn by_upgrader(
    upgrader: &Upgrader,
    name: &'static str,
    target: Member<'static>,
    stored: &[Named],
) -> Draft {
    along(std::slice::from_ref(upgrader), name, target, stored).unwrap_or(Draft {
        name,
        source: None,
        sensitive: target.sensitive,
        make: Make::Gathered { to: target },
        level: Some(0),
    })
}

/// The member `name` of the last schema of a route, made of a member of the first one. `None` if
/// more than one upgrader has a part in it that is not inside of nested objects, or more than one
/// member.
pub(super) fn along(
    route: &[Upgrader],
    name: &'static str,
    target: Member<'static>,
    stored: &[Named],
) -> Option<Draft> {
    let draft = |source, sensitive, make, level| {
        Some(Draft {
            name,
            source,
            sensitive,
            make,
            level,
        })
    };
    let (mut at, mut current) = (name, target);
    let (mut stages, mut changed): (&'static [Stage], Option<usize>) = (&[], None);
    // Upgraders that change what nested objects are made of, and nothing else of the member.
    let mut inside: Vec<(usize, Upgrader)> = Vec::new();
    for (level, upgrader) in route.iter().enumerate().rev() {
        let (source, more) = way(upgrader.operators, at)?;
        if let [
            Stage {
                operation: Operation::Set(constant),
                each: false,
                only_if: None,
            },
        ] = more
            && changed.is_none()
        {
            return draft(
                None,
                target.sensitive,
                self::constant(constant, target, upgrader.to.members, at)?,
                Some(level),
            );
        }
        let prior = member(upgrader.from.members, source);
        if !more.is_empty() || prior.is_some_and(|prior| !same(prior, current)) {
            let inner = prior
                .filter(|_| more.is_empty())
                .and_then(|prior| between(prior, current));
            if changed.replace(level).is_some() && (inner.is_none() || inside.is_empty()) {
                return None;
            }
            inside.extend(inner.map(|upgrader| (level, upgrader)));
            stages = more;
        }
        let Some(prior) = prior else {
            // A field that was not in the prior schema is not stored.
            let absent = Carried {
                kind: Kind::Bool,
                null: null(target),
                own_type: false,
            };
            return if changed.is_none() {
                draft(None, target.sensitive, Make::Carry(absent), None)
            } else {
                None
            };
        };
        // Values between two upgraders are settled: blocks that are not there are empty lists, and
        // values that are never stored are gone.
        if level > 0 && (prior.write_only || prior.is_block && changed.is_some()) {
            return None;
        }
        (at, current) = (source, prior);
    }
    let source = position(stored, at);
    let (make, level) = if inside.len() > 1 {
        inside.reverse();
        composed(&inside, target).map(|(make, level)| (make, level.or(changed)))?
    } else {
        (made_of(current, stages, target)?, changed)
    };
    // A report has to name the member as its upgrader does, and here the stored name would be
    // another.
    if at != name && level.is_some_and(|level| level > 0) && reports(&make) {
        return None;
    }
    draft(source, target.sensitive || current.sensitive, make, level)
}

/// The upgrader between nested objects, if all else about the two members is the same.
fn between(from: Member<'static>, to: Member<'static>) -> Option<Upgrader> {
    let plainly = |member: &Member<'_>| !member.is_block && !member.write_only;
    match (from.form, to.form) {
        (Form::Objects(a, arranged), Form::Objects(b, as_now))
            if arranged == as_now
                && arranged != Nesting::Set
                && plainly(&from)
                && plainly(&to)
                && from.holds.nullable == to.holds.nullable =>
        {
            Some(Upgrader {
                operators: b.origin.operators_from(a.origin),
                from: a,
                to: b,
            })
        }
        _ => None,
    }
}

/// Nested objects that several upgraders change, in one go, and which of the upgraders tells
/// something. `None` if more than one does: what one tells of all objects comes before what the
/// next one tells.
fn composed(
    inside: &[(usize, Upgrader)],
    target: Member<'static>,
) -> Option<(Make, Option<usize>)> {
    let Form::Objects(_, arranged) = target.form else {
        return None;
    };
    let mut reporting = None;
    for (level, upgrader) in inside {
        if plan_reports(&plan(upgrader)?) && reporting.replace(*level).is_some() {
            return None;
        }
    }
    let route: Vec<Upgrader> = inside.iter().map(|(_, upgrader)| *upgrader).collect();
    let kind = arranged_objects(whole(&route)?, arranged);
    Some((
        Make::Carry(Carried {
            kind,
            null: null(target),
            own_type: false,
        }),
        reporting,
    ))
}

/// True if a value of `from` is a value of `to` as it is.
fn same(from: Member<'static>, to: Member<'static>) -> bool {
    let forms = match (from.form, to.form) {
        (Form::Plain(a), Form::Plain(b)) => a == b,
        (Form::Objects(a, arranged), Form::Objects(b, as_now)) => {
            arranged == as_now && a.origin.is(b.origin)
        }
        _ => false,
    };
    forms && from.is_block == to.is_block && !to.write_only
}

/// Says how operators make the current value of one stored value; `None` if they look at more.
fn made_of(from: Member<'static>, stages: &'static [Stage], to: Member<'static>) -> Option<Make> {
    Some(match from.form {
        _ if stages.is_empty() => Make::Carry(carried(from, to)),
        Form::Plain(Type::Bool) if scalar::takes(stages, &Type::Bool, &to) => {
            Make::OfBool(Box::new(of_bool(stages, to)))
        }
        Form::Plain(from) if scalar::takes(stages, from, &to) => Make::Scalar {
            stages,
            from,
            to,
            null: null(to),
        },
        // `Operation::Extract` reads its string at a path, so the stored value alone is not enough.
        _ if stages
            .iter()
            .any(|stage| matches!(stage.operation, Operation::Extract(..))) =>
        {
            return None;
        }
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Make::Value {
            stages,
            from: Box::new(from),
            to,
        },
    })
}

/// The one prior member that the current member `name` is made of, and by which operators; `None`
/// if it is made of more.
pub(super) fn way(
    operators: &'static Operators,
    name: &'static str,
) -> Option<(&'static str, &'static [Stage])> {
    let mut productions = operators
        .productions
        .iter()
        .filter(|production| production.target.first() == Some(&name));
    match (productions.next(), productions.next()) {
        (None, _) => Some((name, &[])),
        (Some(production), None) => local(production),
        (Some(_), Some(_)) => None,
    }
}

/// The values that operators make of true, false and null; `None` for each that they refuse.
fn of_bool(stages: &'static [Stage], to: Member<'static>) -> [Option<Made>; 3] {
    [Some(true), Some(false), None].map(|bool| {
        let written = |encoding| {
            let mut value = bool.map_or(scalar::Scalar::Null, scalar::Scalar::Bool);
            for stage in stages {
                value = scalar::apply(&stage.operation, value, &to)?;
            }
            let mut out = Vec::new();
            let judged =
                scalar::write(&value, &to, null(to), &mut Writer::new(&mut out, encoding))?;
            Some((out.into_boxed_slice(), judged))
        };
        let ((json, judged), (msgpack, _)) =
            (written(Encoding::Json)?, written(Encoding::Msgpack)?);
        Some(Made {
            written: [json, msgpack],
            judged,
        })
    })
}

/// A constant, written once because it is the same for all states.
fn constant(
    constant: &Constant,
    to: Member<'static>,
    members: Members<'static>,
    name: &str,
) -> Option<Make> {
    let request = UpgradeRequest::new("", 0, None);
    let scope = Scope::new(&request, 0);
    let mut context = UpgradeContext::new(&scope);
    let (prior, place) = (BTreeMap::new(), Place::default());
    let from = Objects::new(members, Origin::NONE);
    let mut source = Source {
        prior: &prior,
        from,
        hidden: &[],
        place: &place,
        context: &mut context,
    };
    let transit = Transit {
        value: Value::Null,
        form: Form::Open,
        place: place.clone(),
    };
    let transit = source
        .step(&Stage::new(Operation::Set(*constant)), transit, to)
        .ok()?;
    let value = carry(transit.value, transit.form, to.form, &place, &mut context).ok()?;
    let write = |encoding| {
        let mut out = Vec::new();
        match value::write_made(
            value.clone(),
            to,
            members,
            name,
            &mut Writer::new(&mut out, encoding),
        )? {
            Judged::Takes => Some(out.into_boxed_slice()),
            Judged::Model => None,
        }
    };
    Some(Make::Constant([
        write(Encoding::Json)?,
        write(Encoding::Msgpack)?,
    ]))
}

/// The one prior attribute that a production looks at, and what is done to its value; `None` if it
/// looks at more.
fn local(production: &Production) -> Option<(&'static str, &'static [Stage])> {
    let [target] = production.target else {
        return None;
    };
    let (name, stages, rest) = match production.stages {
        [first @ Stage { only_if: None, .. }, rest @ ..] => {
            match (first.operation.passes(), &first.operation) {
                (Some([from]), _) => (*from, rest, rest),
                (None, Operation::Extract([from], _, _)) => (*from, production.stages, rest),
                (Some(_) | None, _) => (*target, production.stages, production.stages),
            }
        }
        _ => return None,
    };
    let alone = |stage: &Stage| {
        stage.all_read().next().is_none() && stage.only_if.is_none() && !stage.operation.row().drops
    };
    rest.iter().all(alone).then_some((name, stages))
}
