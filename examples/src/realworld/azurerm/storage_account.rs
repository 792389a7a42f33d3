//! `azurerm_storage_account`: an attribute was split, a constant added, an attribute renamed, one version each.

use upstate::Resource;

/// A storage account.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_account", version = 3)]
#[upgrade_from(2, model = StorageAccountV2, rename(allow_blob_public_access => allow_nested_items_to_be_public))]
pub struct StorageAccount {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_encryption_source: Option<String>,
    pub account_replication_type: String,
    pub account_tier: String,
    #[attribute(optional, computed, deprecated = "Use `account_tier` and `account_replication_type`.")]
    pub account_type: Option<String>,
    pub allow_nested_items_to_be_public: Option<bool>,
    #[attribute(computed, sensitive)]
    pub primary_access_key: Option<String>,
}

/// Version 2 added the encryption source.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_account", version = 2)]
#[upgrade_from(1, model = StorageAccountV1, set(account_encryption_source = "Microsoft.Storage"))]
pub struct StorageAccountV2 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_encryption_source: Option<String>,
    pub account_replication_type: String,
    pub account_tier: String,
    #[attribute(optional, computed)]
    pub account_type: Option<String>,
    pub allow_blob_public_access: Option<bool>,
    #[attribute(computed, sensitive)]
    pub primary_access_key: Option<String>,
}

/// Version 1 told the two halves of the account type apart.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_account", version = 1)]
#[upgrade_from(0, model = StorageAccountV0, split(account_type, "{account_tier}_{account_replication_type}"))]
pub struct StorageAccountV1 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_replication_type: String,
    pub account_tier: String,
    #[attribute(optional, computed)]
    pub account_type: Option<String>,
    pub allow_blob_public_access: Option<bool>,
    #[attribute(computed, sensitive)]
    pub primary_access_key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_account", version = 0)]
pub struct StorageAccountV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_type: String,
    pub allow_blob_public_access: Option<bool>,
    #[attribute(computed, sensitive)]
    pub primary_access_key: Option<String>,
}
