//! The other names that fields and variants of a document were read by: under a released version,
//! none of them may go.

use upstate_words::lock::{FLATTENED, OTHERS};

use crate::ResourceSnapshot;
use crate::kind::Kind;

/// Adds a sentence for each name that is no longer read. What is gone itself was found before.
///
/// Earlier versions are compared where they are compiled: an operator decides what becomes of their
/// names. No definition that is imported says by which names it is read.
pub(super) fn differences(
    out: &mut Vec<String>,
    locked: &ResourceSnapshot,
    now: &ResourceSnapshot,
    is_prior: bool,
) {
    if is_prior || now.imported || Kind::of(now) != Kind::Document {
        return;
    }
    for (path, names) in &locked.aliases {
        let subject = format!("`{path}`");
        if out
            .iter()
            .any(|difference| difference.starts_with(&subject))
        {
            continue;
        }
        let read = now.aliases.get(path);
        let gone = names
            .iter()
            .filter(|name| read.is_none_or(|read| !read.contains(*name)));
        out.extend(gone.map(|name| match name.as_str() {
            OTHERS if path == FLATTENED => {
                "the flattened enum no longer reads variants of other names".to_owned()
            }
            OTHERS => format!("{subject} no longer reads variants of other names"),
            name => format!("{subject} is no longer read from `{name}`"),
        }));
    }
}
