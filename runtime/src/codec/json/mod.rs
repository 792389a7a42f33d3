//! JSON, read and written by Terraform's rules.

mod canonical;
mod digits;
mod label;
mod lines;
mod locate;
mod reader;
mod sort;
mod strings;
mod text;
mod transfer;

pub use canonical::Canonical;
pub(crate) use label::Label;
pub(crate) use locate::path_at;
pub use reader::{Kind, Mark, Reader};
pub(crate) use reader::{MAX_DEPTH, NextMember};
pub(crate) use sort::sorted;
pub use text::{Layout, compact, indented, write_string};
pub(crate) use transfer::Transfer;
