//! The changes of an enum's variants, compared with the prior enum and the later one.

use super::super::super::check::blame::Blame;
use super::super::super::check::fit::{
    contents_fit, converted_to, loses_other_names, may_be_missing, row_of, values_fit,
};
use super::super::super::check::form::{Form, Member, enum_in};
use super::super::super::check::literal::check_literal;
use super::super::super::check::refusal::noun;
use super::super::super::check::track::{Made, Names, Track};
use super::super::super::check::{count, each, row_at, same};
use super::super::super::table::{
    Constant, EmptyText, MemberChange, VariantChange, Variants as Changes,
};
use super::is_any_text;
use crate::message::{Message, iterate};
use crate::released::type_of;
use crate::schema::table::{Stored, Table, TypeInfo, UnionTable, VariantRow, variant};
use upstate_words::hash::key;

#[track_caller]
pub(super) const fn check_variants(
    changes: Changes,
    (track, target): (&Track, &Member),
    names: Names,
    blame: &mut Blame,
) -> Track {
    let Some(now) = enum_in(target.form) else {
        no_enum(target.form, names)
    };
    if same(now.tagging, "untagged") {
        Message::refuse(
            "stored values of `{}` do not name their variant, because the enum is untagged\nhelp: write `convert({}{}, with = path)`",
            &[names.field, names.field, names.type_behind()],
        );
    }
    let before = match (track.form, track.made) {
        (Form::Open, Made::Nothing) => None,
        (form, _) => match enum_in(form) {
            Some(before) => Some(before),
            None => no_enum(form, names),
        },
    };
    let mut place = 0;
    iterate!(change in changes => {
        match *change {
            VariantChange::Renamed { from, to } => {
                here(to, place + 1, now, names, blame);
                gone(from, place, changes, (before, now), names, blame);
                place += 2;
            }
            VariantChange::Dropped { name, becomes, .. } => {
                here(becomes, place + 1, now, names, blame);
                gone(name, place, changes, (before, now), names, blame);
                holds_nothing(becomes, place + 1, now, names, blame);
                place += 2;
            }
            VariantChange::Added { name } => {
                here(name, place, now, names, blame);
                place += 1;
            }
            VariantChange::Member {
                variant: of,
                change,
            } => {
                here(of, place, now, names, blame);
                changed_member((of, &change), place + 1, now, names, blame);
                place += 2;
            }
        }
    });
    if let Some(before) = before {
        carried(before, now, changes, names, blame);
    }
    converted_to(track, target)
}

#[track_caller]
const fn no_enum(form: Form, names: Names) -> ! {
    let found = match form {
        Form::Plain(Stored::List(_) | Stored::Set(_) | Stored::Map(_)) => {
            "a collection of other values"
        }
        Form::Plain(ty) | Form::Made(ty) => noun(ty),
        Form::Objects(..) => "made of nested objects",
        Form::Open => "made by another operator",
    };
    Message::refuse(
        "`variants` changes an enum that derives `Union`, or a collection of it, but `{}` is {}\nhelp: for strings write `values({}, \"old\" => \"new\")`",
        &[names.field, found, names.field],
    );
}

/// True if the variant of this name, or of this name in Rust, is stored so.
const fn is_stored_as(union: &'static UnionTable, name: &str, stored: &str) -> bool {
    matches!(variant(union, key(name)), Some(row) if same(row.name, stored))
}

/// True if a variant is read by this other name, too.
const fn has_alias(variant: &VariantRow, name: &str) -> bool {
    iterate!(alias in variant.aliases => {
        if same(alias, name) {
            return true;
        }
    });
    false
}

/// Blames a name that is not the stored one of a variant of the later enum.
const fn here(name: &str, place: usize, now: &'static UnionTable, names: Names, blame: &mut Blame) {
    let message = Message::new().format("the enum in `{}", &[names.field]);
    must_be_stored(name, place, now, message, ("stores", "has"), blame);
}

/// Blames a name that is not the stored one of a variant of the enum that the message names, which
/// does with a variant what the verbs say.
const fn must_be_stored(
    name: &str,
    place: usize,
    union: &'static UnionTable,
    message: Message,
    (stores, has): (&str, &str),
    blame: &mut Blame,
) {
    match variant(union, key(name)) {
        Some(row) if same(row.name, name) => {}
        Some(row) => {
            let message = message.format(
                "` {} `{}` as `{}` [U0020]\nhelp: write `\"{}\"`",
                &[stores, name, row.name, row.name],
            );
            blame.fall_on(place, message);
        }
        None => {
            let message = message.format(
                "` {} no variant that is stored as `{}` [U0020]\nhelp: ",
                &[has, name],
            );
            blame.fall_on(place, listed(message, union));
        }
    }
}

/// Blames a name of the prior enum that the later one still has, or that the prior one did not
/// have.
const fn gone(
    name: &str,
    place: usize,
    changes: Changes,
    (before, now): (Option<&'static UnionTable>, &'static UnionTable),
    names: Names,
    blame: &mut Blame,
) {
    // Another variant may have taken the name, or the name is new, or the variant was stored by its
    // name in Rust.
    let mut is_other = false;
    iterate!(change in changes => {
        is_other = is_other
            || match *change {
                VariantChange::Renamed { from, to } => {
                    same(to, name) || same(from, name) && is_stored_as(now, name, to)
                }
                VariantChange::Added { name: new } => same(new, name),
                VariantChange::Dropped { .. } | VariantChange::Member { .. } => false,
            };
    });
    if variant(now, key(name)).is_some() && !is_other {
        let message = Message::new().format(
            "`{}` is still a variant of the enum in `{}` [U0020]\nhelp: remove this change, or the variant from the enum",
            &[name, names.field],
        );
        blame.fall_on(place, message);
        return;
    }
    let Some(before) = before else { return };
    let message = Message::new().format("the enum in `{}` of `{}", &[names.field, names.prior]);
    must_be_stored(name, place, before, message, ("stored", "had"), blame);
}

/// Blames the variant that dropped ones become if it needs a content.
const fn holds_nothing(
    name: &str,
    place: usize,
    now: &'static UnionTable,
    names: Names,
    blame: &mut Blame,
) {
    if let Some(row) = variant(now, key(name))
        && !matches!(row.info.stored, Stored::Tuple([]))
    {
        let message = Message::new().format(
            "stored values cannot become `{}`, because that variant has a content\nhelp: name a variant that holds nothing, or write `convert({}{}, with = path)`",
            &[name, names.field, names.type_behind()],
        );
        blame.fall_on(place, message);
    }
}

/// Blames a member that the variant does not have, or that does not take the value.
const fn changed_member(
    (of, change): (&str, &MemberChange),
    place: usize,
    now: &'static UnionTable,
    names: Names,
    blame: &mut Blame,
) {
    let Some(held) = variant(now, key(of)) else {
        return;
    };
    let message = Message::new().format("the variant `{}` of `{}", &[of, names.field]);
    let Some((table, _)) = held.info.objects() else {
        let message = message.format(
            "` holds no members with names [U0020]\nhelp: write `convert({}{}, with = path)`",
            &[names.field, names.type_behind()],
        );
        blame.fall_on(place, message);
        return;
    };
    match *change {
        MemberChange::Renamed { to: name, .. }
        | MemberChange::Set { name, .. }
        | MemberChange::Default { name, .. }
        | MemberChange::Converted { name, .. } => {
            let Some(row) = row_of(table, name) else {
                let message =
                    message.format("` has no member `{}`\nhelp: its members are ", &[name]);
                blame.fall_on(place, all_members(message, table));
                return;
            };
            // A default would put the member beside its other name, which no document may have, and
            // a conversion would leave it, because members are looked for by their stored names.
            let looks = match *change {
                MemberChange::Default { .. } => Some("`, too, where a default"),
                MemberChange::Converted { .. } => Some("`, too, where a conversion"),
                MemberChange::Renamed { .. }
                | MemberChange::Set { .. }
                | MemberChange::Dropped { .. } => None,
            };
            if let (Some(looks), Some(other)) = (looks, table.other_name(name)) {
                let message = message.format(
                    "` reads its member `{}` by `{}{} does not find it\nhelp: write `convert({}{}, with = path)`",
                    &[name, other, looks, names.field, names.type_behind()],
                );
                blame.fall_on(place, message);
                return;
            }
            if let MemberChange::Set { value, .. } | MemberChange::Default { value, .. } = *change {
                let names = Names {
                    field: name,
                    ..names
                };
                check_literal(
                    &Constant::Literal(value),
                    place,
                    &Member::new(row),
                    true,
                    names,
                    blame,
                );
            }
            if let MemberChange::Converted { from, empty, .. } = *change {
                let message = message.format("` has the member `{}", &[name]);
                converted(message, (from, row.info, empty), place, names, blame);
            }
        }
        MemberChange::Dropped { name, .. } => {
            if row_of(table, name).is_some() {
                let message = message.format(
                    "` still has the member `{}` [U0020]\nhelp: remove this change, or the member from the variant",
                    &[name],
                );
                blame.fall_on(place, message);
            }
        }
    }
}

/// Blames a conversion that is not of a scalar to one, or that does not say what an empty string
/// becomes.
const fn converted(
    message: Message,
    (from, to, empty): (&'static TypeInfo, &'static TypeInfo, EmptyText),
    place: usize,
    names: Names,
    blame: &mut Blame,
) {
    let is_text = is_any_text(from);
    if !is_scalar(&from.stored) || !is_scalar(&to.stored) {
        let message = message.format(
            "`, which was or is not a bool, a number or a string\nhelp: write `convert({}{}, with = path)`",
            &[names.field, names.type_behind()],
        );
        blame.fall_on(place, message);
    } else if is_text && !matches!(to.stored, Stored::String) && matches!(empty, EmptyText::Unsaid)
    {
        let message = message
            .format(
                "`, which was a string, and an empty string is not {}\nhelp: add `empty = ",
                &[noun(&to.stored)],
            )
            .text(if to.is_nullable() {
                "null`, `empty = zero"
            } else {
                "zero"
            })
            .text("` or `empty = refuse` to this `convert`");
        blame.fall_on(place, message);
    }
}

const fn is_scalar(stored: &Stored) -> bool {
    matches!(stored, Stored::Bool | Stored::Number | Stored::String)
}

const fn are_same_scalars(one: &Stored, other: &Stored) -> bool {
    matches!(
        (one, other),
        (Stored::Bool, Stored::Bool)
            | (Stored::Number, Stored::Number)
            | (Stored::String, Stored::String)
    )
}

/// True if null may come of it, where a change converts the member of a variant from what it was;
/// nothing where none does.
const fn conversion(
    (of, member): (&str, &str),
    before: &'static TypeInfo,
    changes: Changes,
) -> Option<bool> {
    iterate!(change in changes => {
        if let VariantChange::Member {
            variant,
            change: MemberChange::Converted {
                name, from, empty, ..
            },
        } = *change
            && same(variant, of)
            && same(name, member)
            && are_same_scalars(&before.stored, &from.stored)
        {
            return Some(before.is_nullable() || matches!(empty, EmptyText::Null));
        }
    });
    None
}

const fn all_members(mut message: Message, table: &'static Table) -> Message {
    let mut index = 0;
    while index < count(table) {
        let row = row_at(table, index);
        index += 1;
        message = message
            .format("`{}", &[row.field()])
            .text(if index == count(table) { "`" } else { "`, " });
    }
    message
}

/// True if a change makes the member of a variant: by a constant, or of another member.
const fn is_made(of: &str, member: &str, changes: Changes) -> bool {
    iterate!(change in changes => {
        if let VariantChange::Member { variant, change } = *change
            && same(variant, of)
        {
            match change {
                MemberChange::Renamed { to: name, .. } | MemberChange::Set { name, .. }
                    if same(name, member) =>
                {
                    return true;
                }
                MemberChange::Renamed { .. }
                | MemberChange::Set { .. }
                | MemberChange::Dropped { .. }
                | MemberChange::Default { .. }
                | MemberChange::Converted { .. } => {}
            }
        }
    });
    false
}

/// True if a change gives the member of a variant a value in place of null.
const fn is_filled(of: &str, member: &str, changes: Changes) -> bool {
    iterate!(change in changes => {
        if let VariantChange::Member {
            variant,
            change: MemberChange::Default { name, .. },
        } = *change
            && same(variant, of)
            && same(name, member)
        {
            return true;
        }
    });
    false
}

/// Refuses a content of which a member is not carried, or new without a value. `of` is the stored
/// name of its variant, `shown` the one in Rust, which paths have.
#[track_caller]
const fn members_carried(
    (of, shown): (&str, &str),
    (before, now): (&'static Table, &'static Table),
    changes: Changes,
    names: Names,
) {
    let message = Message::new().format(
        "in the variant `{}` of `{}`, the member `",
        &[shown, names.field],
    );
    each!(row in row_at(before) => {
        let (mut name, mut is_dropped) = (row.name, false);
        iterate!(change in changes => {
            if let VariantChange::Member { variant, change } = *change
                && same(variant, of)
            {
                match change {
                    MemberChange::Renamed { from, to } if same(from, row.name) => name = to,
                    MemberChange::Dropped { name: from, .. } if same(from, row.name) => {
                        is_dropped = true;
                    }
                    MemberChange::Renamed { .. }
                    | MemberChange::Dropped { .. }
                    | MemberChange::Set { .. }
                    | MemberChange::Default { .. }
                    | MemberChange::Converted { .. } => {}
                }
            }
        });
        if !is_dropped && same(name, row.name) && is_made(of, row.name, changes) {
            let message = message.format(
                "{}` of `{}` goes nowhere, because an operator makes it of something else [U0020]\nhelp: remove that operator, add `rename({}.{}.{} => …)`, or write `convert({}{}, with = path)`",
                &[
                    row.name,
                    names.prior,
                    names.field,
                    shown,
                    row.name,
                    names.field,
                    names.type_behind(),
                ],
            );
            message.panic();
        }
        if !is_dropped {
            let converted = conversion((of, name), row.info, changes);
            let may_be_null = match converted {
                Some(makes_null) => makes_null,
                None => row.info.is_nullable(),
            };
            match row_of(now, name) {
                Some(other) if converted.is_none() && !values_fit(row.info, other.info) => {
                    let (message, was, is) =
                        (message.text(name), &row.info.stored, &other.info.stored);
                    if is_scalar(was) && is_scalar(is) && !are_same_scalars(was, is) {
                        let message = message.format(
                            "` was {} in `{}` and is {} now\nhelp: add `convert({}.{}.{}: ",
                            &[
                                noun(was),
                                names.prior,
                                noun(is),
                                names.field,
                                shown,
                                other.field(),
                            ],
                        );
                        message.raw(type_of(row.info).bytes()).text(")`").panic();
                    }
                    let message = message.format(
                        "` stores other values\nhelp: write `convert({}{}, with = path)`",
                        &[names.field, names.type_behind()],
                    );
                    message.panic();
                }
                Some(other)
                    if may_be_null
                        && !other.info.is_nullable()
                        && !is_filled(of, name, changes) =>
                {
                    let message = message.format(
                        "{}` may be null in `{}`, and not now\nhelp: add `default({}.{}.{} = …)`",
                        &[name, names.prior, names.field, shown, other.field()],
                    );
                    message.panic();
                }
                Some(_) => {}
                None => {
                    let message = message.format(
                        "{}` of `{}` is gone [U0020]\nhelp: add `rename({}.{}.{} => …)` or `drop({}.{}.{}: ",
                        &[
                            row.name,
                            names.prior,
                            names.field,
                            shown,
                            row.name,
                            names.field,
                            shown,
                            row.name,
                        ],
                    );
                    message
                        .raw(type_of(row.info).bytes())
                        .text(", \"why\")`")
                        .panic();
                }
            }
        }
    });
    let mut index = 0;
    while index < count(now) {
        let row = row_at(now, index);
        let (mut source, mut is_set) = (row.name, false);
        iterate!(change in changes => {
            if let VariantChange::Member { variant, change } = *change
                && same(variant, of)
            {
                match change {
                    MemberChange::Renamed { from, to } if same(to, row.name) => source = from,
                    MemberChange::Set { name, .. } if same(name, row.name) => is_set = true,
                    MemberChange::Renamed { .. }
                    | MemberChange::Dropped { .. }
                    | MemberChange::Set { .. }
                    | MemberChange::Default { .. }
                    | MemberChange::Converted { .. } => {}
                }
            }
        });
        if !is_set && !may_be_missing(now, index) && row_of(before, source).is_none() {
            let message = message.format(
                "{}` is new [U0020]\nhelp: add `set({}.{}.{} = …)`",
                &[row.name, names.field, shown, row.field()],
            );
            message.panic();
        }
        index += 1;
    }
}

/// Blames the operator if a variant of the prior enum is not in the later one, or holds something
/// else there.
#[track_caller]
const fn carried(
    before: &'static UnionTable,
    now: &'static UnionTable,
    changes: Changes,
    names: Names,
    blame: &Blame,
) {
    if blame.is_found() {
        return;
    }
    let message = Message::new().format("`{}` of `{}", &[names.field, names.prior]);
    if !same(before.tagging, now.tagging) {
        let message = message.format(
            "` names its variants in another way (`{}`, now `{}`)\nhelp: write `convert({}{}, with = path)`",
            &[
                before.tagging,
                now.tagging,
                names.field,
                names.type_behind(),
            ],
        );
        message.panic();
    }
    if loses_other_names(before, now) {
        let message = message.format(
            "` reads variants of other names, and the enum has no `other`\nhelp: let a variant read other names by `other`, or write `convert({}{}, with = path)`",
            &[names.field, names.type_behind()],
        );
        message.panic();
    }
    iterate!(row in before.variants => {
        let (mut name, mut is_dropped) = (row.name, false);
        iterate!(change in changes => {
            match *change {
                VariantChange::Renamed { from, to } if same(from, row.name) => name = to,
                VariantChange::Dropped { name: from, .. } if same(from, row.name) => {
                    is_dropped = true;
                }
                VariantChange::Renamed { .. }
                | VariantChange::Dropped { .. }
                | VariantChange::Added { .. }
                | VariantChange::Member { .. } => {}
            }
        });
        if is_dropped {
            continue;
        }
        let Some(other) = variant(now, key(name)) else {
            let message = message.format(
                "` has the variant `{}`, which is gone [U0020]\nhelp: add `\"{}\" => \"new\"` or `drop(\"{}\", \"why\", as = \"other\")`",
                &[row.name, row.name, row.name],
            );
            message.panic();
        };
        // One without a tag is not stored by its name, and an alias is read as it is stored.
        if !other.is_untagged && !same(other.name, name) && !has_alias(other, name) {
            let message = message.format(
                "` has the variant `{}`, which is stored as `{}` now [U0020]\nhelp: add `\"{}\" => \"{}\"` here",
                &[row.name, other.name, row.name, other.name],
            );
            message.panic();
        }
        let may_be_null = row.info.is_nullable() && !other.info.is_nullable();
        if let (Stored::Object(before), Stored::Object(now), false) =
            (row.info.stored, other.info.stored, may_be_null)
        {
            let shown = if other.rust_name.is_empty() {
                name
            } else {
                other.rust_name
            };
            members_carried((name, shown), (before, now), changes, names);
        } else if !contents_fit(row.info, other.info) {
            let message = message.format(
                "` holds something else in the variant `{}`\nhelp: write `convert({}{}, with = path)`",
                &[name, names.field, names.type_behind()],
            );
            message.panic();
        }
    });
}

const fn listed(mut message: Message, union: &'static UnionTable) -> Message {
    message = message.text("its variants are stored as ");
    let mut rest = union.variants;
    while let [row, after @ ..] = rest {
        message = message
            .format("`{}", &[row.name])
            .text(if after.is_empty() { "`" } else { "`, " });
        rest = after;
    }
    message
}
