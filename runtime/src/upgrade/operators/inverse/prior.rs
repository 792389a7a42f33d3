//! A prior object on its way: which of its attributes come from where.

use std::collections::BTreeMap;

use super::super::convert;
use super::super::form::{Form, Member, Objects, member};
use super::super::going::{Going, Sure, Undone};
use super::super::place::Place;
use super::super::row::starts_empty;
use super::super::run::each_object;
use super::super::stage::{constant_value, plain_type};
use super::super::structure::is_key;
use super::super::table::{
    Apart, Condition, Dropped, EmptyText, Operators, Path, Pattern, Piece, Production, Stage,
};
use super::super::url;
use super::nested::Nested;
use super::stage::{coerce, types_before};
use super::undo;
use crate::diagnostics::Diagnostics;
use crate::path::PathStep;
use crate::schema::{Nesting, Type};
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

type Result<T> = std::result::Result<T, Diagnostics>;

/// The parts of a prior text, by the names that they have where it is taken apart.
struct Parts {
    from: Path,
    apart: &'static Apart,
    found: Vec<(&'static str, Value)>,
}

/// A prior object that is put together.
pub(super) struct Draft<'p> {
    operators: &'static Operators,
    from: Objects<'static>,
    to: Objects<'static>,
    place: &'p Place,
    nested: &'p Nested,
    /// Values of prior attributes, in their prior form.
    known: BTreeMap<Vec<&'static str>, (Sure, Value)>,
    parts: Vec<Parts>,
}

impl<'p> Draft<'p> {
    pub(super) const fn new(
        operators: &'static Operators,
        from: Objects<'static>,
        to: Objects<'static>,
        place: &'p Place,
        nested: &'p Nested,
    ) -> Self {
        Self {
            operators,
            from,
            to,
            place,
            nested,
            known: BTreeMap::new(),
            parts: Vec::new(),
        }
    }

    /// The prior object, if the operators acted whose conditions `acts` says hold. With errors it
    /// lacks the attributes that they are about.
    pub(super) fn fill(
        mut self,
        current: &BTreeMap<String, Value>,
        acts: &dyn Fn(&'static Condition) -> bool,
        context: &mut UpgradeContext<'_>,
    ) -> (BTreeMap<String, Value>, Diagnostics) {
        let mut errors = Diagnostics::new();
        for production in self.operators.productions {
            if let Err(found) = self.follow_back(production, current, acts, context) {
                errors.append(found);
            }
        }
        self.put_parts_together();
        if let Err(found) = self.put_entries_back(current, acts, context) {
            errors.append(found);
        }
        let mut prior = BTreeMap::new();
        for name in self.from.members.names() {
            match self.own(name, current, context) {
                Ok(value) => drop(prior.insert(name.to_owned(), value)),
                Err(found) => errors.append(found),
            }
        }
        // `rekey` has put the key into the objects, or will take it out of them.
        for name in [self.from.with, self.to.without, self.to.with]
            .into_iter()
            .flatten()
        {
            if let (None | Some(Value::Null), Some(value)) = (prior.get(name), current.get(name)) {
                let ty = member(self.from.members, name).and_then(|member| plain_type(member.form));
                let value = ty.map_or_else(
                    || value.clone(),
                    |ty| coerce(value.clone(), &ty, EmptyText::Unsaid),
                );
                prior.insert(name.to_owned(), value);
            }
        }
        let mut inner: Vec<(&Vec<&'static str>, &(Sure, Value))> = self
            .known
            .iter()
            .filter(|(path, _)| path.len() > 1)
            .collect();
        inner.sort_by_key(|(path, _)| path.len());
        for (path, (_, value)) in inner {
            put(&mut prior, self.from, path, value);
        }
        if let Err(found) = self.put_dropped_back(&mut prior, context.is_of_document()) {
            errors.append(found);
        }
        (prior, errors)
    }

    /// Puts the `back` of each drop inside of an object there. Those of attributes directly in the
    /// object are there already.
    fn put_dropped_back(&self, prior: &mut BTreeMap<String, Value>, exact: bool) -> Result<()> {
        let inside =
            |dropped: &&Dropped| dropped.path.len() > 1 && !self.known.contains_key(dropped.path);
        let mut errors = Diagnostics::new();
        for Dropped { path, back, .. } in self.operators.drops.iter().filter(inside) {
            let (Some(constant), Some(before)) = (back, self.before(path)) else {
                continue;
            };
            match constant_value(
                constant,
                before.form,
                &self.place.making(path, before.sensitive),
                exact,
            ) {
                Ok(value) => put_into_each(prior, self.from, path, &value),
                Err(found) => errors.append(found),
            }
        }
        if errors.has_errors() {
            Err(errors)
        } else {
            Ok(())
        }
    }

    /// The value of a prior attribute that is directly in the object.
    fn own(
        &self,
        name: &'static str,
        current: &BTreeMap<String, Value>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Value> {
        let known = self.known.get([name].as_slice());
        if let Some((Sure::Quite, value)) = known {
            return Ok(value.clone());
        }
        let made = self
            .operators
            .productions
            .iter()
            .any(|production| *production.target == [name]);
        if let (false, Some(target), Some(before)) = (
            made,
            member(self.to.members, name),
            member(self.from.members, name),
        ) {
            let place = self.place.below(name, target.sensitive || before.sensitive);
            let value = current.get(name).cloned().unwrap_or_default();
            return self
                .nested
                .carry_back(&[name], value, target.form, before, &place, context);
        }
        if let Some((_, value)) = known {
            return Ok(value.clone());
        }
        let back = self
            .operators
            .drops
            .iter()
            .find(|dropped| *dropped.path == [name])
            .and_then(|dropped| dropped.back);
        let Some(before) = member(self.from.members, name) else {
            return Ok(Value::Null);
        };
        match back {
            Some(constant) => {
                let place = self.place.below(name, before.sensitive);
                constant_value(&constant, before.form, &place, context.is_of_document())
            }
            None => Ok(before.form.nothing()),
        }
    }

    /// Takes the value of a production back to the prior attributes that it came from.
    fn follow_back(
        &mut self,
        production: &'static Production,
        current: &BTreeMap<String, Value>,
        acts: &dyn Fn(&'static Condition) -> bool,
        context: &mut UpgradeContext<'_>,
    ) -> Result<()> {
        if production.is_beside(self.operators, self.to.members) {
            return Ok(());
        }
        let Some((value, target, place)) = self.at(production.target, current) else {
            return Ok(());
        };
        let stages: Vec<&'static Stage> = production
            .stages
            .iter()
            .filter(|stage| stage.only_if.is_none_or(acts))
            .collect();
        let source = stages
            .iter()
            .rev()
            .find_map(|stage| stage.operation.begins_with())
            .unwrap_or(production.target);
        let before = self.before(source);
        let form_at = |path| self.before(path).map(|before| before.form);
        let types = types_before(
            &stages,
            before.map(|before| before.form),
            target.form,
            &form_at,
        );
        let nullable = before.is_none_or(|before| before.holds.nullable || before.is_block);
        let mut going = Going {
            value,
            form: target.form,
            place,
            nullable,
        };
        for (stage, ty) in stages.iter().zip(&types).rev() {
            match stage.undo(going, ty.as_ref(), before, context)? {
                Undone::Before(value) => going = value,
                Undone::Went(path, sure, value) => return self.give(path, sure, value, context),
                Undone::TakenApart {
                    from,
                    apart,
                    name,
                    value,
                } => {
                    match self.parts.iter_mut().find(|parts| parts.from == from) {
                        Some(parts) => parts.found.push((name, value.value)),
                        None => self.parts.push(Parts {
                            from,
                            apart,
                            found: vec![(name, value.value)],
                        }),
                    }
                    return Ok(());
                }
                Undone::Either(path, value) => {
                    // The prior version may have it in one of two places: in that of the target,
                    // unless the other must have a value.
                    if self
                        .before(path)
                        .is_some_and(|before| !before.holds.nullable && !before.is_block)
                    {
                        self.give(path, Sure::Hardly, value.clone(), context)?;
                    }
                    going = value;
                }
                Undone::Merged(paths, value) => return self.give_all(paths, value, context),
                Undone::With(several, value) => {
                    for (path, value) in several {
                        self.give(path, Sure::Hardly, value, context)?;
                    }
                    let Some(value) = value else { return Ok(()) };
                    going = value;
                }
                Undone::Nowhere => return Ok(()),
            }
        }
        if starts_empty(production.stages) {
            Ok(())
        } else {
            self.give(production.target, Sure::Quite, going, context)
        }
    }

    /// The entries that a filter left out, from a copy of the whole map.
    fn put_entries_back(
        &mut self,
        current: &BTreeMap<String, Value>,
        acts: &dyn Fn(&'static Condition) -> bool,
        context: &mut UpgradeContext<'_>,
    ) -> Result<()> {
        for production in self.operators.productions {
            let Some(source) = production.filtered() else {
                continue;
            };
            let Some(copy) = self.operators.copy_of(source) else {
                continue;
            };
            let (Some((copied, target, place)), Some(before)) =
                (self.at(copy, current), self.before(source))
            else {
                continue;
            };
            let Value::Map(copied) =
                self.nested
                    .carry_back(source, copied, target.form, before, &place, context)?
            else {
                continue;
            };
            let keys = production
                .stages
                .iter()
                .filter(|stage| stage.only_if.is_none_or(acts))
                .filter_map(Stage::filtered_keys);
            let keys: Vec<&[Pattern]> = keys.collect();
            let mut left_out = copied
                .into_iter()
                .filter(|(key, _)| keys.iter().any(|keys| is_key(keys, key)))
                .peekable();
            if left_out.peek().is_none() {
                continue;
            }
            let (_, value) = self
                .known
                .entry(source.to_vec())
                .or_insert((Sure::Quite, Value::Null));
            if value.is_null() {
                *value = Value::Map(BTreeMap::new());
            }
            if let Value::Map(map) = value {
                for (key, value) in left_out {
                    map.entry(key).or_insert(value);
                }
            }
        }
        Ok(())
    }

    /// The value at a path of the current object, with its member and its place; of a list on the
    /// path, that in the first element.
    fn at(
        &self,
        path: Path,
        current: &BTreeMap<String, Value>,
    ) -> Option<(Value, Member<'static>, Place)> {
        let (name, way) = path.split_last()?;
        let (mut members, mut place, mut object) =
            (self.to.members, self.place.clone(), Some(current));
        for step in way {
            let Member {
                form: Form::Objects(objects, nesting),
                sensitive,
                ..
            } = member(members, step)?
            else {
                return None;
            };
            place = place.below(step, sensitive);
            object = match object.and_then(|object| object.get(*step)) {
                Some(Value::Map(object)) => Some(object),
                Some(Value::List(list)) => {
                    if !list.is_empty() {
                        place = place.step(if nesting == Nesting::Set {
                            PathStep::Element(None)
                        } else {
                            PathStep::Index(0)
                        });
                    }
                    list.first().and_then(Value::as_map)
                }
                Some(
                    Value::Null
                    | Value::Unknown
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Dynamic(_),
                )
                | None => None,
            };
            members = objects.members;
        }
        let target = member(members, name)?;
        let value = object
            .and_then(|object| object.get(*name))
            .cloned()
            .unwrap_or_default();
        Some((value, target, place.below(name, target.sensitive)))
    }

    /// The member that the prior schema has at a path.
    fn before(&self, path: Path) -> Option<Member<'static>> {
        at(self.from, path)
    }

    /// Notes the value of a prior attribute.
    fn give(
        &mut self,
        path: Path,
        sure: Sure,
        going: Going,
        context: &mut UpgradeContext<'_>,
    ) -> Result<()> {
        let Some(before) = self.before(path) else {
            return Ok(());
        };
        if self
            .known
            .get(path)
            .is_some_and(|(known, value)| *known > sure || (*known == sure && !value.is_null()))
        {
            return Ok(());
        }
        let value = match plain_type(before.form) {
            Some(ty) if sure == Sure::Hardly => coerce(going.value, &ty, EmptyText::Unsaid),
            Some(_) | None => going.value,
        };
        let value =
            self.nested
                .carry_back(path, value, going.form, before, &going.place, context)?;
        self.known.insert(path.to_vec(), (sure, value));
        Ok(())
    }

    /// Gives all elements or entries that were merged to the first of the prior collections, which
    /// may hold them all.
    fn give_all(
        &mut self,
        paths: &'static [Path],
        going: Going,
        context: &mut UpgradeContext<'_>,
    ) -> Result<()> {
        let Some((first, others)) = paths.split_first() else {
            return Ok(());
        };
        for path in others {
            let Some(before) = self.before(path) else {
                continue;
            };
            let is_map = matches!(
                before.form,
                Form::Plain(Type::Map(_)) | Form::Objects(_, Nesting::Map)
            );
            let empty = if is_map {
                Value::Map(BTreeMap::new())
            } else {
                Value::List(Vec::new())
            };
            let value = if before.holds.nullable {
                before.form.nothing()
            } else {
                empty
            };
            self.known.insert(path.to_vec(), (Sure::Quite, value));
        }
        let is_list = self.before(first).is_some_and(|before| {
            matches!(
                before.form,
                Form::Plain(Type::List(_) | Type::Set(_))
                    | Form::Objects(_, Nesting::List | Nesting::Set)
            )
        });
        let value = match going.value {
            Value::Map(map) if is_list && map.is_empty() => Value::List(Vec::new()),
            value @ Value::Map(_) if is_list => Value::List(vec![value]),
            value @ (Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Dynamic(_)) => value,
        };
        self.give(first, Sure::Quite, Going { value, ..going }, context)
    }

    /// Strings of which all parts are there.
    fn put_parts_together(&mut self) {
        for Parts { from, apart, found } in std::mem::take(&mut self.parts) {
            let part = |name: &str| {
                found
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value)
            };
            let text = match apart {
                Apart::Pattern(pattern) => text_of(pattern, part),
                Apart::Url(taken) => url::put_together(taken, part),
            };
            let value = text.map_or(Value::Null, Value::String);
            let sure = if value.is_null() {
                Sure::Hardly
            } else {
                Sure::Rather
            };
            if self.known.get(from).is_none_or(|(known, _)| *known < sure) {
                self.known.insert(from.to_vec(), (sure, value));
            }
        }
    }
}

/// The member that objects have at a path.
fn at(objects: Objects<'static>, path: &[&str]) -> Option<Member<'static>> {
    let (name, way) = path.split_last()?;
    let mut members = objects.members;
    for step in way {
        let Member {
            form: Form::Objects(objects, _),
            ..
        } = member(members, step)?
        else {
            return None;
        };
        members = objects.members;
    }
    member(members, name)
}

/// Puts a value where it was in a prior object. No object appears just to hold nothing.
fn put(
    object: &mut BTreeMap<String, Value>,
    objects: Objects<'static>,
    path: &[&'static str],
    value: &Value,
) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        object.insert((*name).to_owned(), value.clone());
        return;
    }
    let Some(Member {
        form: Form::Objects(inner, nesting),
        holds,
        ..
    }) = member(objects.members, name)
    else {
        return;
    };
    let slot = object.entry((*name).to_owned()).or_default();
    let is_there = slot.as_map().is_some() || slot.as_list().is_some_and(|list| !list.is_empty());
    let is_nothing = at(inner, rest).is_some_and(|member| member.form.is_nothing(value));
    if !is_there && is_nothing && holds.nullable {
        return;
    }
    match (nesting, slot) {
        (Nesting::Single, slot) => {
            if slot.as_map().is_none() {
                *slot = Value::Map(BTreeMap::new());
            }
            if let Value::Map(object) = slot {
                put(object, inner, rest, value);
            }
        }
        (Nesting::List | Nesting::Set, slot) => {
            if !is_there {
                // Without elements there is no object that would have to hold others.
                if is_nothing {
                    *slot = Value::List(Vec::new());
                    return;
                }
                *slot = Value::List(vec![Value::Map(BTreeMap::new())]);
            }
            if let Some(Value::Map(object)) = slot.as_list_mut().and_then(|list| list.first_mut()) {
                put(object, inner, rest, value);
            }
        }
        (Nesting::Map, _) => {}
    }
}

/// Puts a value where nothing is at a path: into every object of the lists on the way. An object
/// appears for it only if there has to be one.
fn put_into_each(
    object: &mut BTreeMap<String, Value>,
    objects: Objects<'static>,
    path: &[&'static str],
    value: &Value,
) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    let slot = object.entry((*name).to_owned()).or_default();
    if rest.is_empty() {
        if slot.is_null() {
            *slot = value.clone();
        }
        return;
    }
    let Some(Member {
        form: Form::Objects(inner, nesting),
        holds,
        ..
    }) = member(objects.members, name)
    else {
        return;
    };
    if slot.is_null() && matches!(nesting, Nesting::Single) && !holds.nullable {
        *slot = Value::Map(BTreeMap::new());
    }
    match slot {
        Value::Map(object) => put_into_each(object, inner, rest, value),
        Value::List(list) => {
            for object in list {
                if let Value::Map(object) = object {
                    put_into_each(object, inner, rest, value);
                }
            }
        }
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_) => {}
    }
}

/// Brings a value that was carried back to its prior form: nested objects through the upgraders of
/// their own.
pub(super) fn carry_back(
    value: Value,
    now: Form<'static>,
    before: Member<'static>,
    place: &Place,
    context: &mut UpgradeContext<'_>,
) -> Result<Value> {
    let place = place.clone().hidden_if(before.sensitive);
    let (Form::Objects(to, _), Form::Objects(from, nesting)) = (now, before.form) else {
        return Ok(match (value, before.form) {
            (value, Form::Plain(Type::Dynamic)) => convert::into_dynamic(value, plain_type(now)),
            (value, Form::Objects(..)) => match plain_type(before.form) {
                Some(ty) => coerce(value, &ty, EmptyText::Unsaid),
                None => value,
            },
            (Value::Dynamic(dynamic), Form::Plain(_) | Form::Made(_)) => dynamic.1,
            (value, _) => value,
        });
    };
    if from.origin.is(to.origin)
        && from.with.is_none()
        && from.without.is_none()
        && to.with.is_none()
    {
        return Ok(value);
    }
    let operators = to.origin.operators_from(from.origin);
    each_object(value, nesting, &place, |value, place| {
        undo(operators, &value, from, to, place, context)
    })
    .map_err(Diagnostics::from)
}

/// A string of which all parts are there.
fn text_of<'v>(pattern: &Pattern, part: impl Fn(&str) -> Option<&'v Value>) -> Option<String> {
    let mut text = String::new();
    for piece in pattern.pieces {
        match piece {
            Piece::Text(fixed) => text.push_str(fixed),
            Piece::Part(name) | Piece::Rest(name) => {
                text.push_str(part(name).and_then(Value::as_str)?);
            }
            Piece::Optional(optional) if optional.name == "_" => {
                optional.put(&mut text, optional.default);
            }
            Piece::Optional(optional) => {
                optional.put(&mut text, part(optional.name).and_then(Value::as_str)?);
            }
        }
    }
    Some(text)
}
