//! The plan of a model that is a type of its own.

use upstate::__private::{PlanOf, Unknowns};
use upstate::schema::{Field, Type};
use upstate::{CurrentModel, Value};

/// The plan that `create` and `update` get: `model`, which was made of `filled`, as far as it is
/// known in `planned`.
///
/// A model sorts the elements of its sets by their own type, in which those with a filler have
/// another place than those that are not known.
pub(crate) fn plan_of<T: CurrentModel>(
    model: T,
    filled: &Value,
    planned: &Value,
    ty: &Type,
) -> T::Plan {
    // Nothing is filled in where everything is known.
    if !T::Plan::IS_APART || filled.is_null() || !has_set(ty) {
        return T::Plan::of(model, Unknowns::In(planned));
    }
    let made = upstate::to_msgpack(&model)
        .ok()
        .and_then(|made| Value::from_msgpack(&made, ty).ok());
    match made {
        Some(made) => T::Plan::of(model, Unknowns::In(&in_order(planned, filled, &made, ty))),
        None => T::Plan::of(model, Unknowns::In(planned)),
    }
}

fn has_set(ty: &Type) -> bool {
    match ty {
        Type::Set(_) => true,
        Type::List(element) | Type::Map(element) => has_set(element),
        Type::Object(fields) => fields.iter().map(Field::ty).any(has_set),
        Type::Tuple(types) => types.iter().any(|ty| has_set(ty)),
        Type::Bool | Type::String | Type::Number | Type::Dynamic | Type::Json | Type::Union(_) => {
            false
        }
    }
}

/// `planned` with the elements of its sets in the order of `made`.
fn in_order(planned: &Value, filled: &Value, made: &Value, ty: &Type) -> Value {
    match (ty, planned, filled, made) {
        (Type::Set(ty), Value::List(planned), Value::List(filled), Value::List(made))
            if planned.len() == made.len() =>
        {
            let mut left: Vec<(&Value, &Value)> = planned.iter().zip(filled).collect();
            let mut places: Vec<Option<(&Value, &Value)>> = made
                .iter()
                .map(|made| {
                    left.iter()
                        .position(|(_, filled)| *filled == made)
                        .map(|at| left.remove(at))
                })
                .collect();
            // An element that the model spells otherwise is one of those that are left.
            for place in places.iter_mut().filter(|place| place.is_none()) {
                *place = if left.is_empty() {
                    None
                } else {
                    Some(left.remove(0))
                };
            }
            let elements = places.into_iter().zip(made);
            Value::List(
                elements
                    .filter_map(|(place, made)| {
                        place.map(|(planned, filled)| in_order(planned, filled, made, ty))
                    })
                    .collect(),
            )
        }
        (Type::List(ty), Value::List(planned), Value::List(filled), Value::List(made)) => {
            let elements = planned.iter().zip(filled).zip(made);
            Value::List(
                elements
                    .map(|((planned, filled), made)| in_order(planned, filled, made, ty))
                    .collect(),
            )
        }
        (
            Type::Map(_) | Type::Object(_),
            Value::Map(members),
            Value::Map(filled),
            Value::Map(made),
        ) => {
            let member = |(name, planned): (&String, &Value)| {
                let ty = match ty {
                    Type::Object(fields) => fields
                        .iter()
                        .find(|field| field.name() == name)
                        .map(Field::ty),
                    Type::Map(ty) => Some(&**ty),
                    Type::Bool
                    | Type::String
                    | Type::Number
                    | Type::Dynamic
                    | Type::Json
                    | Type::Union(_)
                    | Type::List(_)
                    | Type::Set(_)
                    | Type::Tuple(_) => None,
                };
                let inside = ty.zip(filled.get(name)).zip(made.get(name));
                let value = inside.map_or_else(
                    || planned.clone(),
                    |((ty, filled), made)| in_order(planned, filled, made, ty),
                );
                (name.clone(), value)
            };
            Value::Map(members.iter().map(member).collect())
        }
        (_, planned, _, _) => planned.clone(),
    }
}
