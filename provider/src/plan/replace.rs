//! Changes that replace a resource.

use std::borrow::Cow;

use upstate::codec::Encoding;
use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Nesting, Shape, Type};
use upstate::{AttributePath, Value};

use super::Fillers;
use super::nested::{Members, counterpart, elements, elements_mut, member};

pub(super) fn find(
    block: &Block,
    config: &Value,
    prior: &Value,
    planned: &Value,
    paths: &mut Vec<AttributePath>,
) {
    // Only a change of something that is there, to something that will be there, can be a
    // replacement.
    if !prior.is_null() && !planned.is_null() && prior != planned {
        members(
            Members::Block(block),
            &Side {
                config,
                prior,
                planned,
            },
            &AttributePath::new(),
            paths,
        );
    }
}

#[derive(Clone, Copy)]
struct Side<'v> {
    config: &'v Value,
    prior: &'v Value,
    planned: &'v Value,
}

impl<'v> Side<'v> {
    fn member(self, name: &str) -> Self {
        Self {
            config: member(self.config, name),
            prior: member(self.prior, name),
            planned: member(self.planned, name),
        }
    }

    fn changes(self) -> bool {
        self.prior != self.planned && !is_decided_again(self.config, self.planned)
    }

    /// The value of an attribute that is asked for in place of the one before; `None` if nothing
    /// but what the provider decides again is another.
    fn wanted(self, attribute: &Attribute) -> Option<Cow<'v, Value>> {
        if !self.changes() {
            return None;
        }
        let Shape::Nested(nested) = attribute.shape() else {
            return Some(Cow::Borrowed(self.planned));
        };
        let mut planned = self.planned.clone();
        settle(
            nested.nesting(),
            nested.attributes(),
            self.config,
            self.prior,
            &mut planned,
        );
        (planned != *self.prior).then_some(Cow::Owned(planned))
    }
}

/// True if the author's function says that this change replaces. What is not known yet may be
/// anything, so it replaces.
fn replaces(attribute: &Attribute, prior: &Value, planned: &Value) -> bool {
    let ty = attribute.implied_type();
    let json = |value: &Value| {
        String::from_utf8(
            readable(attribute, value)
                .encode(&ty, Encoding::Json)
                .ok()?,
        )
        .ok()
    };
    match (json(prior), json(planned)) {
        (Some(prior), Some(planned)) => attribute.replaces_if(&prior, &planned) == Some(true),
        (None, _) | (_, None) => true,
    }
}

/// A value as an author's function takes it. A provider in Go stores null where nothing was, and
/// reads it as the empty value, so that no replacement is due to it.
fn readable(attribute: &Attribute, value: &Value) -> Value {
    if value.is_null() {
        return if attribute.is_nullable() {
            Value::Null
        } else {
            zero(attribute)
        };
    }
    let mut value = value.clone();
    if let Shape::Nested(nested) = attribute.shape() {
        for (_, element) in elements_mut(nested.nesting(), &mut value) {
            let Some(members) = element.as_map_mut() else {
                continue;
            };
            for inner in nested.attributes() {
                if let Some(place) = members.get_mut(inner.name()) {
                    *place = readable(inner, place);
                }
            }
        }
    }
    value
}

/// The empty value of a field, as in Go: of a string the one without characters.
fn zero(attribute: &Attribute) -> Value {
    match (attribute.shape(), attribute.taken()) {
        (Shape::Plain(ty), None) if matches!(**ty, Type::String) => "".into(),
        (Shape::Plain(_) | Shape::Nested(_), _) => Fillers::empty(attribute),
    }
}

/// Puts what was before in place of what the provider decides again.
fn settle(nesting: Nesting, of: &[Attribute], config: &Value, prior: &Value, planned: &mut Value) {
    if let (Nesting::Set, Value::List(elements)) = (nesting, &mut *planned) {
        let mut left: Vec<&Value> = prior.as_list().into_iter().flatten().collect();
        let is_same_size = left.len() == elements.len();
        let mut others = Vec::new();
        // Those that are the same are paired first, because the rest may be any of those before.
        for element in elements {
            match left.iter().position(|before| **before == *element) {
                Some(found) => {
                    left.swap_remove(found);
                }
                None => others.push(element),
            }
        }
        for element in others {
            let config = counterpart(Nesting::Set, config, None, element);
            // It is the one before, because nothing tells them apart but what is decided again.
            let stays = |before: &&Value| {
                let mut settled = element.clone();
                settle(Nesting::Single, of, config, before, &mut settled);
                settled == **before
            };
            match left.iter().position(stays) {
                Some(found) => *element = left.swap_remove(found).clone(),
                // Nothing was there before a new one.
                None => settle(Nesting::Single, of, config, &Value::Null, element),
            }
        }
        if is_same_size && left.is_empty() {
            // In its order, because order is nothing in a set.
            prior.clone_into(planned);
        }
        return;
    }
    for (step, element) in elements_mut(nesting, planned) {
        let config = counterpart(nesting, config, step.as_ref(), element);
        let prior = counterpart(nesting, prior, step.as_ref(), element);
        let Some(members) = element.as_map_mut() else {
            continue;
        };
        for attribute in of {
            let (config, prior) = (
                member(config, attribute.name()),
                member(prior, attribute.name()),
            );
            let Some(place) = members.get_mut(attribute.name()) else {
                continue;
            };
            if is_decided_again(config, place) {
                prior.clone_into(place);
            } else if let Shape::Nested(nested) = attribute.shape() {
                settle(nested.nesting(), nested.attributes(), config, prior, place);
            }
        }
    }
}

/// True for a value that the provider itself will decide: it does not ask for another one.
fn is_decided_again(config: &Value, planned: &Value) -> bool {
    matches!(planned, Value::Unknown) && config.is_null()
}

fn members(of: Members<'_>, side: &Side<'_>, path: &AttributePath, paths: &mut Vec<AttributePath>) {
    let mut whole = Vec::new();
    for attribute in of
        .attributes()
        .iter()
        .filter(|attribute| attribute.requires_replace())
    {
        whole.push(attribute.name());
        if side.member(attribute.name()).wanted(attribute).is_some() {
            paths.push(path.clone().attribute(attribute.name().to_owned()));
        }
    }
    for attribute in of
        .attributes()
        .iter()
        .filter(|attribute| attribute.decides_replacement())
    {
        let side = side.member(attribute.name());
        if side
            .wanted(attribute)
            .is_some_and(|planned| replaces(attribute, side.prior, &planned))
        {
            paths.push(path.clone().attribute(attribute.name().to_owned()));
        }
    }
    for (name, nesting, inner) in of.nested() {
        let side = side.member(name);
        if !whole.contains(&name) && side.prior != side.planned {
            nested(
                nesting,
                inner,
                &side,
                &path.clone().attribute(name.to_owned()),
                paths,
            );
        }
    }
}

fn nested(
    nesting: Nesting,
    inner: Members<'_>,
    side: &Side<'_>,
    path: &AttributePath,
    paths: &mut Vec<AttributePath>,
) {
    if nesting == Nesting::Set {
        // An element of a set has no path on the wire, and no counterpart before: what it holds is
        // what it is.
        let differs = side.changes() && matters(inner, side);
        paths.extend(differs.then(|| path.clone()));
        return;
    }
    // What is removed asks for nothing: it is taken away from the resource, as the framework does.
    for (step, element) in elements(nesting, side.planned) {
        let element = Side {
            config: counterpart(nesting, side.config, step.as_ref(), element),
            prior: counterpart(nesting, side.prior, step.as_ref(), element),
            planned: element,
        };
        members(inner, &element, &below(path, step), paths);
    }
}

fn below(path: &AttributePath, step: Option<PathStep>) -> AttributePath {
    match step {
        Some(step) => path.clone().step(step),
        None => path.clone(),
    }
}

/// True if the sets differ in attributes that replace the resource. Order does not matter, an
/// element with null in all of these attributes does not count, and elements can be removed.
fn matters(inner: Members<'_>, side: &Side<'_>) -> bool {
    let (prior, planned) = (
        elements(Nesting::Set, side.prior),
        elements(Nesting::Set, side.planned),
    );
    let removed = prior.len().saturating_sub(planned.len());
    let prior = prior
        .iter()
        .map(|(_, element)| Forcing::of(inner, element, element));
    let planned = planned.iter().map(|(step, element)| {
        let config = counterpart(Nesting::Set, side.config, step.as_ref(), element);
        Forcing::of(inner, config, element)
    });
    let mut before: Vec<Forcing> = prior.filter(|held| !held.is_null()).collect();
    let mut after: Vec<Forcing> = planned.filter(|held| !held.is_null()).collect();
    // Elements that are wholly known are paired first, because the rest may be any of those before.
    pair(&mut before, &mut after, |before, after| before == after);
    pair(&mut before, &mut after, Forcing::may_stay);
    after.iter().any(Forcing::is_wanted) || before.len() > removed
}

/// Removes what was before and is planned.
fn pair(
    before: &mut Vec<Forcing>,
    after: &mut Vec<Forcing>,
    is_it: impl Fn(&Forcing, &Forcing) -> bool,
) {
    before.retain(
        |before| match after.iter().position(|after| is_it(before, after)) {
            Some(found) => {
                after.swap_remove(found);
                false
            }
            None => true,
        },
    );
}

/// The parts of an element that replace the resource if they change.
#[derive(Debug, PartialEq)]
enum Forcing {
    Value(Value),
    /// The provider decides it again.
    Any,
    Members(Vec<Forcing>),
}

impl Forcing {
    fn of(of: Members<'_>, config: &Value, element: &Value) -> Self {
        let own = of
            .attributes()
            .iter()
            .filter(|attribute| attribute.requires_replace())
            .map(|attribute| {
                let (config, value) = (
                    member(config, attribute.name()),
                    member(element, attribute.name()),
                );
                if is_decided_again(config, value) {
                    Self::Any
                } else {
                    Self::Value(value.clone())
                }
            });
        // Others are left out, because the number of their elements may change.
        let nested =
            of.nested()
                .filter(|(_, _, inner)| forces(*inner))
                .map(|(name, nesting, inner)| {
                    let (config, value) = (member(config, name), member(element, name));
                    if is_decided_again(config, value) {
                        return Self::Any;
                    }
                    let inside = elements(nesting, value).into_iter().map(|(step, element)| {
                        let config = counterpart(nesting, config, step.as_ref(), element);
                        Self::of(inner, config, element)
                    });
                    Self::Members(inside.collect())
                });
        Self::Members(own.chain(nested).collect())
    }

    fn is_null(&self) -> bool {
        match self {
            Self::Value(value) => value.is_null(),
            Self::Any => false,
            Self::Members(members) => members.iter().all(Self::is_null),
        }
    }

    /// True if something in it is a value that was asked for.
    fn is_wanted(&self) -> bool {
        match self {
            Self::Value(value) => !value.is_null(),
            Self::Any => false,
            Self::Members(members) => members.iter().any(Self::is_wanted),
        }
    }

    /// True if what was before can be what is planned.
    fn may_stay(&self, planned: &Self) -> bool {
        match (self, planned) {
            (_, Self::Any) => true,
            (Self::Value(before), Self::Value(planned)) => before == planned,
            (Self::Members(before), Self::Members(planned)) => {
                before.len() == planned.len()
                    && before
                        .iter()
                        .zip(planned)
                        .all(|(before, planned)| before.may_stay(planned))
            }
            (Self::Value(_) | Self::Any | Self::Members(_), _) => false,
        }
    }
}

/// True if a change of something in it replaces the resource.
fn forces(of: Members<'_>) -> bool {
    of.attributes().iter().any(Attribute::requires_replace)
        || of.nested().any(|(_, _, inner)| forces(inner))
}
