//! `snowflakedb/snowflake`.

mod row_access_policy;
mod schema;
mod scim_integration;

use upstate::Diagnostic;

pub use row_access_policy::{Argument, RowAccessPolicy, RowAccessPolicyV0};
pub use schema::{Schema, SchemaTag};
pub use scim_integration::ScimIntegration;

use super::blocks::path;

/// Turns an id of `count` names between bars, `D|S`, into quoted names between dots, `"D"."S"`.
fn qualified_name(id: &str, count: usize) -> Result<String, Diagnostic> {
    let names: Vec<&str> = id.split('|').collect();
    if names.len() != count || names.iter().any(|name| name.is_empty()) {
        let detail = format!("Expected {count} names with a `|` between them, found {id:?}.");
        return Err(Diagnostic::error("Unreadable ID", detail).at(path("id")));
    }
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("\"{}\"", name.replace('"', "\"\"")))
        .collect();
    Ok(quoted.join("."))
}
