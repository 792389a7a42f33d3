//! `scaleway/scaleway`.

use upstate::Resource;

/// What a user may do with a database.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "scaleway_rdb_privilege", version = 1)]
#[upgrade_from(0 => 1, reformat(id, "{region}/{instance}" => "{region}/{instance}/{database_name}/{user_name}"))]
pub struct RdbPrivilege {
    #[attribute(computed)]
    pub id: String,
    pub database_name: String,
    pub region: Option<String>,
    pub user_name: String,
}
