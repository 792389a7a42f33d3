//! Resources whose id changed its form, each in a way of its own.

use upstate::Resource;

/// A group of readers of an event hub. The segment before its name is `consumerGroups` now, whatever the state says.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_eventhub_consumer_group", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.EventHub/namespaces/{namespace}/eventhubs/{hub}/consumerGroups/{name}",
        ignore_case
    ),
)]
pub struct ConsumerGroup {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub eventhub_name: Option<String>,
    pub user_metadata: Option<String>,
}

/// A Cassandra database. A newer release of the API gave it a segment of its own.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_cosmosdb_cassandra_keyspace", version = 1)]
#[upgrade_from(0 => 1,
    reformat(id, "{account..}/apis/cassandra/keyspaces/{name}" => "{account}/cassandraKeyspaces/{name}", _ => keep),
)]
pub struct CassandraKeyspace {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub throughput: Option<i64>,
}

/// A data factory. Its id ended in the name as the API answered it; now it ends in the name as it was configured.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_data_factory", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, reformat(id, "{factories..}/{_}" => "{factories}/{name}"))]
pub struct DataFactory {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub location: Option<String>,
    pub resource_group_name: Option<String>,
}

/// A role. The same definition is found below several scopes, so the id names the one it was found below.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_role_definition", version = 1)]
#[upgrade_from(0 => 1, reformat(id = "{id}|{scope}"))]
pub struct RoleDefinition {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    #[attribute(optional, computed)]
    pub role_definition_id: Option<String>,
    pub scope: String,
}

/// What a subscription pays for its protection. There was one price for all, which became that of virtual machines.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "azurerm_security_center_subscription_pricing",
    version = 1
)]
#[upgrade_from(0 => 1, reformat(id, "{pricings..}/default" => "{pricings}/VirtualMachines", _ => keep))]
pub struct SubscriptionPricing {
    #[attribute(computed)]
    pub id: String,
    pub tier: Option<String>,
}
