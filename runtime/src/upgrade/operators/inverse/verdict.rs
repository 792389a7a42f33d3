//! Judges whether an upgrader keeps all that it meets, up and back, by its operators and both
//! schemas.
//!
//! A verdict says *lossless* only where that follows from the operators and the types: where it
//! depends on what an author's function does, or on which text is in an attribute, it says *lossy*
//! and names what.

use super::super::check::fit::{RestFit, keys_fit, rest_fits};
use super::super::form::{Form, Member, Objects, member};
use super::super::known::Known;
use super::super::row::starts_empty;
use super::super::table::{
    Apart, Dropped, Operation, Operators, Otherwise, Path, Piece, Production, Stage,
};
use super::stage::types_before;
use crate::schema::table::Table;
use crate::schema::{Holds, Members, Nesting, Origin, Takes, Type};
use crate::upgrade::verdict::{Verdicts, Weight};
use upstate_words::lock::is_within;

/// Judges whether operators keep all of an object when it is upgraded, and when it is taken back.
pub(in crate::upgrade) fn verdicts(
    operators: &'static Operators,
    prior: &'static Table,
    current: &'static Table,
) -> Verdicts {
    let mut found = Verdicts::default();
    let [from, to] =
        [prior, current].map(|table| Objects::new(table.schema().block().members(), Origin::NONE));
    judge(operators, from, to, "", &mut found);
    // The members of a flattened map are in no schema.
    if matches!(rest_fits(current, prior), RestFit::Narrower) {
        let what = "members of a flattened map that the older type does not take";
        found.down.note(Weight::Refused, "", what);
    }
    found
}

fn judge(
    operators: &'static Operators,
    from: Objects<'static>,
    to: Objects<'static>,
    within: &str,
    found: &mut Verdicts,
) {
    for production in operators.productions {
        if production.is_beside(operators, to.members) {
            found.down.note(
                Weight::Lost,
                &at(within, production.target),
                "any value but the one that the function makes",
            );
            continue;
        }
        production.judge(operators, from.members, to.members, within, found);
    }
    for notice in operators.notices.iter().filter(|notice| notice.refuse) {
        let what = format!("states that the upgrade refuses with {:?}", notice.text);
        found
            .up
            .note(Weight::Refused, &at(within, notice.at), &what);
        found
            .down
            .note(Weight::Refused, &at(within, notice.at), &what);
    }
    judge_sources(operators, within, found);
    judge_texts(operators, from.members, to.members, within, found);
    for dropped in operators
        .drops
        .iter()
        .filter(|dropped| !from.are_keyed_by(dropped.path))
    {
        judge_drop(dropped, operators, from.members, within, found);
    }
    if let Some(key) = from.without.filter(|key| {
        operators
            .productions
            .iter()
            .any(|production| production.reads(key))
    }) {
        found.down.note(
            Weight::Lost,
            &at(within, &[key]),
            "a key that differs from the member that is made of it",
        );
    }
    for name in to.members.names() {
        let own = operators
            .productions
            .iter()
            .find(|production| *production.target == [name]);
        let Some(target) = member(to.members, name) else {
            continue;
        };
        match (own, member(from.members, name)) {
            (None, Some(before)) => judge_carried(before, target, &at(within, &[name]), found),
            (None, None)
                if !target.write_only && to.with != Some(name) && from.with != Some(name) =>
            {
                let is_made = operators
                    .productions
                    .iter()
                    .any(|production| production.target.first() == Some(&name));
                if !is_made {
                    found.down.note(
                        Weight::Lost,
                        &at(within, &[name]),
                        "the older version does not have it",
                    );
                }
            }
            (None, None) | (Some(_), _) => {}
        }
    }
}

impl Production {
    /// The prior attribute that it begins with.
    fn source(&'static self) -> Path {
        self.stages
            .iter()
            .rev()
            .find_map(|stage| stage.operation.begins_with())
            .unwrap_or(self.target)
    }

    fn judge(
        &'static self,
        operators: &Operators,
        from: Members<'static>,
        to: Members<'static>,
        within: &str,
        found: &mut Verdicts,
    ) {
        let path = at(within, self.target);
        let Some(target) = member_at(to, self.target) else {
            return;
        };
        let stages: Vec<&'static Stage> = self.stages.iter().collect();
        if stages.iter().any(|stage| stage.only_if.is_some()) {
            found
                .up
                .note(Weight::Lost, &path, "on which states the condition held");
            found.down.note(
                Weight::Lost,
                &path,
                "what the condition decides differently when the state is upgraded again",
            );
        }
        if self.target.len() > 1 {
            // An object that holds nothing but null is not kept, so that nobody knows later if it
            // was there.
            found.up.note(
                Weight::Lost,
                &path,
                "whether an object without values was there",
            );
            found
                .down
                .note(Weight::Lost, &path, "an object without values");
        }
        let source = self.source();
        if source.len() > 1 {
            if !stays(operators, from, to, source) {
                found.up.note(
                    Weight::Lost,
                    &path,
                    "whether an object without values was there",
                );
            } else if may_be_missing(to, source) {
                found.down.note(
                    Weight::Lost,
                    &path,
                    "whether the object that it goes to was missing",
                );
            }
            if needs_others(from, source) {
                found.down.note(
                    Weight::Refused,
                    &path,
                    "a value where the object that it goes to lacks one",
                );
            }
        }
        let before = member_at(from, source);
        let form_at = |path: Path| member_at(from, path).map(|member| member.form);
        let types = types_before(
            &stages,
            before.map(|before| before.form),
            target.form,
            &form_at,
        );
        let goal = super::super::stage::plain_type(target.form);
        let mut nullable = before.is_none_or(|before| before.holds.nullable);
        let starts_null = nullable;
        let null_targets = null_elements(target.holds);
        let mut null_elements = before.is_none_or(|before| null_elements(before.holds));
        for (stage, ty) in stages.iter().zip(&types) {
            let known = Known {
                ty: ty.as_ref(),
                goal: goal.as_ref(),
                nullable,
                target_nullable: target.holds.nullable,
                null_elements: (null_elements, null_targets),
            };
            let known = if stage.each { known.elements() } else { known };
            // A value that was filtered out is lost only if no copy keeps it, because a downgrade
            // finds it in the copy.
            if stage.filtered_keys().is_none() || !operators.keep_filtered(self) {
                stage.operation.judge_up(&known, &path, &mut found.up);
            }
            stage.operation.judge_down(&known, &path, &mut found.down);
            let leaves_null = stage.operation.leaves_null(&known);
            *(if stage.each {
                &mut null_elements
            } else {
                &mut nullable
            }) = leaves_null;
        }
        if target.holds.nullable && !nullable && !target.is_block {
            let weight = if starts_null {
                Weight::Lost
            } else {
                Weight::Refused
            };
            found.down.note(weight, &path, "null");
        }
        if nullable {
            judge_null_to_blocks(before, target, &path, found);
        }
        let Some(before) = before else { return };
        judge_keys(before, target, &path, found);
        let is_table =
            |stage: &&Stage| matches!(stage.operation, Operation::Values(_, Otherwise::Refuse));
        if is_narrower(before.holds, target.holds) && !stages.iter().any(is_table) {
            found.down.note(
                Weight::Refused,
                &path,
                "values that the older type does not take",
            );
        }
        if is_narrower(target.holds, before.holds) {
            found
                .up
                .note(Weight::Refused, &path, "values that the type does not take");
        }
        if stages.iter().all(|stage| stage.operation.keeps_form()) {
            judge_forms(before, target, &path, found);
        } else if let Some((from, to)) = objects_of(before.form).zip(objects_of(target.form)) {
            let from = self
                .key()
                .map_or(from, |key| from.rekeyed_by(key, target.form));
            judge_objects(from, to, &path, found);
        }
    }

    /// True if an operator reads a prior attribute that is directly in the object.
    fn reads(&self, name: &str) -> bool {
        self.stages
            .iter()
            .flat_map(Stage::all_read)
            .any(|path| *path == [name])
    }
}

/// Prior values that several attributes are made of: each of them would have to be the same.
fn judge_sources(operators: &'static Operators, within: &str, found: &mut Verdicts) {
    let mut seen: Vec<(Path, Option<&str>)> = Vec::new();
    for production in operators.productions {
        let part = |stage: &'static Stage| {
            if let Operation::Extract(from, _, name) = &stage.operation {
                Some((*from, Some(*name)))
            } else if let Operation::Take(from, _) = &stage.operation {
                Some((*from, None))
            } else {
                None
            }
        };
        let Some(source) = production.stages.iter().rev().find_map(part) else {
            continue;
        };
        if seen.contains(&source) {
            let what = format!(
                "a value that another attribute of {} does not have",
                source.0.join(".")
            );
            found
                .down
                .note(Weight::Lost, &at(within, production.target), &what);
        }
        seen.push(source);
    }
}

/// True if an object around a prior attribute may be missing, and then lacks others that it needs.
fn needs_others(from: Members<'static>, path: Path) -> bool {
    let (mut members, mut may_lack) = (from, false);
    for (depth, step) in path.iter().enumerate() {
        let needs = |name: &str| {
            name != *step
                && member(members, name)
                    .is_some_and(|other| !other.holds.nullable && !other.is_block)
        };
        if depth > 0 && may_lack && members.names().any(needs) {
            return true;
        }
        let Some(Member {
            form: Form::Objects(objects, nesting),
            holds,
            is_block,
            ..
        }) = member(members, step)
        else {
            return false;
        };
        may_lack |= holds.nullable || is_block || nesting != Nesting::Single;
        members = objects.members;
    }
    false
}

/// True if `one` takes fewer values than `other`. Null is judged apart, in it and as its elements.
fn is_narrower(one: Holds, other: Holds) -> bool {
    let elements = one.elements.zip(other.elements);
    if elements.is_some_and(|(one, other)| takes_fewer_nulls(*one, *other)) {
        return true;
    }
    if let (Takes::Tuples(one), Takes::Tuples(other)) =
        (innermost(one).takes, innermost(other).takes)
    {
        return one.iter().zip(other).any(|(one, other)| {
            other.nullable && !one.nullable
                || takes_fewer_nulls(**one, **other)
                || is_narrower(**one, **other)
        });
    }
    let floats = |holds: Holds| matches!(innermost(holds).takes, Takes::Floats);
    let own = |holds: Holds| matches!(innermost(holds).takes, Takes::OwnType);
    let limited = match (
        innermost(one).format.as_bytes(),
        innermost(other).format.as_bytes(),
    ) {
        ([], _) | (_, []) => one.limit != 0 && one.limit != other.limit,
        (one, other) => !is_within(other, one),
    };
    let (inner, others) = (innermost(one), innermost(other));
    let has_all = match (inner.range(), others.range()) {
        (Some(these), Some(others)) => others.is_within(these),
        (None, _) | (_, None) => false,
    };
    // Because a range that only the proofs know has no limit, on either side.
    let limited = limited && (others.integer == 0 || !has_all);
    let leaves_out = inner.integer != 0 && !has_all;
    limited || leaves_out || floats(one) && !floats(other) || own(one) && !own(other)
}

/// True if an element may be null, at any depth, in `other` and not in `one`.
fn takes_fewer_nulls(one: Holds, other: Holds) -> bool {
    one.elements
        .zip(other.elements)
        .is_some_and(|(one, other)| {
            other.nullable && !one.nullable || takes_fewer_nulls(*one, *other)
        })
}

fn innermost(holds: Holds) -> Holds {
    holds
        .elements
        .map_or(holds, |elements| innermost(*elements))
}

/// True if the elements of a collection may be null.
fn null_elements(holds: Holds) -> bool {
    holds.elements.is_none_or(|elements| elements.nullable)
}

/// True if an object around an attribute may be missing.
fn may_be_missing(members: Members<'static>, path: Path) -> bool {
    let is_optional = |member: Member<'static>| {
        member.holds.nullable || !matches!(member.form, Form::Objects(_, Nesting::Single))
    };
    (1..path.len()).any(|depth| {
        path.get(..depth)
            .and_then(|path| member_at(members, path))
            .is_some_and(is_optional)
    })
}

/// True if the objects around a prior attribute are carried as they are, so that those without
/// values stay, too.
fn stays(
    operators: &Operators,
    from: Members<'static>,
    to: Members<'static>,
    source: Path,
) -> bool {
    let Some((_, around)) = source.split_last() else {
        return false;
    };
    let is_made = |production: &Production| {
        production.target == around.get(..production.target.len()).unwrap_or_default()
    };
    let objects = |members| {
        member_at(members, around).is_some_and(|member| objects_of(member.form).is_some())
    };
    objects(from) && objects(to) && !operators.productions.iter().any(is_made)
}

/// Strings that were taken apart: whether all their parts are kept.
fn judge_texts(
    operators: &Operators,
    from: Members<'static>,
    to: Members<'static>,
    within: &str,
    found: &mut Verdicts,
) {
    let mut seen: Vec<(Path, &Apart, Vec<&str>)> = Vec::new();
    for stage in operators
        .productions
        .iter()
        .flat_map(|production| production.stages)
    {
        let Operation::Extract(from, apart, name) = &stage.operation else {
            continue;
        };
        match seen.iter_mut().find(|(known, ..)| known == from) {
            Some((.., names)) => names.push(name),
            None => seen.push((from, apart, vec![name])),
        }
    }
    for (path, apart, names) in seen {
        let stays = matches!(path, [name] if member(to, name).is_some()
            && operators.productions.iter().all(|production| production.target != path || !starts_empty(production.stages)));
        let needs_all = |found: &mut Verdicts| {
            if member_at(from, path).is_some_and(|before| !before.holds.nullable) {
                found.down.note(
                    Weight::Impossible,
                    &at(within, path),
                    "the older version needs the whole string",
                );
            }
        };
        let pattern = match apart {
            Apart::Pattern(pattern) => pattern,
            Apart::Url(_) if stays => continue,
            Apart::Url(taken) => {
                found
                    .up
                    .note(Weight::Lost, &at(within, path), "the spelling of the URL");
                if taken.iter().any(|part| !part.kept) {
                    found.up.note(
                        Weight::Lost,
                        &at(within, path),
                        "the parts of the URL that no attribute takes",
                    );
                }
                if taken.iter().any(|part| !part.kept && part.name == "scheme") {
                    needs_all(found);
                }
                continue;
            }
        };
        let taken = |piece: &Piece| match piece {
            // A string without an optional part is of the pattern, too.
            Piece::Text(_) | Piece::Optional(_) => true,
            Piece::Part(name) | Piece::Rest(name) => names.contains(name),
        };
        let is_lost = |piece: &Piece| matches!(piece, Piece::Optional(optional) if !names.contains(&optional.name));
        if !stays
            && pattern
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Optional(_)))
        {
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
            found.up.note(
                Weight::Lost,
                &at(within, path),
                "the parts of the string that no attribute takes",
            );
            needs_all(found);
        }
    }
}

fn judge_drop(
    dropped: &Dropped,
    operators: &Operators,
    from: Members<'static>,
    within: &str,
    found: &mut Verdicts,
) {
    let Some(before) = member_at(from, dropped.path) else {
        return;
    };
    let path = at(within, dropped.path);
    if before.write_only {
        return;
    }
    found.up.note(Weight::Lost, &path, "the value is dropped");
    if before.holds.nullable || before.is_block || dropped.back.is_some() {
        return;
    }
    let reads = |stage: &Stage| stage.operation.all_read().any(|read| read == dropped.path);
    if operators
        .productions
        .iter()
        .flat_map(|production| production.stages)
        .any(reads)
    {
        found.down.note(
            Weight::Lost,
            &path,
            "what the string that it is part of does not tell",
        );
    } else {
        let what = "the older version needs a value, and it was dropped without `back`";
        found.down.note(Weight::Impossible, &path, what);
    }
}

fn judge_carried(
    before: Member<'static>,
    target: Member<'static>,
    path: &str,
    found: &mut Verdicts,
) {
    if before.write_only && target.write_only {
        return;
    }
    if target.holds.nullable && !before.holds.nullable && !target.is_block {
        found.down.note(Weight::Refused, path, "null");
    }
    if before.holds.nullable {
        judge_null_to_blocks(Some(before), target, path, found);
    }
    judge_keys(before, target, path, found);
    judge_forms(before, target, path, found);
}

/// Notes the keys that only one of two maps takes, or one of those inside of two values.
fn judge_keys(before: Member<'static>, target: Member<'static>, path: &str, found: &mut Verdicts) {
    let is_map = |form| {
        matches!(
            form,
            Form::Objects(_, Nesting::Map) | Form::Plain(Type::Map(_))
        )
    };
    if is_map(before.form) != is_map(target.form) {
        return;
    }
    if !keys_fit(&before.holds, &target.holds) {
        let what = "keys that the type does not take";
        found.up.note(Weight::Refused, path, what);
    }
    if !keys_fit(&target.holds, &before.holds) {
        let what = "keys that the older type does not take";
        found.down.note(Weight::Refused, path, what);
    }
}

/// Notes that null and an empty collection become the same where an attribute becomes blocks: a
/// collection of blocks is there in any case.
fn judge_null_to_blocks(
    before: Option<Member<'static>>,
    target: Member<'static>,
    path: &str,
    found: &mut Verdicts,
) {
    if !before.is_some_and(|before| before.is_block) && !target.form.nothing().is_null() {
        found.up.note(
            Weight::Lost,
            path,
            "whether null or an empty collection was stored",
        );
    }
}

/// Notes what two forms of one value differ in.
fn judge_forms(before: Member<'static>, target: Member<'static>, path: &str, found: &mut Verdicts) {
    if let (Some(from), Some(to)) = (objects_of(before.form), objects_of(target.form)) {
        judge_objects(from, to, path, found);
        return;
    }
    let (from, to) = (
        super::super::stage::plain_type(before.form),
        super::super::stage::plain_type(target.form),
    );
    if is_narrower(target.holds, before.holds) {
        found
            .up
            .note(Weight::Refused, path, "values that the type does not take");
    }
    if null_elements(target.holds) && !null_elements(before.holds) {
        found.down.note(Weight::Refused, path, "null elements");
    }
    if is_narrower(before.holds, target.holds) {
        found.down.note(
            Weight::Refused,
            path,
            "values that the older type does not take",
        );
    }
    if from == to {
        return;
    }
    if let (Some(Type::List(_)), Some(Type::Set(_))) = (&from, &to) {
        found.up.note(
            Weight::Lost,
            path,
            "the order of the elements, and which there were twice",
        );
    } else if !matches!(to, Some(Type::Dynamic)) {
        found.up.note(Weight::Lost, path, "the form of the value");
    }
    if matches!((&from, &to), (Some(Type::Set(_)), Some(Type::List(_)))) {
        found.down.note(
            Weight::Lost,
            path,
            "the order of the elements, and which there are twice",
        );
    } else {
        found.down.note(
            Weight::Refused,
            path,
            "values that the older type does not take",
        );
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
    if within.is_empty() {
        path
    } else {
        format!("{within}.{path}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AttributeType;

    #[test]
    fn a_range_that_only_the_proofs_know_is_narrower_than_what_goes_beyond_it() {
        fn holds<T: AttributeType>() -> Holds {
            T::INFO.holds
        }
        let few = holds::<Vec<std::num::NonZeroU8>>();
        assert!(is_narrower(few, holds::<Vec<u8>>()));
        assert!(is_narrower(few, holds::<Vec<crate::Number>>()));
        assert!(is_narrower(holds::<i128>(), holds::<u128>()));
        assert!(!is_narrower(few, few));
        assert!(!is_narrower(holds::<usize>(), holds::<u32>()));
        assert!(!is_narrower(holds::<u64>(), holds::<usize>()));
        assert!(is_narrower(holds::<u32>(), holds::<usize>()));
    }
}
