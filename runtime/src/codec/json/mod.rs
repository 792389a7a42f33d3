//! JSON, read and written by Terraform's rules.

mod locate;
mod reader;
mod strings;
mod text;

pub(crate) use locate::path_at;
pub use reader::{Kind, Reader};
pub(crate) use reader::{MAX_DEPTH, Mark, NextMember};
pub(crate) use text::{Layout, compact, indented, write_string};
