//! `google_compute_instance`: six versions: maps merged, a set, a default, one list of disks parted with the help of the
//! API, and a block that says nothing taken away.

use std::collections::{BTreeMap, BTreeSet};

use upstate::upgrade::BoxFuture;
use upstate::{Diagnostic, Object, Resource, UpgradeContext};

use crate::realworld::blocks::path;

/// A virtual machine.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance", version = 6)]
#[upgrade_from(5, model = InstanceV5, carry)]
pub struct Instance {
    #[attribute(computed)]
    pub id: Option<String>,
    pub attached_disk: Option<Vec<AttachedDisk>>,
    pub boot_disk: Option<Vec<BootDisk>>,
    pub create_timeout: Option<i64>,
    pub metadata: Option<BTreeMap<String, String>>,
    pub name: Option<String>,
    pub scratch_disk: Option<Vec<ScratchDisk>>,
    pub service_account: Option<Vec<ServiceAccount>>,
    pub zone: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(
    model = BootDiskV5,
    // A block that asks for nothing was written by mistake and forced the machine to be replaced.
    only_if(
        all(
            has(initialize_params),
            is(initialize_params.size, 0, null),
            is(initialize_params.kind, empty),
            is(initialize_params.image, empty)
        ),
        set(initialize_params = [])
    ),
    drop(initialize_params, "the block asked for nothing")
)]
pub struct BootDisk {
    pub auto_delete: Option<bool>,
    pub initialize_params: Option<Vec<InitializeParams>>,
    pub source: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct InitializeParams {
    pub image: Option<String>,
    pub size: Option<i64>,
    #[attribute(name = "type")]
    pub kind: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AttachedDisk {
    pub device_name: Option<String>,
    pub source: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ScratchDisk {
    pub interface: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ServiceAccount {
    pub email: Option<String>,
    pub scopes: Option<BTreeSet<String>>,
}

/// The machine while a boot disk could have an empty block of parameters.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance", version = 5)]
#[upgrade_from(3..=4, model = InstanceV3, with = tell_disks_apart, async)]
pub struct InstanceV5 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub attached_disk: Option<Vec<AttachedDisk>>,
    pub boot_disk: Option<Vec<BootDiskV5>>,
    pub create_timeout: Option<i64>,
    pub metadata: Option<BTreeMap<String, String>>,
    pub name: Option<String>,
    pub scratch_disk: Option<Vec<ScratchDisk>>,
    pub service_account: Option<Vec<ServiceAccount>>,
    pub zone: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct BootDiskV5 {
    pub auto_delete: Option<bool>,
    pub initialize_params: Option<Vec<InitializeParams>>,
    pub source: Option<String>,
}

/// The machine while its disks were one list. Version 4 could be written with that list still there.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_compute_instance", version = 3)]
#[upgrade_from(2 => 3, set(create_timeout = 4))]
#[upgrade_from(1 => 2, convert(service_account.scopes: Option<Vec<String>>))]
#[upgrade_from(0 => 1, merge(metadata: Option<Vec<BTreeMap<String, String>>>))]
pub struct InstanceV3 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub create_timeout: Option<i64>,
    pub disk: Option<Vec<Disk>>,
    pub metadata: Option<BTreeMap<String, String>>,
    pub name: Option<String>,
    pub service_account: Option<Vec<ServiceAccount>>,
    pub zone: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Disk {
    pub auto_delete: Option<bool>,
    pub device_name: Option<String>,
    pub disk: Option<String>,
    pub scratch: Option<bool>,
}

/// What the upgrade of a machine with disks asks the API: give one to the registry as its client.
#[expect(
    missing_debug_implementations,
    reason = "a client may hold credentials"
)]
pub struct Machines(pub Box<dyn MachineApi>);

/// Reads machines.
pub trait MachineApi: Send + Sync {
    /// The address of the disk that a machine boots from.
    fn boot_disk<'a>(
        &'a self,
        zone: &'a str,
        machine: &'a str,
    ) -> BoxFuture<'a, Result<String, Diagnostic>>;
}

async fn tell_disks_apart(
    prior: InstanceV3,
    context: &mut UpgradeContext<'_>,
) -> Result<InstanceV5, Diagnostic> {
    let mut upgraded = InstanceV5 {
        id: prior.id,
        attached_disk: None,
        boot_disk: None,
        create_timeout: prior.create_timeout,
        metadata: prior.metadata,
        name: prior.name,
        scratch_disk: None,
        service_account: prior.service_account,
        zone: prior.zone,
    };
    let Some(disks) = prior.disk else {
        return Ok(upgraded);
    };
    let (Some(machines), Some(zone), Some(name)) =
        (context.client::<Machines>(), &upgraded.zone, &upgraded.name)
    else {
        let detail = "Which disk the machine boots from has to be read from the API: the provider must be configured, and the \
                      state must have a zone and a name.";
        return Err(Diagnostic::error("Boot Disk Unknown", detail).at(path("disk")));
    };
    let boots_from = machines.0.boot_disk(zone, name).await?;
    let (mut boot, mut attached, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
    for disk in disks {
        let is_boot = disk
            .disk
            .as_deref()
            .is_some_and(|disk| boots_from.ends_with(&format!("/{disk}")) || boots_from == disk);
        if is_boot {
            boot.push(BootDiskV5 {
                auto_delete: disk.auto_delete,
                initialize_params: None,
                source: disk.disk,
            });
        } else if disk.scratch == Some(true) {
            scratch.push(ScratchDisk { interface: None });
        } else {
            attached.push(AttachedDisk {
                device_name: disk.device_name,
                source: disk.disk,
            });
        }
    }
    if boot.is_empty() {
        let detail =
            "None of the stored disks is the one that the machine boots from, says the API.";
        return Err(Diagnostic::error("Boot Disk Unknown", detail).at(path("disk")));
    }
    (
        upgraded.attached_disk,
        upgraded.boot_disk,
        upgraded.scratch_disk,
    ) = (Some(attached), Some(boot), Some(scratch));
    Ok(upgraded)
}
