//! Whether a value of one form can stand where another form is.

use super::super::form::{Form, Objects};
use super::{at, count, member, name_at, same};
use crate::schema::{Field, Holds, Nesting, Takes, Type};

/// Why a value cannot be carried as it is.
#[derive(Clone, Copy)]
pub(super) enum Misfit {
    /// It may be null, and the target may not.
    Null,
    /// The target takes fewer values of the same type.
    Narrower,
    /// A list where a set is: the order, and what is there twice, would go.
    ListToSet,
    /// A list or set of objects where one object is.
    ListToObject,
    /// One object where a list or set is.
    ObjectToList,
    /// A list or set where a map is, or a map where a list or set is.
    ListAndMap,
    /// Another type altogether.
    Type(&'static Type, &'static Type),
    /// Nested objects of another struct, and no edge between the two.
    Objects(&'static str, &'static str),
    /// The same, deeper inside collections than edges of nested objects reach.
    Inner(&'static str, &'static str),
    /// The same, inside of what an operator made.
    NotRun(&'static str, &'static str),
    /// Objects of this struct have no such member.
    NoMember(Objects<'static>, &'static str),
    /// Objects of this struct have another member, which always has a value.
    Needs(&'static str, &'static str),
    /// Something else.
    Other,
}

/// Whether the values of `from` fit `to`.
pub(super) const fn fits(from: Form<'static>, from_holds: &Holds, to: Form<'static>, to_holds: &Holds) -> Option<Misfit> {
    if let Some(misfit) = forms_fit(from, to) {
        return Some(misfit);
    }
    if from_holds.nullable && !to_holds.nullable {
        return Some(Misfit::Null);
    }
    if matches!((from, to), (Form::Plain(_), Form::Plain(_)))
        && let Some(misfit) = inner_objects_fit(from_holds, to_holds)
    {
        return Some(misfit);
    }
    // Of what is not known nothing can be said.
    if matches!(from, Form::Open) || takes_fit(from_holds, to_holds) { None } else { Some(Misfit::Narrower) }
}

pub(super) const fn forms_fit(from: Form<'static>, to: Form<'static>) -> Option<Misfit> {
    match (from, to) {
        (Form::Open, _) | (_, Form::Open | Form::Plain(Type::Dynamic)) => None,
        (Form::Plain(a) | Form::Made(a), Form::Plain(b) | Form::Made(b)) => types_fit(a, b),
        (Form::Objects(a, nested_a), Form::Objects(b, nested_b)) => {
            if let Some(misfit) = nestings_fit(nested_a, nested_b) {
                return Some(misfit);
            }
            objects_fit(a, b)
        }
        // What an author's function makes is known by its type alone.
        (Form::Plain(made), Form::Objects(objects, nesting)) => made_objects_fit(made, objects, nesting),
        _ => Some(Misfit::Other),
    }
}

/// Whether values of a type are such nested objects.
const fn made_objects_fit(made: &'static Type, to: Objects<'static>, nesting: Nesting) -> Option<Misfit> {
    let made = match (nesting, made) {
        (Nesting::Single, made) => made,
        (Nesting::List, Type::List(element) | Type::Set(element))
        | (Nesting::Set, Type::Set(element))
        | (Nesting::Map, Type::Map(element)) => match element.constant() {
            Some(element) => element,
            None => return None,
        },
        _ => return Some(Misfit::Other),
    };
    let Type::Object(fields) = made else { return Some(Misfit::Other) };
    let Some(fields) = fields.constant() else { return None };
    if fields.len() != count(to.members) {
        return Some(Misfit::Other);
    }
    let mut index = 0;
    while index < fields.len() {
        let Some((name, ty)) = fields[index].constant_parts() else { return None };
        let Some(target) = member(to.members, name) else { return Some(Misfit::Other) };
        if let Some(misfit) = forms_fit(Form::Plain(ty), target.form) {
            return Some(misfit);
        }
        index += 1;
    }
    None
}

pub(super) const fn nestings_fit(from: Nesting, to: Nesting) -> Option<Misfit> {
    use Nesting::{List, Map, Set, Single};
    match (from, to) {
        (Single, Single) | (List | Set, List) | (Set, Set) | (Map, Map) => None,
        (List, Set) => Some(Misfit::ListToSet),
        (List | Set, Single) => Some(Misfit::ListToObject),
        (Single, List | Set) => Some(Misfit::ObjectToList),
        (List | Set, Map) | (Map, List | Set) => Some(Misfit::ListAndMap),
        (Single, Map) | (Map, Single) => Some(Misfit::Other),
    }
}

/// Whether one struct is the other, comes from it by an edge of its own, or has the same members.
pub(super) const fn objects_fit(from: Objects<'static>, to: Objects<'static>) -> Option<Misfit> {
    let (prior, current) = (from.origin.rust_name, to.origin.rust_name);
    if !prior.is_empty() && same(prior, current) && from.with.is_none() && from.without.is_none() {
        return None;
    }
    let mut index = 0;
    while index < to.origin.edges.len() {
        if same(to.origin.edges[index].prior_name(), prior) {
            return None;
        }
        index += 1;
    }
    let misfit = Some(Misfit::Objects(prior, current));
    let mut index = 0;
    while index < count(to.members) {
        let name = name_at(to.members, index);
        let target = at(to.members, index);
        if !is(from.with, name) {
            let Some(source) = member(from.members, name) else { return misfit };
            if fits(source.form, &source.holds, target.form, &target.holds).is_some() {
                return misfit;
            }
        }
        index += 1;
    }
    let mut index = 0;
    while index < count(from.members) {
        let name = name_at(from.members, index);
        if !is(from.without, name) && member(to.members, name).is_none() {
            return misfit;
        }
        index += 1;
    }
    None
}

const fn is(taken: Option<&str>, name: &str) -> bool {
    match taken {
        Some(taken) => same(taken, name),
        None => false,
    }
}

const fn types_fit(from: &'static Type, to: &'static Type) -> Option<Misfit> {
    match (from, to) {
        (_, Type::Dynamic) | (Type::Bool, Type::Bool) | (Type::String, Type::String) | (Type::Number, Type::Number) => None,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b) | Type::List(b)) | (Type::Map(a), Type::Map(b)) => {
            match (a.constant(), b.constant()) {
                (Some(a), Some(b)) => types_fit(a, b),
                _ => None,
            }
        }
        (Type::List(_), Type::Set(_)) => Some(Misfit::ListToSet),
        (Type::List(_) | Type::Set(_), Type::Map(_)) | (Type::Map(_), Type::List(_) | Type::Set(_)) => Some(Misfit::ListAndMap),
        (Type::Tuple(a), Type::Tuple(b)) => match (a.constant(), b.constant()) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let mut index = 0;
                while index < a.len() {
                    if let (Some(a), Some(b)) = (a[index].constant(), b[index].constant())
                        && let Some(misfit) = types_fit(a, b)
                    {
                        return Some(misfit);
                    }
                    index += 1;
                }
                None
            }
            _ => Some(Misfit::Other),
        },
        (Type::Object(a), Type::Object(b)) => match (a.constant(), b.constant()) {
            (Some(a), Some(b)) if a.len() == b.len() => fields_fit(a, b),
            _ => Some(Misfit::Other),
        },
        _ => Some(Misfit::Type(from, to)),
    }
}

const fn fields_fit(from: &'static [Field], to: &'static [Field]) -> Option<Misfit> {
    let mut index = 0;
    while index < from.len() {
        match (from[index].constant_parts(), to[index].constant_parts()) {
            (Some((name, ty)), Some((other, wanted))) => {
                if !same(name, other) {
                    return Some(Misfit::Other);
                }
                if let Some(misfit) = types_fit(ty, wanted) {
                    return Some(misfit);
                }
            }
            _ => return None,
        }
        index += 1;
    }
    None
}

/// Whether objects inside collections of collections and tuples need no operators to become the others: none are run there.
const fn inner_objects_fit(from: &Holds, to: &Holds) -> Option<Misfit> {
    match (from.takes, to.takes) {
        (Takes::Objects(from), Takes::Objects(to)) => {
            let mut index = 0;
            while index < to.edges.len() {
                if same(to.edges[index].prior_name(), from.rust_name) {
                    return Some(Misfit::Inner(from.rust_name, to.rust_name));
                }
                index += 1;
            }
            None
        }
        (Takes::Tuples(from), Takes::Tuples(to)) if from.len() == to.len() => {
            let mut index = 0;
            while index < from.len() {
                if let Some(misfit) = inner_objects_fit(from[index], to[index]) {
                    return Some(misfit);
                }
                index += 1;
            }
            None
        }
        _ => match (from.elements, to.elements) {
            (Some(from), Some(to)) => inner_objects_fit(from, to),
            _ => None,
        },
    }
}

/// Integers that a 64-bit float holds without loss.
const EXACT: i128 = 1 << 53;

/// Whether all values that one takes are taken by the other; null is another question.
pub(super) const fn takes_fit(from: &Holds, to: &Holds) -> bool {
    let fit = match (from.takes, to.takes) {
        // Objects are compared member by member, or come through an edge of their own.
        (_, Takes::Anything | Takes::Objects(_)) | (Takes::OwnType, Takes::OwnType) | (Takes::Floats, Takes::Floats) => true,
        (Takes::Integers { min, max }, Takes::Integers { min: low, max: high }) => low <= min && max <= high,
        (Takes::Integers { min, max }, Takes::Floats) => -EXACT <= min && max <= EXACT,
        (Takes::Texts(from), Takes::Texts(to)) => {
            let mut index = 0;
            let mut all = true;
            while index < from.len() {
                all = all && has(to, from[index]);
                index += 1;
            }
            all
        }
        (Takes::Tuples(from), Takes::Tuples(to)) => tuples_fit(from, to),
        _ => false,
    };
    match (fit, from.elements, to.elements) {
        (true, Some(from), Some(to)) => takes_fit(from, to) && (to.nullable || !from.nullable),
        (fit, _, _) => fit,
    }
}

const fn tuples_fit(from: &[&Holds], to: &[&Holds]) -> bool {
    let mut index = 0;
    while index < from.len() && index < to.len() {
        if !takes_fit(from[index], to[index]) || (from[index].nullable && !to[index].nullable) {
            return false;
        }
        index += 1;
    }
    true
}

pub(super) const fn has(texts: &[&str], wanted: &str) -> bool {
    let mut index = 0;
    while index < texts.len() {
        if same(texts[index], wanted) {
            return true;
        }
        index += 1;
    }
    false
}
