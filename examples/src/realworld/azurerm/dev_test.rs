//! Five resources of the development labs. The service spells its own name `microsoft.devtestlab` in answers and
//! `Microsoft.DevTestLab` in its documents; since version 1 the ids are spelt as documented.

use upstate::Resource;

/// A Linux machine of a lab.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_dev_test_linux_virtual_machine", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.DevTestLab/labs/{lab}/virtualMachines/{name}",
        ignore_case
    ),
)]
pub struct DevTestLinuxVirtualMachine {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub lab_name: Option<String>,
    pub size: Option<String>,
    #[attribute(sensitive)]
    pub password: Option<String>,
}

/// A Windows machine of a lab; their ids are of the same form.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_dev_test_windows_virtual_machine", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.DevTestLab/labs/{lab}/virtualMachines/{name}",
        ignore_case
    ),
)]
pub struct DevTestWindowsVirtualMachine {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub lab_name: Option<String>,
    pub size: Option<String>,
    #[attribute(sensitive)]
    pub password: Option<String>,
}

/// What people may do in a lab.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_dev_test_policy", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.DevTestLab/labs/{lab}/policySets/{set}/policies/{name}",
        ignore_case
    ),
)]
pub struct DevTestPolicy {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub policy_set_name: Option<String>,
    pub threshold: Option<String>,
}

/// When a lab's machines start and stop.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_dev_test_schedule", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.DevTestLab/labs/{lab}/schedules/{name}",
        ignore_case
    ),
)]
pub struct DevTestSchedule {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub status: Option<String>,
    pub time_zone_id: Option<String>,
}

/// The network of a lab.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_dev_test_virtual_network", version = 1)]
#[upgrade_from(0 => 1,
    reformat(
        id,
        "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.DevTestLab/labs/{lab}/virtualNetworks/{name}",
        ignore_case
    ),
)]
pub struct DevTestVirtualNetwork {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub description: Option<String>,
    #[attribute(computed)]
    pub unique_identifier: Option<String>,
}
