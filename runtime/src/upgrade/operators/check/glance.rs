//! The quick part of the accounting: which attributes are seen at a glance to be accounted for.
//!
//! In const evaluation a call costs microseconds, and so does a letter; so names are compared by their keys, and what can be said
//! of most attributes of most edges is said without a call.

use super::super::edge::Prior;
use super::accounting::Accounts;
use crate::schema::{Attribute, Holds, Members, Shape, Shared, Takes, Type};

/// Whether a key is one of these, without a call.
macro_rules! is_among {
    ($keys:expr, $key:expr) => {{
        let (keys, key): (&[u64], u64) = ($keys, $key);
        let mut at = 0;
        while at < keys.len() && keys[at] != key {
            at += 1;
        }
        at < keys.len()
    }};
}

/// Where the attribute with a key stands, without a call. Most often it is the one at the cursor, which then moves on: both sides are in
/// the order of their names.
macro_rules! position {
    ($attributes:expr, $key:expr, $cursor:expr) => {{
        let (attributes, key): (&[Attribute], u64) = ($attributes, $key);
        let mut left = attributes.len();
        while left > 0 {
            if $cursor >= attributes.len() {
                $cursor = 0;
            }
            if attributes[$cursor].aside.key == key {
                break;
            }
            $cursor += 1;
            left -= 1;
        }
        left > 0
    }};
}

/// Whether all attributes that no operator takes or makes are the same on both sides, in name, type and values, and there are no others.
///
/// What all of each side carry is one number; out of it goes what operators take and make, and what is left must be nothing.
pub(super) const fn all_is_said(prior: &Prior, current: Members<'static>, current_carry: u64, accounts: &Accounts) -> bool {
    if !accounts.named.is_empty() || !accounts.parts.is_empty() {
        return false;
    }
    let mut left = prior.carry ^ current_carry;
    let mut keys = accounts.taken;
    while let [key, after @ ..] = keys {
        let mut rest = prior.members.attributes;
        while let [attribute, others @ ..] = rest {
            if attribute.aside.field_key == *key {
                left ^= attribute.aside.carry;
                break;
            }
            rest = others;
        }
        keys = after;
    }
    keys = accounts.made;
    while let [key, after @ ..] = keys {
        let mut rest = current.attributes;
        while let [attribute, others @ ..] = rest {
            if attribute.aside.key == *key {
                left ^= attribute.aside.carry;
                break;
            }
            rest = others;
        }
        keys = after;
    }
    keys = accounts.kept;
    while let [key, after @ ..] = keys {
        let mut rest = prior.members.attributes;
        while let [attribute, others @ ..] = rest {
            // One that is taken as well is out already.
            if attribute.aside.key == *key && !is_among!(accounts.taken, attribute.aside.field_key) {
                left ^= attribute.aside.carry;
                break;
            }
            rest = others;
        }
        keys = after;
    }
    left == 0
}

/// Whether one current attribute or block needs a closer look.
pub(super) const fn current_needs_a_look(
    prior: Members<'static>,
    current: Members<'static>,
    index: usize,
    cursor: &mut usize,
    accounts: &Accounts,
) -> bool {
    if index >= current.attributes.len() {
        return true;
    }
    let to = &current.attributes[index];
    if is_among!(accounts.made, to.aside.key) {
        return false;
    }
    let mut at = *cursor;
    if is_among!(accounts.parts, to.aside.key) || !position!(prior.attributes, to.aside.key, at) {
        return true;
    }
    *cursor = at + 1;
    !are_alike(&prior.attributes[at], to)
}

/// Whether one prior attribute or block needs a closer look.
pub(super) const fn prior_needs_a_look(
    prior: Members<'static>,
    current: Members<'static>,
    index: usize,
    cursor: &mut usize,
    accounts: &Accounts,
) -> bool {
    if index >= prior.attributes.len() {
        return true;
    }
    let aside = &prior.attributes[index].aside;
    let mut at = *cursor;
    let there = position!(current.attributes, aside.key, at);
    if there {
        *cursor = at + 1;
    }
    if is_among!(accounts.taken, aside.field_key) {
        return there;
    }
    !there
        || is_among!(accounts.named, aside.field_key)
        || is_among!(accounts.made, aside.key) && !is_among!(accounts.kept, aside.key)
        || is_among!(accounts.parts, aside.key)
}

/// Whether values of one are values of the other, as far as that is seen at a glance.
pub(super) const fn are_alike(from: &Attribute, to: &Attribute) -> bool {
    use Takes::{Anything, Floats, Integers, OwnType, Texts};
    let (a, b) = (&from.aside.holds, &to.aside.holds);
    if a.limit != b.limit || a.nullable && !b.nullable {
        return false;
    }
    match (a, b) {
        (Holds { elements: None, takes, .. }, Holds { elements: None, takes: others, .. }) => match (takes, others) {
            // With the same limit, integers and texts are the same.
            (Anything, Anything)
            | (Floats, Floats)
            | (OwnType, OwnType)
            | (Integers { .. }, Integers { .. })
            | (Texts(_), Texts(_)) => {}
            _ => return false,
        },
        (
            Holds { elements: Some(Holds { elements: None, takes: Anything, nullable: false, .. }), .. },
            Holds { elements: Some(Holds { elements: None, takes: Anything, nullable: false, .. }), .. },
        ) => {}
        _ => return false,
    }
    match (&from.shape, &to.shape) {
        (Shape::Plain(Shared::Static(a)), Shape::Plain(Shared::Static(b))) => match (a, b) {
            (Type::Bool, Type::Bool) | (Type::String, Type::String) | (Type::Number, Type::Number) | (_, Type::Dynamic) => true,
            (Type::List(Shared::Static(a)), Type::List(Shared::Static(b)))
            | (Type::Set(Shared::Static(a)), Type::Set(Shared::Static(b)))
            | (Type::Map(Shared::Static(a)), Type::Map(Shared::Static(b))) => matches!((a, b), (Type::String, Type::String)),
            _ => false,
        },
        _ => false,
    }
}
