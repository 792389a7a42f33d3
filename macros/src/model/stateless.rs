//! Models that are never stored: of data sources, functions and the like.

use syn::{Attribute, Path};

use crate::attr::{Given, ResourceOptions};
use crate::errors::Errors;

/// The key of an option that is given.
fn key<T>(given: Option<&Given<T>>) -> Option<&Path> {
    given.map(|given| &given.key)
}

/// True if the model is never stored; refuses options that only stored models have.
pub(super) fn stateless(
    options: &mut ResourceOptions,
    attributes: &[Attribute],
    errors: &mut Errors,
) -> bool {
    let Some(Given { value, .. }) = options.stateless.take() else {
        return false;
    };
    if errors.take(value).is_none() {
        return true;
    }
    let options = [
        key(options.version.as_ref()),
        key(options.prior.as_ref()),
        key(options.oldest.as_ref()),
        key(options.migrate_state.as_ref()),
        key(options.since.as_ref()),
        key(options.identity.as_ref()),
    ];
    let upgrades = attributes.iter().map(Attribute::path);
    let upgrades =
        upgrades.filter(|path| path.is_ident("upgrade_from") || path.is_ident("move_from"));
    for path in options.into_iter().flatten().chain(upgrades) {
        let name = path
            .get_ident()
            .map(ToString::to_string)
            .unwrap_or_default();
        let message = format!(
            "a `stateless` model is never stored, so it has no `{name}`\nhelp: remove `{name}`; or, if this is the model of a resource, remove \
             `stateless`"
        );
        errors.push(path, message);
    }
    true
}
