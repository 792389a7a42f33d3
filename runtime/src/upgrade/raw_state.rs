//! State as it was stored.

/// State as it was stored, not yet decoded.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum RawState<'a> {
    /// A JSON object.
    Json(&'a [u8]),
}

impl<'a> RawState<'a> {
    /// The JSON bytes, if it is JSON.
    pub fn json(&self) -> Option<&'a [u8]> {
        match self {
            Self::Json(json) => Some(json),
        }
    }
}
