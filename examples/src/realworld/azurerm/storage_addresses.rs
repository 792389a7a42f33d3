//! Two resources of a storage account whose ids became addresses, which end in a name that depends on the cloud.

use std::convert::Infallible;

use upstate::{Resource, UpgradeContext};

use super::Environment;

/// A container for blobs.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_container", version = 1)]
#[upgrade_from(0, model = StorageContainerV0, with = addressed_container)]
pub struct StorageContainer {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub storage_account_name: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_container", version = 0)]
pub struct StorageContainerV0 {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub storage_account_name: String,
}

/// A table. Its address was first that of a collection, then that of an entry in the collection of tables.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_table", version = 2)]
#[upgrade_from(1, model = StorageTableV1, reformat(id, "https://{account}/{_}" => "https://{account}/Tables('{name}')"))]
pub struct StorageTable {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub storage_account_name: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_table", version = 1)]
#[upgrade_from(0, model = StorageTableV0, with = addressed_table)]
pub struct StorageTableV1 {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub storage_account_name: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_storage_table", version = 0)]
pub struct StorageTableV0 {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub storage_account_name: String,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the form that an upgrader asks for"
)]
fn addressed_container(
    prior: StorageContainerV0,
    context: &mut UpgradeContext<'_>,
) -> Result<StorageContainer, Infallible> {
    let StorageContainerV0 {
        name,
        storage_account_name,
        ..
    } = prior;
    let suffix = Environment::of(context).storage_suffix;
    Ok(StorageContainer {
        id: format!("https://{storage_account_name}.blob.{suffix}/{name}"),
        name,
        storage_account_name,
    })
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the form that an upgrader asks for"
)]
fn addressed_table(
    prior: StorageTableV0,
    context: &mut UpgradeContext<'_>,
) -> Result<StorageTableV1, Infallible> {
    let StorageTableV0 {
        name,
        storage_account_name,
        ..
    } = prior;
    let suffix = Environment::of(context).storage_suffix;
    Ok(StorageTableV1 {
        id: format!("https://{storage_account_name}.table.{suffix}/{name}"),
        name,
        storage_account_name,
    })
}
