//! `aws_db_instance`: a default, then an id that follows the resource id instead of the chosen name.

use std::collections::BTreeMap;

use upstate::{Diagnostic, Resource};

use crate::realworld::blocks::path;

/// A managed database server.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_db_instance", version = 2)]
#[upgrade_from(1, model = DbInstanceV1)]
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

/// The server while its id was its name.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_db_instance", version = 1)]
#[upgrade_from(0, model = DbInstanceV0)]
pub struct DbInstanceV1 {
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

/// The server before backups could outlive it.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_db_instance", version = 0)]
pub struct DbInstanceV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub allocated_storage: Option<i64>,
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

impl From<DbInstanceV0> for DbInstanceV1 {
    fn from(prior: DbInstanceV0) -> Self {
        Self {
            id: prior.id,
            allocated_storage: prior.allocated_storage,
            delete_automated_backups: Some(true),
            engine: prior.engine,
            identifier: prior.identifier,
            instance_class: prior.instance_class,
            password: prior.password,
            resource_id: prior.resource_id,
            tags: prior.tags,
            username: prior.username,
        }
    }
}

impl TryFrom<DbInstanceV1> for DbInstance {
    type Error = Diagnostic;

    fn try_from(prior: DbInstanceV1) -> Result<Self, Self::Error> {
        let Some(resource_id) = prior.resource_id else {
            return Err(Diagnostic::error(
                "Missing Resource ID",
                "`id` is taken from `resource_id`, which this state lacks. Refresh it with the provider release that wrote it.",
            )
            .at(path("resource_id")));
        };
        Ok(Self {
            id: Some(resource_id.clone()),
            allocated_storage: prior.allocated_storage,
            delete_automated_backups: prior.delete_automated_backups,
            engine: prior.engine,
            identifier: prior.identifier,
            instance_class: prior.instance_class,
            password: prior.password,
            resource_id: Some(resource_id),
            tags: prior.tags,
            username: prior.username,
        })
    }
}
