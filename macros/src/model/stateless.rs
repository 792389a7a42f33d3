//! Models that are never stored: of data sources, functions and the like.

use syn::Attribute;

use crate::attr::{Given, ResourceOptions, keys};
use crate::errors::Errors;

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
    let given = keys!(options: version prior oldest migrate_state since identity);
    let upgrades = attributes.iter().map(Attribute::path);
    let upgrades =
        upgrades.filter(|path| path.is_ident("upgrade_from") || path.is_ident("move_from"));
    for path in given.chain(upgrades) {
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
