//! Checks what comes out at the end of a production, and whether the target takes it.

use super::super::row::{Replaces, starts_empty};
use super::super::structure::Checked;
use super::super::table::{
    Apart, Called, Constant, Existing, Literal, Operation, Operators, Otherwise, Production,
    Segment, Stage, Template, UrlPart,
};
use super::blame::{Blame, Blamed};
use super::conversion::{check_json, convert, named};
use super::fit::Misfit;
use super::form::{Form, Member};
use super::function::{check_argument, check_result, combined};
use super::glance::are_alike;
use super::guard::{Assumed, decided};
use super::literal::{check_literal, written};
use super::made::{collected, element_of, fits_without_upgraders, of_each, settles};
use super::matches::{check_literal as is_there, check_matches, matches_null};
use super::refusal::{check_last, refuse_misfit};
use super::secrets::check_production_secrets;
use super::track::{Made, Names, On, Part, Track, elements, find, known, source, source_where};
use super::wants::want_text;
use super::{NOTHING, names_unknown, same, short, spelt};
use crate::codec::Object;
use crate::message::{Message, iterate};
use crate::schema::table::{Stored, Table};
use crate::schema::{Holds, Nesting};
use upstate_words::key;

/// Refuses, at compile time, a production whose value does not fit its target.
#[doc(hidden)]
#[track_caller]
pub const fn check_production<T: Object>(
    prior: &'static Table,
    operators: &'static Operators,
    index: usize,
) {
    if let Some(blamed) = find_operand::<T>(prior, operators, index) {
        blamed.refuse();
    }
}

/// Looks, at compile time, for an operand of a production that is wrong. What else is wrong is
/// refused at once.
#[doc(hidden)]
#[track_caller]
pub const fn find_operand<T: Object>(
    prior: &'static Table,
    operators: &'static Operators,
    index: usize,
) -> Option<Blamed> {
    find_operand_to(T::TABLE, prior, operators, index)
}

/// Takes the table of what is made in place of its type.
#[doc(hidden)]
#[track_caller]
pub const fn find_operand_to(
    current: &'static Table,
    prior: &'static Table,
    operators: &'static Operators,
    index: usize,
) -> Option<Blamed> {
    let mut blame = Blame::none();
    let production = &operators.productions[index];
    if !plainly_renamed(prior, current, production)
        && !prior.is_stub()
        && !current.is_stub()
        && !names_unknown(production)
    {
        check_production_of(prior, current, production, &mut blame);
        check_production_secrets(prior, current, operators, production);
    }
    blame.into_found()
}

/// Takes the table of what is made in place of its type.
#[doc(hidden)]
#[track_caller]
pub const fn check_production_to(
    current: &'static Table,
    prior: &'static Table,
    operators: &'static Operators,
    index: usize,
) {
    if let Some(blamed) = find_operand_to(current, prior, operators, index) {
        blamed.refuse();
    }
}

/// Finds what is wrong with one production.
#[track_caller]
const fn check_production_of(
    prior: &'static Table,
    current: &'static Table,
    production: &'static Production,
    blame: &mut Blame,
) {
    let Some(target) = find(current, production.target) else {
        return;
    };
    let [prior_name, current_name] = [short(prior.rust_name), short(current.rust_name)];
    let track = if starts_empty(production.stages) {
        Track::null()
    } else {
        match find(prior, production.target) {
            Some(member) => Track::of(member),
            None => Track::null(),
        }
    };
    let field = production.target[production.target.len() - 1];
    let is_difference = prior.defined_at.is_none();
    let names = Names {
        field,
        prior: prior_name,
        current: current_name,
        of_each: false,
        is_difference,
    };
    let way = Way {
        stages: production.stages,
        prior,
        target: &target,
        names,
    };
    let of = if starts_empty(production.stages) {
        None
    } else {
        Some(production.target)
    };
    follow(
        &way,
        0,
        &On {
            track,
            of,
            last: None,
        },
        None,
        blame,
    );
}

/// A production that is followed.
struct Way<'a> {
    stages: &'static [Stage],
    prior: &'static Table,
    target: &'a Member,
    names: Names,
}

/// Follows the operators from one on, once for each way that guards leave: what comes out of each
/// must fit.
#[track_caller]
const fn follow(
    way: &Way<'_>,
    index: usize,
    on: &On,
    assumed: Option<&Assumed<'_>>,
    blame: &mut Blame,
) {
    let on = &known(on, assumed);
    let track = &on.track;
    if index == way.stages.len() {
        return settle(way, on);
    }
    let stage = &way.stages[index];
    let acts = match stage.only_if {
        Some(condition) => decided(condition, assumed),
        None => Some(true),
    };
    if let (Some(condition), None | Some(false)) = (stage.only_if, acts) {
        follow(
            way,
            index + 1,
            on,
            Some(&Assumed {
                condition,
                holds: false,
                before: assumed,
            }),
            blame,
        );
    }
    if let Some(false) = acts {
        return;
    }
    let here = match stage.only_if {
        Some(condition) => Some(&Assumed {
            condition,
            holds: true,
            before: assumed,
        }),
        None => assumed,
    };
    let on = &known(on, here);
    let Way {
        prior,
        target,
        names,
        ..
    } = *way;
    let last = index + 1 == way.stages.len();
    blame.at(index);
    check_parts(stage, &on.track, prior, here, names);
    let made = if let Operation::Combine(..) = &stage.operation {
        combined(stage, prior, here, names, blame)
    } else if stage.each {
        each(stage, &on.track, target, last, names, blame)
    } else {
        step(stage, &on.track, target, prior, last, names, blame)
    };
    if blame.is_found() {
        return;
    }
    let of = stage.operation.passes();
    if matches!(stage.operation.row().replaces, Replaces::Sometimes)
        && !matches!(track.form, Form::Open)
    {
        // The value that was there already may count.
        let there = Track {
            holds: Holds {
                nullable: false,
                ..track.holds
            },
            ..*track
        };
        follow(
            way,
            index + 1,
            &On {
                track: there,
                of: on.of,
                last: on.last,
            },
            here,
            blame,
        );
    }
    follow(
        way,
        index + 1,
        &On {
            track: made,
            of,
            last: Some((stage, on.track)),
        },
        here,
        blame,
    );
}

/// Refuses what has come out if it does not fit.
#[track_caller]
const fn settle(way: &Way<'_>, on: &On) {
    let Way { target, names, .. } = *way;
    let Some(misfit) = settles(&on.track, target) else {
        return;
    };
    if target.is_block && matches!(misfit, Misfit::Null) {
        return;
    }
    if let Some((stage, before)) = &on.last {
        if let Operation::Function(Called { takes, makes, .. }) = &stage.operation
            && !stage.each
        {
            let passes = !takes.holds.nullable && !makes.holds.nullable;
            let why = if passes {
                Some("the function takes no `Option`, so null stays null")
            } else {
                None
            };
            check_result(misfit, on, why, target, names);
        }
        if let Operation::Combine(_, Called { makes, .. }) = &stage.operation {
            let why = "one of the values may be null, and the function does not take it as an `Option`, so nothing is made";
            check_result(
                misfit,
                on,
                if makes.holds.nullable {
                    None
                } else {
                    Some(why)
                },
                target,
                names,
            );
        }
        check_last(stage, before, misfit, target, names);
    }
    refuse_misfit(misfit, &on.track, target, names);
}

/// True if all that is done is to rename an attribute that is the same on both sides.
const fn plainly_renamed(
    prior: &'static Table,
    current: &'static Table,
    production: &'static Production,
) -> bool {
    let (
        [
            Stage {
                operation: Operation::Take([from], Existing::Unsaid),
                each: false,
                only_if: None,
            },
        ],
        [to],
    ) = (production.stages, production.target)
    else {
        return false;
    };
    let (from, to) = (key(from), key(to));
    let (mut source, mut target) = (0, 0);
    while source < prior.rows.len() && prior.rows[source].key != from {
        source += 1;
    }
    while target < current.rows.len() && current.rows[target].key != to {
        target += 1;
    }
    source < prior.rows.len()
        && target < current.rows.len()
        && are_alike(&prior.rows[source], &current.rows[target])
}

#[track_caller]
const fn each(
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    last: bool,
    names: Names,
    blame: &mut Blame,
) -> Track {
    if matches!(
        track.form,
        Form::Objects(_, Nesting::Single)
            | Form::Plain(Stored::Bool | Stored::String | Stored::Number)
            | Form::Made(Stored::String)
    ) || matches!(track.made, Made::Object(..))
    {
        Message::refuse(
            "`each` acts on the elements of a collection, but `{}` is none in `{}`\nhelp: write the operator without `each`",
            &[names.field, names.prior],
        );
    }
    let inner_target = element_of(target);
    let inner = of_each(stage, track, target, last, names);
    let inner_names = Names {
        of_each: true,
        ..names
    };
    let made = step(
        stage,
        &inner,
        &inner_target,
        &NOTHING,
        last,
        inner_names,
        blame,
    );
    if blame.is_found() {
        return made;
    }
    let misfit = match made.made {
        Made::Nothing => fits_without_upgraders(
            made.form,
            &made.holds,
            inner_target.form,
            &inner_target.holds,
        ),
        Made::Collection(..) | Made::Object(..) | Made::Pairs { .. } => {
            settles(&made, &inner_target)
        }
    };
    if last && let Some(misfit) = misfit {
        check_last(stage, &inner, misfit, &inner_target, inner_names);
        refuse_misfit(misfit, &made, &inner_target, inner_names);
    }
    let open = track.with_open_elements();
    match (last, collected(track), made.form, made.made) {
        (true, ..) | (_, None, ..) | (_, _, Form::Open, _) => open,
        (_, Some(nesting), form, _) => Track {
            made: Made::Collection(
                nesting,
                Part {
                    form,
                    holds: made.holds,
                },
            ),
            ..open
        },
    }
}

#[track_caller]
const fn step(
    stage: &'static Stage,
    track: &Track,
    target: &Member,
    prior: &'static Table,
    last: bool,
    names: Names,
    blame: &mut Blame,
) -> Track {
    let nullable = track.holds.nullable;
    match &stage.operation {
        Operation::Copy(from) => source(prior, from),
        Operation::Take(from, existing) => {
            let found = source(prior, from);
            let nullable =
                found.holds.nullable && (nullable || matches!(existing, Existing::Unsaid));
            Track {
                holds: Holds {
                    nullable,
                    ..found.holds
                },
                ..found
            }
        }
        Operation::Set(constant) => written(constant, target, last, names, blame),
        Operation::Default(value, when) => {
            if !matches!(track.form, Form::Open) || !matches!(value, Constant::Written(_)) {
                check_literal(value, 0, target, last, names, blame);
            }
            check_matches(when, 1, track.form, &track.holds, names.field, blame);
            let fills = matches_null(when) && !matches!(value, Constant::Literal(Literal::Null));
            Track {
                holds: Holds {
                    nullable: nullable && !fills,
                    ..track.holds
                },
                ..*track
            }
        }
        Operation::NullIf(these) => {
            check_matches(these, 0, track.form, &track.holds, names.field, blame);
            Track {
                holds: track.holds.or_null(),
                ..*track
            }
        }
        Operation::Convert(empty) => convert(stage, track, target, *empty, last, names),
        Operation::Json() => {
            if last {
                check_json(stage, track, target, names);
            }
            Track::open(nullable)
        }
        Operation::Named(conversion) => named(stage, *conversion, track, target, last, names),
        Operation::Function(Called { takes, makes, .. }) => {
            check_argument(takes, track, names);
            // Null passes a function that does not take it.
            let nullable = makes.holds.nullable || (nullable && !takes.holds.nullable);
            Track::made_of(
                Form::Plain(&makes.stored),
                Holds {
                    nullable,
                    ..makes.holds
                },
            )
        }
        Operation::Combine(..) => combined(stage, prior, None, names, blame),
        Operation::Values(table, other) => {
            let mut makes_null = nullable;
            let mut index = 0;
            while index < table.len() {
                is_there(
                    &table[index].0,
                    2 * index,
                    track.form,
                    &track.holds,
                    names.field,
                    blame,
                );
                check_literal(
                    &Constant::Literal(table[index].1),
                    2 * index + 1,
                    target,
                    last,
                    names,
                    blame,
                );
                makes_null = makes_null || matches!(table[index].1, Literal::Null);
                index += 1;
            }
            match other {
                Otherwise::Become(literal) => {
                    check_literal(
                        &Constant::Literal(*literal),
                        2 * table.len(),
                        target,
                        last,
                        names,
                        blame,
                    );
                    Track::open(makes_null || matches!(literal, Literal::Null))
                }
                Otherwise::Refuse => Track::open(makes_null),
                Otherwise::Keep => Track {
                    holds: Holds {
                        nullable: makes_null,
                        ..track.holds
                    },
                    ..*track
                },
            }
        }
        Operation::Reformat(_, other) => {
            want_text(track, "reformat", names);
            Track::text(nullable || matches!(other, Otherwise::Become(Literal::Null)))
        }
        Operation::Compose(template) => Track::text(template_nullable(template, prior)),
        Operation::Extract(from, apart, name) => {
            let found = source(prior, from);
            want_text(&found, "split", names);
            match apart {
                Apart::Pattern(_) => Track::text(found.holds.nullable),
                Apart::Url(parts) => url_part(parts, name, found.holds.nullable),
            }
        }
        Operation::Structure(structure) => structure.check(
            &Checked {
                stage,
                track,
                target,
                prior,
                is_last: last,
                names,
            },
            blame,
        ),
    }
}

/// The number or string that `split` makes of a part of a URL.
const fn url_part(parts: &'static [UrlPart], name: &str, nullable: bool) -> Track {
    let mut is_there = same(name, "scheme") || same(name, "host") || same(name, "path");
    iterate!(part in parts => {
        is_there = is_there || (same(part.name, name) && part.default.is_some());
    });
    let nullable = nullable || !is_there;
    if same(name, "port") {
        Track::made_of(
            Form::Made(&Stored::Number),
            Holds {
                nullable,
                ..Holds::integers(0, 65_535)
            },
        )
    } else {
        Track::text(nullable)
    }
}

/// Refuses new forms of a string that is never null, if a prior field that goes into one of them
/// may be, because such a state would be refused.
#[track_caller]
const fn check_parts(
    stage: &Stage,
    track: &Track,
    prior: &'static Table,
    assumed: Option<&Assumed<'_>>,
    names: Names,
) {
    let text = if stage.each {
        elements(&track.holds)
    } else {
        track.holds
    };
    if !matches!(stage.operation, Operation::Reformat(..)) || text.nullable {
        return;
    }
    let mut nth = 0;
    while let Some(path) = stage.operation.reads(nth) {
        if source_where(prior, path, assumed).holds.nullable {
            let message = spelt(Message::new().text("`"), path).format(
                "` of `{}` may be null, and the new form of `{}",
                &[names.prior, names.field],
            );
            let message = spelt(message.text("` needs it\nhelp: write `only_if(has("), path);
            let message = message
                .text(if stage.each {
                    "), each(reformat("
                } else {
                    "), reformat("
                })
                .text(names.field);
            message
                .text(if stage.each { ", …)))`" } else { ", …))`" })
                .panic();
        }
        nth += 1;
    }
}

const fn template_nullable(template: Template, prior: &'static Table) -> bool {
    iterate!(segment in template => {
        if let Segment::Prior(path, _) = *segment
            && source(prior, path).holds.nullable
        {
            return true;
        }
    });
    false
}
