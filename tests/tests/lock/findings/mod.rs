//! What `check`, `changelog` and `guide` print: where findings are said to be, every format as its
//! reader takes it, settings.
//!
//! `UPDATE=1 cargo test -p upstate-tests --test lock findings` records the outputs again; read them
//! as prose then.

mod released;
mod workspace;

mod consumers;
mod formats;
mod locks;
mod numbers;
mod places;
mod sarif;
mod settings;
