//! Nested: a mesh of services in a map, each with lists of objects, about 5 KB. Both upgraders
//! change what is inside of both.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use upstate::codec::Encoding;
use upstate::{Object, Registry, Resource};

use super::generate::Generator;
use super::{BoxError, Declared, Document, Workload, by_hand, stored, through};
use crate::case::Case;

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_mesh", version = 2)]
#[upgrade_from(1, model = MeshV1)]
pub struct Mesh {
    pub id: String,
    pub services: BTreeMap<String, Service>,
}

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_mesh", version = 1)]
#[upgrade_from(0, model = MeshV0)]
pub struct MeshV1 {
    pub id: String,
    pub services: BTreeMap<String, ServiceV1>,
}

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_mesh", version = 0)]
pub struct MeshV0 {
    pub id: String,
    pub services: BTreeMap<String, ServiceV0>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_mesh", version = 2)]
#[upgrade_from(1, model = DeclarativeV1, carry)]
pub struct Declarative {
    pub id: String,
    pub services: BTreeMap<String, Service>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "example_mesh", version = 1)]
#[upgrade_from(0, model = MeshV0, carry)]
pub struct DeclarativeV1 {
    pub id: String,
    pub services: BTreeMap<String, ServiceV1>,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = ServiceV1, rename(hosts => names))]
pub struct Service {
    pub backends: Vec<Backend>,
    pub names: Vec<String>,
    pub timeout: i64,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = ServiceV0, convert(timeout, empty = refuse))]
pub struct ServiceV1 {
    pub backends: Vec<BackendV1>,
    pub hosts: Vec<String>,
    pub timeout: i64,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct ServiceV0 {
    pub backends: Vec<BackendV0>,
    pub hosts: Vec<String>,
    pub timeout: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = BackendV1, convert(weight, empty = refuse))]
pub struct Backend {
    pub address: String,
    pub labels: BTreeMap<String, String>,
    pub protocol: Option<String>,
    pub weight: i64,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[upgrade_from(model = BackendV0, rename(addr => address))]
pub struct BackendV1 {
    pub address: String,
    pub labels: BTreeMap<String, String>,
    pub protocol: Option<String>,
    pub weight: String,
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
pub struct BackendV0 {
    pub addr: String,
    pub labels: BTreeMap<String, String>,
    pub protocol: Option<String>,
    pub weight: String,
}

impl From<BackendV0> for BackendV1 {
    fn from(
        BackendV0 {
            addr,
            labels,
            protocol,
            weight,
        }: BackendV0,
    ) -> Self {
        Self {
            address: addr,
            labels,
            protocol,
            weight,
        }
    }
}

impl TryFrom<BackendV1> for Backend {
    type Error = String;

    fn try_from(
        BackendV1 {
            address,
            labels,
            protocol,
            weight,
        }: BackendV1,
    ) -> Result<Self, String> {
        Ok(Self {
            address,
            labels,
            protocol,
            weight: number(&weight)?,
        })
    }
}

impl TryFrom<ServiceV0> for ServiceV1 {
    type Error = String;

    fn try_from(
        ServiceV0 {
            backends,
            hosts,
            timeout,
        }: ServiceV0,
    ) -> Result<Self, String> {
        Ok(Self {
            backends: backends.into_iter().map(BackendV1::from).collect(),
            hosts,
            timeout: number(&timeout)?,
        })
    }
}

impl TryFrom<ServiceV1> for Service {
    type Error = String;

    fn try_from(
        ServiceV1 {
            backends,
            hosts,
            timeout,
        }: ServiceV1,
    ) -> Result<Self, String> {
        Ok(Self {
            backends: backends
                .into_iter()
                .map(Backend::try_from)
                .collect::<Result<_, _>>()?,
            names: hosts,
            timeout,
        })
    }
}

impl TryFrom<MeshV0> for MeshV1 {
    type Error = String;

    fn try_from(prior: MeshV0) -> Result<Self, String> {
        let service = |(name, service): (String, ServiceV0)| Ok((name, service.try_into()?));
        Ok(Self {
            id: prior.id,
            services: prior
                .services
                .into_iter()
                .map(service)
                .collect::<Result<_, String>>()?,
        })
    }
}

impl TryFrom<MeshV1> for Mesh {
    type Error = String;

    fn try_from(prior: MeshV1) -> Result<Self, String> {
        let service = |(name, service): (String, ServiceV1)| Ok((name, service.try_into()?));
        Ok(Self {
            id: prior.id,
            services: prior
                .services
                .into_iter()
                .map(service)
                .collect::<Result<_, String>>()?,
        })
    }
}

fn number(text: &str) -> Result<i64, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not a number"))
}

/// What one writes without upstate, up to the struct.
fn read_by_hand(version: u64, json: &[u8]) -> Result<Mesh, BoxError> {
    Ok(match version {
        0 => MeshV1::try_from(serde_json::from_slice::<MeshV0>(json)?)?.try_into()?,
        1 => serde_json::from_slice::<MeshV1>(json)?.try_into()?,
        2 => serde_json::from_slice(json)?,
        newer => return Err(format!("version {newer} is not known").into()),
    })
}

fn upgrade_by_hand(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    Ok(serde_json::to_vec(&read_by_hand(version, json)?)?)
}

fn upgrade_by_hand_to_msgpack(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    Ok(rmp_serde::to_vec_named(&read_by_hand(version, json)?)?)
}

/// A backend of each version.
fn backend(generator: &mut Generator) -> [Value; 3] {
    let address = format!(
        "10.0.{}.{}:8080",
        generator.below(255),
        generator.below(255)
    );
    let (labels, protocol, weight) = (
        generator.labels(2),
        generator.flag().then_some("grpc"),
        generator.below(100),
    );
    [
        json!({ "addr": address, "labels": labels, "protocol": protocol, "weight": weight.to_string() }),
        json!({ "address": address, "labels": labels, "protocol": protocol, "weight": weight.to_string() }),
        json!({ "address": address, "labels": labels, "protocol": protocol, "weight": weight }),
    ]
}

fn document(generator: &mut Generator) -> Document {
    let id = format!("projects/acme-production/meshes/{}", generator.hex(8));
    let mut services: [Map<String, Value>; 3] = [(); 3].map(|()| Map::new());
    for index in 0..10 {
        let mut backends = [(); 3].map(|()| Vec::new());
        for _ in 0..4 {
            for (backends, backend) in backends.iter_mut().zip(backend(generator)) {
                backends.push(backend);
            }
        }
        let hosts: Vec<String> = (0..2)
            .map(|_| format!("{}.example.com", generator.word()))
            .collect();
        let timeout = generator.below(60);
        let [zero, one, two] = backends;
        let versions = [
            json!({ "backends": zero, "hosts": hosts, "timeout": timeout.to_string() }),
            json!({ "backends": one, "hosts": hosts, "timeout": timeout }),
            json!({ "backends": two, "names": hosts, "timeout": timeout }),
        ];
        for (services, service) in services.iter_mut().zip(versions) {
            services.insert(format!("service-{index}"), service);
        }
    }
    Document(services.map(|services| json!({ "id": id, "services": services })))
}

pub fn workload() -> Workload {
    let mut generator = Generator::new(5);
    let documents: Vec<Document> = (0..32).map(|_| document(&mut generator)).collect();
    let [prior, current] = [stored(&documents, 0), stored(&documents, 2)];
    let registry = Registry::new().with::<Mesh>();
    Workload {
        name: "nested collections",
        upstate: Case::json(
            "upstate",
            prior.clone(),
            through(&registry, "example_mesh", Encoding::Json),
        ),
        upstate_msgpack: Case::msgpack(
            "upstate, MessagePack",
            prior.clone(),
            through(&registry, "example_mesh", Encoding::Msgpack),
        ),
        declared: Declared::of::<Declarative>("example_mesh", &prior),
        by_hand: Case::json("by hand", prior.clone(), by_hand(upgrade_by_hand)),
        by_hand_msgpack: Case::msgpack(
            "by hand, MessagePack",
            prior,
            by_hand(upgrade_by_hand_to_msgpack),
        ),
        decode: Case::model("upstate::from_json", current.clone(), |json| {
            upstate::from_json::<Mesh>(json).expect("the document fits")
        }),
        decode_by_hand: Case::model("serde_json::from_slice", current, |json| {
            serde_json::from_slice::<Mesh>(json).expect("the document fits")
        }),
        peers: Vec::new(),
        documents,
    }
}
