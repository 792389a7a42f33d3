//! `aws_fsx_ontap_storage_virtual_machine`: a slip of the pen two blocks deep. The provider edits the key of a flatmap and so
//! mends nothing.

use upstate::{Object, Resource};

/// A file server in a file system.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_fsx_ontap_storage_virtual_machine", version = 1)]
#[upgrade_from(0 => 1,
    within(active_directory_configuration.self_managed_active_directory_configuration,
        rename(organizational_unit_distinguidshed_name => organizational_unit_distinguished_name)
    ),
)]
pub struct StorageVirtualMachine {
    #[attribute(computed)]
    pub id: Option<String>,
    pub active_directory_configuration: Option<Vec<ActiveDirectoryConfiguration>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ActiveDirectoryConfiguration {
    pub netbios_name: Option<String>,
    pub self_managed_active_directory_configuration: Option<Vec<SelfManagedActiveDirectory>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SelfManagedActiveDirectory {
    pub organizational_unit_distinguished_name: Option<String>,
    #[attribute(sensitive)]
    pub password: Option<String>,
}
