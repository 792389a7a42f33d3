//! Runs a declarative edge straight over the bytes: no model, and values only of what operators touch.
//!
//! This is the fast way for states that are as they should be. It answers only if it is sure: whatever is unusual (an error, names out
//! of order or not in the schema, repeated elements of sets) makes it give up, and the interpreter over values, which says exactly
//! what is wrong, runs instead.

use std::collections::BTreeMap;

use super::edge::Declared;
use super::form::{Form, Member, Objects, member};
use super::run::{Place, Source, Transit, carry, starts_empty};
use super::table::{Condition, Existing, Many, Operation, Operators, Path, Production, Segment, Stage};
use crate::codec::json::{Kind, Mark, Reader};
use crate::codec::{AttributeType, Encoding, Writer, scalar};
use crate::diagnostics::Diagnostics;
use crate::path::PathStep;
use crate::schema::{Holds, Members, Nesting, Origin, Takes, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::{Unknown, Value};

/// What became of a fused run that was sure of its answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::upgrade) enum Fused {
    /// The answer is what the current model would write.
    Sure,
    /// So it is if the current model can read it: it holds what only an author's own type can judge.
    IfReadable,
}

/// Brings JSON of the prior schema to the current one, appended to `out`; `None` if that is not the way for this state.
pub(in crate::upgrade) fn fuse(
    declared: &Declared,
    json: &[u8],
    to: Members<'static>,
    context: &mut UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Option<Fused> {
    let mut reader = Reader::from_bytes(json).ok()?;
    let mut writer = Writer::new(out, encoding);
    let mut fuse = Fuse { reader: &mut reader, writer: &mut writer, encoding, verify: false, context };
    let from = Objects::new(declared.prior.members, Origin::NONE);
    fuse.operated(declared.operators, from, Objects::new(to, Origin::NONE), &Trail::ROOT)?;
    let verify = fuse.verify;
    reader.end().ok()?;
    if !reader.repeated().is_empty() || !reader.skipped().is_empty() {
        return None;
    }
    Some(if verify { Fused::IfReadable } else { Fused::Sure })
}

/// The way to where the cursor is; a path is made of it only where one is told.
#[derive(Clone, Copy)]
struct Trail<'p> {
    parent: Option<&'p Trail<'p>>,
    step: Step<'p>,
    sensitive: bool,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Name(&'p str),
    Index(usize),
    Key(&'p str),
}

impl Trail<'_> {
    const ROOT: Trail<'static> = Trail { parent: None, step: Step::Root, sensitive: false };

    fn below<'p>(&'p self, step: Step<'p>, sensitive: bool) -> Trail<'p> {
        Trail { parent: Some(self), step, sensitive }
    }

    fn place(&self) -> Place {
        let place = self.parent.map_or_else(Place::default, Trail::place);
        match self.step {
            Step::Root => place,
            Step::Name(name) => place.below(name, self.sensitive),
            Step::Index(index) => place.step(PathStep::Index(index as u64)),
            Step::Key(key) => place.step(PathStep::Key(key.to_owned())),
        }
    }
}

/// The members of a stored object: what each is, and where it begins, if it is there.
type Starts = Vec<(&'static str, Member<'static>, Option<usize>)>;

fn find<'s>(starts: &'s Starts, name: &str) -> Option<&'s (&'static str, Member<'static>, Option<usize>)> {
    starts.binary_search_by(|(known, ..)| (*known).cmp(name)).ok().and_then(|index| starts.get(index))
}

struct Fuse<'r, 'a, 'o, 'c, 'u> {
    reader: &'r mut Reader<'a>,
    writer: &'r mut Writer<'o>,
    encoding: Encoding,
    verify: bool,
    context: &'c mut UpgradeContext<'u>,
}

impl Fuse<'_, '_, '_, '_, '_> {
    /// An object through operators: where each member stands is found first.
    fn operated(
        &mut self,
        operators: &'static Operators,
        from: Objects<'static>,
        to: Objects<'static>,
        trail: &Trail<'_>,
    ) -> Option<()> {
        if operators.productions.is_empty() && operators.notices.is_empty() && operators.drops.is_empty() {
            return self.walked(from, to, trail);
        }
        let (starts, end) = self.index(from.members)?;
        let prior = self.needed(operators, &starts)?;
        let place = if prior.is_empty() { Place::default() } else { trail.place() };
        if !operators.notices.is_empty() || !operators.drops.is_empty() {
            let mut source = Source { prior: &prior, from, place: &place, context: self.context };
            let mut errors = Diagnostics::new();
            source.tell(operators, &mut errors);
            if errors.has_errors() {
                return None;
            }
        }
        let names = Names::new(to.members);
        self.writer.open_object(names.len());
        let mut at = 0;
        for (position, (name, target)) in names.enumerate() {
            self.writer.name(position, name);
            let mut productions = operators.productions.iter().filter(|production| production.target.first() == Some(&name));
            let Some(production) = productions.next() else {
                while starts.get(at).is_some_and(|(known, ..)| *known < name) {
                    at += 1;
                }
                let stored = starts.get(at).filter(|(known, ..)| *known == name);
                self.placed(stored, target, trail)?;
                continue;
            };
            match local(production).filter(|_| productions.next().is_none()) {
                Some((path, [])) => self.placed(find(&starts, path), target, trail)?,
                Some((path, stages)) => {
                    let (value, form) = match find(&starts, path) {
                        Some((_, from, Some(start))) => {
                            self.reader.jump(*start);
                            (read_form(self.reader, from.form)?, from.form)
                        }
                        Some((_, from, None)) => (Value::Null, from.form),
                        None => (Value::Null, Form::Open),
                    };
                    let nothing = Place { sensitive: true, ..Place::default() };
                    let mut source = Source { prior: &prior, from, place: &nothing, context: self.context };
                    let mut transit = Transit { value, form, place: nothing.clone() };
                    for stage in stages {
                        transit = source.step(stage, transit, target).ok()?;
                    }
                    let value = carry(transit.value, transit.form, target.form, &transit.place, self.context).ok()?;
                    self.made(value, target, to.members, name)?;
                }
                None => {
                    let mut source = Source { prior: &prior, from, place: &place, context: self.context };
                    let value = source.produce(operators, name, target).ok()?.unwrap_or_default();
                    self.made(value, target, to.members, name)?;
                }
            }
        }
        self.writer.close_object();
        self.reader.rewind(end);
        Some(())
    }

    /// Where the members of the object that the reader is at begin. Names must come in order, and be known.
    fn index(&mut self, members: Members<'static>) -> Option<(Starts, Mark)> {
        if self.reader.peek().ok()? != Kind::Object {
            return None;
        }
        self.reader.open_object().ok()?;
        let names = Names::new(members);
        let mut starts = Vec::with_capacity(names.len());
        let mut first = true;
        for (name, member) in names {
            let mut start = None;
            if self.reader.take_member(first, name) {
                first = false;
                self.reader.peek().ok()?;
                start = Some(self.reader.position());
                self.reader.skip().ok()?;
            }
            starts.push((name, member, start));
        }
        if !self.reader.take_end() {
            return None;
        }
        Some((starts, self.reader.mark()))
    }

    /// The prior values that operators look at.
    fn needed(&mut self, operators: &'static Operators, starts: &Starts) -> Option<BTreeMap<String, Value>> {
        let mut names: Vec<&'static str> = Vec::new();
        let mut want = |path: Path| {
            if let Some(name) = path.first()
                && !names.contains(name)
            {
                names.push(name);
            }
        };
        for production in operators.productions {
            let alone = || {
                let same = |other: &&Production| other.target.first() == production.target.first();
                operators.productions.iter().filter(same).count() == 1
            };
            if local(production).is_some() && alone() {
                continue;
            }
            if !starts_empty(production.stages) || production.target.len() > 1 {
                want(production.target);
            }
            production.stages.iter().for_each(|stage| stage_paths(stage, &mut want));
        }
        operators.drops.iter().for_each(|drop| want(drop.path));
        for notice in operators.notices {
            want(notice.at);
            notice.only_if.into_iter().for_each(|condition| condition_paths(condition, &mut want));
        }
        let mut values = BTreeMap::new();
        let here = self.reader.mark();
        for name in names {
            let Some((_, member, Some(start))) = find(starts, name) else { continue };
            self.reader.rewind(here);
            self.reader.jump(*start);
            values.insert(name.to_owned(), read_form(self.reader, member.form)?);
        }
        self.reader.rewind(here);
        Some(values)
    }

    /// An object whose members are carried: they are read as they come.
    fn walked(&mut self, from: Objects<'static>, to: Objects<'static>, trail: &Trail<'_>) -> Option<()> {
        if from.with.is_some() || from.without.is_some() || self.reader.peek().ok()? != Kind::Object {
            return None;
        }
        let same = !from.origin.rust_name.is_empty() && from.origin.rust_name == to.origin.rust_name;
        self.reader.open_object().ok()?;
        let names = Names::new(to.members);
        self.writer.open_object(names.len());
        let mut first = true;
        for (position, (name, target)) in names.enumerate() {
            self.writer.name(position, name);
            if self.reader.take_member(first, name) {
                first = false;
                let origin = if same { target } else { member(from.members, name)? };
                self.value(origin, target, &trail.below(Step::Name(name), origin.sensitive || target.sensitive))?;
            } else {
                self.null(target)?;
            }
        }
        if !self.reader.take_end() {
            return None;
        }
        self.writer.close_object();
        Some(())
    }

    /// A stored member as the target, or null.
    fn placed(
        &mut self,
        stored: Option<&(&'static str, Member<'static>, Option<usize>)>,
        to: Member<'static>,
        trail: &Trail<'_>,
    ) -> Option<()> {
        let Some((name, from, Some(start))) = stored else { return self.null(to) };
        self.reader.jump(*start);
        self.value(*from, to, &trail.below(Step::Name(name), from.sensitive || to.sensitive))
    }

    fn null(&mut self, target: Member<'static>) -> Option<()> {
        match target.form {
            Form::Objects(_, Nesting::List | Nesting::Set) if target.is_block => {
                self.writer.open_array(0);
                self.writer.close_array();
            }
            Form::Objects(_, Nesting::Map) if target.is_block => {
                self.writer.open_object(0);
                self.writer.close_object();
            }
            _ if target.holds.nullable || target.write_only => self.writer.null(),
            _ => return None,
        }
        Some(())
    }

    /// The value that the reader is at, carried.
    fn value(&mut self, from: Member<'static>, to: Member<'static>, trail: &Trail<'_>) -> Option<()> {
        if self.reader.peek().ok()? == Kind::Null {
            self.reader.null().ok()?;
            return self.null(to);
        }
        if to.write_only {
            self.reader.skip().ok()?;
            self.writer.null();
            return Some(());
        }
        match (from.form, to.form) {
            (Form::Objects(a, arranged), Form::Objects(b, as_now)) if arranged == as_now && arranged != Nesting::Set => {
                self.objects(a, b, arranged, trail)
            }
            (Form::Plain(a), Form::Plain(b)) if std::ptr::eq(a, b) || a == b => self.plain(b, &to.holds),
            _ => self.slowly(from, to, trail),
        }
    }

    fn objects(&mut self, from: Objects<'static>, to: Objects<'static>, arranged: Nesting, trail: &Trail<'_>) -> Option<()> {
        match arranged {
            Nesting::Single => self.object(from, to, trail),
            Nesting::List => self.list(|fuse, index| fuse.object(from, to, &trail.below(Step::Index(index), false))),
            Nesting::Map => self.map(|fuse, key| fuse.object(from, to, &trail.below(Step::Key(key), false))),
            Nesting::Set => None,
        }
    }

    fn object(&mut self, from: Objects<'static>, to: Objects<'static>, trail: &Trail<'_>) -> Option<()> {
        let same = !from.origin.rust_name.is_empty() && from.origin.rust_name == to.origin.rust_name;
        if same {
            return self.walked(from, to, trail);
        }
        match to.origin.edges.iter().find(|edge| edge.prior_name() == from.origin.rust_name) {
            Some(edge) => self.operated(edge.operators(), from, to, trail),
            None => self.walked(from, to, trail),
        }
    }

    fn list(&mut self, mut element: impl FnMut(&mut Self, usize) -> Option<()>) -> Option<()> {
        if self.reader.peek().ok()? != Kind::Array {
            return None;
        }
        let len = self.len(|reader, first| reader.next_element(first).ok())?;
        self.reader.open_array().ok()?;
        self.writer.open_array(len);
        let mut index = 0;
        while self.reader.next_element(index == 0).ok()? {
            self.writer.element(index);
            element(self, index)?;
            index += 1;
        }
        self.writer.close_array();
        Some(())
    }

    fn map(&mut self, mut entry: impl FnMut(&mut Self, &str) -> Option<()>) -> Option<()> {
        if self.reader.peek().ok()? != Kind::Object {
            return None;
        }
        let len = self.len(|reader, first| reader.next_member(first).ok().map(|name| name.is_some()))?;
        self.reader.open_object().ok()?;
        self.writer.open_object(len);
        let mut last: Option<std::borrow::Cow<'_, str>> = None;
        let mut index = 0;
        while let Some(key) = self.reader.next_member(index == 0).ok()? {
            // Keys are written in order, each once.
            if last.as_ref().is_some_and(|last| *last >= key) {
                return None;
            }
            self.writer.key(index, &key);
            entry(self, &key)?;
            last = Some(key);
            index += 1;
        }
        self.writer.close_object();
        Some(())
    }

    /// How many elements there are, where the encoding wants that said first.
    fn len(&mut self, mut next: impl FnMut(&mut Reader<'_>, bool) -> Option<bool>) -> Option<usize> {
        if self.encoding == Encoding::Json {
            return Some(0);
        }
        let start = self.reader.mark();
        if self.reader.peek().ok()? == Kind::Array { self.reader.open_array() } else { self.reader.open_object() }.ok()?;
        let mut len = 0;
        while next(self.reader, len == 0)? {
            self.reader.skip().ok()?;
            len += 1;
        }
        self.reader.rewind(start);
        Some(len)
    }

    /// A value of a plain type, which stays of that type.
    fn plain(&mut self, ty: &'static Type, holds: &Holds) -> Option<()> {
        match ty {
            Type::Bool => self.writer.bool(scalar::bool(self.reader).ok()?),
            Type::String => {
                let text = scalar::text(self.reader).ok()?;
                match holds.takes {
                    Takes::Texts(texts) if !texts.contains(&&*text) => return None,
                    Takes::OwnType => self.verify = true,
                    _ => {}
                }
                self.writer.string(&text);
            }
            Type::Number => return self.number(holds),
            Type::List(element) => {
                let element = element.constant()?;
                let inner = inner_of(holds);
                return self.list(|fuse, _| fuse.plain_or_null(element, inner));
            }
            Type::Map(element) => {
                let element = element.constant()?;
                let inner = inner_of(holds);
                return self.map(|fuse, _| fuse.plain_or_null(element, inner));
            }
            Type::Set(_) | Type::Tuple(_) | Type::Object(_) | Type::Dynamic => {
                let value = Value::read_nested(self.reader, ty).ok()?;
                return self.written(value, ty, holds);
            }
        }
        Some(())
    }

    fn plain_or_null(&mut self, ty: &'static Type, holds: &Holds) -> Option<()> {
        if self.reader.peek().ok()? == Kind::Null {
            self.reader.null().ok()?;
            self.writer.null();
            return holds.nullable.then_some(());
        }
        self.plain(ty, holds)
    }

    fn number(&mut self, holds: &Holds) -> Option<()> {
        match holds.takes {
            Takes::Integers { min, .. } if min < 0 => {
                let int = i64::decode(self.reader).ok()?;
                in_range(i128::from(int), holds)?;
                self.writer.signed(int);
            }
            Takes::Integers { .. } => {
                let int = u64::decode(self.reader).ok()?;
                in_range(i128::from(int), holds)?;
                self.writer.unsigned(int);
            }
            Takes::Floats => self.writer.float(f64::decode(self.reader).ok()?),
            Takes::OwnType => {
                self.verify = true;
                self.writer.number(&scalar::number(self.reader).ok()?);
            }
            Takes::Anything | Takes::Texts(_) | Takes::Objects(_) | Takes::Tuples(_) => {
                self.writer.number(&scalar::number(self.reader).ok()?)
            }
        }
        Some(())
    }

    /// A value whose form changes without an operator, or that must be put in order.
    fn slowly(&mut self, from: Member<'static>, to: Member<'static>, trail: &Trail<'_>) -> Option<()> {
        let ty = super::stage::plain_type(from.form)?;
        let value = Value::read_nested(self.reader, &ty).ok()?;
        let value = carry(value, from.form, to.form, &trail.place(), self.context).ok()?;
        self.judged(value, to)
    }

    /// What operators made of an attribute.
    fn made(&mut self, value: Value, target: Member<'static>, members: Members<'static>, name: &str) -> Option<()> {
        if target.write_only {
            self.writer.null();
            return Some(());
        }
        if value.is_null() {
            return self.null(target);
        }
        if matches!(target.form, Form::Plain(_)) {
            return self.judged(value, target);
        }
        let mut one = BTreeMap::from([(name.to_owned(), value)]);
        members.settle_one(name, &mut one);
        self.judged(one.remove(name)?, target)
    }

    fn judged(&mut self, value: Value, target: Member<'static>) -> Option<()> {
        match target.form {
            Form::Plain(ty) => self.written(value, ty, &target.holds),
            form => {
                // Nested objects: what they take is for the model to judge.
                self.verify = true;
                self.written(value, &super::stage::plain_type(form)?, &target.holds)
            }
        }
    }

    fn written(&mut self, mut value: Value, ty: &Type, holds: &Holds) -> Option<()> {
        value.conform(ty, Unknown::Refuse).ok()?;
        if has_set_of_objects(&value, ty) {
            return None;
        }
        self.verify |= !takes(&value, holds)?;
        value.write(ty, self.writer);
        Some(())
    }
}

/// Whether there is a set of more than one object or collection in it: in which order those are written is for the model to say.
fn has_set_of_objects(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::List(list), Type::Set(element)) if list.len() > 1 => {
            !matches!(**element, Type::Bool | Type::String | Type::Number)
                || list.iter().any(|value| has_set_of_objects(value, element))
        }
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            list.iter().any(|value| has_set_of_objects(value, element))
        }
        (Value::Map(map), Type::Map(element)) => map.values().any(|value| has_set_of_objects(value, element)),
        (Value::Map(map), Type::Object(fields)) => {
            fields.iter().any(|field| map.get(field.name()).is_some_and(|value| has_set_of_objects(value, field.ty())))
        }
        _ => false,
    }
}

fn inner_of(holds: &Holds) -> &'static Holds {
    // Without more said, elements are never null.
    const ANYTHING: &Holds = &Holds::ANYTHING;
    holds.elements.unwrap_or(ANYTHING)
}

fn in_range(int: i128, holds: &Holds) -> Option<()> {
    match holds.takes {
        Takes::Integers { min, max } => (min <= int && int <= max).then_some(()),
        _ => Some(()),
    }
}

/// Whether a field takes this value: `None` if it does not, `false` if only the model can tell.
fn takes(value: &Value, holds: &Holds) -> Option<bool> {
    let fits = match (value, holds.takes) {
        (Value::Null, _) => return holds.nullable.then_some(true),
        (Value::Number(number), Takes::Integers { .. }) => {
            let int = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))?;
            in_range(int, holds)?;
            true
        }
        (Value::String(text), Takes::Texts(texts)) => texts.contains(&text.as_str()).then_some(true)?,
        (Value::List(list), Takes::Anything) => {
            let inner = inner_of(holds);
            return list.iter().map(|value| takes(value, inner)).try_fold(true, |all, one| one.map(|one| all && one));
        }
        // Objects, maps and tuples: of what is in them nothing is said here.
        (Value::Map(_), _) | (_, Takes::OwnType | Takes::Floats | Takes::Objects(_) | Takes::Tuples(_)) => false,
        _ => true,
    };
    Some(fits)
}

/// The one prior attribute that a production looks at, and what is done to its value; `None` if it looks at more.
fn local(production: &Production) -> Option<(&'static str, &'static [Stage])> {
    let [target] = production.target else { return None };
    let (name, stages) = match production.stages {
        [Stage { operation, only_if: None, .. }, rest @ ..] => match operation {
            Operation::Take { from: [from], existing: Existing::Unsaid } | Operation::Copy { from: [from] } => (*from, rest),
            _ => (*target, production.stages),
        },
        _ => return None,
    };
    let alone = |stage: &Stage| {
        let mut reads = false;
        stage_paths(stage, &mut |_| reads = true);
        !reads && stage.only_if.is_none() && !matches!(stage.operation, Operation::Unwrap { many: Many::First, .. })
    };
    stages.iter().all(alone).then_some((name, stages))
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

fn read_form(reader: &mut Reader<'_>, form: Form<'static>) -> Option<Value> {
    match form {
        Form::Plain(ty) => Value::read_nested(reader, ty).ok(),
        form => Value::read_nested(reader, &super::stage::plain_type(form)?).ok(),
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

    fn len(&self) -> usize {
        self.members.attributes.len() + self.members.blocks.len()
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
