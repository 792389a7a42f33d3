//! `azurerm_storage_account`: an attribute was split, a constant added, an attribute renamed, one version each.

use upstate::Resource;

/// A storage account.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_account", version = 3)]
#[upgrade_from(2 => 3, rename(allow_blob_public_access => allow_nested_items_to_be_public))]
#[upgrade_from(1 => 2, set(account_encryption_source = "Microsoft.Storage"))]
#[upgrade_from(0 => 1, split(account_type: String, "{account_tier}_{account_replication_type}"))]
pub struct StorageAccount {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_encryption_source: Option<String>,
    pub account_replication_type: String,
    pub account_tier: String,
    #[attribute(
        optional,
        computed,
        deprecated = "Use `account_tier` and `account_replication_type`."
    )]
    pub account_type: Option<String>,
    pub allow_nested_items_to_be_public: Option<bool>,
    #[attribute(computed, sensitive)]
    pub primary_access_key: Option<String>,
}
