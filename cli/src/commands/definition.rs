//! A type by its name on the command line.

use upstate::{Registry, ResourceDefinition};

use crate::outcome::Outcome;
use crate::terminal;

/// The greatest number of types in a message.
const LISTED: usize = 12;

/// The definition of a type that was named, or a hint at what may have been meant.
pub(super) fn definition<'r>(
    registry: &'r Registry,
    type_name: &str,
) -> Result<&'r ResourceDefinition, Outcome> {
    registry.get(type_name).ok_or_else(|| {
        let known: Vec<&str> = registry
            .definitions()
            .map(ResourceDefinition::type_name)
            .collect();
        let hint = match terminal::nearest(type_name, known.iter().copied()) {
            Some(nearest) => format!("did you mean {nearest:?}?"),
            None if known.is_empty() => "this program knows none".to_owned(),
            None if known.len() > LISTED => format!(
                "`schema` lists the {} types that this program knows",
                known.len()
            ),
            None => format!("known are: {}", known.join(", ")),
        };
        terminal::fail(&format!("no type is named {type_name:?}; {hint}"));
        Outcome::Usage
    })
}
