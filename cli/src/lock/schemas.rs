//! The published forms of what is printed for programs.

/// The JSON Schema called `name`: nothing if there is none.
pub(crate) fn published(name: &str) -> Option<&'static str> {
    match name {
        "findings" => Some(include_str!("findings.schema.json")),
        "guide" => Some(include_str!("guide.schema.json")),
        _ => None,
    }
}
