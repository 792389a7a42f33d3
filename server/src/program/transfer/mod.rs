//! Commands that bring states in and out: between this store, folders of state files, and other
//! servers.

mod bucket;
mod export;
mod folder;
mod found;
mod gitlab;
mod http;
mod import;
mod index;
mod link;
mod object_versions;
mod pg_backend;
mod remote;
mod source;
mod version_lists;

pub(super) use export::export;
pub(super) use import::import;
