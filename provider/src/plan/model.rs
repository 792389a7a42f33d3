//! A model from values that are not all known.

use std::borrow::Cow;
use std::convert::Infallible;

use upstate::codec::DecodeErrorKind;
use upstate::path::PathStep;
use upstate::schema::{Block, Schema, Type};
use upstate::{AttributePath, DecodeError, Diagnostics, Object, Value};

use super::fillers::{self, Fillers, all_unknown, attribute_at, attributes_at, nulls_unknown};
use super::has_unknown;
use super::nested::{Members, each_nested, member};
use super::unknown::with_unset_unknown;
use super::unset::is_computed;
use crate::diagnostics;

/// A model, and whether something in it only fills a place.
#[derive(Debug)]
pub(crate) struct Filled<T> {
    pub(crate) model: T,
    pub(crate) fillers: bool,
    /// The object that it was made of, with fillers; null if everything was known.
    pub(crate) value: Value,
}

/// The reason why no model can be made from a value.
#[derive(Debug)]
pub(crate) struct Unfit {
    pub(crate) diagnostics: Diagnostics,
    pub(crate) why: Why,
}

/// The reason why no model can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// Something is not known, and so may turn out right.
    NotKnown,
    /// Null is where a value has to be.
    Null,
    /// A value is not one of the field's.
    Value,
}

impl Unfit {
    fn new(error: &DecodeError, json: &[u8], not_known: bool, block: &Block) -> Self {
        let path = error.path().cloned().unwrap_or_default();
        if not_known {
            return Self {
                diagnostics: diagnostics::no_filler(path).into(),
                why: Why::NotKnown,
            };
        }
        let why = if error.kind() == DecodeErrorKind::Null {
            Why::Null
        } else {
            Why::Value
        };
        Self {
            diagnostics: diagnostics::unfit(error, json, is_secret(block, &path)).into(),
            why,
        }
    }
}

/// True if a place, or what it is in, must not be shown.
fn is_secret(block: &Block, path: &AttributePath) -> bool {
    attributes_at(block, path)
        .into_iter()
        .any(|attribute| attribute.is_sensitive() || attribute.is_write_only())
}

impl From<Unfit> for Diagnostics {
    fn from(unfit: Unfit) -> Self {
        unfit.diagnostics
    }
}

/// Decodes a model. What is unknown becomes `None` where the model's field is an `Option`, and
/// otherwise what `with` says.
pub(crate) fn fill<T: Object>(value: &Value, ty: &Type, with: Fillers) -> Result<Filled<T>, Unfit> {
    filled(Cow::Borrowed(value), ty, with)
}

/// Decodes a model of a configuration, in which what the user need not write is unknown, and empty
/// where the model's field is not an `Option`.
pub(crate) fn fill_unset<T: Object>(config: &Value, ty: &Type) -> Result<Filled<T>, Unfit> {
    let value = with_unset_unknown(Schema::of::<T>().block(), config);
    filled(Cow::Owned(value), ty, Fillers::Empty)
}

fn filled<T: Object>(
    mut value: Cow<'_, Value>,
    ty: &Type,
    with: Fillers,
) -> Result<Filled<T>, Unfit> {
    let mut unknown = Vec::new();
    let mut fillers = false;
    let is_known = !has_unknown(&value);
    if !is_known {
        let value = value.to_mut();
        fillers = with.fill(Schema::of::<T>().block(), value, &mut unknown);
        forget_unknown(value, ty, &mut Vec::new(), &mut unknown);
    }
    // Each turn changes one place, and there is a last value for each.
    loop {
        let json = super::to_json(&value, ty).map_err(|diagnostics| Unfit {
            diagnostics,
            why: Why::Value,
        })?;
        let error = match upstate::from_json::<T>(&json) {
            Ok(model) => {
                let value = if is_known {
                    Value::Null
                } else {
                    value.into_owned()
                };
                return Ok(Filled {
                    model,
                    fillers,
                    value,
                });
            }
            Err(error) => error,
        };
        let steps = error
            .path()
            .map(|path| path.steps().to_vec())
            .unwrap_or_default();
        let unknown = unknown.iter().find(|place| steps.starts_with(place));
        if !unknown.is_some_and(|place| fill_in(value.to_mut(), ty, &steps, place.len(), with)) {
            return Err(Unfit::new(
                &error,
                &json,
                unknown.is_some(),
                Schema::of::<T>().block(),
            ));
        }
        fillers = true;
    }
}

/// A model of a stored state. A provider whose models hold null everywhere, as those in Go do, may
/// have stored one where the field takes none: it is taken for something that is not known, and
/// stays null unless the author's function says what it is.
pub(crate) fn fill_stored<T: Object>(value: &Value, ty: &Type) -> Result<Filled<T>, Unfit> {
    match fill::<T>(value, ty, Fillers::Marked) {
        Err(Unfit { why: Why::Null, .. }) => {
            let mut value = value.clone();
            nulls_unknown(Schema::of::<T>().block(), &mut value);
            fill::<T>(&value, ty, Fillers::Marked)
        }
        filled => filled,
    }
}

/// True if a model can be made of something of which nothing is known; otherwise the attribute that
/// has no value for that.
pub(crate) fn unfillable<T: Object>() -> Option<(AttributePath, bool)> {
    let schema = Schema::of::<T>();
    let ty = schema.implied_type();
    let unfit = fill::<T>(&all_unknown(schema.block()), &ty, Fillers::Everywhere).err()?;
    let path = unfit
        .diagnostics
        .iter()
        .find_map(|diagnostic| diagnostic.path().cloned())?;
    let computed = attribute_at(schema.block(), &path).is_some_and(is_computed);
    Some((path, computed))
}

/// Makes null what is unknown, and notes where it stood.
fn forget_unknown(
    value: &mut Value,
    ty: &Type,
    path: &mut Vec<PathStep>,
    places: &mut Vec<Vec<PathStep>>,
) {
    let mut inside = |step: PathStep, value: &mut Value, ty: &Type| {
        path.push(step);
        forget_unknown(value, ty, path, places);
        path.pop();
    };
    match (value, ty) {
        (value @ Value::Unknown, _) => {
            *value = Value::Null;
            places.push(path.clone());
        }
        (Value::List(list), Type::List(ty)) => {
            (0..)
                .zip(list)
                .for_each(|(index, value)| inside(PathStep::Index(index), value, ty));
        }
        (Value::List(list), Type::Set(ty)) => list
            .iter_mut()
            .for_each(|value| inside(PathStep::Element(None), value, ty)),
        (Value::List(list), Type::Tuple(types)) => {
            (0..)
                .zip(list)
                .zip(types.iter())
                .for_each(|((index, value), ty)| inside(PathStep::Index(index), value, ty));
        }
        (Value::Map(map), Type::Map(ty)) => {
            for (key, value) in map {
                inside(PathStep::Key(key.clone()), value, ty);
            }
        }
        (Value::Map(map), Type::Object(fields)) => {
            for field in fields.iter() {
                if let Some(value) = map.get_mut(field.name()).filter(|value| has_unknown(value)) {
                    inside(
                        PathStep::Attribute(field.name().to_owned().into()),
                        value,
                        field.ty(),
                    );
                }
            }
        }
        (Value::Dynamic(dynamic), _) => {
            let (ty, value) = &mut **dynamic;
            inside(PathStep::Attribute("value".into()), value, ty);
        }
        _ => {}
    }
}

/// Puts another value where `steps` lead, which a field did not take; or, from `first` steps on,
/// nothing into the nearest collection that it is in.
fn fill_in(value: &mut Value, ty: &Type, steps: &[PathStep], first: usize, with: Fillers) -> bool {
    let replace = |place: &mut Value, ty: &Type| {
        if place.is_null() {
            *place = with.plain(ty, None);
            return !place.is_null();
        }
        fillers::next(place)
    };
    if at_place(value, ty, steps, &mut { replace }) {
        return true;
    }
    (first..=steps.len())
        .rev()
        .filter_map(|length| steps.get(..length))
        .any(|above| {
            at_place(
                value,
                ty,
                above,
                &mut |place: &mut Value, ty: &Type| match (place, ty) {
                    (Value::List(list), Type::List(_) | Type::Set(_)) if !list.is_empty() => {
                        list.clear();
                        true
                    }
                    (Value::Map(map), Type::Map(_)) if !map.is_empty() => {
                        map.clear();
                        true
                    }
                    _ => false,
                },
            )
        })
}

/// Changes the place that `steps` lead to; true if something was changed.
fn at_place(
    value: &mut Value,
    ty: &Type,
    steps: &[PathStep],
    change: &mut dyn FnMut(&mut Value, &Type) -> bool,
) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return change(value, ty);
    };
    match (step, value, ty) {
        (PathStep::Attribute(name), Value::Map(members), Type::Object(fields)) => {
            let field = fields.iter().find(|field| field.name() == name);
            field.is_some_and(|field| {
                at_place(
                    members.entry(name.to_string()).or_default(),
                    field.ty(),
                    rest,
                    change,
                )
            })
        }
        (PathStep::Key(key), Value::Map(members), Type::Map(ty)) => members
            .get_mut(key)
            .is_some_and(|value| at_place(value, ty, rest, change)),
        (PathStep::Index(index), Value::List(list), Type::List(ty)) => {
            let element = usize::try_from(*index)
                .ok()
                .and_then(|index| list.get_mut(index));
            element.is_some_and(|value| at_place(value, ty, rest, change))
        }
        // A path cannot say which element of a set it means, so the first one is taken in which
        // something can be changed.
        (PathStep::Element(_), Value::List(list), Type::Set(ty)) => list
            .iter_mut()
            .any(|value| at_place(value, ty, rest, change)),
        _ => false,
    }
}

/// Puts what is configured for write-only attributes, which is part of no state, into `value`.
pub(crate) fn merge_write_only(block: &Block, config: &Value, value: &mut Value) {
    fn merge(of: Members<'_>, config: &Value, value: &mut Value) {
        if value.as_map().is_none() {
            return;
        }
        for attribute in of
            .attributes()
            .iter()
            .filter(|attribute| attribute.is_write_only())
        {
            let given = member(config, attribute.name()).clone();
            if let Some(members) = value.as_map_mut() {
                members.insert(attribute.name().to_owned(), given);
            }
        }
        let Ok(()) = each_nested(of, config, value, |_, inner, config, element| {
            merge(inner, config, element);
            Ok::<(), Infallible>(())
        });
    }
    merge(Members::Block(block), config, value);
}
