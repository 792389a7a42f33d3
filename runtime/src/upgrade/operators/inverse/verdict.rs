//! Whether an upgrader keeps all that it meets, up and back, by its operators and both schemas.
//!
//! A verdict says *lossless* only where that follows from the operators and the types: where it depends on what an author's function does, or
//! on which text stands in an attribute, it says *lossy* and names what.

use super::super::form::{Form, Member, Objects, member};
use super::super::row::starts_empty;
use super::super::table::{
    Constant, Dropped, EmptyText, Existing, Letters, Literal, Many, Match, NoElement, Operation, Operators, Otherwise, Path,
    Pattern, Piece, Production, Segment, Stage, Template,
};
use super::stage::types_before;
use crate::schema::{Members, Origin, Type};
use crate::upgrade::verdict::{Direction, Verdicts, Weight};

/// What is known of a value before an operator.
struct Known<'k> {
    /// Its type.
    ty: Option<&'k Type>,
    /// The type of the target.
    goal: Option<&'k Type>,
    /// Whether it may be null.
    nullable: bool,
    /// Whether the target may be null.
    target_nullable: bool,
}

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
        production.judge(from.members, to.members, within, found);
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
    fn judge(&'static self, from: Members<'static>, to: Members<'static>, within: &str, found: &mut Verdicts) {
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
            stage.operation.judge_up(&known, &path, &mut found.up);
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

impl<'k> Known<'k> {
    fn elements(&self) -> Self {
        let inner = |ty: Option<&'k Type>| match ty {
            Some(Type::List(element) | Type::Set(element) | Type::Map(element)) => Some(&**element),
            _ => None,
        };
        Self { ty: inner(self.ty), goal: inner(self.goal), nullable: true, target_nullable: true }
    }
}

impl Operation {
    /// Whether the value behind it has the form of the one before it.
    const fn keeps_form(&self) -> bool {
        match self {
            Self::Take { .. } | Self::Copy { .. } | Self::Default { .. } | Self::NullIf(_) | Self::Filter(_) => true,
            Self::Set(_)
            | Self::Convert { .. }
            | Self::Json
            | Self::Function { .. }
            | Self::Values { .. }
            | Self::Reformat { .. }
            | Self::Compose(_)
            | Self::Extract { .. }
            | Self::Split(_)
            | Self::Join(_)
            | Self::Merge(_)
            | Self::Unwrap { .. }
            | Self::Wrap { .. }
            | Self::Enclose(_)
            | Self::Member(_)
            | Self::Rekey { .. } => false,
        }
    }

    /// Whether the value behind it may be null.
    fn leaves_null(&self, known: &Known<'_>) -> bool {
        match self {
            Self::Default { when, .. } => known.nullable && !when.iter().any(takes_null),
            Self::NullIf(_) | Self::Member(_) => true,
            Self::Convert { empty: EmptyText::Null } => known.nullable || matches!(known.ty, Some(Type::String)),
            Self::Unwrap { empty, .. } => match empty {
                NoElement::Null => true,
                NoElement::Object | NoElement::Refuse => known.nullable,
            },
            Self::Wrap { keep_null } => *keep_null && known.nullable,
            Self::Set(constant) => matches!(constant, Constant::Literal(Literal::Null)) || known.target_nullable,
            Self::Take { .. }
            | Self::Copy { .. }
            | Self::Convert { .. }
            | Self::Json
            | Self::Function { .. }
            | Self::Values { .. }
            | Self::Reformat { .. }
            | Self::Compose(_)
            | Self::Extract { .. }
            | Self::Split(_)
            | Self::Join(_)
            | Self::Merge(_)
            | Self::Enclose(_)
            | Self::Rekey { .. }
            | Self::Filter(_) => known.nullable,
        }
    }

    /// What of the values before it nothing tells from each other behind it.
    fn judge_up(&self, known: &Known<'_>, path: &str, up: &mut Direction) {
        let mut lost = |what: &str| up.note(Weight::Lost, path, what);
        match self {
            Self::Take { existing: Existing::Unsaid, .. } | Self::Copy { .. } | Self::Set(_) | Self::Compose(_) => {}
            Self::Take { existing: Existing::Keep | Existing::Replace | Existing::Refuse, .. } => {
                lost("under which of the two names the value was stored");
            }
            Self::Default { when, .. } => {
                if known.nullable || when.iter().any(|this| !matches!(this, Match::Literal(Literal::Null))) {
                    lost("whether the default was stored");
                }
            }
            Self::NullIf(these) => {
                let one = matches!(these, [Match::Literal(_)]) && !known.nullable;
                if !one {
                    lost("what null stands for now");
                }
            }
            Self::Convert { empty } => judge_convert_up(*empty, known, &mut lost),
            Self::Json => {
                if !matches!(known.goal, Some(Type::String)) {
                    lost("the spelling of the JSON");
                }
            }
            Self::Function { .. } => lost("what the author's function does not keep"),
            Self::Values { table, other } => {
                let again =
                    |(index, (_, new)): (usize, &(Literal, Literal))| table.iter().take(index).any(|(_, other)| other == new);
                let repeated = table.iter().enumerate().any(again);
                // A value that stays must not look like one that was made.
                let stays = |(_, new): &(Literal, Literal)| !table.iter().any(|(old, _)| old == new);
                let made_null = !known.nullable || !table.iter().any(|(_, new)| *new == Literal::Null);
                match other {
                    Otherwise::Become(_) => lost("which other value was stored"),
                    Otherwise::Keep if table.iter().any(stays) => lost("whether a new value was stored already"),
                    Otherwise::Keep | Otherwise::Refuse if repeated || !made_null => lost("which of several values was stored"),
                    Otherwise::Keep | Otherwise::Refuse => {}
                }
            }
            Self::Reformat { forms, other } => {
                let told = matches!((forms, other), ([(pattern, template)], Otherwise::Refuse) if keeps_parts(pattern, template));
                if !told {
                    lost("the form that the string had");
                }
            }
            // Whether all parts are kept depends on all that are taken.
            Self::Extract { .. } | Self::Split(_) => {}
            Self::Join(_) => lost("whether an empty string was the only element"),
            Self::Merge(_) => lost("which element came from where"),
            Self::Unwrap { many, empty } => {
                if *many == Many::First {
                    lost("the elements behind the first");
                }
                if known.nullable && *empty != NoElement::Refuse {
                    lost("whether null or an empty list was stored");
                }
                if *empty == NoElement::Object {
                    lost("whether there was an element");
                }
            }
            Self::Wrap { .. } | Self::Enclose(_) => {}
            Self::Member(_) => {
                if known.nullable {
                    lost("whether an object without values was stored");
                }
            }
            Self::Rekey { .. } => {
                if matches!(known.ty, Some(Type::List(_)) | None) {
                    lost("the order of the elements");
                } else if matches!(known.ty, Some(Type::Set(_))) {
                    // A key that is a number has more than one spelling as a text.
                    up.note(Weight::Refused, path, "two elements with one key");
                }
            }
            Self::Filter(_) => lost("what is filtered out"),
        }
    }

    /// What of the values behind it it makes of no value.
    fn judge_down(&self, known: &Known<'_>, path: &str, down: &mut Direction) {
        let mut lost = |what: &str| down.note(Weight::Lost, path, what);
        match self {
            Self::Take { .. } | Self::Member(_) | Self::Join(_) | Self::Merge(_) => {}
            Self::Copy { .. } => lost("a value that differs from the one it is a copy of"),
            Self::Set(_) => lost("any value but the constant"),
            Self::Default { when, .. } => {
                for this in *when {
                    match this {
                        // Whether the target may be null is asked at the end.
                        Match::Literal(Literal::Null) => {}
                        Match::Literal(literal) => lost(&format!("the value {literal}, which `default` replaces")),
                        Match::Empty => lost("an empty value, which `default` replaces"),
                    }
                }
            }
            Self::NullIf(these) => {
                for this in *these {
                    match this {
                        Match::Literal(Literal::Null) => {}
                        Match::Literal(literal) => lost(&format!("the value {literal}, which becomes null")),
                        Match::Empty => lost("an empty value, which becomes null"),
                    }
                }
            }
            Self::Convert { .. } => judge_convert_down(known, path, down),
            Self::Json => {
                if matches!(known.goal, Some(Type::String)) {
                    lost("another spelling of the JSON");
                    down.note(Weight::Refused, path, "a string that is not such JSON");
                } else if matches!(known.goal, Some(Type::Dynamic) | None) {
                    lost("a type that JSON does not tell");
                }
            }
            Self::Function { back: Some(_), .. } => lost("what the author's functions do not keep"),
            // Null passes a function, and goes back.
            Self::Function { back: None, .. } => {
                down.note(Weight::Impossible, path, "a function makes the value, and it has no `back`");
            }
            Self::Values { table, other } => {
                let covered = |old: &Literal| table.iter().any(|(_, new)| new == old);
                match other {
                    Otherwise::Refuse => down.note(Weight::Refused, path, "a value that is not in the table"),
                    Otherwise::Become(_) => lost("a value that is not in the table"),
                    Otherwise::Keep => {
                        for (old, _) in table.iter().filter(|(old, _)| !covered(old)) {
                            lost(&format!("the value {old}, which `values` replaces"));
                        }
                    }
                }
            }
            Self::Reformat { forms, other } => {
                let told = matches!((forms, other), ([(pattern, template)], Otherwise::Refuse) if keeps_parts(pattern, template));
                if told {
                    down.note(Weight::Refused, path, "a string that does not have the new form");
                } else {
                    lost("a string that does not have the new form");
                }
            }
            Self::Compose(_) => lost("a string that is not put together of its parts"),
            Self::Extract { .. } => lost("a part that holds what separates the parts"),
            Self::Split(_) => lost("an element that holds the separator"),
            Self::Unwrap { .. } => {}
            Self::Wrap { keep_null } => {
                lost("the elements behind the first");
                if *keep_null {
                    lost("a list without elements");
                }
            }
            Self::Enclose(_) => {
                lost("other members of the object");
            }
            Self::Rekey { .. } => {
                if matches!(known.goal, Some(Type::List(_)) | None) {
                    lost("the order of the elements");
                }
                down.note(Weight::Refused, path, "two elements with one key");
            }
            Self::Filter(_) => lost("a value that the filter leaves out"),
        }
    }
}

fn innermost(ty: Option<&Type>) -> Option<&Type> {
    match ty? {
        Type::List(element) | Type::Set(element) | Type::Map(element) => innermost(Some(element)),
        other @ (Type::Bool | Type::String | Type::Number | Type::Dynamic | Type::Tuple(_) | Type::Object(_)) => Some(other),
    }
}

fn judge_convert_up(empty: EmptyText, known: &Known<'_>, lost: &mut dyn FnMut(&str)) {
    if matches!((known.ty, known.goal), (Some(Type::List(_)), Some(Type::Set(_)))) {
        lost("the order of the elements, and which there were twice");
    }
    match (innermost(known.ty), innermost(known.goal)) {
        (Some(Type::String), Some(Type::Number | Type::Bool)) => {
            lost("the spelling of the value");
            if empty == EmptyText::Null && known.nullable {
                lost("whether null or an empty string was stored");
            }
        }
        (Some(Type::Bool | Type::Number), Some(Type::String | Type::Dynamic | Type::Bool | Type::Number))
        | (Some(Type::String), Some(Type::String | Type::Dynamic))
        | (Some(Type::Dynamic), Some(Type::Dynamic)) => {}
        (Some(Type::Dynamic | Type::Object(_) | Type::Tuple(_) | Type::List(_) | Type::Set(_) | Type::Map(_)), _)
        | (_, Some(Type::Object(_) | Type::Tuple(_) | Type::List(_) | Type::Set(_) | Type::Map(_)) | None)
        | (None, _) => lost("the form of the value"),
    }
}

fn judge_convert_down(known: &Known<'_>, path: &str, down: &mut Direction) {
    if matches!((known.ty, known.goal), (Some(Type::Set(_)), Some(Type::List(_)))) {
        down.note(Weight::Lost, path, "the order of the elements, and which there are twice");
    }
    match (innermost(known.ty), innermost(known.goal)) {
        (Some(Type::Bool), Some(Type::String | Type::Dynamic)) => {
            down.note(Weight::Lost, path, "another spelling of `true` and `false`");
            down.note(Weight::Refused, path, "what is neither `true` nor `false`");
        }
        (Some(Type::Number), Some(Type::String | Type::Dynamic)) => {
            down.note(Weight::Lost, path, "another spelling of a number");
            down.note(Weight::Refused, path, "what is not a number");
        }
        (Some(Type::Bool), Some(Type::Number)) => down.note(Weight::Refused, path, "numbers but 0 and 1"),
        (Some(Type::String), Some(Type::Dynamic)) => down.note(Weight::Refused, path, "what is not a string"),
        (Some(Type::String), Some(Type::String | Type::Number | Type::Bool))
        | (Some(Type::Number), Some(Type::Number | Type::Bool))
        | (Some(Type::Bool), Some(Type::Bool))
        | (Some(Type::Dynamic), Some(Type::String | Type::Number | Type::Bool | Type::Dynamic)) => {}
        (Some(Type::Object(_) | Type::Tuple(_) | Type::List(_) | Type::Set(_) | Type::Map(_)), _)
        | (_, Some(Type::Object(_) | Type::Tuple(_) | Type::List(_) | Type::Set(_) | Type::Map(_)) | None)
        | (None, _) => down.note(Weight::Lost, path, "values that the older type does not have"),
    }
}

const fn takes_null(this: &Match) -> bool {
    matches!(this, Match::Literal(Literal::Null) | Match::Empty)
}

/// Whether the old text follows from the new one: all names stand in both, once and as they are, and what separates them in either text stands
/// in none of them.
fn keeps_parts(pattern: &Pattern, template: Template) -> bool {
    let names: Vec<&str> = pattern
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Part(name) | Piece::Rest(name) => Some(*name),
        })
        .collect();
    let made: Vec<Option<&str>> = template
        .iter()
        .filter_map(|segment| match segment {
            Segment::Text(_) => None,
            Segment::Found(name, Letters::AsIs) => Some(Some(*name)),
            Segment::Found(_, Letters::Lower | Letters::Upper) | Segment::Prior(..) => Some(None),
        })
        .collect();
    if pattern.ignore_case || made.len() != names.len() || !names.iter().all(|name| made.contains(&Some(name))) {
        return false;
    }
    // A single name is what is between two fixed texts. Several must not hold a slash, and slashes alone separate them.
    let by_slash = |text: &&str| text.starts_with('/') && text.ends_with('/') || *text == "/";
    let has_rest = pattern.pieces.iter().any(|piece| matches!(piece, Piece::Rest(_)));
    let between = template.iter().skip_while(|segment| matches!(segment, Segment::Text(_)));
    let mut texts: Vec<&str> = between
        .filter_map(|segment| match segment {
            Segment::Text(text) => Some(*text),
            Segment::Found(..) | Segment::Prior(..) => None,
        })
        .collect();
    if matches!(template.last(), Some(Segment::Text(_))) {
        texts.pop();
    }
    names.len() == 1 && !has_rest || names.len() > 1 && !has_rest && texts.len() + 1 == names.len() && texts.iter().all(by_slash)
}

/// Texts that were taken apart: whether all their parts are kept.
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
            Piece::Text(_) => true,
            Piece::Part(name) | Piece::Rest(name) => names.contains(name),
        };
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
