//! State as it was stored.

use std::collections::BTreeMap;
use std::fmt;

/// State as it was stored, not yet decoded.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum RawState<'a> {
    /// A JSON object.
    Json(&'a [u8]),
    /// The flat form of Terraform 0.11 and before: dotted keys, string values.
    Flatmap(&'a BTreeMap<String, String>),
    /// No stored value. Terraform sends this for the identity of state that was stored before the
    /// resource had one.
    Empty,
}

/// Says how much there is, not what: stored values may be secrets.
impl fmt::Debug for RawState<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(json) => write!(f, "Json({} bytes)", json.len()),
            Self::Flatmap(map) => write!(f, "Flatmap({} keys)", map.len()),
            Self::Empty => f.write_str("Empty"),
        }
    }
}

/// Makes room for an answer. A buffer without any is made once more: to let it grow is more work.
#[inline]
pub(super) fn make_room(out: &mut Vec<u8>, room: usize) {
    if out.capacity() == 0 {
        *out = Vec::with_capacity(room);
    } else {
        out.reserve(room);
    }
}

impl<'a> RawState<'a> {
    /// The protocol does not tell what is empty from what is not there.
    pub(super) fn or_empty(self) -> Self {
        match self {
            Self::Json([]) => Self::Empty,
            Self::Flatmap(map) if map.is_empty() => Self::Empty,
            Self::Json(_) | Self::Flatmap(_) | Self::Empty => self,
        }
    }

    /// Room for the answer: a little more than what is stored.
    #[inline]
    pub(super) fn room(self) -> usize {
        self.json()
            .map_or(0, |json| json.len() + json.len() / 4 + 64)
    }

    /// The JSON bytes, if it is JSON.
    pub fn json(&self) -> Option<&'a [u8]> {
        match self {
            Self::Json(json) => Some(json),
            Self::Flatmap(_) | Self::Empty => None,
        }
    }

    /// The flat map, if it is one.
    pub fn flatmap(&self) -> Option<&'a BTreeMap<String, String>> {
        match self {
            Self::Json(_) | Self::Empty => None,
            Self::Flatmap(map) => Some(map),
        }
    }
}
