//! Checks that every prior attribute goes somewhere and every current one comes from somewhere.

use super::super::row::{ReadAs, Replaces, starts_empty};
use super::super::table::{
    Condition, Existing, Literal, Match, Operation, Operators, Path, Production, Stage,
};
use super::blame::{Accounted, Blamed};
use super::findings::{DEEPEST, FEW, Findings, Trail};
use super::fit::{
    Misfit, RestFit, carries, keys_fit, loses_other_names, nestings_fit, objects_fit, rest_fits,
};
use super::form::{Form, Member, Objects, enum_in};
use super::glance::{Accounts, all_is_declared, current_needs_a_look, prior_needs_a_look};
use super::guard::{alike, are_opposite, cannot_both_hold, implies};
use super::refusal::{explain, scalar};
use super::renames::renames;
use super::secrets::{Leak, carried, marked, rest_leaks};
use super::track::{Track, find as target};
use super::{
    NOTHING, at, count, field_at, has_unknown_name, member, name_at, position, row_at, same, spelt,
};
use crate::codec::Object;
use crate::message::{Message, iterate};
use crate::schema::table::{Stored, Table};
use crate::schema::{LeftOver, Nesting, Origin};

/// Refuses, at compile time, an upgrader that forgets a field of the prior struct or of the current
/// one.
#[doc(hidden)]
#[track_caller]
pub const fn check_accounting<T: Object>(
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
) {
    check_accounting_to(T::TABLE, prior, operators, accounts);
}

/// Takes the table of what is made in place of its type.
#[doc(hidden)]
#[track_caller]
pub const fn check_accounting_to(
    current: &'static Table,
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
) {
    if let Some(blamed) = account(current, prior, operators, accounts, &LeftOver::Nothing) {
        blamed.refuse();
    }
}

/// Finds what [`check_accounting`] refuses, and the operator to blame.
#[doc(hidden)]
pub const fn find_in_accounting<T: Object>(
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
) -> Option<Blamed> {
    account(T::TABLE, prior, operators, accounts, &LeftOver::Nothing)
}

/// Takes the table of what is made in place of its type.
#[doc(hidden)]
pub const fn find_in_accounting_to(
    current: &'static Table,
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
) -> Option<Blamed> {
    account(current, prior, operators, accounts, &LeftOver::Nothing)
}

/// Refuses an upgrader of nested objects that forgets more than the member that it leaves to
/// `rekey`.
#[doc(hidden)]
#[track_caller]
pub const fn check_object_accounting<T: Object>(
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
    left_over: &LeftOver,
) {
    if let Some(blamed) = account(T::TABLE, prior, operators, accounts, left_over) {
        blamed.refuse();
    }
}

/// Finds what [`check_object_accounting`] refuses, and the operator to blame.
#[doc(hidden)]
pub const fn find_in_object_accounting<T: Object>(
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
    left_over: &LeftOver,
) -> Option<Blamed> {
    account(T::TABLE, prior, operators, accounts, left_over)
}

const fn account(
    current: &'static Table,
    prior: &'static Table,
    operators: &'static Operators,
    accounts: &Accounts,
    left_over: &LeftOver,
) -> Option<Blamed> {
    let (prior_members, current_members) = (prior, current);
    if operators.notices.is_empty() && all_is_declared(prior_members, current_members, accounts) {
        return None;
    }
    // A struct that did not compile is a stub: nothing is to be said about it.
    if prior_members.is_stub() || current_members.is_stub() || has_unknown_name(operators) {
        return None;
    }
    let old = Objects {
        origin: Origin {
            upgraders: &[],
            ..prior_members.origin()
        },
        ..Objects::new(prior_members)
    };
    let new = Objects::new(current_members);
    let mut findings = Findings::new(operators, prior_members.rust_name, current_members, false);
    findings.is_difference = prior_members.defined_at.is_none();
    findings.left_over = *left_over;
    find(&mut findings, old, new, accounts);
    if findings.forgotten > FEW {
        findings = Findings::new(operators, prior_members.rust_name, current_members, true);
        findings.is_difference = prior_members.defined_at.is_none();
        findings.left_over = *left_over;
        find(&mut findings, old, new, accounts);
    }
    if findings.count == 0 && findings.forgotten == 0 {
        return None;
    }
    let renames = renames(&findings, old, new);
    // Without any operator there is `carry`, which no other may be beside; a difference says
    // nothing of what is carried.
    let is_carry = !findings.is_difference
        && operators.productions.is_empty()
        && operators.drops.is_empty()
        && operators.notices.is_empty()
        && operators.declassified.is_empty();
    let place = if findings.lists {
        Accounted::Nowhere
    } else {
        findings.place
    };
    let message = findings.into_message(&renames);
    let message = if is_carry {
        message.with_each_help(", in place of `carry`")
    } else {
        message
    };
    Some(Blamed::of_account(place, message))
}

/// Looks at each field of both sides.
const fn find(findings: &mut Findings, prior: Objects, current: Objects, accounts: &Accounts) {
    if rest_leaks(prior.members, current.members).is_some() {
        let message = findings
            .line()
            .text("a flattened enum or map of `")
            .text(findings.prior);
        let message = message.format(
            "` holds a sensitive value, and none of `{}` does [U0019]\nhelp: ",
            &[findings.current],
        );
        findings.message =
            message.text("mark it there as `#[attribute(sensitive)]`, too; or upgrade by a function: `with = path`");
    }
    match rest_fits(prior.members, current.members) {
        RestFit::LosesOtherNames => {
            let message = findings
                .line()
                .text("a flattened enum or map of `")
                .text(findings.prior);
            let message = message
                .text("` reads variants of other names, and that of `")
                .text(findings.current);
            let message =
                message.text("` does not [U0003]\nhelp: write `other` above a variant there; ");
            findings.message = message.text("or upgrade by a function: `with = path`");
        }
        RestFit::Narrower => {
            let message = findings
                .line()
                .text("a flattened map of `")
                .text(findings.prior);
            findings.message = message.format(
                "` takes keys or values that none of `{}` takes [U0003]\nhelp: let one take them there; or upgrade by a function: `with = path`",
                &[findings.current],
            );
        }
        RestFit::Elsewhere | RestFit::Fits => {}
    }
    let nowhere = Trail {
        names: [""; DEEPEST],
        fields: [""; DEEPEST],
        len: 0,
    };
    let mut index = 0;
    let mut cursor = 0;
    while index < count(current.members) {
        if current_needs_a_look(prior.members, current.members, index, &mut cursor, accounts) {
            current_one(findings, prior, current, index, &nowhere);
        }
        index += 1;
    }
    index = 0;
    cursor = 0;
    while index < count(prior.members) {
        if prior_needs_a_look(prior.members, current.members, index, &mut cursor, accounts) {
            prior_one(findings, prior, Some(current), index, &nowhere);
        }
        index += 1;
    }
}

const fn current_side(findings: &mut Findings, prior: Objects, current: Objects, trail: &Trail) {
    let mut index = 0;
    while index < count(current.members) {
        current_one(findings, prior, current, index, trail);
        index += 1;
    }
}

const fn current_one(
    findings: &mut Findings,
    prior: Objects,
    current: Objects,
    index: usize,
    trail: &Trail,
) {
    let name = name_at(current.members, index);
    let here = trail.below(name, field_at(current.members, index));
    let target = at(current.members, index);
    let (produced, within) = production_at(findings.operators, &here);
    if !produced
        && let Some(source) = member(prior.members, name)
        && let (Form::Objects(_, Nesting::Map), Form::Objects(_, Nesting::Map)) =
            (source.form, target.form)
        && !keys_fit(&source.holds, &target.holds)
    {
        let message = here.text(findings.line().text("`"));
        let message = message.text("` cannot be carried [U0003]: ");
        let before = Track::made_of(source.form, source.holds);
        let field = here.fields[here.len - 1];
        findings.message = explain(message, Misfit::Keys, (field, "write "), &before, &target);
    } else if within && let Form::Objects(inner, _) = target.form {
        // Parts of the object are made one by one; what is not must come along from an object of
        // the same name.
        let source = match member(prior.members, name) {
            Some(source) if !produced => match source.form {
                Form::Objects(source, _) => source,
                Form::Plain(_) | Form::Made(_) | Form::Open => EMPTY,
            },
            _ => EMPTY,
        };
        if !produced {
            current_side(findings, source, inner, &here);
        }
    } else if !produced {
        if let Some(source) = member(prior.members, name) {
            if let Some((old, new)) = taken_apart(findings.operators, &here, &source, &target) {
                current_side(findings, old, new, &here);
                return;
            }
            match carries(&source, &target) {
                Some(Misfit::Null) if target.is_block => {
                    carried_secrets(findings, prior, current, index, &here);
                }
                Some(misfit) => {
                    let message = here
                        .text(findings.line().text("`"))
                        .text("` cannot be carried");
                    if !matches!(misfit, Misfit::Keys)
                        && let (Some(before), Some(now)) =
                            (enum_in(source.form), enum_in(target.form))
                    {
                        if loses_other_names(before, now) {
                            let message =
                                message.text(" [U0003]: the enum in `").text(findings.prior);
                            let message = message.text(
                                "` reads variants of other names, and this one has no `other`",
                            );
                            let message =
                                here.text(message.text(
                                    "\nhelp: write `other` above a variant, or write `convert(",
                                ));
                            let message = if findings.is_difference {
                                message.text(": …")
                            } else {
                                message
                            };
                            findings.message = message.text(", with = path)`");
                            return;
                        }
                        let message = message
                            .text(" [U0003]: it was another enum in `")
                            .text(findings.prior);
                        let message = here.text(
                            message.text("`\nhelp: write what became of its variants: `variants("),
                        );
                        let message =
                            here.text(message.text(", \"Old\" => \"New\")`, or `convert("));
                        let message = if findings.is_difference {
                            message.text(": …")
                        } else {
                            message
                        };
                        findings.message =
                            message.text(", with = path)` if one holds other values");
                        return;
                    }
                    // A misfit with a code of its own has that after the reason, so that none is
                    // added here.
                    let has_code = matches!(misfit, Misfit::Null | Misfit::LeftOver(..));
                    let message = message.text(if has_code { ": " } else { " [U0003]: " });
                    let before = Track::made_of(source.form, source.holds);
                    let field = here.fields[here.len - 1];
                    findings.message =
                        explain(message, misfit, (field, "write "), &before, &target);
                }
                None => carried_secrets(findings, prior, current, index, &here),
            }
        } else if !current.members.any_row(index).1
            && !matches!(findings.left_over, LeftOver::Later(left) if here.len == 1 && same(left, name))
        {
            if here.len == 1 {
                findings.missing_members.add(index);
            }
            not_produced(findings, &here, &target);
        }
    }
}

/// Finds a field that is carried and shows what was hidden.
const fn carried_secrets(
    findings: &mut Findings,
    prior: Objects,
    current: Objects,
    index: usize,
    here: &Trail,
) {
    let to = row_at(current.members, index);
    let Some(at) = position(prior.members, to.name) else {
        return;
    };
    let from = row_at(prior.members, at);
    let Some(leak) = carried(from, to) else {
        return;
    };
    if is_declassified_at(findings.operators, here) {
        return;
    }
    let message = here.text(findings.line().text("`"));
    let (message, mark) = match leak {
        Leak::Whole => (message, marked(from)),
        Leak::Member(name) => (message.text(".").text(name), "sensitive"),
    };
    let message = message.format(
        "` of `{}` is {}, and is not in `{}` [U0019]\nhelp: mark it there as `#[attribute(sensitive)]`; or add `",
        &[findings.prior, mark, findings.current],
    );
    let message = if findings.is_difference {
        message
    } else {
        here.text(message.text("carry(")).text(", ")
    };
    let message = message.text("declassified = \"why it may be shown\"");
    findings.message = message.text(if findings.is_difference {
        "` to `carry`"
    } else {
        ")`"
    });
}

const fn is_declassified_at(operators: &'static Operators, here: &Trail) -> bool {
    iterate!(shown in operators.declassified => {
        if here.is(shown.path) {
            return true;
        }
    });
    false
}

const EMPTY: Objects = Objects::new(&NOTHING);

/// The objects of both sides, if operators take members out of the prior ones, and nothing else
/// says how they become the current ones: what is not taken comes along by its name.
const fn taken_apart(
    operators: &'static Operators,
    here: &Trail,
    source: &Member,
    target: &Member,
) -> Option<(Objects, Objects)> {
    let (Form::Objects(old, was), Form::Objects(new, is)) = (source.form, target.form) else {
        return None;
    };
    if !matches!(used(operators, here), Use::Within)
        || objects_fit(old, new).is_none()
        || nestings_fit(was, is).is_some()
        || source.holds.nullable && !target.holds.nullable && !target.is_block
    {
        return None;
    }
    Some((old, new))
}

const fn not_produced(findings: &mut Findings, here: &Trail, target: &Member) {
    findings.forgotten += 1;
    if findings.lists {
        findings.missing.add(here);
        if target.holds.nullable {
            findings.missing_nullable.add(here);
        }
        return;
    }
    let message = here.text(findings.line().text("`")).format(
        "` of `{}` comes from nowhere [U0001]\nhelp: ",
        &[findings.current],
    );
    let message = here
        .text(message.text("add `rename(old => "))
        .text(")`, `copy(other => ");
    let message = here.text(message).text(")`, ");
    let is_scalar = matches!(target.form, Form::Plain(ty) if scalar(ty));
    let message = if is_scalar && target.holds.nullable {
        here.text(message.text("`default(")).text(" = …)`, ")
    } else {
        message
    };
    let message = here.text(message.text("or `set("));
    findings.message = message.text(if target.holds.nullable {
        " = null)` if it starts out empty"
    } else {
        match starts_with(target.form) {
            Some(empty) => empty,
            None => " = …)` with the value that it starts with",
        }
    });
}

/// The end of the advice that names the value with which a collection that is never null starts.
const fn starts_with(form: Form) -> Option<&'static str> {
    match form {
        Form::Plain(Stored::List(_) | Stored::Set(_))
        | Form::Objects(_, Nesting::List | Nesting::Set) => Some(" = [])` if it starts out empty"),
        Form::Plain(Stored::Map(_)) | Form::Objects(_, Nesting::Map) => {
            Some(" = {})` if it starts out empty")
        }
        Form::Plain(
            Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::Dynamic
            | Stored::Tuple(_)
            | Stored::Json
            | Stored::Union(_)
            | Stored::Object(_),
        )
        | Form::Objects(_, Nesting::Single)
        | Form::Made(_)
        | Form::Open => None,
    }
}

/// Says whether there is a production for just this target, and whether there is one for something
/// in it.
const fn production_at(operators: &'static Operators, here: &Trail) -> (bool, bool) {
    let (mut exact, mut within) = (false, false);
    iterate!(production in operators.productions => {
        let target = production.target;
        exact = exact || here.is(target);
        within = within || (here.starts(target) && target.len() > here.len);
    });
    (exact, within)
}

/// True if the value of the prior attribute at the same path goes into the current one.
const fn is_carried(operators: &'static Operators, here: &Trail) -> bool {
    iterate!(production in operators.productions => {
        if here.is(production.target) {
            return !starts_empty(production.stages);
        }
    });
    true
}

const fn prior_side(
    findings: &mut Findings,
    prior: Objects,
    current: Option<Objects>,
    trail: &Trail,
) {
    let mut index = 0;
    while index < count(prior.members) {
        prior_one(findings, prior, current, index, trail);
        index += 1;
    }
}

const fn prior_one(
    findings: &mut Findings,
    prior: Objects,
    current: Option<Objects>,
    index: usize,
    trail: &Trail,
) {
    let name = name_at(prior.members, index);
    let here = trail.below(name, field_at(prior.members, index));
    let source = at(prior.members, index);
    let use_ = used(findings.operators, &here);
    let target = match current {
        Some(current) => member(current.members, name),
        None => None,
    };
    let carried = target.is_some() && is_carried(findings.operators, &here);
    if carried
        && matches!(use_, Use::Nothing)
        && let Some((production, operation)) = replacing(findings.operators, &here)
    {
        // A difference does not name an attribute that stays, and a new one looks the same, so
        // `set` is advised in case it is new.
        let new = match target {
            Some(target) if findings.is_difference => Some(if target.holds.nullable {
                " = null)"
            } else {
                " = …)"
            }),
            Some(_) | None => None,
        };
        replaced(findings, &here, production, operation, new);
    }
    if carried
        && let Some(drop) = drop_of(findings.operators, &here)
        && !is_replaced_anywhere(findings.operators, &here)
    {
        dropped_and_there(findings, &here, drop);
    }
    if !carried
        && matches!(use_, Use::Moved | Use::Read)
        && drop_of(findings.operators, &here).is_none()
    {
        if let Some(production) = replaced_behind(findings.operators, &here) {
            replaced_later(findings, &here, production);
        }
        if let Form::Objects(inner, _) = source.form
            && let Some(production) = moved_by(findings.operators, &here)
        {
            members_replaced(findings, inner, &here, production);
        }
    }
    if matches!(use_, Use::Moved) && carried && !production_at(findings.operators, &here).0 {
        moved_and_there(findings, &here);
    } else if !matches!(use_, Use::Nothing | Use::Within)
        || (carried && !matches!(use_, Use::Within))
    {
        // All of it goes somewhere.
        let parts = match (carried && matches!(use_, Use::Nothing), source.form, target) {
            (true, Form::Objects(inner, _), Some(target))
                if production_at(findings.operators, &here).1 =>
            {
                match target.form {
                    Form::Objects(to, _) => Some((inner, to)),
                    Form::Plain(_) | Form::Made(_) | Form::Open => None,
                }
            }
            _ => None,
        };
        if let Some((inner, to)) = parts {
            prior_side(findings, inner, Some(to), &here);
        }
    } else if matches!(use_, Use::Within)
        && let Form::Objects(inner, _) = source.form
    {
        let to = match target {
            Some(target) if carried => match target.form {
                Form::Objects(to, _) => Some(to),
                Form::Plain(_) | Form::Made(_) | Form::Open => None,
            },
            _ => None,
        };
        prior_side(findings, inner, to, &here);
    } else if !matches!(findings.left_over, LeftOver::Earlier(left) if here.len == 1 && same(left, name))
    {
        if here.len == 1 && guarding(findings.operators, &here).is_none() {
            findings.lost_members.add(index);
        }
        goes_nowhere(findings, &here);
    }
}

const fn goes_nowhere(findings: &mut Findings, here: &Trail) {
    let guarded = guarding(findings.operators, here);
    if guarded.is_none() {
        findings.forgotten += 1;
        if findings.lists {
            findings.lost.add(here);
            return;
        }
    }
    let made = made_in_its_place(findings.operators, here);
    let place = match (guarded, made) {
        (Some(production), _) | (None, Some(production)) => Accounted::Production(production),
        (None, None) => Accounted::Nowhere,
    };
    let message = here
        .text(findings.line_at(place).text("`"))
        .text("` of `")
        .text(findings.prior);
    if guarded.is_some() {
        let message = message.text("` goes nowhere where the condition of `only_if` does not hold [U0002]\nhelp: add `drop(");
        findings.message = here
            .text(message)
            .text(", \"why\")` if its value may be lost there");
        return;
    }
    let message = message.text("` goes nowhere");
    let message = match made {
        Some(production) => here
            .text(message.text(", because an operator makes `"))
            .text("` of something else [U0002]\nhelp: ")
            .raw(existing(findings.operators, here, production).bytes()),
        None => message.text(" [U0002]\nhelp: "),
    };
    let message = here
        .text(message.text("add `rename("))
        .text(" => new)`, or `drop(");
    findings.message = here
        .text(message)
        .text(", \"why\")` if its value may be lost");
}

/// The production whose result has the name of the prior attribute and nothing of its value.
const fn made_in_its_place(operators: &'static Operators, here: &Trail) -> Option<usize> {
    iterate!((index, production) in operators.productions => {
        if here.is(production.target) {
            return Some(index);
        }
    });
    None
}

/// The advice that has a `rename` say which of two values wins.
const fn existing(operators: &'static Operators, here: &Trail, production: usize) -> Message {
    let message = Message::new();
    match operators.productions[production].stages {
        [
            Stage {
                operation: Operation::Take([name], Existing::Unsaid),
                each: false,
                only_if: None,
            },
            ..,
        ] if here.len == 1 => {
            let message = message.format("write `rename({} => ", &[name]);
            here.text(message)
                .text(", existing = keep)` if its own value wins; or ")
        }
        _ => message,
    }
}

/// The `drop` that names it.
const fn drop_of(operators: &'static Operators, here: &Trail) -> Option<usize> {
    iterate!((index, dropped) in operators.drops => {
        if here.is(dropped.path) {
            return Some(index);
        }
    });
    None
}

/// True if an operator puts something else in the place of the attribute, be it on some states
/// only, or in the place of a part of it.
const fn is_replaced_anywhere(operators: &'static Operators, here: &Trail) -> bool {
    iterate!(production in operators.productions => {
        if here.starts(production.target) {
            iterate!(stage in production.stages => {
                if !matches!(stage.operation.row().replaces, Replaces::Never) {
                    return true;
                }
            });
        }
    });
    false
}

const fn dropped_and_there(findings: &mut Findings, here: &Trail, drop: usize) {
    let message = here
        .text(findings.line_at(Accounted::Dropped(drop)).text("`"))
        .format("` is dropped, but `{}` has a field `", &[findings.current]);
    let message = here
        .text(message)
        .text("`, so its value is carried there\nhelp: leave the `drop` out; or say what the field holds now: `set(");
    findings.message = here.text(message).text(" = …)`");
}

/// The operator under a condition that puts something else where the prior attribute would be
/// carried to, on states in which it may have a value. `rename` may say which of the two counts.
const fn replacing(
    operators: &'static Operators,
    here: &Trail,
) -> Option<(usize, &'static Operation)> {
    iterate!((index, production) in operators.productions => {
        if here.is(production.target) {
            iterate!(stage in production.stages => {
                let Stage {
                    operation, only_if, ..
                } = stage;
                if operation.is_source()
                    && let Some(condition) = only_if
                    && !holds_only_where_unset(condition, here)
                    && matches!(read_by(Use::Nothing, here, operation), Use::Nothing)
                    && !is_read_under(operators, here, condition, false)
                {
                    return Some((index, operation));
                }
            });
        }
    });
    None
}

/// `new` ends the `set` that says that the field is new, where only the author knows.
const fn replaced(
    findings: &mut Findings,
    here: &Trail,
    production: usize,
    operation: &Operation,
    new: Option<&str>,
) {
    let message = here
        .text(
            findings
                .line_at(Accounted::Production(production))
                .text("`"),
        )
        .format(
            "` of `{}` is replaced where the condition of `only_if` holds, and its value lost\nhelp: ",
            &[findings.prior],
        );
    let message = match new {
        Some(end) => {
            let message = here
                .text(message.text("if it is new, write `set("))
                .text(end);
            message.text("` before the `only_if`; otherwise add `drop(")
        }
        None => message.text("add `drop("),
    };
    let message = here
        .text(message)
        .text(", \"why\")` if it may be lost there, ");
    let is_last = !matches!(operation, Operation::Set(_) | Operation::Take(..));
    let lacks = if is_last { "or `lacks(" } else { "`lacks(" };
    let message = here.text(message.text(lacks));
    findings.message = if matches!(operation, Operation::Set(_)) {
        here.text(message.text(")` to the condition, or write `default("))
            .text(" = …)`, which fills it only where it is null")
    } else if matches!(operation, Operation::Take(..)) {
        message.text(")` to the condition, or `existing = keep` to the `rename`")
    } else {
        message.text(")` to the condition")
    };
}

/// The production in which another operator, under a condition, may take the place of what was made
/// of the prior attribute. `None` if one of those that read it is left alone.
const fn replaced_behind(operators: &'static Operators, here: &Trail) -> Option<usize> {
    if !replaces_behind_a_source(operators) {
        return None;
    }
    let mut found = None;
    iterate!((index, production) in operators.productions => {
        iterate!((nth, stage) in production.stages => {
            if reads_whole(here, &stage.operation) && acts_wherever_set(operators, here, stage) {
                if !may_be_replaced(operators, here, index, nth) {
                    return None;
                }
                found = Some(index);
            }
        });
    });
    found
}

/// True if there is a source under a condition behind another operator, without a look at names:
/// most upgraders have none.
const fn replaces_behind_a_source(operators: &'static Operators) -> bool {
    iterate!(production in operators.productions => {
        if let [_, behind @ ..] = production.stages {
            iterate!(stage in behind => {
                if stage.only_if.is_some() && stage.operation.is_source() {
                    return true;
                }
            });
        }
    });
    false
}

/// True if a later operator may put something else in the place of what one made of the prior
/// attribute, and nothing else reads it then.
const fn may_be_replaced(
    operators: &'static Operators,
    here: &Trail,
    production: usize,
    index: usize,
) -> bool {
    let stages = operators.productions[production].stages;
    let mut later = index + 1;
    while later < stages.len() {
        let Stage {
            operation, only_if, ..
        } = &stages[later];
        if operation.is_source()
            && let Some(condition) = only_if
            && !reads_whole(here, operation)
            && !holds_only_where_unset(condition, here)
            && !is_read_besides(operators, here, condition, production)
            && !match stages[index].only_if {
                Some(own) => cannot_both_hold(own, condition),
                None => false,
            }
        {
            return true;
        }
        later += 1;
    }
    false
}

/// True if another production reads the prior attribute wherever a condition holds.
const fn is_read_besides(
    operators: &'static Operators,
    here: &Trail,
    condition: &'static Condition,
    production: usize,
) -> bool {
    iterate!((index, another) in operators.productions => {
        if index != production {
            iterate!(stage in another.stages => {
                if let Some(other) = stage.only_if
                    && reads_whole(here, &stage.operation)
                    && implies(condition, other)
                {
                    return true;
                }
            });
        }
    });
    false
}

const fn reads_whole(here: &Trail, operation: &'static Operation) -> bool {
    matches!(
        read_by(Use::Nothing, here, operation),
        Use::Moved | Use::Read
    )
}

const fn replaced_later(findings: &mut Findings, here: &Trail, production: usize) {
    let message = here
        .text(
            findings
                .line_at(Accounted::Production(production))
                .text("`"),
        )
        .text("` of `")
        .text(findings.prior);
    let message =
        message.text("` is replaced where the condition of a later `only_if` holds, and its value lost\nhelp: add `drop(");
    let message = here.text(
        here.text(message)
            .text(", \"why\")` if it may be lost there, or `lacks("),
    );
    findings.message = message.text(")` to the condition");
}

/// The production that alone reads a prior object, if it moves the whole.
const fn moved_by(operators: &'static Operators, here: &Trail) -> Option<usize> {
    let mut found = None;
    iterate!((index, production) in operators.productions => {
        iterate!((nth, stage) in production.stages => {
            if reads_whole(here, &stage.operation) {
                if found.is_some() || nth > 0 || !moves_objects(production.stages) {
                    return None;
                }
                found = Some(index);
            }
        });
    });
    found
}

/// True if a production takes objects from elsewhere on any state, and their members are those that
/// they had.
const fn moves_objects(stages: &'static [Stage]) -> bool {
    let [
        Stage {
            operation,
            each: false,
            only_if: None,
        },
        after @ ..,
    ] = stages
    else {
        return false;
    };
    iterate!(stage in after => {
        if !stage.operation.keeps_objects() {
            return false;
        }
    });
    operation.passes().is_some()
}

/// Finds members that a prior object takes along to where operators make the same members of
/// something else.
const fn members_replaced(
    findings: &mut Findings,
    inner: Objects,
    here: &Trail,
    production: usize,
) {
    let operators = findings.operators;
    let to = operators.productions[production].target;
    if let Some(Member {
        form: Form::Objects(objects, _),
        ..
    }) = target(findings.made, to)
        && (objects.origin.upgrader_from(inner.origin).is_some()
            || findings.is_difference && inner.origin.is_struct_of(objects.origin))
    {
        // The upgrader of the objects accounts for their members. A difference takes objects that
        // it moves for those of today, so that new members seem to have been there.
        return;
    }
    iterate!((index, another) in operators.productions => {
        let Production { target, stages } = another;
        if let Some(inside) = behind(target, to)
            && starts_empty(stages)
            && let Some(member) = below(inner.members, here, inside)
            && !matches!(used(operators, &member), Use::Moved | Use::Read)
        {
            let message = member
                .text(findings.line_at(Accounted::Production(index)).text("`"))
                .format(
                    "` of `{}` goes nowhere, because an operator makes `",
                    &[findings.prior],
                );
            let message =
                spelt(message, target).text("` of something else [U0002]\nhelp: add `rename(");
            let message = member.text(member.text(message).text(" => new)`, or `drop("));
            findings.message = message.text(", \"why\")` if its value may be lost");
        }
    });
}

/// The rest of a path that leads on from another.
const fn behind(path: Path, from: Path) -> Option<Path> {
    let (mut path, mut from) = (path, from);
    while let ([name, path_rest @ ..], [other, from_rest @ ..]) = (path, from) {
        if !same(name, other) {
            return None;
        }
        (path, from) = (path_rest, from_rest);
    }
    if path.is_empty() || !from.is_empty() {
        None
    } else {
        Some(path)
    }
}

/// The place of a member of prior objects, if they have it.
const fn below(members: &'static Table, here: &Trail, path: Path) -> Option<Trail> {
    let [name, rest @ ..] = path else { return None };
    let Some(index) = position(members, name) else {
        return None;
    };
    let here = here.below(name, field_at(members, index));
    match at(members, index).form {
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open if rest.is_empty() => {
            Some(here)
        }
        Form::Objects(inner, _) => below(inner.members, &here, rest),
        Form::Plain(_) | Form::Made(_) | Form::Open => None,
    }
}

/// The first production that reads the prior attribute under a condition.
const fn guarding(operators: &'static Operators, here: &Trail) -> Option<usize> {
    iterate!((index, production) in operators.productions => {
        iterate!(stage in production.stages => {
            if stage.only_if.is_some()
                && !matches!(read_by(Use::Nothing, here, &stage.operation), Use::Nothing)
            {
                return Some(index);
            }
        });
    });
    None
}

const fn moved_and_there(findings: &mut Findings, here: &Trail) {
    let message = here
        .text(findings.line().text("`"))
        .format("` is renamed, but `{}` has a field `", &[findings.current]);
    let message = here
        .text(message)
        .text("` too\nhelp: `copy` instead of `rename` leaves it where it is; or say what the field holds now: `set(");
    findings.message = here.text(message).text(" = …)`");
}

/// The use that operators make of a prior attribute.
#[derive(Clone, Copy)]
enum Use {
    Nothing,
    /// It goes elsewhere.
    Moved,
    /// It is read or dropped.
    Read,
    /// Something in it is moved, read or dropped.
    Within,
}

const fn used(operators: &'static Operators, here: &Trail) -> Use {
    let mut found = Use::Nothing;
    iterate!(dropped in operators.drops => {
        found = more(found, here, dropped.path, false);
    });
    iterate!(production in operators.productions => {
        iterate!(stage in production.stages => {
            if acts_wherever_set(operators, here, stage) {
                found = read_by(found, here, &stage.operation);
            }
        });
    });
    found
}

/// True if an operator acts wherever the prior attribute has a value, or others read it on the
/// other states. What is read on some states only is lost on the others, unless it is null there or
/// empty.
const fn acts_wherever_set(
    operators: &'static Operators,
    here: &Trail,
    stage: &'static Stage,
) -> bool {
    match stage.only_if {
        Some(condition) => {
            holds_wherever_set(condition, here) || is_read_under(operators, here, condition, true)
        }
        None => true,
    }
}

/// True if operators read the prior attribute where a condition holds; or just where it does not,
/// if `opposite`.
const fn is_read_under(
    operators: &'static Operators,
    here: &Trail,
    condition: &'static Condition,
    opposite: bool,
) -> bool {
    iterate!(production in operators.productions => {
        iterate!(stage in production.stages => {
            if let Some(other) = stage.only_if
                && (if opposite {
                    are_opposite(condition, other)
                } else {
                    alike(condition, other)
                })
                && !matches!(read_by(Use::Nothing, here, &stage.operation), Use::Nothing)
            {
                return true;
            }
        });
    });
    false
}

/// True if a condition holds on all states in which the prior attribute has a value.
const fn holds_wherever_set(condition: &'static Condition, here: &Trail) -> bool {
    match condition {
        Condition::Has(path) | Condition::Not(Condition::Lacks(path)) => here.is_within(path),
        Condition::Not(Condition::Is(path, these)) => here.is_within(path) && mean_nothing(these),
        Condition::Any(any) => {
            iterate!(one in any => {
                if holds_wherever_set(one, here) {
                    return true;
                }
            });
            false
        }
        Condition::Lacks(_)
        | Condition::Is(..)
        | Condition::Fits(..)
        | Condition::Not(_)
        | Condition::All(_) => false,
    }
}

/// True if a condition holds on no state in which the prior attribute has a value, but for one that
/// the author wrote down.
const fn holds_only_where_unset(condition: &'static Condition, here: &Trail) -> bool {
    match condition {
        // `Condition::Is` names its values, so no value is lost there that the author did not write
        // down.
        Condition::Lacks(path) | Condition::Not(Condition::Has(path)) | Condition::Is(path, _) => {
            here.is_within(path)
        }
        Condition::All(all) => {
            iterate!(one in all => {
                if holds_only_where_unset(one, here) {
                    return true;
                }
            });
            false
        }
        Condition::Any(any) => {
            iterate!(one in any => {
                if !holds_only_where_unset(one, here) {
                    return false;
                }
            });
            true
        }
        Condition::Has(_) | Condition::Fits(..) | Condition::Not(_) => false,
    }
}

/// True if only null and empty values are matched.
const fn mean_nothing(these: &'static [Match]) -> bool {
    iterate!(one in these => {
        if !matches!(
            one,
            Match::Empty | Match::Literal(Literal::Null | Literal::EmptyList | Literal::EmptyMap)
        ) {
            return false;
        }
    });
    true
}

/// Adds to `found` what an operation does with a prior attribute.
const fn read_by(mut found: Use, here: &Trail, operation: &'static Operation) -> Use {
    let moved = matches!(operation.row().read_as, ReadAs::Moved);
    let mut nth = 0;
    while let Some(path) = operation.reads(nth) {
        found = more(found, here, path, moved);
        nth += 1;
    }
    found
}

const fn more(found: Use, here: &Trail, path: Path, moved: bool) -> Use {
    match found {
        Use::Moved | Use::Read if !here.is(path) => found,
        _ if here.is(path) && moved => Use::Moved,
        Use::Moved => found,
        _ if here.is(path) => Use::Read,
        Use::Nothing if here.starts(path) => Use::Within,
        Use::Nothing | Use::Read | Use::Within => found,
    }
}
