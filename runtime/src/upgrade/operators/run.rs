//! Runs a declarative upgrader over a value of the prior schema.

use std::collections::BTreeMap;

use super::condition::{self, Found, Prior};
use super::convert;
use super::dropped::{UNCALLED, places};
use super::form::{Form, Member, Objects, member};
use super::left_behind;
use super::place::Place;
use super::row::starts_empty;
use super::stage::plain_type;
use super::structure::without_keys;
use super::table::{Condition, Operators, Path, Production, Stage};
use super::transit::Transit;
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::path::PathStep;
use crate::schema::{Members, Nesting, Node, Origin, Shape, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

static NULL: Value = Value::Null;

/// The errors of an object that does not come to the current schema, and what was made of it all
/// the same: what was not made is unknown.
pub(in crate::upgrade) struct Refused {
    pub(in crate::upgrade) errors: Diagnostics,
    pub(in crate::upgrade) made: Value,
}

impl From<Diagnostics> for Refused {
    fn from(errors: Diagnostics) -> Self {
        Self {
            errors,
            made: Value::Unknown,
        }
    }
}

impl From<Refused> for Diagnostics {
    fn from(refused: Refused) -> Self {
        refused.errors
    }
}

/// Brings a state of the prior schema to the current one.
///
/// # Errors
/// All that operators refuse, together, with the value made of the rest.
pub(in crate::upgrade) fn upgrade_state(
    operators: &Operators,
    prior: Value,
    from: Members<'_>,
    to: Members<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Refused> {
    run(
        operators,
        prior,
        Objects::new(from, Origin::NONE),
        Objects::new(to, Origin::NONE),
        &Place::default(),
        context,
    )
}

/// Brings an object of the prior schema to the current one. All errors are reported together.
pub(super) fn run(
    operators: &Operators,
    prior: Value,
    from: Objects<'_>,
    to: Objects<'_>,
    place: &Place,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Refused> {
    Work::of(operators, from, to).run(operators, prior, (from, to), place, context)
}

/// The work on an object; all else about it stays.
pub(super) struct Work<'s> {
    /// The prior paths that operators make secret attributes of.
    hidden: Vec<Path>,
    /// The members that operators make.
    pub(super) made: Vec<(&'s str, Member<'s>)>,
    /// The members that end.
    ended: Vec<&'s str>,
    /// The objects among those, and among those that are replaced, of which no operator takes the
    /// whole.
    emptied: Vec<(&'s str, Member<'s>)>,
    /// The prior paths whose values operators take whole, if something is in an object that may
    /// end.
    taken: Vec<Path>,
    /// The members that are carried, and are not the same then.
    changed: Vec<(&'s str, Option<Member<'s>>, Member<'s>)>,
}

impl<'s> Work<'s> {
    pub(super) fn of(operators: &Operators, from: Objects<'s>, to: Objects<'s>) -> Self {
        let is_made = |name: &str| {
            operators
                .productions
                .iter()
                .any(|production| production.target.first() == Some(&name))
        };
        let (mut made, mut changed) = (Vec::new(), Vec::new());
        for name in to.members.names() {
            let Some(target) = member(to.members, name) else {
                continue;
            };
            if is_made(name) {
                made.push((name, target));
            } else if !stays(from.members.get(name), to.members.get(name)) {
                changed.push((name, member(from.members, name), target));
            }
        }
        let ended: Vec<_> = from
            .members
            .names()
            .filter(|name| !to.members.defines(name) && to.with != Some(*name))
            .collect();
        let mut taken = left_behind::taken(operators);
        let emptied = left_behind::emptied(operators, &taken, from, &ended);
        if emptied.is_empty() && taken.iter().all(|path| path.len() < 2) {
            taken.clear();
        }
        Self {
            hidden: secret_operands(operators, to.members),
            made,
            ended,
            emptied,
            taken,
            changed,
        }
    }

    /// Does it. A null that is in the place of an object stays.
    pub(super) fn run(
        &self,
        operators: &Operators,
        prior: Value,
        (from, to): (Objects<'_>, Objects<'_>),
        place: &Place,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value, Refused> {
        let Value::Map(mut object) = prior else {
            return Ok(prior);
        };
        let taking = (!self.taken.is_empty()).then(|| place.taking(&self.taken));
        let place = taking.as_ref().unwrap_or(place);
        let mut errors = Diagnostics::new();
        let mut made = Vec::with_capacity(self.made.len());
        {
            let mut source = Source {
                prior: &object,
                from,
                hidden: &self.hidden,
                place,
                context,
            };
            source.report(operators, to.members, &mut errors);
            for (name, target) in &self.made {
                match source.produce(operators, name, *target) {
                    Ok(Some(value)) => made.push((*name, value)),
                    Ok(None) => {}
                    Err(found) => {
                        errors.append(found.errors);
                        made.push((*name, found.made));
                    }
                }
            }
        }
        for (name, member) in &self.emptied {
            if let Some(value) = object.get(*name) {
                left_behind::note(
                    value,
                    member.form,
                    &place.below(name, member.sensitive),
                    context,
                );
            }
        }
        // The object becomes the later one in place, because most of its members stay as they are.
        // A document has members that no field names, too: a struct of the later version may take
        // them.
        for name in &self.ended {
            object.remove(*name);
        }
        for (name, origin, target) in &self.changed {
            let form = origin.map_or(Form::Open, |origin| origin.form);
            let stored = object.get_mut(*name);
            let Some(value) = stored_or_nothing(stored.map(std::mem::take), form) else {
                continue;
            };
            let place = place.below(
                name,
                origin.is_some_and(|origin| origin.sensitive) || target.sensitive,
            );
            let value = carry(value, form, target.form, &place, context).unwrap_or_else(|found| {
                errors.append(found.errors);
                found.made
            });
            drop(put(&mut object, name, value));
        }
        for (name, value) in made {
            let Some(replaced) = put(&mut object, name, value).filter(|value| !value.is_null())
            else {
                continue;
            };
            // No field of the prior version stored it, so that no operator tells of it. What is put
            // into an object leaves its other members there.
            let stays = replaced.as_map().is_some()
                && operators
                    .productions
                    .iter()
                    .all(|production| production.target != [name]);
            if !stays && !from.members.defines(name) {
                context.note_replaced(&place.below(name, false).into_path());
            }
        }
        let made = Value::Map(object);
        if errors.has_errors() {
            Err(Refused { errors, made })
        } else {
            Ok(made)
        }
    }
}

/// Puts a value into an object and gives the one that it replaces.
fn put(object: &mut BTreeMap<String, Value>, name: &str, value: Value) -> Option<Value> {
    match object.get_mut(name) {
        Some(stored) => Some(std::mem::replace(stored, value)),
        None => object.insert(name.to_owned(), value),
    }
}

/// The prior paths that operators make secret attributes of.
fn secret_operands(operators: &Operators, to: Members<'_>) -> Vec<Path> {
    let secret = operators
        .productions
        .iter()
        .filter(|production| to.is_secret_at(production.target));
    secret
        .flat_map(|production| production.stages)
        .flat_map(|stage| stage.operation.all_read())
        .collect()
}

/// A stored value; of blocks that are not stored, or null, the collection without elements that
/// they are.
fn stored_or_nothing(stored: Option<Value>, form: Form<'_>) -> Option<Value> {
    match (stored, form.nothing()) {
        (stored, Value::Null) => stored,
        (None | Some(Value::Null), nothing) => Some(nothing),
        (stored, _) => stored,
    }
}

/// The prior object that sources and conditions read.
pub(super) struct Source<'r, 's, 'c, 'u> {
    pub(super) prior: &'r BTreeMap<String, Value>,
    pub(super) from: Objects<'s>,
    /// Prior attributes that operators make something secret of, whatever the prior schema says.
    pub(super) hidden: &'r [Path],
    pub(super) place: &'r Place,
    pub(super) context: &'c mut UpgradeContext<'u>,
}

/// A prior object, as conditions see it.
pub(super) struct Before<'r, 's> {
    pub(super) prior: &'r BTreeMap<String, Value>,
    pub(super) from: Objects<'s>,
}

impl Prior for Before<'_, '_> {
    fn at(&self, path: Path) -> Found<'_> {
        self.found(path)
    }
}

impl<'r> Before<'r, '_> {
    /// The value at a path, or the lack of blocks there.
    fn found(&self, path: Path) -> Found<'r> {
        let Some((first, rest)) = path.split_first() else {
            return Found::Value(&NULL);
        };
        let mut value = self.prior.get(*first).unwrap_or(&NULL);
        let mut form = member(self.from.members, first).map_or(Form::Open, |member| member.form);
        for name in rest {
            value = if let Value::Map(members) = only(value) {
                members.get(*name).unwrap_or(&NULL)
            } else {
                &NULL
            };
            form = match form {
                Form::Objects(objects, _) => {
                    member(objects.members, name).map_or(Form::Open, |member| member.form)
                }
                Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
            };
        }
        match form {
            Form::Objects(Objects { blocks: true, .. }, _) if form.is_nothing(value) => {
                Found::NoBlocks
            }
            Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Found::Value(value),
        }
    }
}

/// The first element of a list, or else the value itself.
pub(super) fn only(value: &Value) -> &Value {
    if let Value::List(list) = value {
        list.first().unwrap_or(&NULL)
    } else {
        value
    }
}

impl<'s> Source<'_, 's, '_, '_> {
    /// The prior value at a path; null if an object on the way is.
    pub(super) fn at(&self, path: Path) -> Found<'_> {
        Before {
            prior: self.prior,
            from: self.from,
        }
        .found(path)
    }

    /// True if a condition holds, or there is none. A list of several elements on the way to what
    /// it asks for is an error, because it leaves the answer open.
    pub(super) fn meets(&self, condition: Option<&Condition>) -> Result<bool, Diagnostics> {
        let Some(condition) = condition else {
            return Ok(true);
        };
        condition
            .all_read()
            .filter(|path| path.len() > 1)
            .try_for_each(|path| self.read(path).map(drop))?;
        Ok(condition::holds(
            condition,
            &Before {
                prior: self.prior,
                from: self.from,
            },
        ))
    }

    pub(super) fn report(
        &mut self,
        operators: &Operators,
        to: Members<'_>,
        errors: &mut Diagnostics,
    ) {
        for notice in operators.notices {
            match self.meets(notice.only_if) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(found) => {
                    errors.append(found);
                    continue;
                }
            }
            let place = self
                .read(notice.at)
                .map_or_else(|_| self.place.clone(), |found| found.place);
            let diagnostic = if notice.refuse {
                Diagnostic::error(self.context.subject().cannot_upgrade(), notice.text)
            } else {
                Diagnostic::warning("Resource State Upgraded", notice.text)
            }
            .coded(DiagnosticCode::Author);
            let path = place.into_path();
            let diagnostic = if path.is_empty() {
                diagnostic
            } else {
                diagnostic.at(path)
            };
            if notice.refuse {
                errors.push(diagnostic);
            } else {
                self.context.warn(diagnostic);
            }
        }
        for dropped in operators
            .drops
            .iter()
            .filter(|dropped| !self.from.are_keyed_by(dropped.path))
        {
            let mut found = Vec::new();
            places(
                self.from.members,
                self.prior,
                dropped.path,
                self.place,
                &mut found,
            );
            if !found.is_empty()
                && !self.is_read(operators, dropped.path)
                && !self.is_unchanged(operators, to, dropped.path)
            {
                for path in found {
                    self.context.note_dropped(path, dropped.reason);
                }
            }
        }
        for path in self.uncalled(operators, to) {
            self.context.note_dropped(path, UNCALLED);
        }
    }

    /// The prior value at a path, and what the schema says of it.
    pub(super) fn read(&self, path: Path) -> Result<Transit<'s>, Diagnostics> {
        let nothing = |place| Transit {
            value: Value::Null,
            form: Form::Open,
            place,
        };
        let Some((target, way)) = path.split_last() else {
            return Ok(nothing(self.place.clone()));
        };
        let (mut members, mut place, mut value) = (self.from.members, self.place.clone(), None);
        for name in way {
            let Some(Member {
                form: Form::Objects(objects, nesting),
                sensitive,
                ..
            }) = member(members, name)
            else {
                return Ok(nothing(place));
            };
            let within = value.map_or_else(
                || self.prior.get(*name),
                |value: &Value| value.as_map().and_then(|map| map.get(*name)),
            );
            place = place.below(name, sensitive);
            if matches!(within, Some(Value::List(list)) if list.len() == 1) {
                place = place.step(if nesting == Nesting::Set {
                    PathStep::Element(None)
                } else {
                    PathStep::Index(0)
                });
            }
            value = match within {
                Some(Value::List(list)) if list.len() > 1 => {
                    return Err(place.refuse(format_args!(
                        "there are {} elements where one was expected",
                        list.len()
                    )));
                }
                Some(other) => Some(only(other)),
                None => return Ok(nothing(place)),
            };
            members = objects.members;
        }
        let found = value.map_or_else(
            || self.prior.get(*target),
            |value| value.as_map().and_then(|map| map.get(*target)),
        );
        let (form, sensitive) = member(members, target)
            .map_or((Form::Open, false), |found| (found.form, found.sensitive));
        let value = stored_or_nothing(found.cloned(), form).unwrap_or_default();
        let sensitive = sensitive || self.hidden.iter().any(|hidden| path.starts_with(hidden));
        Ok(Transit {
            value,
            form,
            place: place.below(target, sensitive),
        })
    }

    /// The value of one current attribute; `None` if no operator says anything about it.
    pub(super) fn produce(
        &mut self,
        operators: &Operators,
        name: &str,
        target: Member<'_>,
    ) -> Result<Option<Value>, Refused> {
        let mut value = None;
        for production in operators.productions {
            match production.target {
                [only] if *only == name => {
                    let made = self.follow(operators, production, target)?;
                    value = (!made.is_null() || !self.stays_absent(production)).then_some(made);
                }
                _ => {}
            }
        }
        let within = operators.productions.iter().filter(|production| {
            production.target.len() > 1 && production.target.first() == Some(&name)
        });
        if within.clone().next().is_none() {
            return Ok(value);
        }
        let made = value.is_some();
        let place = self.place.below(name, target.sensitive);
        let mut value = if let Some(value) = value {
            value
        } else {
            let form = member(self.from.members, name).map_or(Form::Open, |member| member.form);
            let start = stored_or_nothing(self.prior.get(name).cloned(), form).unwrap_or_default();
            carry(start, form, target.form, &place, self.context)?
        };
        let place = if made { place.wrapped() } else { place };
        let before = if made {
            None
        } else {
            member(self.from.members, name)
        };
        for production in within.clone() {
            let rest = production
                .target
                .split_first()
                .map_or(production.target, |(_, rest)| rest);
            if !made && self.is_unknown(production.target) {
                let path = rest
                    .iter()
                    .fold(place.clone(), |place, name| place.below(name, false))
                    .into_path();
                self.context.note_replaced(&path);
            }
            self.put(&mut value, target, rest, (operators, production), &place)?;
        }
        for production in within {
            let rest = production
                .target
                .split_first()
                .map_or(production.target, |(_, rest)| rest);
            complete(&mut value, before, target, rest);
        }
        Ok(Some(value))
    }

    /// Puts what a production makes into an object at `path` inside `value`. No object appears just
    /// to hold a null, unless there [has to be one](complete).
    fn put(
        &mut self,
        value: &mut Value,
        at: Member<'_>,
        path: Path,
        (operators, production): (&Operators, &Production),
        place: &Place,
    ) -> Result<(), Refused> {
        let (Form::Objects(objects, nesting), Some((name, rest))) = (at.form, path.split_first())
        else {
            return Ok(());
        };
        let Some(target) = member(objects.members, name) else {
            return Ok(());
        };
        let listed = matches!(nesting, Nesting::List | Nesting::Set);
        let was_null = value.is_null();
        let mut within = None;
        if listed {
            let count = value_len(value);
            if count > 1 {
                return Err(place
                    .refuse(format_args!("{name:?} cannot be put into {count} elements"))
                    .into());
            }
            if count == 1 {
                let step = if nesting == Nesting::Set {
                    PathStep::Element(None)
                } else {
                    PathStep::Index(0)
                };
                within = Some(place.step(step));
            }
            let taken = std::mem::take(value);
            *value = if let Value::List(list) = taken {
                list.into_iter().next().unwrap_or_default()
            } else {
                taken
            };
        }
        let place = within
            .as_ref()
            .unwrap_or(place)
            .below(name, target.sensitive);
        let mut object = if let Value::Map(object) = std::mem::take(value) {
            Some(object)
        } else {
            None
        };
        if rest.is_empty() {
            let start = object
                .as_ref()
                .and_then(|object| object.get(*name))
                .cloned();
            let start = stored_or_nothing(start, target.form);
            let start = start.map(|value| Transit {
                value,
                form: target.form,
                place,
            });
            let made = self.follow_from(operators, production, target, start)?;
            if !made.is_null() || object.is_some() && !self.stays_absent(production) {
                object
                    .get_or_insert_default()
                    .insert((*name).to_owned(), made);
            }
        } else {
            let mut inner = object
                .as_mut()
                .and_then(|object| object.remove(*name))
                .unwrap_or_default();
            self.put(&mut inner, target, rest, (operators, production), &place)?;
            if object.is_some() || !is_nothing(&inner) {
                object
                    .get_or_insert_default()
                    .insert((*name).to_owned(), inner);
            }
        }
        let object = object.map_or(Value::Null, Value::Map);
        *value = match (listed, object) {
            (true, Value::Null) if was_null && !at.is_block => Value::Null,
            (true, Value::Null) => Value::List(Vec::new()),
            (true, object) => Value::List(vec![object]),
            (false, object) => object,
        };
        Ok(())
    }

    /// True if a document has none of the members that a production reads: null in their place
    /// would not be the default that a struct fills in.
    fn stays_absent(&self, production: &Production) -> bool {
        let start = (!starts_empty(production.stages)).then_some(production.target);
        let mut read = production
            .stages
            .iter()
            .flat_map(Stage::all_read)
            .chain(start)
            .peekable();
        read.peek().is_some()
            && self.is_absent(production.target)
            && read.all(|path| self.is_absent(path))
    }

    /// True if an object lacks the member at a path, or one on the way to it. State holds a null
    /// there.
    fn is_absent(&self, path: Path) -> bool {
        self.member_at(path).is_none()
    }

    /// True if a document has a member at a path that no field of its version stores.
    fn is_unknown(&self, path: Path) -> bool {
        let mut object = Some(self.prior);
        let found = path.iter().fold(None, |_, name| {
            let found = object?.get(*name);
            object = found.and_then(|value| only(value).as_map());
            found
        });
        found.is_some_and(|value| !value.is_null()) && self.from.members.at(path).is_none()
    }

    /// The member at a path, or a value on the way to it that is not an object.
    fn member_at(&self, path: Path) -> Option<&Value> {
        let mut found = &NULL;
        let mut object = Some(self.prior);
        for name in path {
            let Some(members) = object else {
                return Some(found);
            };
            found = members.get(*name)?;
            object = only(found).as_map();
        }
        Some(found)
    }

    fn follow(
        &mut self,
        operators: &Operators,
        production: &Production,
        target: Member<'_>,
    ) -> Result<Value, Refused> {
        self.follow_from(operators, production, target, None)
    }

    /// Takes a value through the stages of a production.
    fn follow_from<'f>(
        &mut self,
        operators: &Operators,
        production: &Production,
        target: Member<'f>,
        start: Option<Transit<'f>>,
    ) -> Result<Value, Refused>
    where
        's: 'f,
    {
        let mut transit = match start {
            _ if starts_empty(production.stages) => {
                let place = self.place.making(production.target, target.sensitive);
                Transit {
                    value: Value::Null,
                    form: Form::Open,
                    place,
                }
            }
            Some(start) => start,
            None => self.read(production.target)?,
        };
        transit.place.sensitive |= target.sensitive;
        for stage in production.stages {
            if self.meets(stage.only_if)? {
                if stage.operation.row().anew {
                    transit.place = self
                        .place
                        .making(production.target, transit.place.sensitive);
                }
                transit = match stage.filtered_keys() {
                    // Another attribute holds all of them, so nothing ends here.
                    Some(keys) if operators.keep_filtered(production) => {
                        without_keys(keys, transit, |_, _| {})
                    }
                    Some(_) | None => self.step(stage, transit, target)?,
                };
            }
        }
        carry(
            transit.value,
            transit.form,
            target.form,
            &transit.place,
            self.context,
        )
    }
}

/// Makes the objects that there have to be along `path`, of nulls, where the earlier version had
/// none that could be missing.
fn complete(value: &mut Value, before: Option<Member<'_>>, at: Member<'_>, path: Path) {
    let (Form::Objects(objects, nesting), Some((name, rest))) = (at.form, path.split_first())
    else {
        return;
    };
    if value.is_null() && before.is_none() && !at.holds.nullable {
        *value = match nesting {
            Nesting::Single => Value::Map(BTreeMap::new()),
            Nesting::List | Nesting::Set => Value::List(Vec::new()),
            Nesting::Map => return,
        };
    }
    let Some(target) = member(objects.members, name).filter(|_| !rest.is_empty()) else {
        return;
    };
    let before = before.and_then(|before| match before.form {
        Form::Objects(objects, _) => member(objects.members, name),
        Form::Plain(_) | Form::Made(_) | Form::Open => None,
    });
    let object = if let Value::List(list) = value {
        list.first_mut()
    } else {
        Some(value)
    };
    if let Some(Value::Map(object)) = object {
        complete(
            object.entry((*name).to_owned()).or_default(),
            before,
            target,
            rest,
        );
    }
}

fn value_len(value: &Value) -> usize {
    value.as_list().map_or(0, <[Value]>::len)
}

fn is_nothing(value: &Value) -> bool {
    matches!(value, Value::Null) || matches!(value, Value::List(list) if list.is_empty())
}

/// Brings a value as it is to another form: nested objects through the upgraders of their own.
pub(super) fn carry(
    value: Value,
    from: Form<'_>,
    to: Form<'_>,
    place: &Place,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Refused> {
    let (Form::Objects(from, nesting), Form::Objects(to, _)) = (from, to) else {
        return Ok(if matches!(to, Form::Plain(Type::Dynamic)) {
            convert::into_dynamic(value, plain_type(from))
        } else {
            value
        });
    };
    if from.origin.is(to.origin) && from.with.is_none() && from.without.is_none() {
        return Ok(value);
    }
    let operators = to.origin.operators_from(from.origin);
    let work = Work::of(operators, from, to);
    each_object(value, nesting, place, |value, place| {
        work.run(operators, value, (from, to), place, context)
    })
}

/// True if [`carry`] gives the values of one attribute to the other as they are.
pub(super) fn stays(from: Option<Node<'_>>, to: Option<Node<'_>>) -> bool {
    let (Some(Node::Attribute(from)), Some(Node::Attribute(to))) = (from, to) else {
        return false;
    };
    match (from.shape(), to.shape()) {
        (Shape::Plain(_), Shape::Plain(to)) => !matches!(&**to, Type::Dynamic),
        (Shape::Nested(from), Shape::Nested(to)) => from.origin().is(to.origin()),
        (Shape::Plain(_), Shape::Nested(_)) | (Shape::Nested(_), Shape::Plain(_)) => false,
    }
}

/// Does something to each of the nested objects in a value: it is one, or holds them in this
/// arrangement. All errors are kept.
pub(super) fn each_object<E: Into<Refused>>(
    value: Value,
    nesting: Nesting,
    place: &Place,
    mut act: impl FnMut(Value, &Place) -> Result<Value, E>,
) -> Result<Value, Refused> {
    let mut errors = Diagnostics::new();
    let mut object = |value, place: Place| match act(value, &place) {
        Ok(value) => value,
        Err(found) => {
            let found = found.into();
            errors.append(found.errors);
            found.made
        }
    };
    let value = match value {
        Value::List(list) => {
            let step = |index| {
                if nesting == Nesting::Set {
                    PathStep::Element(None)
                } else {
                    PathStep::Index(index)
                }
            };
            Value::List(
                list.into_iter()
                    .zip(0..)
                    .map(|(value, index)| object(value, place.step(step(index))))
                    .collect(),
            )
        }
        Value::Map(map) if nesting == Nesting::Map => Value::Map(
            map.into_iter()
                .map(|(key, value)| (key.clone(), object(value, place.step(PathStep::Key(key)))))
                .collect(),
        ),
        other @ (Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Map(_)
        | Value::Dynamic(_)) => object(other, place.clone()),
    };
    if errors.has_errors() {
        Err(Refused {
            errors,
            made: value,
        })
    } else {
        Ok(value)
    }
}
