//! `azurerm_storage_account`: an attribute was split, a constant added, an attribute renamed, one version each.

use upstate::{Diagnostic, Resource};

use crate::realworld::blocks::path;

/// A storage account.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_account", version = 3)]
#[upgrade_from(2, model = StorageAccountV2)]
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
#[upgrade_from(1, model = StorageAccountV1)]
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
#[upgrade_from(0, model = StorageAccountV0)]
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

impl TryFrom<StorageAccountV0> for StorageAccountV1 {
    type Error = Diagnostic;

    fn try_from(prior: StorageAccountV0) -> Result<Self, Self::Error> {
        let Some((tier, replication)) = prior.account_type.split_once('_') else {
            let detail = format!("Expected a tier and a replication type, as in Standard_LRS, found {:?}.", prior.account_type);
            return Err(Diagnostic::error("Unreadable Account Type", detail).at(path("account_type")));
        };
        Ok(Self {
            id: prior.id,
            account_replication_type: replication.to_owned(),
            account_tier: tier.to_owned(),
            account_type: Some(prior.account_type),
            allow_blob_public_access: prior.allow_blob_public_access,
            primary_access_key: prior.primary_access_key,
        })
    }
}

impl From<StorageAccountV1> for StorageAccountV2 {
    fn from(prior: StorageAccountV1) -> Self {
        Self {
            id: prior.id,
            account_encryption_source: Some("Microsoft.Storage".to_owned()),
            account_replication_type: prior.account_replication_type,
            account_tier: prior.account_tier,
            account_type: prior.account_type,
            allow_blob_public_access: prior.allow_blob_public_access,
            primary_access_key: prior.primary_access_key,
        }
    }
}

impl From<StorageAccountV2> for StorageAccount {
    fn from(prior: StorageAccountV2) -> Self {
        Self {
            id: prior.id,
            account_encryption_source: prior.account_encryption_source,
            account_replication_type: prior.account_replication_type,
            account_tier: prior.account_tier,
            account_type: prior.account_type,
            allow_nested_items_to_be_public: prior.allow_blob_public_access,
            primary_access_key: prior.primary_access_key,
        }
    }
}
