//! Whether an upgrader keeps all that it meets, up and back, by its operators and both schemas.
//!
//! A verdict says *lossless* only where that follows from the operators and the types: where it depends on what an author's function does, or
//! on which text is in an attribute, it says *lossy* and names what.

use super::super::form::{Form, Member, Objects, member};
use super::super::row::starts_empty;
use super::super::table::{Dropped, Operation, Operators, Path, Pattern, Piece, Production, Stage};
use super::kept::Known;
use super::stage::types_before;
use crate::schema::{Members, Origin, Type};
use crate::upgrade::verdict::{Verdicts, Weight};

/// Whether the way from one object to another keeps all, and the way back.
pub(in crate::upgrade) fn verdicts(
    operators: &'static Operators,
    prior: Members<'static>,
    current: Members<'static>,
) -> Verdicts {
    let mut found = Verdicts::default();
    judge(operators, Objects::new(prior, Origin::NONE), Objects::new(current, Origin::NONE), "", &mut found);
    found
}

fn judge(operators: &'static Operators, from: Objects<'static>, to: Objects<'static>, within: &str, found: &mut Verdicts) {
    for production in operators.productions {
        if production.is_beside(operators, to.members) {
            found.down.note(Weight::Lost, &at(within, production.target), "any value but the one that the function makes");
            continue;
        }
        production.judge(operators, from.members, to.members, within, found);
    }
    judge_texts(operators, from.members, to.members, within, found);
    for dropped in operators.drops {
        judge_drop(dropped, operators, from.members, within, found);
    }
    for name in to.members.names() {
        let own = operators.productions.iter().find(|production| *production.target == [name]);
        let Some(target) = member(to.members, name) else { continue };
        match (own, member(from.members, name)) {
            (None, Some(before)) => judge_carried(before, target, &at(within, &[name]), found),
            (None, None) if !target.write_only && to.with != Some(name) && from.with != Some(name) => {
                let is_made = operators.productions.iter().any(|production| production.target.first() == Some(&name));
                if !is_made {
                    found.down.note(Weight::Lost, &at(within, &[name]), "the older version does not have it");
                }
            }
            (None, None) | (Some(_), _) => {}
        }
    }
}

impl Production {
    fn judge(
        &'static self,
        operators: &Operators,
        from: Members<'static>,
        to: Members<'static>,
        within: &str,
        found: &mut Verdicts,
    ) {
        let path = at(within, self.target);
        let Some(target) = member_at(to, self.target) else { return };
        let stages: Vec<&'static Stage> = self.stages.iter().collect();
        if stages.iter().any(|stage| stage.only_if.is_some()) {
            found.up.note(Weight::Lost, &path, "on which states the condition held");
            found.down.note(Weight::Lost, &path, "what the condition decides differently when the state is upgraded again");
        }
        if self.target.len() > 1 {
            // Whether the object around it was there is not kept where all that it holds is null.
            found.up.note(Weight::Lost, &path, "whether an object without values was there");
            found.down.note(Weight::Lost, &path, "an object without values");
        }
        let source = stages.iter().rev().find_map(|stage| stage.operation.begins_with()).unwrap_or(self.target);
        if source.len() > 1 {
            found.up.note(Weight::Lost, &path, "whether an object without values was there");
        }
        let before = member_at(from, source);
        let form_at = |path: Path| member_at(from, path).map(|member| member.form);
        let types = types_before(&stages, before.map(|before| before.form), target.form, &form_at);
        let goal = super::super::stage::plain_type(target.form);
        let mut nullable = before.is_none_or(|before| before.holds.nullable);
        let starts_null = nullable;
        for (stage, ty) in stages.iter().zip(&types) {
            let known = Known { ty: ty.as_ref(), goal: goal.as_ref(), nullable, target_nullable: target.holds.nullable };
            let known = if stage.each { known.elements() } else { known };
            // A downgrade finds what was filtered out in a copy.
            if stage.filtered_keys().is_none() || !operators.keep_filtered(self) {
                stage.operation.judge_up(&known, &path, &mut found.up);
            }
            stage.operation.judge_down(&known, &path, &mut found.down);
            if !stage.each {
                nullable = stage.operation.leaves_null(&known);
            }
        }
        if target.holds.nullable && !nullable && !target.is_block {
            let weight = if starts_null { Weight::Lost } else { Weight::Refused };
            found.down.note(weight, &path, "null");
        }
        let Some(before) = before else { return };
        if stages.iter().all(|stage| stage.operation.keeps_form()) {
            judge_forms(before, target, &path, found);
        } else if let Some((from, to)) = objects_of(before.form).zip(objects_of(target.form)) {
            judge_objects(from, to, &path, found);
        }
    }
}

/// Strings that were taken apart: whether all their parts are kept.
fn judge_texts(operators: &Operators, from: Members<'static>, to: Members<'static>, within: &str, found: &mut Verdicts) {
    let mut seen: Vec<(Path, &Pattern, Vec<&str>)> = Vec::new();
    for stage in operators.productions.iter().flat_map(|production| production.stages) {
        let Operation::Extract { from, pattern, name } = &stage.operation else { continue };
        match seen.iter_mut().find(|(known, ..)| known == from) {
            Some((.., names)) => names.push(name),
            None => seen.push((from, pattern, vec![name])),
        }
    }
    for (path, pattern, names) in seen {
        let stays = matches!(path, [name] if member(to, name).is_some()
            && operators.productions.iter().all(|production| production.target != path || !starts_empty(production.stages)));
        let taken = |piece: &Piece| match piece {
            // A string without an optional part is of the pattern, too.
            Piece::Text(_) | Piece::Optional(_) => true,
            Piece::Part(name) | Piece::Rest(name) => names.contains(name),
        };
        let is_lost = |piece: &Piece| matches!(piece, Piece::Optional(optional) if !names.contains(&optional.name));
        if !stays && pattern.pieces.iter().any(|piece| matches!(piece, Piece::Optional(_))) {
            let is_lost = pattern.pieces.iter().any(is_lost);
            let what = if is_lost {
                "the parts of the string that no attribute takes"
            } else {
                "whether a part had its default or was missing"
            };
            found.up.note(Weight::Lost, &at(within, path), what);
        }
        let all = pattern.pieces.iter().all(taken) && !pattern.ignore_case;
        if !stays && !all {
            found.up.note(Weight::Lost, &at(within, path), "the parts of the string that no attribute takes");
            if member_at(from, path).is_some_and(|before| !before.holds.nullable) {
                found.down.note(Weight::Impossible, &at(within, path), "the older version needs the whole string");
            }
        }
    }
}

fn judge_drop(dropped: &Dropped, operators: &Operators, from: Members<'static>, within: &str, found: &mut Verdicts) {
    let Some(before) = member_at(from, dropped.path) else { return };
    let path = at(within, dropped.path);
    if before.write_only {
        return;
    }
    found.up.note(Weight::Lost, &path, "the value is dropped");
    if before.holds.nullable || before.is_block || dropped.back.is_some() {
        return;
    }
    let reads = |stage: &Stage| stage.operation.all_read().any(|read| read == dropped.path);
    if operators.productions.iter().flat_map(|production| production.stages).any(reads) {
        found.down.note(Weight::Lost, &path, "what the string that it is part of does not tell");
    } else {
        let what = "the older version needs a value, and it was dropped without `back`";
        found.down.note(Weight::Impossible, &path, what);
    }
}

fn judge_carried(before: Member<'static>, target: Member<'static>, path: &str, found: &mut Verdicts) {
    if before.write_only && target.write_only {
        return;
    }
    if target.holds.nullable && !before.holds.nullable && !target.is_block {
        found.down.note(Weight::Refused, path, "null");
    }
    judge_forms(before, target, path, found);
}

/// What two forms of one value differ in.
fn judge_forms(before: Member<'static>, target: Member<'static>, path: &str, found: &mut Verdicts) {
    if let (Some(from), Some(to)) = (objects_of(before.form), objects_of(target.form)) {
        judge_objects(from, to, path, found);
        return;
    }
    let (from, to) = (super::super::stage::plain_type(before.form), super::super::stage::plain_type(target.form));
    if before.holds.limit != target.holds.limit {
        found.down.note(Weight::Refused, path, "values that the older type does not take");
    }
    if from == to {
        return;
    }
    if let (Some(Type::List(_)), Some(Type::Set(_))) = (&from, &to) {
        found.up.note(Weight::Lost, path, "the order of the elements, and which there were twice");
    } else if !matches!(to, Some(Type::Dynamic)) {
        found.up.note(Weight::Lost, path, "the form of the value");
    }
    if matches!((&from, &to), (Some(Type::Set(_)), Some(Type::List(_)))) {
        found.down.note(Weight::Lost, path, "the order of the elements, and which there are twice");
    } else {
        found.down.note(Weight::Refused, path, "values that the older type does not take");
    }
}

fn judge_objects(from: Objects<'static>, to: Objects<'static>, path: &str, found: &mut Verdicts) {
    if from.origin.is(to.origin) {
        return;
    }
    judge(to.origin.operators_from(from.origin), from, to, path, found);
}

const fn objects_of(form: Form<'static>) -> Option<Objects<'static>> {
    match form {
        Form::Objects(objects, _) => Some(objects),
        Form::Plain(_) | Form::Made(_) | Form::Open => None,
    }
}

fn member_at(members: Members<'static>, path: Path) -> Option<Member<'static>> {
    let (name, way) = path.split_last()?;
    let mut members = members;
    for step in way {
        members = objects_of(member(members, step)?.form)?.members;
    }
    member(members, name)
}

/// A path as messages name it.
fn at(within: &str, path: &[&str]) -> String {
    let path = path.join(".");
    if within.is_empty() { path } else { format!("{within}.{path}") }
}
