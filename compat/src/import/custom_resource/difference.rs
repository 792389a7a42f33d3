//! The changes between two versions, as the operators of an upgrader: a proposal, as only the
//! author knows what was renamed.

use upstate_words::case;

use super::shape::{Kind, Member, Node};
use crate::import::difference::{Proposal, pairs};
use crate::import::names;

/// The operators from the objects of one version to those of the next; `name` is the name of the
/// earlier one.
pub(super) fn between(before: &[Member], now: &[Member], name: &str) -> Proposal {
    let mut proposal = Proposal::default();
    members(
        &mut proposal,
        before,
        now,
        Place {
            path: "",
            is_repeated: false,
        },
        name,
    );
    proposal
}

/// The place of an object.
#[derive(Clone, Copy)]
struct Place<'p> {
    /// Its path, with the dot behind it.
    path: &'p str,
    /// True inside of a list or map: a path reaches through one.
    is_repeated: bool,
}

fn members(
    proposal: &mut Proposal,
    before: &[Member],
    now: &[Member],
    place: Place<'_>,
    name: &str,
) {
    let Place { path, .. } = place;
    let of = |members: &[Member], name: &str| members.iter().any(|member| member.name == name);
    let mut lost: Vec<&Member> = before
        .iter()
        .filter(|member| !of(now, &member.name))
        .collect();
    let mut gained: Vec<&Member> = now
        .iter()
        .filter(|member| !of(before, &member.name))
        .collect();
    let keyed = |members: &[&Member]| {
        members
            .iter()
            .map(|member| (names::snake(&member.name), ty(member)))
            .collect::<Vec<_>>()
    };
    for (old, new) in pairs(&keyed(&lost), &keyed(&gained)) {
        let find = |members: &[&'_ Member], name: &str| {
            members
                .iter()
                .position(|member| names::snake(&member.name) == name)
        };
        if let (Some(from), Some(to)) = (find(&lost, &old), find(&gained, &new)) {
            let (from, to) = (lost.remove(from), gained.remove(to));
            proposal.operators.push(format!(
                "rename({} => {path}{}), // check",
                prior(path, from),
                field(to)
            ));
        }
    }
    for member in gained {
        let to = format!("{path}{}", field(member));
        match member.node.operand() {
            Some(default) => proposal.operators.push(format!("set({to} = {default}),")),
            None if member.is_always_there() => {
                proposal.open.push(format!(
                    "`{to}` is new and required: `set({to} = …)` gives its initial value"
                ));
            }
            None => proposal.operators.push(format!("set({to} = null),")),
        }
    }
    for member in lost {
        let reason = format!("it was in {name} only");
        let dropped = format!("{}: {}, {reason:?}", prior(path, member), ty(member));
        match member.node.operand() {
            Some(default) => proposal
                .operators
                .push(format!("drop({dropped}, back = {default}),")),
            None if member.is_always_there() => {
                proposal.open.push(format!(
                    "clients of {name} want a value: `drop({dropped}, back = …)` says which"
                ));
            }
            None => proposal.operators.push(format!("drop({dropped}),")),
        }
    }
    for member in now {
        if let Some(earlier) = before.iter().find(|earlier| earlier.name == member.name) {
            changed(proposal, earlier, member, place, name);
        }
    }
}

fn changed(proposal: &mut Proposal, before: &Member, now: &Member, place: Place<'_>, name: &str) {
    let to = format!("{}{}", place.path, field(now));
    if before.node.options != now.node.options || before.node.default != now.node.default {
        proposal
            .notes
            .push(format!("{name} has other limits or another default for `{to}`; those of the current version hold in both."));
    }
    if let Some((earlier, later, is_repeated)) = objects(&before.node, &now.node) {
        if earlier != later {
            if is_repeated && place.is_repeated && !same(earlier, later) {
                retyped(proposal, &to);
            } else {
                let is_repeated = is_repeated || place.is_repeated;
                members(
                    proposal,
                    earlier,
                    later,
                    Place {
                        path: &format!("{to}."),
                        is_repeated,
                    },
                    name,
                );
            }
        }
    } else if kind(&before.node) != kind(&now.node) {
        let is_scalar = |node: &Node| {
            matches!(
                node.kind,
                Kind::Bool | Kind::String | Kind::Integer { .. } | Kind::Float
            )
        };
        if !is_scalar(&before.node)
            || !is_scalar(&now.node)
            || now.is_always_there() && !before.is_always_there()
        {
            retyped(proposal, &to);
            return;
        }
        let empty = if before.node.kind != Kind::String {
            ""
        } else if now.is_always_there() {
            ", empty = refuse"
        } else {
            ", empty = null"
        };
        proposal
            .operators
            .push(format!("convert({to}: {}{empty}),", ty(before)));
    }
    if now.is_always_there() && !before.is_always_there() {
        match now.node.operand() {
            Some(default) => proposal
                .operators
                .push(format!("default({to} = {default}),")),
            None => proposal.open.push(format!(
                "`{to}` is required now: `default({to} = …)` says what null was"
            )),
        }
    }
}

fn retyped(proposal: &mut Proposal, field: &str) {
    proposal.open.push(format!(
        "`{field}` has another type now: `convert({field}: …, with = path)` calls a function for it"
    ));
}

/// The members of two objects at one place, or of the elements there, and whether it is elements.
fn objects<'n>(before: &'n Node, now: &'n Node) -> Option<(&'n [Member], &'n [Member], bool)> {
    if let (Kind::List(one), Kind::List(other)) | (Kind::Map(one), Kind::Map(other)) =
        (&before.kind, &now.kind)
    {
        let is_same = one.nullable == other.nullable && one.is_object() && other.is_object();
        return objects(one, other)
            .filter(|_| is_same)
            .map(|(earlier, later, _)| (earlier, later, true));
    }
    let (
        Kind::Object {
            members: one,
            is_open: was,
        },
        Kind::Object {
            members: other,
            is_open: is,
        },
    ) = (&before.kind, &now.kind)
    else {
        return None;
    };
    (was == is).then_some((one, other, false))
}

/// True if both have these members with these types, with other limits or not.
fn same(one: &[Member], other: &[Member]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            one.name == other.name
                && one.is_always_there() == other.is_always_there()
                && kind(&one.node) == kind(&other.node)
        })
}

fn field(member: &Member) -> String {
    names::stored(&member.name).0
}

/// A field that the next version no longer has, by its name in objects. One that
/// `rename_all = "camelCase"` would not store has `r#`.
fn prior(path: &str, member: &Member) -> String {
    let name = names::quoted(&member.name);
    let is_apart = name.starts_with("r#") || name.starts_with('"');
    if is_apart || case::camel(&name) == name {
        format!("{path}{name}")
    } else {
        format!("{path}r#{name}")
    }
}

/// The type of the value, with objects in place.
fn ty(member: &Member) -> String {
    let ty = kind(&member.node);
    // Without an `Option`, because any JSON is null where there is none.
    if member.is_always_there() || member.node.is_json() {
        ty
    } else {
        format!("Option<{ty}>")
    }
}

fn kind(node: &Node) -> String {
    node.rust(&mut in_place)
}

fn in_place(members: &[Member], _: bool) -> String {
    let fields: Vec<String> = members
        .iter()
        .map(|member| format!("{}: {}", names::quoted(&member.name), ty(member)))
        .collect();
    format!("{{ {} }}", fields.join(", "))
}
