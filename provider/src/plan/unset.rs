//! Attributes that a user need not write, and did not: the one walk over it, for validation,
//! planning and reading.

use upstate::Value;
use upstate::schema::{Attribute, Block, Presence};

use super::nested::{Members, each_nested, member};

/// True if the provider may set the attribute.
pub(crate) fn is_computed(attribute: &Attribute) -> bool {
    matches!(
        attribute.presence(),
        Presence::Computed | Presence::OptionalComputed
    )
}

/// True if the attribute has a value though the user wrote none: the provider's, or a default.
pub(crate) fn is_filled(attribute: &Attribute) -> bool {
    is_computed(attribute) || attribute.has_default()
}

/// Visits each place of `value`, at any depth, whose attribute has a value though `config` has
/// none: with the names that lead to what it is in, each with a dot behind it.
///
/// Values inside of something that `config` does not have are not visited: the provider made it,
/// and everything in it.
pub(super) fn each<E>(
    block: &Block,
    config: &Value,
    value: &mut Value,
    mut visit: impl FnMut(&str, &Attribute, &mut Value) -> Result<(), E>,
) -> Result<(), E> {
    members(Members::Block(block), config, value, "", &mut visit)
}

/// Elements of lists and maps are those of `config` by their index or key, and those of sets by
/// what is configured of them.
pub(super) fn members<E>(
    of: Members<'_>,
    config: &Value,
    value: &mut Value,
    at: &str,
    visit: &mut impl FnMut(&str, &Attribute, &mut Value) -> Result<(), E>,
) -> Result<(), E> {
    let Some(values) = value.as_map_mut() else {
        return Ok(());
    };
    for attribute in of
        .attributes()
        .iter()
        .filter(|attribute| is_filled(attribute))
    {
        if member(config, attribute.name()).is_null() {
            visit(
                at,
                attribute,
                values.entry(attribute.name().to_owned()).or_default(),
            )?;
        }
    }
    each_nested(of, config, value, |name, inner, config, element| {
        if config.is_null() {
            Ok(())
        } else {
            members(inner, config, element, &format!("{at}{name}."), visit)
        }
    })
}
