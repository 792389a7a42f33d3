#![doc = include_str!("../README.md")]

pub mod case;
pub mod custom_resource;
pub mod facts;
pub mod hash;
pub mod keywords;
pub mod likeness;
pub mod lock;
pub mod operators;
pub mod rules;
pub mod tagging;
pub mod workspace;

pub use hash::{Hash, key};
pub use keywords::KEYWORDS;
pub use tagging::Tagging;
