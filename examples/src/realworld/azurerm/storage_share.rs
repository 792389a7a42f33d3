//! `azurerm_storage_share`: an id was composed of three attributes, then read again and made an address.

use upstate::Resource;

/// A file share.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_share", version = 2)]
#[upgrade_from(
    1,
    model = StorageShareV1,
    // The public cloud's address; the others have other suffixes.
    reformat(id, "{share}/{_}/{account}" => "https://{account}.file.core.windows.net/{share}")
)]
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
#[upgrade_from(
    0,
    model = StorageShareV0,
    reformat(id = "{name}/{resource_group_name}/{storage_account_name}"),
    drop(id, "it was made of the same three names")
)]
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
