//! Chain: a bucket of twelve attributes whose three upgraders lead from each version to the next,
//! written as differences and as functions.

use serde::{Deserialize, Serialize};
use serde_json::json;
use upstate::codec::Encoding;
use upstate::{Registry, Resource};

use super::generate::{Generator, joined};
use super::{BoxError, Declared, Document, Workload, by_hand, stored, through};
use crate::case::Case;

macro_rules! bucket {
    ($(#[$attribute:meta])* $name:ident { $($more:ident: $type:ty,)* }) => {
        #[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
        $(#[$attribute])*
        pub struct $name {
            pub arn: String,
            pub domain: String,
            pub force_destroy: bool,
            pub id: String,
            pub owner: Option<String>,
            pub tags: std::collections::BTreeMap<String, String>,
            pub versioning: bool,
            $(pub $more: $type,)*
        }
    };
}

macro_rules! carried {
    ($prior:ident => { $($name:ident: $value:expr,)* }) => {
        Self {
            arn: $prior.arn,
            domain: $prior.domain,
            force_destroy: $prior.force_destroy,
            id: $prior.id,
            owner: $prior.owner,
            tags: $prior.tags,
            versioning: $prior.versioning,
            $($name: $value,)*
        }
    };
}

bucket! {
    #[resource(type_name = "example_bucket", version = 3)]
    #[upgrade_from(2, model = BucketV2)]
    Bucket { access: String, location: String, region: String, retention: i64, rule: String, }
}

bucket! {
    #[resource(type_name = "example_bucket", version = 2, prior)]
    #[upgrade_from(1, model = BucketV1)]
    BucketV2 { access: String, place: String, retention: i64, rule: String, }
}

bucket! {
    #[resource(type_name = "example_bucket", version = 1, prior)]
    #[upgrade_from(0, model = BucketV0)]
    BucketV1 { access: String, legacy: Option<String>, place: String, retention: String, }
}

bucket! {
    #[resource(type_name = "example_bucket", version = 0, prior)]
    BucketV0 { acl: String, legacy: Option<String>, place: String, retention: String, }
}

bucket! {
    #[resource(type_name = "example_bucket", version = 3)]
    #[upgrade_from(2 => 3, split(place: String, "{region}/{location}"))]
    #[upgrade_from(1 => 2, convert(retention: String, empty = refuse), set(rule = "none"), drop(legacy: Option<String>, "nobody reads it"))]
    #[upgrade_from(0 => 1, rename(acl => access))]
    Declarative { access: String, location: String, region: String, retention: i64, rule: String, }
}

impl From<BucketV0> for BucketV1 {
    fn from(prior: BucketV0) -> Self {
        carried!(prior => { access: prior.acl, legacy: prior.legacy, place: prior.place, retention: prior.retention, })
    }
}

impl TryFrom<BucketV1> for BucketV2 {
    type Error = String;

    fn try_from(prior: BucketV1) -> Result<Self, String> {
        let retention = prior
            .retention
            .parse()
            .map_err(|_| format!("{:?} is not a number", prior.retention))?;
        Ok(
            carried!(prior => { access: prior.access, place: prior.place, retention: retention, rule: "none".to_owned(), }),
        )
    }
}

impl TryFrom<BucketV2> for Bucket {
    type Error = String;

    fn try_from(prior: BucketV2) -> Result<Self, String> {
        let (region, location) = prior
            .place
            .split_once('/')
            .ok_or_else(|| format!("{:?} has no location", prior.place))?;
        let (region, location) = (region.to_owned(), location.to_owned());
        Ok(carried!(prior => {
            access: prior.access,
            location: location,
            region: region,
            retention: prior.retention,
            rule: prior.rule,
        }))
    }
}

/// What one writes without upstate, up to the struct.
fn read_by_hand(version: u64, json: &[u8]) -> Result<Bucket, BoxError> {
    Ok(match version {
        0 => BucketV2::try_from(BucketV1::from(serde_json::from_slice::<BucketV0>(json)?))?
            .try_into()?,
        1 => BucketV2::try_from(serde_json::from_slice::<BucketV1>(json)?)?.try_into()?,
        2 => serde_json::from_slice::<BucketV2>(json)?.try_into()?,
        3 => serde_json::from_slice(json)?,
        newer => return Err(format!("version {newer} is not known").into()),
    })
}

fn upgrade_by_hand(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    Ok(serde_json::to_vec(&read_by_hand(version, json)?)?)
}

fn upgrade_by_hand_to_msgpack(version: u64, json: &[u8]) -> Result<Vec<u8>, BoxError> {
    Ok(rmp_serde::to_vec_named(&read_by_hand(version, json)?)?)
}

/// The versions 0, 1 and 3.
fn document(generator: &mut Generator) -> Document {
    let name = generator.hex(8);
    let common = json!({
        "arn": format!("arn:example:bucket:{name}"),
        "domain": format!("{name}.example.com"),
        "force_destroy": generator.flag(),
        "id": name,
        "owner": generator.flag().then(|| generator.word()),
        "tags": generator.labels(3),
        "versioning": generator.flag(),
    });
    let (access, legacy) = (generator.word(), generator.flag().then(|| generator.word()));
    let (region, location, days) = (generator.word(), generator.word(), generator.below(400));
    let (place, text) = (format!("{region}/{location}"), days.to_string());
    let versions = [
        json!({ "acl": access, "legacy": legacy, "place": place, "retention": text }),
        json!({ "access": access, "legacy": legacy, "place": place, "retention": text }),
        json!({ "access": access, "location": location, "region": region, "retention": days, "rule": "none" }),
    ];
    Document(versions.map(|changed| joined(&common, changed)))
}

pub fn workload() -> Workload {
    let mut generator = Generator::new(4);
    let documents: Vec<Document> = (0..64).map(|_| document(&mut generator)).collect();
    let [prior, current] = [stored(&documents, 0), stored(&documents, 2)];
    let registry = Registry::new().with::<Bucket>();
    Workload {
        name: "chain of three",
        upstate: Case::json(
            "upstate",
            prior.clone(),
            through(&registry, "example_bucket", Encoding::Json),
        ),
        upstate_msgpack: Case::msgpack(
            "upstate, MessagePack",
            prior.clone(),
            through(&registry, "example_bucket", Encoding::Msgpack),
        ),
        declared: Declared::of::<Declarative>("example_bucket", &prior),
        by_hand: Case::json("by hand", prior.clone(), by_hand(upgrade_by_hand)),
        by_hand_msgpack: Case::msgpack(
            "by hand, MessagePack",
            prior,
            by_hand(upgrade_by_hand_to_msgpack),
        ),
        decode: Case::model("upstate::from_json", current.clone(), |json| {
            upstate::from_json::<Bucket>(json).expect("the document fits")
        }),
        decode_by_hand: Case::model("serde_json::from_slice", current, |json| {
            serde_json::from_slice::<Bucket>(json).expect("the document fits")
        }),
        peers: Vec::new(),
        documents,
    }
}
