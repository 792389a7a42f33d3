//! Documents in TOML: read with every digit, and edited in place.

mod comments;
mod edit;
mod layout;
mod read;
mod write;

pub(super) use comments::comments;
pub(super) use edit::edited;
pub(super) use read::{Source, read};
pub(super) use write::written;
