//! What comes out at the end of a production, and whether the target takes it.

use super::super::edge::Prior;
use super::super::form::{Form, Member};
use super::super::run::starts_empty;
use super::super::table::{
    Constant, EmptyText, Existing, Literal, Match, NoElement, Operation, Operators, Otherwise, Path, Production, Stage,
};
use super::fit::{Misfit, fits, has};
use super::glance::are_alike;
use super::matches::{check_condition, check_literal as is_there, check_matches, number_fits};
use super::{member, names_unknown, short};
use crate::codec::Object;
use crate::schema::{Holds, Members, Nesting, Takes, Type, key};
use crate::upgrade::message::Message;

/// What is known of a value on its way.
#[derive(Clone, Copy)]
struct Track {
    form: Form<'static>,
    holds: Holds,
}

const OPEN: Holds = Holds::ANYTHING;

impl Track {
    const fn null() -> Self {
        Self { form: Form::Open, holds: OPEN.or_null() }
    }

    const fn of(member: Member<'static>) -> Self {
        Self { form: member.form, holds: member.holds }
    }

    const fn text(nullable: bool) -> Self {
        Self { form: Form::Made(&Type::String), holds: Holds { nullable, ..OPEN } }
    }

    const fn open(nullable: bool) -> Self {
        Self { form: Form::Open, holds: Holds { nullable, ..OPEN } }
    }
}

/// Refuses, at compile time, a production whose value does not fit its target.
#[doc(hidden)]
#[track_caller]
pub const fn check_production<T: Object>(prior: &Prior, operators: &'static Operators, index: usize) {
    let production = &operators.productions[index];
    if plainly_renamed(prior.members, Members::of::<T>(), production) {
        return;
    }
    if prior.rust_name.is_empty() || T::RUST_NAME.is_empty() || names_unknown(production) {
        return;
    }
    let Some(target) = find(Members::of::<T>(), production.target) else { return };
    let prior_name = short(prior.rust_name);
    let model = prior;
    let prior = prior.members;
    let mut track = if starts_empty(production.stages) {
        Track::null()
    } else {
        match find(prior, production.target) {
            Some(member) => Track::of(member),
            None => Track::null(),
        }
    };
    let names = Names { field: production.target[production.target.len() - 1], prior: prior_name, current: short(T::RUST_NAME) };
    let mut index = 0;
    while index < production.stages.len() {
        let stage = &production.stages[index];
        let last = index + 1 == production.stages.len();
        let before = track;
        if let Some(condition) = stage.only_if {
            check_condition(condition, model);
        }
        track = if stage.each { each(stage, track, target, last, names) } else { step(stage, track, target, prior, last, names) };
        if stage.only_if.is_some() {
            track = either(before, track);
        }
        index += 1;
    }
    if let Some(misfit) = fits(track.form, &track.holds, target.form, &target.holds) {
        let is_block = target.is_block && matches!(misfit, Misfit::Null);
        if !is_block {
            refuse_misfit(misfit, names, target);
        }
    }
}

/// Whether all that is done is to rename an attribute that is alike on both sides.
const fn plainly_renamed(prior: Members<'static>, current: Members<'static>, production: &'static Production) -> bool {
    let ([Stage { operation: Operation::Take { from: [from], .. }, each: false, only_if: None }], [to]) =
        (production.stages, production.target)
    else {
        return false;
    };
    let (from, to) = (key(from), key(to));
    let (mut source, mut target) = (0, 0);
    while source < prior.attributes.len() && prior.attributes[source].aside.key != from {
        source += 1;
    }
    while target < current.attributes.len() && current.attributes[target].aside.key != to {
        target += 1;
    }
    source < prior.attributes.len()
        && target < current.attributes.len()
        && are_alike(&prior.attributes[source], &current.attributes[target])
}

/// The attribute at a path, through nested objects.
pub(super) const fn find(mut members: Members<'static>, path: Path) -> Option<Member<'static>> {
    let mut index = 0;
    let mut nullable = false;
    while index < path.len() {
        let Some(mut found) = member(members, path[index]) else { return None };
        if index + 1 == path.len() {
            found.holds.nullable = found.holds.nullable || nullable;
            return Some(found);
        }
        match found.form {
            Form::Objects(objects, nesting) => {
                // Where the object is missing, so is what is in it.
                nullable = nullable || found.holds.nullable || !matches!(nesting, Nesting::Single);
                members = objects.members;
            }
            _ => return None,
        }
        index += 1;
    }
    None
}

/// What may be known if an operator may have been passed by.
const fn either(before: Track, after: Track) -> Track {
    let nullable = before.holds.nullable || after.holds.nullable;
    match (before.form, after.form) {
        (Form::Open, _) => Track { holds: Holds { nullable, ..after.holds }, ..after },
        _ => Track { holds: Holds { nullable, ..before.holds }, ..before },
    }
}

#[derive(Clone, Copy)]
struct Names {
    field: &'static str,
    prior: &'static str,
    current: &'static str,
}

#[track_caller]
const fn each(stage: &'static Stage, track: Track, target: Member<'static>, last: bool, names: Names) -> Track {
    if matches!(
        track.form,
        Form::Objects(_, Nesting::Single) | Form::Plain(Type::Bool | Type::String | Type::Number) | Form::Made(Type::String)
    ) {
        let message = Message::new()
            .text("`each` acts on the elements of a collection, but `")
            .text(names.field)
            .text("` is none in `")
            .text(names.prior)
            .text("`\nhelp: write the operator without `each`");
        panic!("{}", message.as_str());
    }
    let inner_target = Member { form: constant_element(target.form), holds: elements(&target.holds), ..target };
    let inner = Track { form: constant_element(track.form), holds: elements(&track.holds) };
    let none = Members { attributes: &[], blocks: &[] };
    let made = step(stage, inner, inner_target, none, last, names);
    if last && let Some(misfit) = fits(made.form, &made.holds, inner_target.form, &inner_target.holds) {
        refuse_misfit(misfit, names, inner_target);
    }
    Track { form: Form::Open, holds: Holds { nullable: track.holds.nullable, ..OPEN } }
}

const fn elements(holds: &Holds) -> Holds {
    match holds.elements {
        Some(elements) => *elements,
        None => OPEN,
    }
}

const fn constant_element(form: Form<'static>) -> Form<'static> {
    match form {
        Form::Objects(objects, Nesting::List | Nesting::Set | Nesting::Map) => Form::Objects(objects, Nesting::Single),
        Form::Plain(Type::List(element) | Type::Set(element) | Type::Map(element)) => match element.constant() {
            Some(element) => Form::Plain(element),
            None => Form::Open,
        },
        _ => Form::Open,
    }
}

#[track_caller]
const fn step(
    stage: &'static Stage,
    track: Track,
    target: Member<'static>,
    prior: Members<'static>,
    last: bool,
    names: Names,
) -> Track {
    let nullable = track.holds.nullable;
    match &stage.operation {
        Operation::Copy { from } => source(prior, from),
        Operation::Take { from, existing } => {
            let found = source(prior, from);
            let nullable = found.holds.nullable && (nullable || matches!(existing, Existing::Unsaid));
            Track { holds: Holds { nullable, ..found.holds }, ..found }
        }
        Operation::Set(constant) => written(constant, target, last, names),
        Operation::Default { value, when } => {
            if !matches!(track.form, Form::Open) || !matches!(value, Constant::Written(_)) {
                check_literal(value, target, last, names);
            }
            check_matches(when, track.form, &track.holds, names.field);
            let fills = matches_null(when) && !matches!(value, Constant::Literal(Literal::Null));
            Track { holds: Holds { nullable: nullable && !fills, ..track.holds }, ..track }
        }
        Operation::NullIf(these) => {
            check_matches(these, track.form, &track.holds, names.field);
            Track { holds: track.holds.or_null(), ..track }
        }
        Operation::Convert { empty } => convert(track, target, *empty, names),
        Operation::Merge(paths) => Track::open(all_nullable(paths, prior)),
        Operation::Rekey { key, .. } => {
            check_key(key, track, target, names);
            Track::open(nullable)
        }
        Operation::Json | Operation::Enclose(_) => Track::open(nullable),
        Operation::Member(name) => match track.form {
            Form::Objects(objects, Nesting::Single) => match member(objects.members, name) {
                Some(found) => {
                    Track { holds: Holds { nullable: nullable || found.holds.nullable, ..found.holds }, ..Track::of(found) }
                }
                None => Track::open(true),
            },
            _ => Track::open(nullable),
        },
        Operation::Function { ty, holds, .. } => Track { form: Form::Plain(ty), holds: *holds },
        Operation::Values { table, other } => {
            let mut makes_null = nullable;
            let mut index = 0;
            while index < table.len() {
                is_there(&table[index].0, track.form, &track.holds, names.field);
                check_literal(&Constant::Literal(table[index].1), target, last, names);
                makes_null = makes_null || matches!(table[index].1, Literal::Null);
                index += 1;
            }
            match other {
                Otherwise::Become(literal) => {
                    check_literal(&Constant::Literal(*literal), target, last, names);
                    Track::open(makes_null || matches!(literal, Literal::Null))
                }
                Otherwise::Refuse => Track::open(makes_null),
                Otherwise::Keep => Track { holds: Holds { nullable: makes_null, ..track.holds }, ..track },
            }
        }
        Operation::Reformat { other, .. } => {
            want_text(track.form, "reformat", names);
            Track::text(nullable || matches!(other, Otherwise::Become(Literal::Null)))
        }
        Operation::Compose(template) => Track::text(template_nullable(template, prior)),
        Operation::Extract { from, .. } => {
            let found = source(prior, from);
            want_text(found.form, "split", names);
            Track::text(found.holds.nullable)
        }
        Operation::Split(_) => {
            want_text(track.form, "split", names);
            Track::open(nullable)
        }
        Operation::Join(_) => {
            want_texts(track.form, names);
            Track::text(nullable)
        }
        Operation::Unwrap { empty, .. } => unwrap(track, *empty, names),
        Operation::Wrap { keep_null } => {
            let form = match track.form {
                Form::Objects(objects, Nesting::Single) => Form::Objects(objects, Nesting::List),
                _ => Form::Open,
            };
            Track { form, holds: Holds { nullable: *keep_null && nullable, ..OPEN } }
        }
        Operation::Filter(these) => {
            want_collection(track.form, names);
            let inner = constant_element(track.form);
            check_matches(these, inner, &elements(&track.holds), names.field);
            let holds = if matches_null(these) { without_null_elements(track.holds) } else { track.holds };
            Track { holds, ..track }
        }
    }
}

/// Whether merged collections may all be null.
const fn all_nullable(paths: &'static [Path], prior: Members<'static>) -> bool {
    let mut index = 0;
    while index < paths.len() {
        if !source(prior, paths[index]).holds.nullable {
            return false;
        }
        index += 1;
    }
    true
}

/// Refuses a `rekey` by a member that the objects of the list do not have.
#[track_caller]
const fn check_key(key: &'static str, track: Track, target: Member<'static>, names: Names) {
    let ((Form::Objects(objects, Nesting::List | Nesting::Set), _) | (_, Form::Objects(objects, Nesting::List | Nesting::Set))) =
        (track.form, target.form)
    else {
        return;
    };
    if objects.origin.rust_name.is_empty() || member(objects.members, key).is_some() {
        return;
    }
    let message = Message::new()
        .text("`")
        .text(short(objects.origin.rust_name))
        .text("` has no member `")
        .text(key)
        .text("`, so the elements of `")
        .text(names.field)
        .text("` cannot be found by it");
    panic!("{}", message.as_str());
}

/// The same of a collection whose null elements are left out.
const fn without_null_elements(holds: Holds) -> Holds {
    Holds { elements: None, ..holds }
}

const fn source(prior: Members<'static>, from: Path) -> Track {
    match find(prior, from) {
        Some(member) => Track::of(member),
        None => Track::null(),
    }
}

const fn template_nullable(template: super::super::table::Template, prior: Members<'static>) -> bool {
    let mut index = 0;
    while index < template.len() {
        if let super::super::table::Segment::Prior(path, _) = template[index]
            && source(prior, path).holds.nullable
        {
            return true;
        }
        index += 1;
    }
    false
}

const fn matches_null(these: &'static [Match]) -> bool {
    let mut index = 0;
    while index < these.len() {
        if matches!(these[index], Match::Empty | Match::Literal(Literal::Null)) {
            return true;
        }
        index += 1;
    }
    false
}

#[track_caller]
const fn written(constant: &'static Constant, target: Member<'static>, last: bool, names: Names) -> Track {
    check_literal(constant, target, last, names);
    Track::open(matches!(constant, Constant::Literal(Literal::Null)))
}

/// Refuses a literal that the target cannot hold, as far as no later operator may change it.
#[track_caller]
const fn check_literal(constant: &Constant, target: Member<'static>, last: bool, names: Names) {
    let Constant::Literal(literal) = constant else { return };
    let (Form::Plain(ty), true) = (target.form, last) else { return };
    let (fits, found) = match (literal, ty) {
        (Literal::Null, _) => (target.holds.nullable, "null"),
        (Literal::String(text), Type::String) => match target.holds.takes {
            Takes::Texts(texts) => (has(texts, text), "a text that is none of its values"),
            _ => (true, ""),
        },
        (Literal::Bool(_), _) => (matches!(ty, Type::Bool | Type::Dynamic), "a bool"),
        (Literal::Number(digits), Type::Number) => (number_fits(digits, &target.holds), "one that its type does not have"),
        (Literal::Number(_), _) => (matches!(ty, Type::Dynamic), "a number"),
        (Literal::String(_), _) => (matches!(ty, Type::Dynamic), "a string"),
        (Literal::EmptyList, _) => (matches!(ty, Type::List(_) | Type::Set(_) | Type::Dynamic), "a list"),
        (Literal::EmptyMap, _) => (matches!(ty, Type::Map(_) | Type::Object(_) | Type::Dynamic), "a map"),
    };
    if fits {
        return;
    }
    let message = Message::new().text("`").text(names.field).text("` of `").text(names.current).text("` is ").text(noun(ty));
    let message = match literal {
        Literal::Null => {
            message.text(" that is never null, so null cannot be put there\nhelp: make the field an `Option`, or give a value")
        }
        Literal::String(text) => message.text(", and \"").text(text).text("\" is ").text(found),
        _ => message.text(", and this is ").text(found),
    };
    panic!("{}", message.as_str());
}

#[track_caller]
const fn convert(track: Track, target: Member<'static>, empty: EmptyText, names: Names) -> Track {
    let Form::Plain(goal) = target.form else { return Track::open(track.holds.nullable) };
    if matches!(track.form, Form::Plain(Type::List(_) | Type::Set(_) | Type::Map(_)) | Form::Objects(..))
        && scalar(goal)
        && !matches!(goal, Type::Dynamic)
    {
        let message = Message::new()
            .text("`convert` takes a scalar, but `")
            .text(names.field)
            .text("` is a collection or an object in `")
            .text(names.prior)
            .text("` and ")
            .text(noun(goal))
            .text(" now\nhelp: `unwrap` takes the only element out, `join` makes a text of a list, `convert(…, json)` a text of JSON");
        panic!("{}", message.as_str());
    }
    if let Some(help) = scalar_and_collection(track.form, goal) {
        let message = Message::new().text("`convert` takes a scalar to a scalar, and `").text(names.field).text("` was ");
        let message = match track.form {
            Form::Plain(ty) | Form::Made(ty) => message.text(noun(ty)),
            _ => message.text("something else"),
        };
        let message = message.text(" in `").text(names.prior).text("` and is ").text(noun(goal)).text(" now\nhelp: ");
        panic!("{}", with_field(message, help, names.field).as_str());
    }
    let from_text = matches!(track.form, Form::Plain(Type::String) | Form::Made(Type::String));
    let from_enum = matches!(track.holds.takes, Takes::Texts(_));
    let goal_is_number = matches!(goal, Type::Number | Type::Bool);
    if from_text && goal_is_number && !from_enum && matches!(empty, EmptyText::Unsaid) {
        let message = Message::new()
            .text("`")
            .text(names.field)
            .text("` was a text, and empty text is ")
            .text(if matches!(goal, Type::Bool) { "no bool" } else { "no number" })
            .text("\nhelp: say what it becomes: `convert(")
            .text(names.field)
            .text(", empty = null)`, `empty = zero` or `empty = refuse`");
        panic!("{}", message.as_str());
    }
    let nullable = track.holds.nullable || (from_text && matches!(empty, EmptyText::Null));
    Track { form: Form::Plain(goal), holds: Holds { nullable, ..target.holds } }
}

/// What would do where `convert` meets a collection whose elements have another type, or makes one of a scalar.
const fn scalar_and_collection(from: Form<'static>, goal: &'static Type) -> Option<&'static str> {
    match (from, goal) {
        (Form::Plain(Type::List(from) | Type::Set(from)), Type::List(to) | Type::Set(to))
        | (Form::Plain(Type::Map(from)), Type::Map(to)) => match (from.constant(), to.constant()) {
            (Some(Type::Bool), Some(Type::Number | Type::String))
            | (Some(Type::Number), Some(Type::Bool | Type::String))
            | (Some(Type::String), Some(Type::Bool | Type::Number)) => Some("`each(convert(FIELD))` converts its elements"),
            _ => None,
        },
        (Form::Plain(Type::Bool | Type::Number) | Form::Made(_), Type::List(_) | Type::Set(_)) => {
            Some("`wrap(FIELD)` makes a list of it")
        }
        (Form::Plain(Type::String), Type::List(_) | Type::Set(_)) => Some(
            "`wrap(FIELD)` makes a list of it, `split(FIELD, \",\")` one of its parts, `convert(FIELD, json)` reads it as JSON",
        ),
        _ => None,
    }
}

#[track_caller]
const fn want_text(form: Form<'static>, operator: &str, names: Names) {
    let found = match form {
        Form::Open | Form::Plain(Type::String | Type::Dynamic) | Form::Made(Type::String) => return,
        Form::Plain(ty) | Form::Made(ty) => noun(ty),
        Form::Objects(..) => "made of nested objects",
    };
    let message = Message::new()
        .text("`")
        .text(operator)
        .text("` takes a text apart, but what goes into `")
        .text(names.field)
        .text("` is ")
        .text(found)
        .text(" in `")
        .text(names.prior)
        .text("`\nhelp: for the elements of a collection write `each(")
        .text(operator)
        .text("(…))`; for another type convert it first");
    panic!("{}", message.as_str());
}

#[track_caller]
const fn want_texts(form: Form<'static>, names: Names) {
    let found = match form {
        Form::Open | Form::Plain(Type::Dynamic) => return,
        Form::Plain(Type::List(element) | Type::Set(element)) => match element.constant() {
            Some(Type::String | Type::Dynamic) | None => return,
            Some(Type::Number | Type::Bool) => "a list of what is no text",
            Some(_) => "a list of collections",
        },
        Form::Plain(ty) | Form::Made(ty) => noun(ty),
        Form::Objects(..) => "made of nested objects",
    };
    let message =
        Message::new().text("`join` makes a text of a list of texts, but `").text(names.field).text("` is ").text(found);
    let message = message.text(" in `").text(names.prior).text("`\nhelp: `convert(").text(names.field);
    let message = message.text(", json)` writes it as a text of JSON, `convert(").text(names.field);
    panic!("{}", message.text(", with = path)` as you like").as_str());
}

#[track_caller]
const fn want_collection(form: Form<'static>, names: Names) {
    let found = match form {
        Form::Plain(ty @ (Type::Bool | Type::String | Type::Number)) | Form::Made(ty) => noun(ty),
        Form::Objects(_, Nesting::Single) => "one object",
        _ => return,
    };
    let message = Message::new().text("`filter` leaves elements of a collection out, but `").text(names.field).text("` is ");
    let message = message.text(found).text(" in `").text(names.prior).text("`\nhelp: `null_if(").text(names.field);
    panic!("{}", message.text(", …)` makes it null for some values").as_str());
}

#[track_caller]
const fn unwrap(track: Track, empty: NoElement, names: Names) -> Track {
    let may_be_null = matches!(empty, NoElement::Null) || (track.holds.nullable && !matches!(empty, NoElement::Refuse));
    let holds = Holds { nullable: may_be_null, ..elements(&track.holds) };
    match track.form {
        Form::Objects(objects, Nesting::List | Nesting::Set) => Track { form: Form::Objects(objects, Nesting::Single), holds },
        Form::Plain(Type::List(element) | Type::Set(element)) => match element.constant() {
            Some(element) => Track { form: Form::Plain(element), holds },
            None => Track { form: Form::Open, holds },
        },
        Form::Open => Track { form: Form::Open, holds },
        Form::Plain(_) | Form::Made(_) | Form::Objects(..) => {
            let message = Message::new()
                .text("`unwrap` takes the only element out of a list or set, but `")
                .text(names.field)
                .text("` is none in `")
                .text(names.prior)
                .text("`");
            panic!("{}", message.as_str());
        }
    }
}

/// What a person calls a value of this type.
pub(super) const fn noun(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "a bool",
        Type::String => "a string",
        Type::Number => "a number",
        Type::Dynamic => "a dynamic value",
        Type::List(_) => "a list",
        Type::Set(_) => "a set",
        Type::Map(_) => "a map",
        Type::Tuple(_) => "a tuple",
        Type::Object(_) => "an object",
    }
}

#[track_caller]
const fn refuse_misfit(misfit: Misfit, names: Names, target: Member<'static>) {
    let _ = target;
    let message = Message::new()
        .text("what the operators make of `")
        .text(names.field)
        .text("` does not fit the field of `")
        .text(names.current)
        .text("`: ");
    let message = explain(message, misfit, names.field);
    panic!("{}", message.as_str());
}

/// Why, and the operators that would help.
pub(super) const fn explain(message: Message, misfit: Misfit, field: &str) -> Message {
    let (why, operators): (&str, [&str; 3]) = match misfit {
        Misfit::Null => ("it may be null, and the field may not", ["default(FIELD = …)", "", ""]),
        Misfit::Narrower => {
            ("the field takes fewer values than it did", ["convert(FIELD)", "values(FIELD, …)", "convert(FIELD, with = path)"])
        }
        Misfit::ListToSet => ("it was a list, whose order and repeated elements a set does not keep", ["convert(FIELD)", "", ""]),
        Misfit::ListToObject => ("it was a list, and the field is one", ["unwrap(FIELD)", "", ""]),
        Misfit::ObjectToList => ("it was one, and the field is a list", ["wrap(FIELD)", "", ""]),
        Misfit::ListAndMap => ("one is a map and the other a list", ["rekey(FIELD, by = member)", "", ""]),
        Misfit::Objects(prior, current) => {
            let (prior, current) = (short(prior), short(current));
            return message
                .text("`")
                .text(prior)
                .text("` is not `")
                .text(current)
                .text("`, and no upgrade between the two is declared\nhelp: add `#[upgrade_from(model = ")
                .text(prior)
                .text(", …)]` to `")
                .text(current)
                .text("`, with `carry` if nothing but the struct changed");
        }
        Misfit::Inner(prior, current) => {
            let message = message.text("`").text(short(prior)).text("` is not `").text(short(current));
            let message =
                message.text("`, and inside lists of lists, maps of lists and tuples no upgrade between the two is run\nhelp: ");
            return with_field(message, "`convert(FIELD, with = path)`", field);
        }
        Misfit::Type(from, to) => {
            let message = message.text("it was ").text(noun(from)).text(" and is ").text(noun(to)).text("\nhelp: ");
            let operators = if scalar(from) && scalar(to) {
                "`convert(FIELD)`, `values(FIELD, …)`, or"
            } else if matches!(from, Type::String) || matches!(to, Type::String) {
                "`convert(FIELD, json)`, `split(FIELD, …)`, `join(FIELD, …)`, or"
            } else {
                "`wrap(FIELD)`, `unwrap(FIELD)`, or"
            };
            return with_field(with_field(message, operators, field), " `convert(FIELD, with = path)`", field);
        }
        Misfit::Other => ("it has another shape", ["convert(FIELD, with = path)", "", ""]),
    };
    let mut message = message.text(why).text("\nhelp: ");
    let mut index = 0;
    while index < operators.len() {
        if !operators[index].is_empty() {
            if index > 0 {
                message = message.text(", or ");
            }
            message = with_field(message.text("`"), operators[index], field).text("`");
        }
        index += 1;
    }
    message
}

/// Appends a text, each `FIELD` in it replaced.
const fn with_field(mut message: Message, text: &str, field: &str) -> Message {
    const MARK: &[u8] = b"FIELD";
    let bytes = text.as_bytes();
    let (mut copied, mut at) = (0, 0);
    while at + MARK.len() <= bytes.len() {
        let mut letters = 0;
        while letters < MARK.len() && bytes[at + letters] == MARK[letters] {
            letters += 1;
        }
        if letters == MARK.len() {
            message = message.text(text.split_at(at).0.split_at(copied).1).text(field);
            at += MARK.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    message.text(text.split_at(copied).1)
}

const fn scalar(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::String | Type::Number | Type::Dynamic)
}
