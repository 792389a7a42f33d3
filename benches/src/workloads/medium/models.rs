//! A compute instance of 44 attributes, as three versions stored it.
//!
//! Version 1 renamed `machine` to `machine_type` and made the size of every disk, two levels down,
//! a number. Version 2 split `location` in two and dropped `legacy_token`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upstate::{Object, Resource};

/// A struct with the attributes that all versions have, and some more.
macro_rules! instance {
    ($(#[$attribute:meta])* $name:ident { $($more:ident: $type:ty,)* }) => {
        #[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
        $(#[$attribute])*
        pub struct $name {
            pub allow_stopping: bool,
            pub can_ip_forward: bool,
            pub confidential: bool,
            pub cpu_platform: String,
            pub created_at: String,
            pub creator: String,
            pub current_status: String,
            pub deletion_protection: bool,
            pub description: Option<String>,
            pub desired_status: Option<String>,
            pub effective_labels: BTreeMap<String, String>,
            pub enable_display: bool,
            pub enable_vtpm: bool,
            pub fingerprint: String,
            pub guest_count: i64,
            pub guest_type: Option<String>,
            pub hostname: String,
            pub id: String,
            pub instance_id: String,
            pub key_revocation: Option<String>,
            pub label_fingerprint: String,
            pub labels: BTreeMap<String, String>,
            pub metadata: BTreeMap<String, String>,
            pub metadata_fingerprint: String,
            pub min_cpu_platform: Option<String>,
            pub name: String,
            pub nested_virtualization: bool,
            pub network_interface: Vec<NetworkInterface>,
            pub network_tier: String,
            pub performance: f64,
            pub project: String,
            pub resource_policies: Vec<String>,
            pub scheduling: Scheduling,
            pub scratch_disks: i64,
            pub self_link: String,
            pub service_account: ServiceAccount,
            pub startup_script: Option<String>,
            pub tags: Vec<String>,
            pub weight: f64,
            $(pub $more: $type,)*
        }
    };
}

/// Makes one version of an instance of another: the attributes named here, and all those that every
/// version has.
macro_rules! carried {
    ($prior:ident => { $($name:ident: $value:expr,)* }) => {
        Self {
            allow_stopping: $prior.allow_stopping,
            can_ip_forward: $prior.can_ip_forward,
            confidential: $prior.confidential,
            cpu_platform: $prior.cpu_platform,
            created_at: $prior.created_at,
            creator: $prior.creator,
            current_status: $prior.current_status,
            deletion_protection: $prior.deletion_protection,
            description: $prior.description,
            desired_status: $prior.desired_status,
            effective_labels: $prior.effective_labels,
            enable_display: $prior.enable_display,
            enable_vtpm: $prior.enable_vtpm,
            fingerprint: $prior.fingerprint,
            guest_count: $prior.guest_count,
            guest_type: $prior.guest_type,
            hostname: $prior.hostname,
            id: $prior.id,
            instance_id: $prior.instance_id,
            key_revocation: $prior.key_revocation,
            label_fingerprint: $prior.label_fingerprint,
            labels: $prior.labels,
            metadata: $prior.metadata,
            metadata_fingerprint: $prior.metadata_fingerprint,
            min_cpu_platform: $prior.min_cpu_platform,
            name: $prior.name,
            nested_virtualization: $prior.nested_virtualization,
            network_interface: $prior.network_interface,
            network_tier: $prior.network_tier,
            performance: $prior.performance,
            project: $prior.project,
            resource_policies: $prior.resource_policies,
            scheduling: $prior.scheduling,
            scratch_disks: $prior.scratch_disks,
            self_link: $prior.self_link,
            service_account: $prior.service_account,
            startup_script: $prior.startup_script,
            tags: $prior.tags,
            weight: $prior.weight,
            $($name: $value,)*
        }
    };
}
#[cfg(feature = "peers")]
pub(super) use carried;

instance! {
    #[resource(type_name = "example_instance", version = 2)]
    #[upgrade_from(1, model = InstanceV1)]
    Instance { boot_disk: Disk, disks: Vec<Disk>, machine_type: String, region: String, zone: String, }
}

instance! {
    #[resource(type_name = "example_instance", version = 1)]
    #[upgrade_from(0, model = InstanceV0)]
    InstanceV1 { boot_disk: Disk, disks: Vec<Disk>, legacy_token: String, location: String, machine_type: String, }
}

instance! {
    #[resource(type_name = "example_instance", version = 0)]
    InstanceV0 { boot_disk: DiskV0, disks: Vec<DiskV0>, legacy_token: String, location: String, machine: String, }
}

instance! {
    #[resource(type_name = "example_instance", version = 2)]
    #[upgrade_from(1, model = DeclarativeV1, drop(legacy_token, "tokens are issued per request"), split(location, "{region}/{zone}"))]
    Declarative { boot_disk: Disk, disks: Vec<Disk>, machine_type: String, region: String, zone: String, }
}

instance! {
    #[resource(type_name = "example_instance", version = 1)]
    #[upgrade_from(0, model = InstanceV0, rename(machine => machine_type))]
    DeclarativeV1 { boot_disk: Disk, disks: Vec<Disk>, legacy_token: String, location: String, machine_type: String, }
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = DiskV0, carry)]
pub struct Disk {
    pub auto_delete: bool,
    pub device_name: String,
    pub kms_key: Option<String>,
    pub mode: String,
    pub params: Params,
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = ParamsV0, convert(size, empty = refuse))]
pub struct Params {
    pub image: String,
    pub iops: i64,
    pub labels: BTreeMap<String, String>,
    pub size: i64,
    pub r#type: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct DiskV0 {
    pub auto_delete: bool,
    pub device_name: String,
    pub kms_key: Option<String>,
    pub mode: String,
    pub params: ParamsV0,
    pub source: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct ParamsV0 {
    pub image: String,
    pub iops: i64,
    pub labels: BTreeMap<String, String>,
    pub size: String,
    pub r#type: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct NetworkInterface {
    pub access_config: Vec<AccessConfig>,
    pub address: String,
    pub name: String,
    pub network: String,
    pub subnetwork: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct AccessConfig {
    pub nat_ip: Option<String>,
    pub tier: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct Scheduling {
    pub automatic_restart: bool,
    pub on_host_maintenance: String,
    pub preemptible: bool,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct ServiceAccount {
    pub email: String,
    pub scopes: Vec<String>,
}

impl TryFrom<DiskV0> for Disk {
    type Error = String;

    fn try_from(prior: DiskV0) -> Result<Self, String> {
        let ParamsV0 {
            image,
            iops,
            labels,
            size,
            r#type,
        } = prior.params;
        let size = size
            .parse()
            .map_err(|_| format!("the disk's size {size:?} is not a number"))?;
        Ok(Self {
            auto_delete: prior.auto_delete,
            device_name: prior.device_name,
            kms_key: prior.kms_key,
            mode: prior.mode,
            params: Params {
                image,
                iops,
                labels,
                size,
                r#type,
            },
            source: prior.source,
        })
    }
}

impl TryFrom<InstanceV0> for InstanceV1 {
    type Error = String;

    fn try_from(prior: InstanceV0) -> Result<Self, String> {
        Ok(carried!(prior => {
            boot_disk: prior.boot_disk.try_into()?,
            disks: prior.disks.into_iter().map(Disk::try_from).collect::<Result<_, _>>()?,
            legacy_token: prior.legacy_token,
            location: prior.location,
            machine_type: prior.machine,
        }))
    }
}

impl TryFrom<InstanceV1> for Instance {
    type Error = String;

    fn try_from(prior: InstanceV1) -> Result<Self, String> {
        let (region, zone) = split_location(&prior.location)?;
        Ok(carried!(prior => {
            boot_disk: prior.boot_disk,
            disks: prior.disks,
            machine_type: prior.machine_type,
            region: region,
            zone: zone,
        }))
    }
}

pub(super) fn split_location(location: &str) -> Result<(String, String), String> {
    let (region, zone) = location
        .split_once('/')
        .ok_or_else(|| format!("the location {location:?} has no zone"))?;
    Ok((region.to_owned(), zone.to_owned()))
}
