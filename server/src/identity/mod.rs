//! Providers of ID tokens, as far as they are trusted: their keys, and the ID tokens that they
//! signed.

mod address;
mod issuers;
mod token;

pub use address::{Reach, reach};
pub use issuers::{Distrust, Endpoints, Issuers, Redeemed};
pub use token::Claims;
