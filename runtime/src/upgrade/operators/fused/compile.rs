//! Makes a plan of a table of operators and two schemas.

use super::super::form::{Form, Member, Objects};
use super::super::run::{Place, Source, Transit, carry, starts_empty};
use super::super::table::{Condition, Constant, Existing, Many, Operation, Operators, Path, Production, Segment, Stage};
use super::plan::{Carried, Ending, From, Input, Kind, Made, Make, Nothing, Output, Plan, Step};
use super::value::Judged;
use super::{scalar, value};
use crate::codec::json::Label;
use crate::codec::{Encoding, Writer};
use crate::schema::{Holds, Members, Nesting, Takes, Type};
use crate::upgrade::UpgradeRequest;
use crate::upgrade::context::{Scope, UpgradeContext};
use crate::value::Value;
use std::collections::BTreeMap;

/// An edge without operators: everything is carried.
const CARRY: &Operators = &Operators { productions: &[], drops: &[], notices: &[] };

/// The plan of a model's edge; `None` if there is no such way.
pub(super) fn plan(operators: &'static Operators, from: Objects<'static>, to: Objects<'static>) -> Option<Plan> {
    if from.with.is_some() || from.without.is_some() {
        return None;
    }
    let stored: Vec<(&'static str, Member<'static>)> = Names::new(from.members).collect();
    let of = |name: &str| stored.binary_search_by(|(known, _)| (*known).cmp(name)).ok();
    let outputs: Vec<Draft> =
        Names::new(to.members).map(|(name, target)| draft(operators, name, target, &stored, to.members)).collect();
    let tells = Tells::of(operators, |path| outputs.iter().any(|draft| draft.source == path.first().and_then(|name| of(name))));
    let mut gathered: Vec<usize> = needed(operators, &outputs, tells).into_iter().filter_map(of).collect();
    gathered.sort_unstable();
    let mut schedule = Schedule::new(&stored, &outputs, &gathered);
    if let Tells::Slowly = tells {
        schedule.gather(&gathered, true);
    }
    let drops: Vec<Ending> = match tells {
        Tells::Slowly => Vec::new(),
        Tells::Simply => operators.drops.iter().filter_map(|drop| schedule.end(of(drop.path.first()?)?, drop.reason)).collect(),
    };
    let members = outputs.len();
    for draft in outputs {
        if let Make::Gathered { .. } = draft.make {
            schedule.gather(&gathered, false);
        }
        schedule.write(draft);
    }
    schedule.pass_to(stored.len());
    let Schedule { steps, taken, .. } = schedule;
    Some(Plan { steps: steps.into(), members, registers: taken, drops: drops.into(), operators, from, to })
}

/// How drops and notices are told.
#[derive(Clone, Copy)]
enum Tells {
    /// A member that is dropped is there, or not.
    Simply,
    /// By conditions and paths.
    Slowly,
}

impl Tells {
    fn of(operators: &Operators, stays: impl Fn(Path) -> bool) -> Self {
        let mut read: Vec<Path> = Vec::new();
        for stage in operators.productions.iter().flat_map(|production| production.stages) {
            stage_paths(stage, &mut |path| read.push(path));
        }
        let simple = operators.drops.iter().all(|drop| drop.path.len() == 1 && !read.contains(&drop.path) && !stays(drop.path));
        if simple && operators.notices.is_empty() { Self::Simply } else { Self::Slowly }
    }
}

/// A current member before the order of steps is known.
struct Draft {
    name: &'static str,
    /// The stored member that it is made of.
    source: Option<usize>,
    sensitive: bool,
    make: Make,
}

fn draft(
    operators: &'static Operators,
    name: &'static str,
    target: Member<'static>,
    stored: &[(&'static str, Member<'static>)],
    members: Members<'static>,
) -> Draft {
    let of = |name: &str| stored.binary_search_by(|(known, _)| (*known).cmp(name)).ok();
    let at = |index: usize| stored.get(index).map(|(_, member)| *member);
    let mut productions = operators.productions.iter().filter(|production| production.target.first() == Some(&name));
    let carry = |source: Option<usize>| {
        let from = source.and_then(at);
        // What was not in the prior schema is not stored.
        let absent = Carried { kind: Kind::Bool, null: null(target), own_type: false };
        let make = Make::Carry(from.map_or(absent, |from| carried(from, target)));
        Draft { name, source, sensitive: target.sensitive || from.is_some_and(|from| from.sensitive), make }
    };
    let Some(production) = productions.next() else { return carry(of(name)) };
    let gathered = Draft { name, source: None, sensitive: target.sensitive, make: Make::Gathered { to: target } };
    let Some((path, stages)) = local(production).filter(|_| productions.next().is_none()) else { return gathered };
    let source = of(path);
    if stages.is_empty() {
        return carry(source);
    }
    let from = source.and_then(at);
    if let [Stage { operation: Operation::Set(constant), each: false, only_if: None }] = stages
        && let Some(make) = self::constant(constant, target, members, name)
    {
        return Draft { name, source: None, sensitive: target.sensitive, make };
    }
    let make = match from.map(|from| from.form) {
        Some(Form::Plain(Type::Bool)) if scalar::takes(stages, &Type::Bool, target) => {
            Make::OfBool(Box::new(of_bool(stages, target)))
        }
        Some(Form::Plain(from)) if scalar::takes(stages, from, target) => {
            Make::Scalar { stages, from, to: target, null: null(target) }
        }
        // What takes a text apart reads it at a path.
        _ if stages.iter().any(|stage| matches!(stage.operation, Operation::Extract { .. })) => return gathered,
        _ => Make::Value { stages, from, to: target },
    };
    Draft { name, source, sensitive: target.sensitive || from.is_some_and(|from| from.sensitive), make }
}

/// What operators make of true, false and null.
fn of_bool(stages: &'static [Stage], to: Member<'static>) -> [Option<Made>; 3] {
    [Some(true), Some(false), None].map(|bool| {
        let written = |encoding| {
            let mut value = bool.map_or(scalar::Scalar::Null, scalar::Scalar::Bool);
            for stage in stages {
                value = scalar::apply(&stage.operation, value, to)?;
            }
            let mut out = Vec::new();
            let judged = scalar::write(&value, to, null(to), &mut Writer::new(&mut out, encoding))?;
            Some((out.into_boxed_slice(), judged))
        };
        let ((json, judged), (msgpack, _)) = (written(Encoding::Json)?, written(Encoding::Msgpack)?);
        Some(Made { written: [json, msgpack], judged })
    })
}

/// What is always the same, written once.
fn constant(constant: &Constant, to: Member<'static>, members: Members<'static>, name: &str) -> Option<Make> {
    let request = UpgradeRequest::new("", 0, None);
    let scope = Scope::new(&request, 0);
    let mut context = UpgradeContext::new(&scope);
    let (prior, place) = (BTreeMap::new(), Place::default());
    let from = Objects::new(members, crate::schema::Origin::NONE);
    let mut source = Source { prior: &prior, from, place: &place, context: &mut context };
    let transit = Transit { value: Value::Null, form: Form::Open, place: place.clone() };
    let transit = source.step(&Stage::new(Operation::Set(*constant)), transit, to).ok()?;
    let value = carry(transit.value, transit.form, to.form, &place, &mut context).ok()?;
    let write = |encoding| {
        let mut out = Vec::new();
        match value::write_made(value.clone(), to, members, name, &mut Writer::new(&mut out, encoding))? {
            Judged::Takes => Some(out.into_boxed_slice()),
            Judged::Model => None,
        }
    };
    Some(Make::Constant([write(Encoding::Json)?, write(Encoding::Msgpack)?]))
}

/// Puts drafts in an order in which every stored member is come by once.
struct Schedule<'d> {
    stored: &'d [(&'static str, Member<'static>)],
    /// How many uses of each stored member are still to come.
    uses: Vec<usize>,
    registers: Vec<Option<usize>>,
    /// Of those that end: their registers.
    ends: Vec<Option<usize>>,
    taken: usize,
    /// Which stored member comes next.
    next: usize,
    gathered: bool,
    steps: Vec<Step>,
}

impl<'d> Schedule<'d> {
    fn new(stored: &'d [(&'static str, Member<'static>)], outputs: &[Draft], gathered: &[usize]) -> Self {
        let mut uses = vec![0; stored.len()];
        for used in outputs.iter().filter_map(|draft| draft.source).chain(gathered.iter().copied()) {
            if let Some(uses) = uses.get_mut(used) {
                *uses += 1;
            }
        }
        let none = || vec![None; stored.len()];
        Self { stored, uses, registers: none(), ends: none(), taken: 0, next: 0, gathered: false, steps: Vec::new() }
    }

    fn take(&mut self) -> usize {
        self.taken += 1;
        self.taken - 1
    }

    /// A member that ends here; its place is remembered when it is passed.
    fn end(&mut self, index: usize, reason: &'static str) -> Option<Ending> {
        let (name, member) = self.stored.get(index)?;
        let register = match self.ends.get(index)? {
            Some(register) => *register,
            None => self.take(),
        };
        *self.ends.get_mut(index)? = Some(register);
        Some(Ending { name, sensitive: member.sensitive, reason, register })
    }

    /// The register of a member that is used again, if it is.
    fn remember(&mut self, index: usize) -> Option<usize> {
        if self.uses.get(index).is_none_or(|uses| *uses == 0) {
            return None;
        }
        let register = self.take();
        if let Some(slot) = self.registers.get_mut(index) {
            *slot = Some(register);
        }
        Some(register)
    }

    fn pass_to(&mut self, index: usize) {
        while self.next < index {
            let Some((name, member)) = self.stored.get(self.next) else { return };
            let (register, unread) = match self.remember(self.next) {
                Some(register) => (Some(register), None),
                None => (self.ends.get(self.next).copied().flatten(), Some(carried(*member, *member))),
            };
            self.steps.push(Step::Pass { stored: Label::new(name), register, unread });
            self.next += 1;
        }
    }

    /// Reads what operators look at together, once.
    fn gather(&mut self, gathered: &[usize], tell: bool) {
        if std::mem::replace(&mut self.gathered, true) {
            return;
        }
        self.pass_to(gathered.last().map_or(0, |last| last + 1));
        let input = |index: &usize| {
            let (name, member) = self.stored.get(*index)?;
            Some(Input { name, member: *member, register: self.registers.get(*index).copied().flatten()? })
        };
        let inputs = gathered.iter().filter_map(input).collect();
        for index in gathered {
            self.used(*index);
        }
        self.steps.push(Step::Gather { inputs, tell });
    }

    fn used(&mut self, index: usize) {
        if let Some(uses) = self.uses.get_mut(index) {
            *uses -= 1;
        }
    }

    fn write(&mut self, draft: Draft) {
        let Draft { name, source, sensitive, make } = draft;
        let (mut from, mut stored_name) = (From::Nowhere, name);
        if let Some((index, (stored, _))) = source.and_then(|index| Some((index, self.stored.get(index)?))) {
            stored_name = stored;
            self.used(index);
            from = if index < self.next {
                self.registers.get(index).copied().flatten().map_or(From::Nowhere, From::Register)
            } else {
                self.pass_to(index);
                self.next = index + 1;
                From::Here { stored: Label::new(stored), same: *stored == name, register: self.remember(index) }
            };
        }
        self.steps.push(Step::Write(Output { written: Label::new(name), from, stored_name, sensitive, make }));
    }
}

/// What stands for null where this is wanted.
pub(super) fn null(target: Member<'static>) -> Nothing {
    match target.form {
        Form::Objects(_, Nesting::List | Nesting::Set) if target.is_block => Nothing::List,
        Form::Objects(_, Nesting::Map) if target.is_block => Nothing::Map,
        _ if target.holds.nullable || target.write_only => Nothing::Null,
        _ => Nothing::Refused,
    }
}

/// How a value is taken over.
fn carried(from: Member<'static>, to: Member<'static>) -> Carried {
    if to.write_only {
        let stored = Member { write_only: false, ..from };
        return Carried { kind: Kind::WriteOnly(Box::new(carried(stored, stored))), null: Nothing::Null, own_type: false };
    }
    let kind = match (from.form, to.form) {
        (Form::Objects(a, arranged), Form::Objects(b, as_now)) if arranged == as_now && arranged != Nesting::Set => {
            match object(a, b) {
                Some(plan) => arranged_objects(plan, arranged),
                None => Kind::Reshaped(from, to),
            }
        }
        (Form::Plain(a), Form::Plain(b)) if std::ptr::eq(a, b) || a == b => return plain(b, &to.holds, to),
        _ => Kind::Reshaped(from, to),
    };
    Carried { kind, null: null(to), own_type: false }
}

fn arranged_objects(plan: Plan, arranged: Nesting) -> Kind {
    let one = Carried { kind: Kind::Object(Box::new(plan)), null: Nothing::Refused, own_type: false };
    match arranged {
        Nesting::List => Kind::List(Box::new(one)),
        Nesting::Map => Kind::Map(Box::new(one)),
        Nesting::Single | Nesting::Set => one.kind,
    }
}

fn object(from: Objects<'static>, to: Objects<'static>) -> Option<Plan> {
    let same = !from.origin.rust_name.is_empty() && from.origin.rust_name == to.origin.rust_name;
    let edge = to.origin.edges.iter().find(|edge| edge.prior_name() == from.origin.rust_name);
    match edge {
        Some(edge) if !same => plan(edge.operators(), from, to),
        _ => plan(CARRY, from, to),
    }
}

/// A value of a plain type, which stays of that type.
fn plain(ty: &'static Type, holds: &Holds, to: Member<'static>) -> Carried {
    let inner = |element: &'static Type| {
        // Without more said, elements are never null.
        let inner = holds.elements.copied().unwrap_or(Holds::ANYTHING);
        let null = if inner.nullable { Nothing::Null } else { Nothing::Refused };
        let to = Member { form: Form::Plain(element), holds: inner, is_block: false, ..to };
        Box::new(Carried { null, ..plain(element, &inner, to) })
    };
    let any = matches!(holds.takes, Takes::Anything) && holds.elements.is_none_or(|inner| matches!(inner.takes, Takes::Anything));
    let kind = match (ty, holds.takes) {
        (Type::Bool, _) => Kind::Bool,
        (Type::String, Takes::Texts(texts)) => Kind::OneOf(texts),
        (Type::String, _) => Kind::Text,
        (Type::Number, Takes::Integers { min, max }) => match (i64::try_from(min), i64::try_from(max), u64::try_from(max)) {
            (Ok(min), Ok(max), _) => Kind::Integer { min, max },
            (_, _, Ok(max)) if min == 0 => Kind::Unsigned { max },
            _ => Kind::Typed(ty, to),
        },
        (Type::Number, Takes::Floats) => Kind::Float,
        (Type::Number, _) => Kind::Number,
        (Type::List(element), _) => element.constant().map_or(Kind::Typed(ty, to), |element| Kind::List(inner(element))),
        (Type::Map(element), _) => element.constant().map_or(Kind::Typed(ty, to), |element| Kind::Map(inner(element))),
        (Type::Set(element), _) if any && **element == Type::String => Kind::SetOfTexts(ty, to),
        _ => Kind::Typed(ty, to),
    };
    Carried { kind, null: null(to), own_type: matches!(holds.takes, Takes::OwnType) }
}

/// The prior members that operators look at together.
fn needed(operators: &'static Operators, outputs: &[Draft], tells: Tells) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    let mut want = |path: Path| {
        if let Some(name) = path.first()
            && !names.contains(name)
        {
            names.push(name);
        }
    };
    let together = |name: Option<&&'static str>| {
        outputs.iter().any(|draft| Some(&draft.name) == name && matches!(draft.make, Make::Gathered { .. }))
    };
    for production in operators.productions.iter().filter(|production| together(production.target.first())) {
        if !starts_empty(production.stages) || production.target.len() > 1 {
            want(production.target);
        }
        production.stages.iter().for_each(|stage| stage_paths(stage, &mut want));
    }
    if let Tells::Slowly = tells {
        operators.drops.iter().for_each(|drop| want(drop.path));
        for notice in operators.notices {
            want(notice.at);
            notice.only_if.into_iter().for_each(|condition| condition_paths(condition, &mut want));
        }
        // Whether what is dropped goes elsewhere depends on guards.
        let stages = operators.productions.iter().flat_map(|production| production.stages);
        stages.filter_map(|stage| stage.only_if).for_each(|condition| condition_paths(condition, &mut want));
    }
    names
}

/// The one prior attribute that a production looks at, and what is done to its value; `None` if it looks at more.
fn local(production: &Production) -> Option<(&'static str, &'static [Stage])> {
    let [target] = production.target else { return None };
    let (name, stages, rest) = match production.stages {
        [first @ Stage { only_if: None, .. }, rest @ ..] => match first.operation {
            Operation::Take { from: [from], existing: Existing::Unsaid } | Operation::Copy { from: [from] } => {
                (*from, rest, rest)
            }
            Operation::Extract { from: [from], .. } => (*from, production.stages, rest),
            _ => (*target, production.stages, production.stages),
        },
        _ => return None,
    };
    let alone = |stage: &Stage| {
        let mut reads = false;
        stage_paths(stage, &mut |_| reads = true);
        !reads && stage.only_if.is_none() && !matches!(stage.operation, Operation::Unwrap { many: Many::First, .. })
    };
    rest.iter().all(alone).then_some((name, stages))
}

fn stage_paths(stage: &Stage, want: &mut impl FnMut(Path)) {
    let mut template = |template: &[Segment]| {
        for segment in template {
            if let Segment::Prior(path, _) = segment {
                want(path);
            }
        }
    };
    match &stage.operation {
        Operation::Compose(segments) => template(segments),
        Operation::Reformat { forms, .. } => forms.iter().for_each(|(_, segments)| template(segments)),
        Operation::Take { from, .. } | Operation::Copy { from } | Operation::Extract { from, .. } => want(from),
        Operation::Merge(paths) => paths.iter().for_each(|path| want(path)),
        _ => {}
    }
    stage.only_if.into_iter().for_each(|condition| condition_paths(condition, want));
}

fn condition_paths(condition: &Condition, want: &mut impl FnMut(Path)) {
    match condition {
        Condition::Has(path) | Condition::Lacks(path) | Condition::Is(path, _) | Condition::Fits(path, _) => want(path),
        Condition::Not(other) => condition_paths(other, want),
        Condition::All(all) | Condition::Any(all) => all.iter().for_each(|one| condition_paths(one, want)),
    }
}

/// Attributes and blocks together, in byte order of their names.
struct Names {
    members: Members<'static>,
    attribute: usize,
    block: usize,
}

impl Names {
    fn new(members: Members<'static>) -> Self {
        Self { members, attribute: 0, block: 0 }
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
