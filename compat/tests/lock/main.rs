//! The lock and what is found by it: what is saved, forms and shapes of releases, findings, and the
//! table of kinds of changes.

mod digests;
mod forms;
mod kinds;
mod rekeyed;
mod releases;
mod shapes;
