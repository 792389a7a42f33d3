//! Follows a plan over the bytes of one state.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::form::{Form, Member};
use super::super::run::{Source, carry};
use super::super::table::Stage;
use super::super::transit::Transit;
use super::plan::{Carried, From, Input, Kind, Made, Make, Nothing, Output, Plan, Step};
use super::scalar::{self, Scalar, TakenApart};
use super::trail::{Step as Way, Trail};
use super::value::{self, Judged};
use crate::codec::json::{Reader, Transfer};
use crate::codec::{AttributeType, Writer, scalar as rules};
use crate::diagnostics::Diagnostics;
use crate::schema::Type;
use crate::upgrade::context::{Noted, UpgradeContext};
use crate::value::Value;

/// The value of a register whose member is not there.
const ABSENT: usize = usize::MAX;

/// One run over one state. Everything in it answers `None` if this is not the way for the state.
pub(super) struct Run<'a, 'o, 'c, 'u, const JSON: bool, const LAID_OUT: bool> {
    text: Transfer<'a, 'o, JSON, LAID_OUT>,
    /// The registers of the object that the cursor is in, behind those of the objects around it.
    registers: Vec<usize>,
    /// The judgement of the answer so far: `Judged::Model` if only the current model can tell
    /// whether it takes the answer.
    judged: Judged,
    /// True if another plan takes up the answer.
    goes_on: bool,
    taken_apart: TakenApart<'a>,
    context: &'c mut UpgradeContext<'u>,
}

impl<'a, 'o, 'c, 'u, const JSON: bool, const LAID_OUT: bool> Run<'a, 'o, 'c, 'u, JSON, LAID_OUT> {
    pub(super) fn new(
        text: Transfer<'a, 'o, JSON, LAID_OUT>,
        goes_on: bool,
        context: &'c mut UpgradeContext<'u>,
    ) -> Self {
        Self {
            text,
            registers: Vec::new(),
            judged: Judged::Takes,
            goes_on,
            taken_apart: TakenApart::default(),
            context,
        }
    }

    /// The whole state.
    #[inline]
    pub(super) fn state(&mut self, plan: &Plan) -> Option<Judged> {
        self.object(plan, &Trail::ROOT)?;
        self.text.end()?;
        Some(self.judged)
    }

    fn object(&mut self, plan: &Plan, trail: &Trail<'_>) -> Option<()> {
        self.text.open_object(plan.members)?;
        let base = self.registers.len();
        if plan.registers > 0 {
            self.registers.resize(base + plan.registers, ABSENT);
        }
        let noted = if plan.drops.is_empty() {
            Noted::default()
        } else {
            self.context.noted()
        };
        let mut gathered = None;
        let (mut first, mut first_written) = (true, true);
        for step in &plan.steps {
            match step {
                Step::Keep(kept) => {
                    let label = &kept.label;
                    if self.text.carry(label, first, label, first_written, true) {
                        first = false;
                        if !self.keep_string(&kept.carried) {
                            self.carry(
                                &kept.carried,
                                &trail.below(Way::Name(label.name), kept.sensitive),
                            )?;
                        }
                    } else {
                        self.text.name(label, first_written);
                        self.null(kept.carried.null)?;
                    }
                    first_written = false;
                }
                Step::Pass {
                    stored,
                    register,
                    unread,
                } => {
                    if self.text.find(stored, first) {
                        first = false;
                        let start = self.pass(unread.as_ref(), trail)?;
                        self.remember(base, *register, start);
                    }
                }
                Step::Write(output) => {
                    let found = self.begin(output, base, &mut first, first_written)?;
                    first_written = false;
                    self.make(plan, output, found, gathered.as_ref(), trail)?;
                }
                Step::Gather { inputs, report } => {
                    let values = self.gather(inputs, base)?;
                    if *report {
                        self.report(plan, &values, trail)?;
                    }
                    gathered = Some(values);
                }
            }
        }
        self.text.close_object(first, first_written)?;
        if plan.registers > 0 {
            self.note_drops(plan, base, noted, trail);
            self.registers.truncate(base);
        }
        Some(())
    }

    /// Notes which members ended in the object, whose registers begin at `base`.
    fn note_drops(&mut self, plan: &Plan, base: usize, noted: Noted, trail: &Trail<'_>) {
        let endings = plan.drops.iter().filter(|ending| {
            self.registers
                .get(base + ending.register)
                .is_some_and(|at| *at != ABSENT)
        });
        for (position, ending) in endings.enumerate() {
            self.context.note_dropped_at(
                noted,
                position,
                trail.path_to(ending.name),
                ending.reason,
            );
        }
    }

    #[inline]
    fn remember(&mut self, base: usize, register: Option<usize>, start: usize) {
        if let Some(slot) = register.and_then(|register| self.registers.get_mut(base + register)) {
            *slot = start;
        }
    }

    /// Moves past a value and says where it begins; of one that nothing else looks at only if it is
    /// not null.
    fn pass(&mut self, unread: Option<&Carried>, trail: &Trail<'_>) -> Option<usize> {
        let first = self.text.peek()?;
        let start = self.text.position();
        let Some(unread) = unread else {
            return self.text.skip().map(|()| start);
        };
        // A member that nothing reads must still fit the schema, so that it is taken over and
        // forgotten.
        let (judged, written, noted) = (self.judged, self.text.written(), self.context.noted());
        self.carry(unread, trail)?;
        self.text.forget(written);
        self.context.forget(noted);
        self.judged = judged;
        let nothing = first == b'n' || unread.null.is_blocks() && self.text.is_empty_since(start);
        Some(if nothing { ABSENT } else { start })
    }

    /// Writes the name of a member, and moves to what it is made of, if that is there. Then the
    /// answer is where to go back to, if anywhere.
    fn begin(
        &mut self,
        output: &Output,
        base: usize,
        first: &mut bool,
        first_written: bool,
    ) -> Option<Found> {
        match &output.from {
            From::Here {
                stored,
                same,
                register,
            } => {
                if self
                    .text
                    .carry(stored, *first, &output.written, first_written, *same)
                {
                    *first = false;
                    if register.is_some() {
                        self.text.peek()?;
                        self.remember(base, *register, self.text.position());
                    }
                    return Some(Found::Here);
                }
            }
            From::Register(register) => {
                let start = self.registers.get(base + register).copied()?;
                if start != ABSENT {
                    self.text.name(&output.written, first_written);
                    return Some(Found::Elsewhere(self.text.jump(start)));
                }
            }
            From::Nowhere => {}
        }
        self.text.name(&output.written, first_written);
        Some(Found::Nothing)
    }

    fn make(
        &mut self,
        plan: &Plan,
        output: &Output,
        found: Found,
        gathered: Option<&BTreeMap<String, Value>>,
        trail: &Trail<'_>,
    ) -> Option<()> {
        let stored = !matches!(found, Found::Nothing);
        match &output.make {
            Make::Carry(carried) if stored => {
                self.carry(
                    carried,
                    &trail.below(Way::Name(output.stored_name), output.sensitive),
                )?;
            }
            Make::Carry(carried) => self.null(carried.null)?,
            Make::Constant(written) => self.text.append(written),
            Make::OfBool(written) => {
                let [of_true, of_false, of_null] = &**written;
                let made = match if stored { self.bool_or_null()? } else { None } {
                    Some(true) => of_true,
                    Some(false) => of_false,
                    None => of_null,
                };
                let Made { written, judged } = made.as_ref()?;
                self.text.append(written);
                if *judged == Judged::Model {
                    self.judged = Judged::Model;
                }
            }
            Make::Scalar {
                stages,
                from,
                to,
                null,
            } => self.scalar(stages, from, to, *null, stored)?,
            Make::Value { .. } | Make::Gathered { .. } => {
                self.make_of_values(plan, output, stored, gathered, trail)?;
            }
        }
        if let Found::Elsewhere(back) = found {
            self.text.jump(back);
        }
        Some(())
    }

    /// Operators over one bool, number or text.
    fn scalar(
        &mut self,
        stages: &'static [Stage],
        from: &'static Type,
        to: &Member<'static>,
        null: Nothing,
        stored: bool,
    ) -> Option<()> {
        let mut value = if stored {
            self.text.read(|reader| scalar::read(reader, from))?
        } else {
            Scalar::Null
        };
        for stage in stages {
            let part = self.taken_apart.made_by(&stage.operation, &value);
            value = match part {
                Some(part) => part,
                None => scalar::apply(&stage.operation, value, to)?,
            };
        }
        self.write(|writer| scalar::write(&value, to, null, writer))
    }

    /// Operators over what only values are made of.
    #[inline(never)]
    fn make_of_values(
        &mut self,
        plan: &Plan,
        output: &Output,
        stored: bool,
        gathered: Option<&BTreeMap<String, Value>>,
        trail: &Trail<'_>,
    ) -> Option<()> {
        match &output.make {
            Make::Value { stages, from, to } => {
                let form = from.form;
                let value = if stored {
                    self.value(form)?
                } else {
                    Value::Null
                };
                let value = if value.is_null() {
                    form.nothing()
                } else {
                    value
                };
                let place = trail
                    .place()
                    .below_known(output.stored_name, output.sensitive);
                let prior = BTreeMap::new();
                let mut source = Source {
                    prior: &prior,
                    from: plan.from,
                    hidden: &[],
                    place: &place,
                    context: self.context,
                };
                let mut transit = Transit {
                    value,
                    form,
                    place: place.clone(),
                };
                for stage in *stages {
                    transit = source.step(stage, transit, *to).ok()?;
                }
                let value = carry(
                    transit.value,
                    transit.form,
                    to.form,
                    &transit.place,
                    self.context,
                )
                .ok()?;
                self.write(|writer| {
                    value::write_made(value, *to, plan.to.members, output.written.name, writer)
                })
            }
            Make::Gathered { to } => {
                let place = trail.place();
                let mut source = Source {
                    prior: gathered?,
                    from: plan.from,
                    hidden: &[],
                    place: &place,
                    context: self.context,
                };
                let value = source
                    .produce(plan.operators, output.written.name, *to)
                    .ok()?
                    .unwrap_or_default();
                self.write(|writer| {
                    value::write_made(value, *to, plan.to.members, output.written.name, writer)
                })
            }
            // These are made where they are met.
            Make::Carry(_) | Make::Constant(_) | Make::OfBool(_) | Make::Scalar { .. } => None,
        }
    }

    /// Reads a bool or null.
    #[inline]
    #[expect(clippy::option_option, reason = "there may be none of the two")]
    fn bool_or_null(&mut self) -> Option<Option<bool>> {
        self.text.peek()?;
        match self.text.pass_bool_or_null() {
            Some(value) => Some(value),
            // A string or number may mean a bool, too.
            None => self.text.read(rules::bool).map(Some),
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut Writer<'_>) -> Option<Judged>) -> Option<()> {
        if self.text.write(write)? == Judged::Model {
            self.judged = Judged::Model;
        }
        Some(())
    }

    /// Reads the value at the cursor.
    fn value(&mut self, form: Form<'static>) -> Option<Value> {
        let mut value = None;
        self.text.read(|reader| {
            value = value::read(reader, form).transpose()?;
            Ok(())
        })?;
        value
    }

    #[inline(never)]
    fn gather(&mut self, inputs: &[Input], base: usize) -> Option<BTreeMap<String, Value>> {
        let here = self.text.position();
        let mut values = BTreeMap::new();
        for input in inputs {
            let start = self.registers.get(base + input.register).copied()?;
            if start != ABSENT {
                self.text.jump(start);
                values.insert(input.name.to_owned(), self.value(input.member.form)?);
            }
        }
        self.text.jump(here);
        Some(values)
    }

    #[inline(never)]
    fn report(
        &mut self,
        plan: &Plan,
        gathered: &BTreeMap<String, Value>,
        trail: &Trail<'_>,
    ) -> Option<()> {
        let place = trail.place();
        let mut errors = Diagnostics::new();
        Source {
            prior: gathered,
            from: plan.from,
            hidden: &[],
            place: &place,
            context: self.context,
        }
        .report(plan.operators, plan.to.members, &mut errors);
        (!errors.has_errors()).then_some(())
    }

    fn null(&mut self, null: Nothing) -> Option<()> {
        self.text.write(|writer| value::write_null(null, writer))
    }

    /// Takes the value at the cursor over.
    fn carry(&mut self, carried: &Carried, trail: &Trail<'_>) -> Option<()> {
        let first = self.text.peek()?;
        if first == b'n' {
            if carried.null == Nothing::Null {
                return self.text.null();
            }
            self.text.read(Reader::null)?;
            return self.null(carried.null);
        }
        if carried.own_type {
            self.judged = Judged::Model;
        }
        match &carried.kind {
            Kind::Bool => {
                if !self.text.bool() {
                    let bool = self.text.read(rules::bool)?;
                    self.text.write(|writer| writer.bool(bool));
                }
            }
            Kind::Text => {
                if !self.text.any_string() {
                    self.text.text(rules::text)?;
                }
            }
            Kind::OneOf(texts) => texts
                .contains(&&*self.text.text(rules::text)?)
                .then_some(())?,
            Kind::Integer { min, max } => {
                if !self.text.integer(*min, *max) {
                    let int = self.text.read(i64::decode)?;
                    (*min..=*max).contains(&int).then_some(())?;
                    self.text.write(|writer| writer.signed(int));
                }
            }
            Kind::Unsigned { max } => {
                if !self.text.integer(0, i64::MAX) {
                    let int = self.text.read(u64::decode)?;
                    (int <= *max).then_some(())?;
                    self.text.write(|writer| writer.unsigned(int));
                }
            }
            // Another upgrader may look at digits here that no float keeps.
            Kind::Float if !self.goes_on => {
                if !self.text.float() {
                    let float = self.text.read(f64::decode)?;
                    self.text.write(|writer| writer.float(float));
                }
            }
            Kind::Float | Kind::Number => {
                if !self.text.number() {
                    let number = self.text.read(rules::number)?;
                    self.text.write(|writer| writer.number(&number));
                }
            }
            Kind::List(element) => self.list(element, trail)?,
            Kind::Map(element) => self.map(element, trail)?,
            Kind::Object(plan) => self.object(plan, trail)?,
            Kind::SetOfTexts(..) | Kind::Typed(..) | Kind::Reshaped(..) | Kind::WriteOnly(_) => {
                self.carry_value(&carried.kind, trail)?;
            }
        }
        Some(())
    }

    /// Takes a value over that more is done to than to look at it.
    #[inline(never)]
    fn carry_value(&mut self, kind: &Kind, trail: &Trail<'_>) -> Option<()> {
        match kind {
            Kind::SetOfTexts(ty, to) => {
                if self.set_of_texts()? {
                    return Some(());
                }
                let value = self.text.read(|reader| Value::read_nested(reader, ty))?;
                self.write(|writer| value::write_as(value, *to, writer))
            }
            Kind::Typed(ty, to) => {
                let value = self.text.read(|reader| Value::read_nested(reader, ty))?;
                self.write(|writer| value::write_as(value, *to, writer))
            }
            Kind::Reshaped(forms) => {
                let (from, to) = &**forms;
                let value = self.value(from.form)?;
                let value = carry(value, from.form, to.form, &trail.place(), self.context).ok()?;
                self.write(|writer| value::write_as(value, *to, writer))
            }
            Kind::WriteOnly(stored) => {
                self.pass(Some(stored), trail)?;
                self.null(Nothing::Null)
            }
            // These are taken over where they are met.
            Kind::Bool
            | Kind::Text
            | Kind::OneOf(_)
            | Kind::Integer { .. }
            | Kind::Unsigned { .. }
            | Kind::Float
            | Kind::Number
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Object(_) => None,
        }
    }

    /// Takes the string at the cursor over, if nothing but a string is wanted there and it is as it
    /// would be written: what most values are.
    #[inline]
    fn keep_string(&mut self, carried: &Carried) -> bool {
        matches!(carried.kind, Kind::Text) && !carried.own_type && self.text.any_string()
    }

    fn list(&mut self, element: &Carried, trail: &Trail<'_>) -> Option<()> {
        let header = self.text.open(b'[')?;
        let mut len = 0;
        while self.text.next_element(len == 0)? {
            if !self.keep_string(element) {
                self.carry(element, &trail.below(Way::Index(len), false))?;
            }
            len += 1;
        }
        self.text.close(b'[', header, len);
        Some(())
    }

    fn map(&mut self, element: &Carried, trail: &Trail<'_>) -> Option<()> {
        let header = self.text.open(b'{')?;
        let mut last: Option<Cow<'_, str>> = None;
        let mut len = 0;
        while self.text.next_entry(len == 0)? {
            let key = self.text.key()?;
            // The current model writes keys in order, each once, so a map with other keys cannot be
            // copied as it is.
            if last.as_ref().is_some_and(|last| **last >= *key) {
                return None;
            }
            if !self.keep_string(element) {
                self.carry(element, &trail.below(Way::Key(&key), false))?;
            }
            last = Some(key);
            len += 1;
        }
        self.text.close(b'{', header, len);
        Some(())
    }

    /// A set of strings that are in order already; otherwise the cursor is where it was.
    fn set_of_texts(&mut self) -> Option<bool> {
        let (start, written) = (self.text.position(), self.text.written());
        let header = self.text.open(b'[')?;
        let mut last = None;
        let mut len = 0;
        while self.text.next_element(len == 0)? {
            self.text.peek()?;
            match self.text.string() {
                Some(text) if last.is_none_or(|last| last < text) => last = Some(text),
                _ => {
                    self.text.leave();
                    self.text.forget(written);
                    self.text.jump(start);
                    return Some(false);
                }
            }
            len += 1;
        }
        self.text.close(b'[', header, len);
        Some(true)
    }
}

/// The stored value that a current member is made of, as the run found it.
#[derive(Clone, Copy)]
enum Found {
    /// The cursor is at it.
    Here,
    /// The cursor is at it, and was there.
    Elsewhere(usize),
    Nothing,
}
