//! `azurerm_servicebus_namespace`: an attribute that only one plan knows.

use upstate::Resource;

/// A namespace for queues and topics. Only a premium one has a capacity; for the others the state held the API's 0.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_servicebus_namespace", version = 1)]
#[upgrade_from(0 => 1,
    only_if(not(fits(sku, "Premium", ignore_case)), set(capacity = null)),
    drop(capacity, "only a premium namespace has a capacity"),
)]
pub struct ServiceBusNamespace {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
    pub sku: String,
    pub capacity: Option<i64>,
}
