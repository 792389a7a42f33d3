//! One of several models, known by the type name that is stored with it.

use crate::codec::{DecodeError, EncodeError};
use crate::message::{Message, iterate, same};
use crate::registry::Registry;
use crate::upgrade::ResourceDefinition;

/// An enum of models: each variant holds one, and the stored type name says which.
///
/// `#[derive(AnyOf)]` implements it. Events are such enums: each kind has a schema version of its
/// own.
///
/// ```
/// use upstate::{AnyOf, Registry, Resource};
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "account_opened", version = 1)]
/// #[upgrade_from(0 => 1, rename(name => owner))]
/// struct Opened { owner: String }
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "money_deposited")]
/// struct Deposited { cents: i64 }
///
/// #[derive(Debug, PartialEq, AnyOf)]
/// enum Event { Opened(Opened), Deposited(Deposited) }
///
/// let deposited = Event::from_current("money_deposited", br#"{"cents":5}"#).unwrap()?;
/// assert_eq!(deposited, Event::Deposited(Deposited { cents: 5 }));
/// assert_eq!(Event::register(Registry::new()).definitions().len(), 2);
/// # Ok::<(), upstate::DecodeError>(())
/// ```
pub trait AnyOf: Sized {
    /// Adds the models of all variants to a registry.
    #[must_use]
    fn register(registry: Registry) -> Registry;

    /// Reads the attributes of the model with this type name, at its current version; nothing if no
    /// variant has it.
    fn from_current(type_name: &str, attributes: &[u8]) -> Option<Result<Self, DecodeError>>;

    /// The definition of the model that this holds.
    fn definition(&self) -> &'static ResourceDefinition;

    /// Writes the attributes of the model that this holds.
    ///
    /// # Errors
    /// It holds a number that is not finite.
    fn to_json(&self) -> Result<Vec<u8>, EncodeError>;
}

/// Refuses, at compile time, the `nth` variant if its model has the type name of an earlier one's:
/// one would be read as the other. Each variant has its name and the type name of its model.
///
/// # Panics
/// They do, which is a compile error, as it is called in const evaluation.
#[track_caller]
pub const fn check_type_names(variants: &[(&str, &str)], nth: usize) {
    let (before, [(variant, name), ..]) = variants.split_at(nth) else {
        return;
    };
    iterate!(earlier in before => {
        let (other, taken) = *earlier;
        if same(name, taken) {
            Message::refuse(
                "`{}` and `{}` hold models of one type name, \"{}\", so that a stored one could be either\nhelp: give each model its own `type_name`",
                &[other, *variant, *name],
            );
        }
    });
}
