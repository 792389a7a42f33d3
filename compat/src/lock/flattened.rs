//! The changes of flattened enums and maps that a released version does not allow.
//!
//! They have no name, so that they are compared with those in the object at the same path. In an
//! earlier version they are as in the later one, because no operator reaches into them: there a
//! value that did not exist yet does not count.

use upstate_words::lock::fingerprint::flattened as path_of;

use super::{values, variants};
use crate::{AttributeSnapshot, ResourceSnapshot, StoredType};

/// Nothing where a lock does not know them.
pub(super) fn differences(
    out: &mut Vec<String>,
    locked: &ResourceSnapshot,
    now: &ResourceSnapshot,
) {
    let (Some(was), Some(is)) = (&locked.flattened, &now.flattened) else {
        return;
    };
    for (path, parts) in was {
        let today = is.get(path).map(Vec::as_slice).unwrap_or_default();
        let path = path_of(path);
        let difference = |part: &AttributeSnapshot, today: &AttributeSnapshot| {
            difference(&path, part, today, locked.knows_forms)
        };
        for part in parts {
            if today.iter().any(|today| difference(part, today).is_none()) {
                continue;
            }
            // One that was released as it is cannot be what became of another.
            let others = today
                .iter()
                .filter(|today| today.tagging().is_some() == part.tagging().is_some());
            let others =
                others.filter(|today| !parts.iter().any(|part| difference(part, today).is_none()));
            let is_tagged_otherwise =
                |today: &&AttributeSnapshot| today.tagging() != part.tagging();
            let likeliest = others.min_by_key(is_tagged_otherwise);
            let problem = likeliest.and_then(|today| difference(part, today));
            out.push(
                problem.unwrap_or_else(|| format!("`{path}` is gone, which was {}", part.stored())),
            );
        }
    }
    for (path, parts) in is {
        let released = was.get(path).map(Vec::as_slice).unwrap_or_default();
        // Not those that are another now, because they were found above.
        let is_new = |part: &&AttributeSnapshot| {
            !released
                .iter()
                .any(|released| released.tagging() == part.tagging())
        };
        for _ in parts.iter().filter(is_new).filter(|part| part.required) {
            out.push(format!(
                "`{}` is new and not an `Option`, so documents without it cannot be read",
                path_of(path)
            ));
        }
    }
}

/// The values of `was` that `is` does not take, as a sentence.
fn difference(
    path: &str,
    was: &AttributeSnapshot,
    is: &AttributeSnapshot,
    knows_forms: bool,
) -> Option<String> {
    let of_types = match (&was.ty, &is.ty) {
        (was, is) if was == is => None,
        (Some(StoredType::Union(was, old)), Some(StoredType::Union(is, new))) => {
            variants::difference((was, old), (is, new), false)
        }
        _ => Some(format!("is {} now, and was {}", is.stored(), was.stored())),
    };
    let is_missed = !was.required && is.required;
    let of_presence =
        is_missed.then(|| "has to be there now: it is not an `Option` any more".to_owned());
    let own = of_types
        .or(of_presence)
        .or_else(|| values::narrowed_snapshot(was, is, knows_forms));
    own.map(|own| format!("`{path}` {own}"))
        .or_else(|| values::narrowed_inside(path, was, is, knows_forms))
        .or_else(|| values::read_as_earlier(path, was, is, knows_forms))
}
