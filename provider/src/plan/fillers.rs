//! Fillers of a model's fields whose value is not known yet.
//!
//! A field that is not an `Option` has no state besides its values. Where the author's function is
//! to say what the value is, it gets one that nothing real has, so that it is found again in the
//! answer: nobody replaced it. A bool has no value to spare, and neither have small integers and
//! enums; such fields have to be `Option`s if they are computed, which the provider's check says.

use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Nesting, Shape, Taken, Type};
use upstate::{AttributePath, Number, Value};

use super::nested::{Members, elements_mut, member};
use super::unset::is_computed;

/// The string in place of one that is not known yet.
pub(crate) const NOT_KNOWN: &str = "(not known before it is applied)";

/// Strings for types that take only some, each with the forms that it has. Addresses of networks
/// that nobody has, a time before all clouds.
const STRINGS: [(&[&str], &str); 15] = [
    (&[], NOT_KNOWN),
    (&["ip", "ipv4"], "240.209.113.77"),
    (&["ipv6"], "100::209:113:77"),
    (&["socket", "socket-v4"], "240.209.113.77:9"),
    (&["socket-v6"], "[100::209:113:77]:9"),
    (&[], "240.209.113.77/32"),
    (&[], "100::209:113:77/128"),
    (&["date-time"], "1902-04-17T03:14:15Z"),
    (&["date"], "1902-04-17"),
    (&["uri"], "https://not-known-before-it-is-applied.invalid/"),
    (&["uuid"], "3f1d20e7-9113-4077-8902-041703141500"),
    (&["duration", "span"], "31h7m13s"),
    (&[], "\"(not known before it is applied)\""),
    (&[], "0.0.0-not-known-before-it-is-applied"),
    (&[], "7205759403792793"),
];

/// Numbers, each for types that do not hold those before it. A float holds all of them.
const NUMBERS: [i64; 3] = [7_205_759_403_792_793, 3_405_691_582, 1_978_365_151];

/// The values that fill places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fillers {
    /// Empty ones, for what only looks at a plan.
    Empty,
    /// Those that are found again.
    Marked,
    /// Those, and another value than `Marked` has where none is found again.
    Others,
    /// Those, also where null would do: all that a model has is tried.
    Everywhere,
}

impl Fillers {
    /// Fills the places of all attributes that are unknown, and notes them. True if a field needed
    /// it.
    pub(super) fn fill(
        self,
        block: &Block,
        value: &mut Value,
        places: &mut Vec<Vec<PathStep>>,
    ) -> bool {
        self.members(Members::Block(block), value, &mut Vec::new(), places)
    }

    fn members(
        self,
        of: Members<'_>,
        value: &mut Value,
        path: &mut Vec<PathStep>,
        places: &mut Vec<Vec<PathStep>>,
    ) -> bool {
        let Some(members) = value.as_map_mut() else {
            return false;
        };
        let mut needed = false;
        for attribute in of.attributes() {
            let Some(place) = members
                .get_mut(attribute.name())
                .filter(|place| **place == Value::Unknown)
            else {
                continue;
            };
            path.push(PathStep::Attribute(attribute.name().to_owned().into()));
            places.push(path.clone());
            path.pop();
            *place = if self.leaves_out(attribute) {
                Value::Null
            } else {
                self.of(attribute)
            };
            needed |= !place.is_null();
        }
        for (name, nesting, inner) in of.nested() {
            let Some(nested) = members.get_mut(name) else {
                continue;
            };
            path.push(PathStep::Attribute(name.to_owned().into()));
            for (step, element) in elements_mut(nesting, nested) {
                let depth = path.len();
                path.extend(step);
                needed |= self.members(inner, element, path, places);
                path.truncate(depth);
            }
            path.pop();
        }
        needed
    }

    fn leaves_out(self, attribute: &Attribute) -> bool {
        attribute.is_nullable()
            && !(self == Self::Everywhere && matches!(attribute.shape(), Shape::Nested(_)))
    }

    /// An empty value for an attribute that its field takes; of an enum the first one, and of a
    /// form any, because these have none that is empty.
    pub(super) fn empty(attribute: &Attribute) -> Value {
        match (attribute.taken(), attribute.shape()) {
            (Some(Taken::Strings(_)), _) => Self::Marked.of(attribute),
            (Some(Taken::Format(form)), Shape::Plain(ty)) if matches!(**ty, Type::String) => {
                formed(form).into()
            }
            (Some(Taken::Integers { .. } | Taken::Format(_)) | None, _) => {
                Self::Empty.of(attribute)
            }
        }
    }

    /// A value for an attribute, which is not null.
    pub(super) fn of(self, attribute: &Attribute) -> Value {
        match attribute.shape() {
            Shape::Plain(ty) => self.plain(ty, attribute.taken()),
            Shape::Nested(nested) => self.arranged(nested.nesting(), || {
                self.object(nested.attributes(), nested.nesting())
            }),
        }
    }

    fn arranged(self, nesting: Nesting, object: impl FnOnce() -> Value) -> Value {
        match (nesting, self) {
            (Nesting::Single, _) => object(),
            (Nesting::List | Nesting::Set, Self::Empty) => Value::List(Vec::new()),
            (Nesting::Map, Self::Empty) => Value::Map(std::collections::BTreeMap::new()),
            (Nesting::List | Nesting::Set, Self::Marked | Self::Others | Self::Everywhere) => {
                Value::List(vec![object()])
            }
            (Nesting::Map, Self::Marked | Self::Others | Self::Everywhere) => {
                [(NOT_KNOWN.to_owned(), object())].into_iter().collect()
            }
        }
    }

    /// An object of these attributes. One that is an element says in all of its strings and numbers
    /// that it is none.
    fn object(self, attributes: &[Attribute], nesting: Nesting) -> Value {
        let value = |attribute: &Attribute| {
            let scalar = matches!(attribute.shape(), Shape::Plain(ty) if matches!(**ty, Type::String | Type::Number));
            let marks = nesting != Nesting::Single
                && scalar
                && !attribute.is_write_only()
                && attribute.taken().is_none();
            if self.leaves_out(attribute) && !marks {
                Value::Null
            } else {
                self.of(attribute)
            }
        };
        attributes
            .iter()
            .map(|attribute| (attribute.name().to_owned(), value(attribute)))
            .collect()
    }

    /// A value of a type, of which a field takes only some.
    pub(super) fn plain(self, ty: &Type, taken: Option<Taken>) -> Value {
        match ty {
            Type::Bool => Value::Bool(self == Self::Others),
            Type::String => self.string(taken).into(),
            Type::Number => Value::Number(Number::from(self.number(taken))),
            Type::List(element) | Type::Set(element) => {
                let element = if self == Self::Empty {
                    Value::Null
                } else {
                    self.plain(element, taken)
                };
                // One that could be real is worse than none.
                Value::List(if is_marked(&element) {
                    vec![element]
                } else {
                    Vec::new()
                })
            }
            Type::Map(_) if self == Self::Empty => Value::Map(std::collections::BTreeMap::new()),
            Type::Map(element) => [(NOT_KNOWN.to_owned(), self.plain(element, taken))]
                .into_iter()
                .collect(),
            Type::Object(fields) => fields
                .iter()
                .map(|field| (field.name().to_owned(), Value::Null))
                .collect(),
            Type::Tuple(types) => {
                Value::List(types.iter().map(|ty| self.plain(ty, None)).collect())
            }
            // No model of a provider has one: the derive of documents implements no trait of
            // providers.
            Type::Json | Type::Union(_) => Value::Null,
            Type::Dynamic => Value::Dynamic(Box::new((Type::String, NOT_KNOWN.into()))),
        }
    }

    fn string(self, taken: Option<Taken>) -> &'static str {
        let Some(Taken::Strings(strings)) = taken else {
            return NOT_KNOWN;
        };
        let chosen = match self {
            // An author who looks at a plan would take it for the user's.
            Self::Empty => None,
            Self::Marked | Self::Everywhere => strings.first(),
            Self::Others => strings.last(),
        };
        chosen.copied().unwrap_or(NOT_KNOWN)
    }

    fn number(self, taken: Option<Taken>) -> i64 {
        let fits = |number: &i64| match taken {
            Some(Taken::Integers { min, max }) => (min..=max).contains(&i128::from(*number)),
            Some(Taken::Strings(_) | Taken::Format(_)) | None => true,
        };
        match self {
            Self::Empty => 0,
            Self::Marked | Self::Everywhere => NUMBERS.into_iter().find(fits).unwrap_or(0),
            Self::Others => NUMBERS.into_iter().find(fits).unwrap_or(1),
        }
    }
}

/// The string of a form, by its name.
fn formed(form: &'static str) -> &'static str {
    STRINGS
        .iter()
        .find(|(forms, _)| forms.contains(&form))
        .map_or(NOT_KNOWN, |(_, string)| *string)
}

/// True if a field of the attribute can say that nobody replaced what stood in it.
pub(crate) fn is_found_again(attribute: &Attribute) -> bool {
    attribute.is_nullable() || is_marked(&Fillers::Marked.of(attribute))
}

/// Puts the next value in the place of one that a field does not take; false if there is none.
pub(super) fn next(value: &mut Value) -> bool {
    match value {
        Value::String(text) => {
            let at = STRINGS
                .iter()
                .position(|(_, string)| *string == text.as_str());
            match at.and_then(|at| STRINGS.get(at + 1)) {
                Some((_, next)) => (*next).clone_into(text),
                None => return false,
            }
        }
        Value::Number(number) => {
            let numbers = [NUMBERS[0], NUMBERS[1], NUMBERS[2], 0, 1];
            let at = numbers.iter().position(|it| Number::from(*it) == *number);
            match at.and_then(|at| numbers.get(at + 1)) {
                Some(next) => *number = Number::from(*next),
                None => return false,
            }
        }
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Dynamic(_) => return false,
    }
    true
}

/// True if a scalar is in place of one that was not known.
fn is_mark(value: &Value) -> bool {
    match value {
        Value::String(text) => STRINGS.iter().any(|(_, string)| *string == text.as_str()),
        Value::Number(number) => NUMBERS.iter().any(|mark| Number::from(*mark) == *number),
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Dynamic(_) => false,
    }
}

/// True if something in a value is in place of what was not known.
fn is_marked(value: &Value) -> bool {
    match value {
        Value::List(list) => list.iter().any(is_marked),
        Value::Map(map) => map
            .iter()
            .any(|(key, value)| key == NOT_KNOWN || is_marked(value)),
        Value::Dynamic(dynamic) => is_marked(&dynamic.1),
        Value::Null | Value::Unknown | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            is_mark(value)
        }
    }
}

/// The attributes that an author's function must set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owed {
    /// The computed attributes, after a change.
    Computed,
    /// Everything, after an import.
    Everything,
}

/// The first place that still has what stood in for a value, and null in place of each.
///
/// Values that may be such a filler by chance are compared only where the provider sets them;
/// nobody's string is [`NOT_KNOWN`].
pub(crate) fn forgotten(block: &Block, value: &mut Value, owed: Owed) -> Option<AttributePath> {
    let mut first = None;
    members_forgotten(
        Members::Block(block),
        value,
        owed,
        &AttributePath::new(),
        &mut first,
    );
    first
}

fn members_forgotten(
    of: Members<'_>,
    value: &mut Value,
    owed: Owed,
    at: &AttributePath,
    first: &mut Option<AttributePath>,
) {
    let Some(members) = value.as_map_mut() else {
        return;
    };
    for attribute in of.attributes() {
        let sure = owed == Owed::Everything || is_computed(attribute);
        let whole = sure || matches!(attribute.shape(), Shape::Plain(_));
        let Some(place) = members.get_mut(attribute.name()).filter(|_| whole) else {
            continue;
        };
        let is_it = |value: &Value| {
            if sure {
                is_mark(value)
            } else {
                value.as_str() == Some(NOT_KNOWN)
            }
        };
        let at = at.clone().attribute(attribute.name().to_owned());
        if let Some(found) = first_mark(place, &is_it, &at) {
            // It is the field that nobody set, not an element of what stood in it.
            first.get_or_insert(if sure { at } else { found });
            match attribute.shape() {
                Shape::Plain(_) => remove_marks(place, &is_it),
                Shape::Nested(_) => *place = Value::Null,
            }
        }
    }
    for (name, nesting, inner) in of.nested() {
        let Some(nested) = members.get_mut(name) else {
            continue;
        };
        let at = at.clone().attribute(name.to_owned());
        for (step, element) in elements_mut(nesting, nested) {
            members_forgotten(
                inner,
                element,
                owed,
                &step.into_iter().fold(at.clone(), AttributePath::step),
                first,
            );
        }
    }
}

/// The first path at which a value holds a filler.
fn first_mark(
    value: &Value,
    is_it: &dyn Fn(&Value) -> bool,
    at: &AttributePath,
) -> Option<AttributePath> {
    match value {
        Value::List(list) => (0..)
            .zip(list)
            .find_map(|(index, value)| first_mark(value, is_it, &at.clone().index(index))),
        Value::Map(map) if map.contains_key(NOT_KNOWN) => Some(at.clone()),
        Value::Map(map) => map
            .iter()
            .find_map(|(key, value)| first_mark(value, is_it, &at.clone().attribute(key.clone()))),
        Value::Dynamic(dynamic) => first_mark(&dynamic.1, is_it, at),
        value => is_it(value).then(|| at.clone()),
    }
}

/// Removes all that stood in for something. Of what is nothing else, null is left.
fn remove_marks(value: &mut Value, is_it: &dyn Fn(&Value) -> bool) {
    let marked = |value: &Value| first_mark(value, is_it, &AttributePath::new()).is_some();
    let nothing_left = match value {
        Value::List(list) => {
            list.retain(|value| !marked(value));
            list.is_empty()
        }
        Value::Map(map) => {
            map.retain(|key, value| key != NOT_KNOWN && !marked(value));
            map.is_empty()
        }
        ref value => marked(value),
    };
    if nothing_left {
        *value = Value::Null;
    }
}

/// The fillers in a value that are not in what it was made of.
pub(crate) fn fillers_in(made: &Value, before: &Value) -> Vec<Value> {
    fn gather(value: &Value, found: &mut Vec<Value>) {
        match value {
            Value::List(list) => list.iter().for_each(|value| gather(value, found)),
            Value::Map(map) => map.values().for_each(|value| gather(value, found)),
            Value::Dynamic(dynamic) => gather(&dynamic.1, found),
            Value::Null | Value::Unknown | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                if is_mark(value) && !found.contains(value) {
                    found.push(value.clone());
                }
            }
        }
    }
    let (mut found, mut real) = (Vec::new(), Vec::new());
    gather(made, &mut found);
    gather(before, &mut real);
    found.retain(|filler| !real.contains(filler));
    found
}

/// Puts null in the place of each of these fillers, because nobody replaced it.
pub(crate) fn forget_fillers(value: &mut Value, ty: &Type, fillers: &[Value]) {
    let is_one = match (&mut *value, ty) {
        (Value::List(list), Type::List(ty) | Type::Set(ty)) => {
            let only = !list.is_empty() && list.iter().all(|value| fillers.contains(value));
            for value in list.iter_mut() {
                forget_fillers(value, ty, fillers);
            }
            only
        }
        (Value::List(list), Type::Tuple(types)) => {
            for (value, ty) in list.iter_mut().zip(types.iter()) {
                forget_fillers(value, ty, fillers);
            }
            false
        }
        (Value::Map(map), Type::Map(ty)) => {
            let had_one = map.remove(NOT_KNOWN).is_some();
            for value in map.values_mut() {
                forget_fillers(value, ty, fillers);
            }
            had_one && map.is_empty()
        }
        (Value::Map(members), Type::Object(fields)) => {
            for field in fields.iter() {
                if let Some(value) = members.get_mut(field.name()) {
                    forget_fillers(value, field.ty(), fillers);
                }
            }
            false
        }
        (other, _) => fillers.contains(other),
    };
    if is_one {
        *value = Value::Null;
    }
}

/// The attributes, at any depth, whose field takes no null, and has one, become unknown: state can
/// have been stored by a provider whose model could hold that.
pub(super) fn nulls_unknown(block: &Block, value: &mut Value) {
    fn members(of: Members<'_>, value: &mut Value) {
        let Some(members_of) = value.as_map_mut() else {
            return;
        };
        for attribute in of
            .attributes()
            .iter()
            .filter(|attribute| !attribute.is_nullable())
        {
            let place = members_of.entry(attribute.name().to_owned()).or_default();
            if place.is_null() {
                *place = Value::Unknown;
            }
        }
        for (name, nesting, inner) in of.nested() {
            if let Some(nested) = members_of.get_mut(name) {
                for (_, element) in elements_mut(nesting, nested) {
                    members(inner, element);
                }
            }
        }
    }
    members(Members::Block(block), value);
}

/// A value in which nothing is known, but that every block is there once.
pub(super) fn all_unknown(block: &Block) -> Value {
    fn members(of: Members<'_>) -> Value {
        let mut members_of: std::collections::BTreeMap<String, Value> = of
            .attributes()
            .iter()
            .map(|attribute| (attribute.name().to_owned(), Value::Unknown))
            .collect();
        if let Members::Block(block) = of {
            for nested in block.blocks() {
                let inner = members(Members::Block(nested.block()));
                let value = match nested.nesting() {
                    Nesting::Single => inner,
                    Nesting::List | Nesting::Set => Value::List(vec![inner]),
                    Nesting::Map => [(NOT_KNOWN.to_owned(), inner)].into_iter().collect(),
                };
                members_of.insert(nested.name().to_owned(), value);
            }
        }
        Value::Map(members_of)
    }
    members(Members::Block(block))
}

/// The attribute, if a path leads to one or into its value.
pub(crate) fn attribute_at<'s>(block: &'s Block, path: &AttributePath) -> Option<&'s Attribute> {
    attributes_at(block, path).pop()
}

/// The attributes that a path leads through, the outermost first.
pub(super) fn attributes_at<'s>(block: &'s Block, path: &AttributePath) -> Vec<&'s Attribute> {
    let mut of = Members::Block(block);
    let mut found = Vec::new();
    for step in path.steps() {
        let PathStep::Attribute(name) = step else {
            continue;
        };
        if let Some(attribute) = of
            .attributes()
            .iter()
            .find(|attribute| attribute.name() == name)
        {
            found.push(attribute);
        }
        match of.nested().find(|(nested, ..)| *nested == name.as_ref()) {
            Some((_, _, inner)) => of = inner,
            None => break,
        }
    }
    found
}

/// The fillers that are left in two answers: the first attribute that nobody set.
pub(super) fn in_both(
    block: &Block,
    answers: [&Value; 2],
    fillers: [&Value; 2],
) -> Option<AttributePath> {
    let is_chosen = |attribute: &&Attribute| {
        let [one, other] = answers.map(|answer| member(answer, attribute.name()));
        let [first, second] = fillers.map(|filler| member(filler, attribute.name()));
        first != second && one == first && other == second
    };
    let found = block.attributes().iter().find(is_chosen)?;
    Some(AttributePath::new().attribute(found.name().to_owned()))
}
