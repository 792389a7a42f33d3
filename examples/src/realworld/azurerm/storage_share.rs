//! `azurerm_storage_share`: an id was composed of three attributes, then read again and made an address.

use upstate::Resource;

/// A file share.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_share", version = 2)]
#[upgrade_from(1 => 2,
    carry(resource_group_name: String),
    // The public cloud's address; the others have other suffixes.
    reformat(id, "{share}/{_}/{account}" => "https://{account}.file.core.windows.net/{share}"),
)]
#[upgrade_from(0 => 1,
    reformat(id = "{name}/{resource_group_name}/{storage_account_name}"),
    drop(id, "it was made of the same three names"),
)]
pub struct StorageShare {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub quota: Option<i64>,
    pub resource_group_name: Option<String>,
    pub storage_account_name: String,
}
