//! The upgrades written with other crates.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use version_migrate::{IntoDomain, MigratesTo, Migrator, Versioned};

use super::models::{
    Disk, DiskV0, Instance, InstanceV0, InstanceV1, NetworkInterface, Scheduling, ServiceAccount,
    carried, split_location,
};
use crate::case::Case;
use crate::workloads::{BoxError, Document, by_hand, enveloped, magic};

pub(super) fn all(documents: &[Document], prior: &[Vec<u8>]) -> Vec<Case> {
    vec![
        Case::json("obake", prior.to_vec(), by_hand(upgrade_with_obake)),
        version_migrate(documents),
        magic::case::<Instance>(prior.to_vec()),
        Case::json("serde_json::Value", prior.to_vec(), upgrade_value),
    ]
}

impl Versioned for InstanceV0 {
    const VERSION: &'static str = "0.0.0";
}

impl Versioned for InstanceV1 {
    const VERSION: &'static str = "1.0.0";
}

impl Versioned for Instance {
    const VERSION: &'static str = "2.0.0";
}

impl MigratesTo<InstanceV1> for InstanceV0 {
    fn migrate(self) -> InstanceV1 {
        self.try_into().expect("sizes are numbers")
    }
}

impl MigratesTo<Instance> for InstanceV1 {
    fn migrate(self) -> Instance {
        self.try_into().expect("locations have zones")
    }
}

impl IntoDomain<Instance> for Instance {
    fn into_domain(self) -> Instance {
        self
    }
}

fn version_migrate(documents: &[Document]) -> Case {
    let mut migrator = Migrator::new();
    let path = Migrator::define("instance")
        .from::<InstanceV0>()
        .step::<InstanceV1>()
        .step::<Instance>()
        .into::<Instance>();
    migrator.register(path).expect("the path is sound");
    let migrator = Rc::new(migrator);
    Case::json("version-migrate", enveloped(documents), move |json| {
        let json = std::str::from_utf8(json).expect("the document is UTF-8");
        let instance: Instance = migrator
            .load("instance", json)
            .expect("the document upgrades");
        serde_json::to_vec(&instance).expect("a model is JSON")
    })
}

fn upgrade_disk(disk: &mut Value) {
    let size = &mut disk["params"]["size"];
    *size = size
        .as_str()
        .and_then(|size| size.parse::<i64>().ok())
        .expect("sizes are numbers")
        .into();
}

fn upgrade_value(json: &[u8]) -> Vec<u8> {
    let mut instance: Map<String, Value> =
        serde_json::from_slice(json).expect("the document is JSON");
    if let Some(machine) = instance.remove("machine") {
        instance.insert("machine_type".to_owned(), machine);
    }
    instance.get_mut("boot_disk").map(upgrade_disk);
    instance
        .get_mut("disks")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .for_each(upgrade_disk);
    if let Some(Value::String(location)) = instance.remove("location") {
        let (region, zone) = split_location(&location).expect("locations have zones");
        instance.insert("region".to_owned(), region.into());
        instance.insert("zone".to_owned(), zone.into());
    }
    instance.remove("legacy_token");
    serde_json::to_vec(&instance).expect("a value is JSON")
}

/// obake versions the outer struct; structs inside a `Vec` it cannot, so those have a struct a
/// version here too.
#[obake::versioned]
#[obake(version("0.0.0"))]
#[obake(version("1.0.0"))]
#[obake(version("2.0.0"))]
#[derive(Serialize, Deserialize)]
pub struct ObakeInstance {
    pub allow_stopping: bool,
    #[obake(cfg("0.0.0"))]
    pub boot_disk: DiskV0,
    #[obake(cfg(">=1.0.0"))]
    pub boot_disk: Disk,
    pub can_ip_forward: bool,
    pub confidential: bool,
    pub cpu_platform: String,
    pub created_at: String,
    pub creator: String,
    pub current_status: String,
    pub deletion_protection: bool,
    pub description: Option<String>,
    pub desired_status: Option<String>,
    #[obake(cfg("0.0.0"))]
    pub disks: Vec<DiskV0>,
    #[obake(cfg(">=1.0.0"))]
    pub disks: Vec<Disk>,
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
    #[obake(cfg("<2.0.0"))]
    pub legacy_token: String,
    #[obake(cfg("<2.0.0"))]
    pub location: String,
    #[obake(cfg("0.0.0"))]
    pub machine: String,
    #[obake(cfg(">=1.0.0"))]
    pub machine_type: String,
    pub metadata: BTreeMap<String, String>,
    pub metadata_fingerprint: String,
    pub min_cpu_platform: Option<String>,
    pub name: String,
    pub nested_virtualization: bool,
    pub network_interface: Vec<NetworkInterface>,
    pub network_tier: String,
    pub performance: f64,
    pub project: String,
    #[obake(cfg("2.0.0"))]
    pub region: String,
    pub resource_policies: Vec<String>,
    pub scheduling: Scheduling,
    pub scratch_disks: i64,
    pub self_link: String,
    pub service_account: ServiceAccount,
    pub startup_script: Option<String>,
    pub tags: Vec<String>,
    pub weight: f64,
    #[obake(cfg("2.0.0"))]
    pub zone: String,
}

impl From<ObakeInstance!["0.0.0"]> for ObakeInstance!["1.0.0"] {
    fn from(prior: ObakeInstance!["0.0.0"]) -> Self {
        carried!(prior => {
            boot_disk: prior.boot_disk.try_into().expect("sizes are numbers"),
            disks: prior.disks.into_iter().map(|disk| Disk::try_from(disk).expect("sizes are numbers")).collect(),
            legacy_token: prior.legacy_token,
            location: prior.location,
            machine_type: prior.machine,
        })
    }
}

impl From<ObakeInstance!["1.0.0"]> for ObakeInstance!["2.0.0"] {
    fn from(prior: ObakeInstance!["1.0.0"]) -> Self {
        let (region, zone) = split_location(&prior.location).expect("locations have zones");
        carried!(prior => {
            boot_disk: prior.boot_disk,
            disks: prior.disks,
            machine_type: prior.machine_type,
            region: region,
            zone: zone,
        })
    }
}

/// The version is matched by hand: obake's own way of reading any version tries one after the
/// other.
fn upgrade_with_obake(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    let any: obake::AnyVersion<ObakeInstance> = match version {
        0 => serde_json::from_slice::<ObakeInstance!["0.0.0"]>(json)?.into(),
        1 => serde_json::from_slice::<ObakeInstance!["1.0.0"]>(json)?.into(),
        _ => serde_json::from_slice::<ObakeInstance!["2.0.0"]>(json)?.into(),
    };
    let current: ObakeInstance = any.into();
    Ok(serde_json::to_vec(&current)?)
}
