//! `snowflake_schema`: two renames and a removal, then an id of another form.

use upstate::{Object, Resource};

/// A schema of a database. Both prior models convert straight to this one.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "snowflake_schema", version = 2)]
#[upgrade_from(0 => 2,
    reformat(id, "{database}|{schema}" => "\"{database}\".\"{schema}\""),
    rename(data_retention_days => data_retention_time_in_days, is_managed => with_managed_access),
    drop(tag: Option<Vec<SchemaTag>>, "tags belong to a resource of their own"),
)]
#[upgrade_from(1 => 2, reformat(id, "{database}|{schema}" => "\"{database}\".\"{schema}\""))]
pub struct Schema {
    #[attribute(computed)]
    pub id: String,
    pub data_retention_time_in_days: Option<i64>,
    pub with_managed_access: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SchemaTag {
    pub name: String,
    pub value: Option<String>,
}
