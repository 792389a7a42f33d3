//! Derive macros of upstate.
