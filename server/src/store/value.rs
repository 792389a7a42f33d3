//! A value of a column, as every database has it.

/// A value of a column.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// A string.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// Without itself, which may be secret.
impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Value")
    }
}
