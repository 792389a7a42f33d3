//! `aws_db_instance`: a default, then an id that follows the resource id instead of the chosen name.

use std::collections::BTreeMap;

use upstate::Resource;

/// A managed database server.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_db_instance", version = 2)]
#[upgrade_from(1 => 2,
    copy(resource_id => id),
    drop(id, "it was the name, which `identifier` holds"),
    only_if(
        lacks(resource_id),
        refuse(
            resource_id,
            "`id` is taken from `resource_id`, which this state lacks. Refresh it with the provider release that wrote it."
        )
    ),
)]
#[upgrade_from(0 => 1, set(delete_automated_backups = true))]
pub struct DbInstance {
    #[attribute(computed)]
    pub id: Option<String>,
    pub allocated_storage: Option<i64>,
    pub delete_automated_backups: Option<bool>,
    pub engine: Option<String>,
    #[attribute(optional, computed)]
    pub identifier: Option<String>,
    pub instance_class: String,
    #[attribute(sensitive)]
    pub password: Option<String>,
    #[attribute(computed)]
    pub resource_id: Option<String>,
    pub tags: Option<BTreeMap<String, String>>,
    pub username: Option<String>,
}
