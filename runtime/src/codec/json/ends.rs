//! The ends of strings and blanks, found by what the processor does best.

#[cfg(target_feature = "sse2")]
pub(super) use super::blocks::{
    blanks_end, may_have_escaped, plain_end, plain_string_len, written_end, written_string_len,
};
#[cfg(not(target_feature = "sse2"))]
pub(super) use super::words::{
    blanks_end, may_have_escaped, plain_end, plain_string_len, written_end, written_string_len,
};
