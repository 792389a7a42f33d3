//! `azurerm_storage_share`: an id was composed of three attributes, then read again and made an address.

use upstate::{Diagnostic, Resource};

use crate::realworld::blocks::path;

/// A file share.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_share", version = 2)]
#[upgrade_from(1, model = StorageShareV1)]
pub struct StorageShare {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub quota: Option<i64>,
    pub resource_group_name: Option<String>,
    pub storage_account_name: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_share", version = 1)]
#[upgrade_from(0, model = StorageShareV0)]
pub struct StorageShareV1 {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub quota: Option<i64>,
    pub resource_group_name: String,
    pub storage_account_name: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_share", version = 0)]
pub struct StorageShareV0 {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub quota: Option<i64>,
    pub resource_group_name: String,
    pub storage_account_name: String,
}

impl From<StorageShareV0> for StorageShareV1 {
    fn from(prior: StorageShareV0) -> Self {
        Self {
            id: format!("{}/{}/{}", prior.name, prior.resource_group_name, prior.storage_account_name),
            name: prior.name,
            quota: prior.quota,
            resource_group_name: prior.resource_group_name,
            storage_account_name: prior.storage_account_name,
        }
    }
}

impl TryFrom<StorageShareV1> for StorageShare {
    type Error = Diagnostic;

    fn try_from(prior: StorageShareV1) -> Result<Self, Self::Error> {
        let parts: Vec<&str> = prior.id.split('/').collect();
        let [share, _group, account] = parts.as_slice() else {
            let detail = format!("Expected a share, a resource group and an account with / between them, found {:?}.", prior.id);
            return Err(Diagnostic::error("Unreadable ID", detail).at(path("id")));
        };
        Ok(Self {
            // The public cloud's address; the others have other suffixes.
            id: format!("https://{account}.file.core.windows.net/{share}"),
            name: prior.name,
            quota: prior.quota,
            resource_group_name: Some(prior.resource_group_name),
            storage_account_name: prior.storage_account_name,
        })
    }
}
