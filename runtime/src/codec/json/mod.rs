//! JSON, read and written by Terraform's rules.

#[cfg(target_feature = "sse2")]
mod blocks;
mod canonical;
mod digits;
mod ends;
mod label;
mod lines;
mod locate;
mod reader;
mod settled;
mod skip;
mod sort;
mod strings;
mod text;
mod transfer;
mod words;

pub use canonical::Canonical;
pub(crate) use label::Label;
pub(crate) use lines::Lines;
pub(crate) use locate::{path_at, paths_at};
pub(crate) use reader::{FLOAT_DIGITS, MAX_DEPTH, NextMember, SetAside, text_of};
pub use reader::{Kind, Mark, Reader};
pub(crate) use settled::{Settled, Tried};
pub(crate) use sort::sorted;
pub use text::{Layout, compact, indented, write_string};
pub(crate) use transfer::Transfer;
