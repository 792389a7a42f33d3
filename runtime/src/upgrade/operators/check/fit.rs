//! Checks whether a value of one form can be where another form is.

use super::form::{Form, Member, Objects};
use super::track::{Track, elements};
use super::{at, count, each, member, name_at, position, row_at, same};
use crate::message::iterate;
use crate::released::shape_of;
use crate::schema::table::{Row, Stored, Table, TypeInfo, UnionTable, union_in, variant};
use crate::schema::{Holds, LeftOver, Nesting, Takes, flags};
use upstate_words::lock::is_within;

/// The reason that a value cannot be carried as it is.
#[derive(Clone, Copy)]
pub(in super::super) enum Misfit {
    /// It may be null, and the target may not.
    Null,
    /// The target takes fewer values of the same type.
    Narrower,
    /// A map of the target takes fewer keys.
    Keys,
    /// A list where a set is: the order, and what is there twice, would go.
    ListToSet,
    /// A list or set of objects where one object is.
    ListToObject,
    /// One object where a list or set is.
    ObjectToList,
    /// A list or set where a map is, or a map where a list or set is.
    ListAndMap,
    /// Another type altogether.
    Type(&'static Stored, &'static Stored),
    /// Nested objects of another struct, and no upgrader between the two.
    Objects(&'static str, &'static str),
    /// Nested objects of this struct, whose parameters stood for other types.
    Parameters(&'static str),
    /// Two structs, deeper inside collections than upgraders of nested objects reach.
    Inner(&'static str, &'static str),
    /// Two structs, inside of what an operator made.
    NotRun(&'static str, &'static str),
    /// Objects of this struct have no such member.
    NoMember(Objects, &'static str),
    /// Objects of this struct have another member, which always has a value.
    Needs(&'static str, &'static str),
    /// The upgrader from these objects to those leaves a member over that is not the key of a
    /// `rekey`.
    LeftOver(Objects, Objects, LeftOver),
    /// The upgrader from these objects to those makes the member that is the key of the map before.
    KeyIsMade(Objects, Objects, &'static str),
    /// Something else.
    Other,
}

/// The reason that the values of `from` do not fit `to`, if they do not.
pub(in super::super) const fn fits(
    from: Form,
    from_holds: &Holds,
    to: Form,
    to_holds: &Holds,
) -> Option<Misfit> {
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
    // Nothing is refused if the value is not known.
    if !matches!(from, Form::Open) && !takes_fit(from_holds, to_holds) {
        return Some(Misfit::Narrower);
    }
    if known_keys_fit(from, from_holds, to_holds) {
        None
    } else {
        Some(Misfit::Keys)
    }
}

/// The reason that a value is not carried from one member to another, if it is not.
pub(super) const fn carries(from: &Member, to: &Member) -> Option<Misfit> {
    fits(from.form, &from.holds, to.form, &to.holds)
}

/// As [`keys_fit`], of a value of which an operator may have left only the keys known, or nothing.
/// The names of an object's members, and those in any JSON, may be keys, though not any string is.
pub(super) const fn known_keys_fit(form: Form, from: &Holds, to: &Holds) -> bool {
    let may_be_keys = matches!(
        form,
        Form::Open
            | Form::Objects(_, Nesting::Single)
            | Form::Plain(Stored::Object(_) | Stored::Dynamic | Stored::Json)
    );
    may_be_keys && from.keys.is_none() || keys_fit(from, to)
}

/// A value of what a target takes, in which all maps keep their keys.
pub(in super::super) const fn converted_to(track: &Track, target: &Member) -> Track {
    let holds = if known_keys_fit(track.form, &track.holds, &target.holds) {
        target.holds
    } else {
        track.holds
    };
    Track::made_of(
        target.form,
        Holds {
            nullable: track.holds.nullable,
            ..holds
        },
    )
}

/// True if maps take all keys that earlier ones took: any strings if nothing limits those.
pub(in super::super) const fn keys_fit(from: &Holds, to: &Holds) -> bool {
    // Only its author knows which keys a type of their own takes.
    if from.given.is_some() || to.given.is_some() {
        return true;
    }
    if let Some(keys) = to.keys {
        let before = match from.keys {
            Some(before) => before,
            None => &Holds::ANYTHING,
        };
        if !takes_fit(before, keys) {
            return false;
        }
    }
    if let (Takes::Tuples(from), Takes::Tuples(to)) = (from.takes, to.takes) {
        let mut index = 0;
        while index < from.len() && index < to.len() {
            if !keys_fit(from[index], to[index]) {
                return false;
            }
            index += 1;
        }
    }
    match (from.elements, to.elements) {
        (Some(from), Some(to)) => keys_fit(from, to),
        (None, _) | (_, None) => true,
    }
}

pub(super) const fn forms_fit(from: Form, to: Form) -> Option<Misfit> {
    match (from, to) {
        (Form::Open, _) | (_, Form::Open | Form::Plain(Stored::Dynamic)) => None,
        (Form::Plain(a) | Form::Made(a), Form::Plain(b) | Form::Made(b)) => {
            types_fit(a, b, Goes::Stored)
        }
        (Form::Objects(a, nested_a), Form::Objects(b, nested_b)) => {
            if let Some(misfit) = nestings_fit(nested_a, nested_b) {
                return Some(misfit);
            }
            objects_fit(a, b)
        }
        // An author's function makes a type without a struct, so its fields are compared with the
        // members of the objects.
        (Form::Plain(made), Form::Objects(objects, nesting)) => {
            made_objects_fit(made, objects, nesting)
        }
        (Form::Objects(..), Form::Plain(_) | Form::Made(_))
        | (Form::Made(_), Form::Objects(..)) => Some(Misfit::Other),
    }
}

/// The reason that values of a type are not such nested objects, if they are not.
const fn made_objects_fit(made: &'static Stored, to: Objects, nesting: Nesting) -> Option<Misfit> {
    let made = match (nesting, made) {
        (Nesting::Single, made) => made,
        (Nesting::List, Stored::List(element) | Stored::Set(element))
        | (Nesting::Set, Stored::Set(element))
        | (Nesting::Map, Stored::Map(element)) => element,
        (Nesting::List | Nesting::Set | Nesting::Map, _) => return Some(Misfit::Other),
    };
    let Stored::Object(fields) = made else {
        return Some(Misfit::Other);
    };
    if count(fields) != count(to.members) {
        return Some(Misfit::Other);
    }
    each!(row in row_at(fields) => {
        let Some(target) = member(to.members, row.name) else {
            return Some(Misfit::Other);
        };
        if let Some(misfit) = forms_fit(Form::Plain(&row.info.stored), target.form) {
            return Some(misfit);
        }
    });
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

/// The misfit of two structs; none if `to` is `from`, comes from it by an upgrader of its own, or
/// has the same members.
pub(super) const fn objects_fit(from: Objects, to: Objects) -> Option<Misfit> {
    let (prior, current) = (from.origin.rust_name, to.origin.rust_name);
    if from.origin.is_struct_of(to.origin) && from.with.is_none() && from.without.is_none() {
        return None;
    }
    if let Some(upgrader) = to.origin.upgrader_from(from.origin) {
        return key_fits(from, to, *upgrader.left_over);
    }
    let of_other_types = from.origin.instance != to.origin.instance && same(prior, current);
    let misfit = Some(if of_other_types {
        Misfit::Parameters(current)
    } else {
        Misfit::Objects(prior, current)
    });
    let mut index = 0;
    while index < count(to.members) {
        let name = name_at(to.members, index);
        let target = at(to.members, index);
        if !is(from.with, name) {
            let Some(source) = member(from.members, name) else {
                return misfit;
            };
            if carries(&source, &target).is_some() {
                return misfit;
            }
        }
        index += 1;
    }
    each!(name in name_at(from.members) => {
        if !is(from.without, name) && member(to.members, name).is_none() {
            return misfit;
        }
    });
    None
}

const fn is_same_enum(one: &UnionTable, other: &UnionTable) -> bool {
    one.instance == other.instance && same(one.rust_name, other.rust_name)
}

/// The misfit of an upgrader of nested objects, unless it accounts for all members but the one that
/// `rekey` makes a key, or of a key.
const fn key_fits(from: Objects, to: Objects, left_over: LeftOver) -> Option<Misfit> {
    match (left_over, from.without, from.with) {
        (LeftOver::Earlier(name), Some(key), _) | (LeftOver::Later(name), _, Some(key))
            if same(name, key) =>
        {
            None
        }
        (LeftOver::Earlier(_) | LeftOver::Later(_), ..) => {
            Some(Misfit::LeftOver(from, to, left_over))
        }
        (LeftOver::Nothing, _, Some(key)) if member(from.members, key).is_none() => {
            Some(Misfit::KeyIsMade(from, to, key))
        }
        (LeftOver::Nothing | LeftOver::Refused, ..) => None,
    }
}

const fn is(taken: Option<&str>, name: &str) -> bool {
    match taken {
        Some(taken) => same(taken, name),
        None => false,
    }
}

/// Says how a value goes where it is wanted.
#[derive(Clone, Copy)]
pub(super) enum Goes {
    /// It is stored there as it is.
    Stored,
    /// A Rust type reads it, which takes more: any bool or number is read as a string, but not
    /// every string as a number.
    Read,
}

/// The reason that values of a type do not go where values of another are wanted, if they do not.
pub(super) const fn types_fit(
    from: &'static Stored,
    to: &'static Stored,
    goes: Goes,
) -> Option<Misfit> {
    match (from, to, goes) {
        (_, Stored::Dynamic, _)
        | (Stored::Bool, Stored::Bool, _)
        | (Stored::String, Stored::String, _)
        | (Stored::Number, Stored::Number, _)
        | (Stored::Json, Stored::Json, _)
        | (Stored::Dynamic | Stored::Json, _, Goes::Read)
        | (Stored::Bool | Stored::Number, Stored::String, Goes::Read)
        | (Stored::Object(_), Stored::Object(_) | Stored::Map(_), Goes::Read)
        | (Stored::Map(_), Stored::Object(_), Goes::Read)
        | (Stored::Tuple(_), Stored::Tuple(_), Goes::Read) => None,
        (Stored::List(a), Stored::List(b), _)
        | (Stored::Set(a), Stored::Set(b) | Stored::List(b), _)
        | (Stored::Map(a), Stored::Map(b), _)
        | (Stored::List(a), Stored::Set(b), Goes::Read) => types_fit(a, b, goes),
        (Stored::List(element) | Stored::Set(element), Stored::Tuple(of), Goes::Read) => {
            each_fits(of, element, true, goes)
        }
        (Stored::Tuple(of), Stored::List(element) | Stored::Set(element), Goes::Read) => {
            each_fits(of, element, false, goes)
        }
        (Stored::List(_), Stored::Set(_), Goes::Stored) => Some(Misfit::ListToSet),
        (Stored::List(_) | Stored::Set(_), Stored::Map(_), _)
        | (Stored::Map(_), Stored::List(_) | Stored::Set(_), _) => Some(Misfit::ListAndMap),
        (Stored::Tuple(a), Stored::Tuple(b), Goes::Stored) if a.len() == b.len() => {
            let mut index = 0;
            while index < a.len() {
                if let Some(misfit) = types_fit(a[index], b[index], goes) {
                    return Some(misfit);
                }
                index += 1;
            }
            None
        }
        (Stored::Union(a), Stored::Union(b), _) if is_same_enum(a, b) || variants_fit(a, b) => None,
        (Stored::Object(a), Stored::Object(b), Goes::Stored) if count(a) == count(b) => {
            fields_fit(a, b)
        }
        (Stored::Tuple(_), Stored::Tuple(_), Goes::Stored)
        | (Stored::Object(_), Stored::Object(_), Goes::Stored) => Some(Misfit::Other),
        (
            _,
            Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Object(_)
            | Stored::Json
            | Stored::Union(_),
            _,
        ) => Some(Misfit::Type(from, to)),
    }
}

/// The reason that the elements of a list cannot be those of a tuple, if they go `into` it, or the
/// other way round.
pub(super) const fn each_fits(
    of: &'static [&'static Stored],
    element: &'static Stored,
    into: bool,
    goes: Goes,
) -> Option<Misfit> {
    iterate!(one in of => {
        let (from, to) = if into {
            (element, *one)
        } else {
            (*one, element)
        };
        if let Some(misfit) = types_fit(from, to, goes) {
            return Some(misfit);
        }
    });
    None
}

const fn fields_fit(from: &'static Table, to: &'static Table) -> Option<Misfit> {
    let mut index = 0;
    while index < count(from) {
        if !same(name_at(from, index), name_at(to, index)) {
            return Some(Misfit::Other);
        }
        let (before, now) = (row_at(from, index).info, row_at(to, index).info);
        if let Some(misfit) = types_fit(&before.stored, &now.stored, Goes::Stored) {
            return Some(misfit);
        }
        if before.is_nullable() && !now.is_nullable()
            || !takes_fit(&before.holds, &now.holds)
            || !keys_fit(&before.holds, &now.holds)
        {
            return Some(Misfit::Narrower);
        }
        index += 1;
    }
    None
}

/// True if a Rust type reads a value of a form: nested objects as structs or maps, what is not made
/// of them by its type.
pub(super) const fn is_read_as(form: Form, ty: &'static Stored, holds: &Holds) -> bool {
    match (form, ty) {
        (Form::Open, _)
        | (_, Stored::Dynamic)
        | (Form::Objects(_, Nesting::Map), Stored::Object(_)) => true,
        (Form::Objects(objects, Nesting::Single), Stored::Object(fields)) => {
            fields_are_read(objects, fields)
        }
        (Form::Plain(from) | Form::Made(from), ty) => types_fit(from, ty, Goes::Read).is_none(),
        (Form::Objects(objects, Nesting::Single), Stored::Map(entry)) => {
            members_are_read(objects, entry, &elements(holds))
        }
        (
            Form::Objects(objects, Nesting::List | Nesting::Set),
            Stored::List(element) | Stored::Set(element),
        )
        | (Form::Objects(objects, Nesting::Map), Stored::Map(element)) => is_read_as(
            Form::Objects(objects, Nesting::Single),
            element,
            &elements(holds),
        ),
        (Form::Objects(..), _) => false,
    }
}

/// True if all members are read as entries of a type.
const fn members_are_read(objects: Objects, entry: &'static Stored, holds: &Holds) -> bool {
    each!(member in at(objects.members) => {
        if member.holds.nullable && !holds.nullable || !is_read_as(member.form, entry, holds) {
            return false;
        }
    });
    true
}

/// True if the fields of a struct that the objects have as members are read from them.
const fn fields_are_read(objects: Objects, fields: &'static Table) -> bool {
    each!(row in row_at(fields) => {
        if let Some(found) = member(objects.members, row.name)
            && !is_read_as(
                found.form,
                &row.info.stored,
                &Holds::ANYTHING.or_null(),
            )
        {
            return false;
        }
    });
    true
}

/// The misfit of objects inside collections of collections and tuples that need operators to become
/// the others: none are run there.
const fn inner_objects_fit(from: &Holds, to: &Holds) -> Option<Misfit> {
    match (from.takes, to.takes) {
        (Takes::Objects(from), Takes::Objects(to)) => {
            if to.origin().upgrader_from(from.origin()).is_some() {
                return Some(Misfit::Inner(from.rust_name, to.rust_name));
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
            (None, _) | (_, None) => None,
        },
    }
}

/// Integers that a 64-bit float holds without loss.
const EXACT: u128 = 1 << 53;
/// Those that a 32-bit float holds.
const EXACT_IN_F32: u128 = 1 << 24;

/// True if `to` takes all values that `from` takes; null is another question.
pub(in super::super) const fn takes_fit(from: &Holds, to: &Holds) -> bool {
    let fit = match (from.range(), to.range()) {
        (Some(from), Some(to)) => from.is_within(to),
        (None, Some(_)) => false,
        (Some(from), None) if matches!(to.takes, Takes::Floats) => {
            let is_short = !to.format.is_empty();
            from.is_up_to(if is_short { EXACT_IN_F32 } else { EXACT })
        }
        (Some(_) | None, None) => others_fit(from, to),
    };
    match (fit, from.elements, to.elements) {
        (true, Some(from), Some(to)) => takes_fit(from, to) && (to.nullable || !from.nullable),
        (fit, _, _) => fit,
    }
}

/// As [`takes_fit`], where `to` does not have a range of whole numbers.
const fn others_fit(from: &Holds, to: &Holds) -> bool {
    match (from.takes, to.takes) {
        // Objects fit here, because they are compared member by member elsewhere, or come through
        // an upgrader of their own.
        (_, Takes::Anything | Takes::Objects(_)) => true,
        // The form of an author's own type is not known.
        (Takes::OwnType, Takes::OwnType) => {
            let (from, to) = (from.format.as_bytes(), to.format.as_bytes());
            from.is_empty() || to.is_empty() || is_within(from, to)
        }
        // An `f32` is written with the digits that it needs, which an `f64` reads.
        (Takes::Floats, Takes::Floats) => to.format.is_empty() || !from.format.is_empty(),
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
        (
            _,
            Takes::Integers { .. }
            | Takes::Floats
            | Takes::Texts(_)
            | Takes::OwnType
            | Takes::Tuples(_),
        ) => false,
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
    iterate!(text in texts => {
        if same(text, wanted) {
            return true;
        }
    });
    false
}

/// True if an enum is read from variants of other names, and another is not. Neither these nor the
/// name of its own for them go there.
pub(in super::super) const fn loses_other_names(before: &UnionTable, now: &UnionTable) -> bool {
    before.other.is_some() && now.other.is_none()
}

/// The fit of a flattened enum or map with what is in its place.
#[derive(Clone, Copy)]
pub(in super::super) enum RestFit {
    /// Nothing is in its place.
    Elsewhere,
    Fits,
    /// It is read from variants of other names, and what is in its place is not.
    LosesOtherNames,
    /// It takes keys or values that what is in its place does not take.
    Narrower,
}

/// The fit of the flattened enums and maps that fit worst.
pub(in super::super) const fn rest_fits(prior: &'static Table, current: &'static Table) -> RestFit {
    iterate!(field in prior.flattened => {
        let fit = match (field.table(), field.values()) {
            (Some(inner), _) => rest_fits(inner, current),
            (None, Some(before)) => fits_rest(before, current),
            (None, None) => RestFit::Elsewhere,
        };
        match fit {
            RestFit::LosesOtherNames | RestFit::Narrower => return fit,
            RestFit::Elsewhere | RestFit::Fits => {}
        }
    });
    RestFit::Fits
}

/// The fit of a flattened enum or map with the one in its place that it fits best.
const fn fits_rest(before: &'static TypeInfo, current: &'static Table) -> RestFit {
    let mut found = RestFit::Elsewhere;
    iterate!(field in current.flattened => {
        let fit = match (field.table(), field.values()) {
            (Some(inner), _) => fits_rest(before, inner),
            (None, Some(now)) => fits_part(before, now),
            (None, None) => RestFit::Elsewhere,
        };
        match fit {
            RestFit::Fits => return fit,
            RestFit::LosesOtherNames | RestFit::Narrower => found = fit,
            RestFit::Elsewhere => {}
        }
    });
    found
}

const fn fits_part(before: &'static TypeInfo, now: &'static TypeInfo) -> RestFit {
    let (was_map, is_map) = (
        matches!(before.stored, Stored::Map(_)),
        matches!(now.stored, Stored::Map(_)),
    );
    if was_map && is_map {
        let is_same_shape = shape_of(&before.stored) == shape_of(&now.stored);
        let is_scalar_now = matches!(
            types_fit(&before.stored, &now.stored, Goes::Stored),
            Some(Misfit::Type(
                Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json,
                Stored::Bool | Stored::String | Stored::Number,
            ))
        );
        if is_scalar_now
            || !keys_fit(&before.holds, &now.holds)
            || is_same_shape && !takes_fit(&before.holds, &now.holds)
        {
            return RestFit::Narrower;
        }
    }
    match (union_in(&before.stored), union_in(&now.stored)) {
        // Others are not compared, because their names are in other places.
        (Some(before), Some(now)) if was_map == is_map && same(before.tagging, now.tagging) => {
            // Without a tag it is read from its own name alone, because a member of another name
            // may be anyone's.
            let reads_one = !is_map && same(before.tagging, "external");
            if reads_one || !loses_other_names(before, now) {
                RestFit::Fits
            } else {
                RestFit::LosesOtherNames
            }
        }
        (Some(_) | None, _) => RestFit::Elsewhere,
    }
}

/// True if each variant of an enum is one of another, which holds the same: the values are those of
/// the other.
const fn variants_fit(before: &'static UnionTable, now: &'static UnionTable) -> bool {
    // A new variant without a tag may take the values of another.
    let is_ordered = same(before.tagging, "untagged");
    if !same(before.tagging, now.tagging) || loses_other_names(before, now) {
        return false;
    }
    if is_ordered && before.variants.len() != now.variants.len() {
        return false;
    }
    iterate!((nth, row) in before.variants => {
        let other = if is_ordered {
            Some(&now.variants[nth])
        } else {
            variant(now, row.key)
        };
        match other {
            Some(other) if same(other.name, row.name) && contents_fit(row.info, other.info) => {}
            Some(_) | None => return false,
        }
    });
    true
}

/// True if the values of one variant are values of another: members that only the other has may be
/// missing.
pub(in super::super) const fn contents_fit(
    before: &'static TypeInfo,
    now: &'static TypeInfo,
) -> bool {
    (now.is_nullable() || !before.is_nullable()) && values_fit(before, now)
}

/// True if the values of one variant or member, but for null, are values of another.
pub(in super::super) const fn values_fit(
    before: &'static TypeInfo,
    now: &'static TypeInfo,
) -> bool {
    if let (Stored::Object(before), Stored::Object(now)) = (before.stored, now.stored) {
        return members_fit(before, now);
    }
    let is_same_shape = shape_of(&before.stored) == shape_of(&now.stored);
    is_same_shape
        && takes_fit(&before.holds, &now.holds)
        && keys_fit(&before.holds, &now.holds)
        && parts_fit(&before.stored, &now.stored)
}

/// True if objects and enums in values of one shape take what those in the other took, which no
/// shape tells.
const fn parts_fit(before: &'static Stored, now: &'static Stored) -> bool {
    match (before, now) {
        (Stored::List(before), Stored::List(now))
        | (Stored::Set(before), Stored::Set(now))
        | (Stored::Map(before), Stored::Map(now)) => parts_fit(before, now),
        (Stored::Tuple(before), Stored::Tuple(now)) => {
            let mut index = 0;
            while index < before.len() && index < now.len() {
                if !parts_fit(before[index], now[index]) {
                    return false;
                }
                index += 1;
            }
            true
        }
        (Stored::Object(before), Stored::Object(now)) => members_fit(before, now),
        (Stored::Union(before), Stored::Union(now)) => {
            is_same_enum(before, now) || variants_fit(before, now)
        }
        (
            Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::Dynamic
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Object(_)
            | Stored::Json
            | Stored::Union(_),
            _,
        ) => true,
    }
}

/// True if each member of objects goes to one of others, and these need no more.
const fn members_fit(before: &'static Table, now: &'static Table) -> bool {
    each!(row in row_at(before) => {
        match row_of(now, row.name) {
            Some(other) if contents_fit(row.info, other.info) => {}
            Some(_) | None => return false,
        }
    });
    let mut index = 0;
    while index < count(now) {
        let row = row_at(now, index);
        if !may_be_missing(now, index) && row_of(before, row.name).is_none() {
            return false;
        }
        index += 1;
    }
    true
}

/// The row of this name in state.
pub(in super::super) const fn row_of(table: &'static Table, name: &str) -> Option<&'static Row> {
    match position(table, name) {
        Some(index) => Some(row_at(table, index)),
        None => None,
    }
}

/// True if a document need not have the member at `index`.
pub(in super::super) const fn may_be_missing(table: &'static Table, index: usize) -> bool {
    let (row, may_be_absent) = table.any_row(index);
    may_be_absent || row.flags & flags::FILLED_IN != 0 || row.info.holds.nullable
}
