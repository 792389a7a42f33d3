//! What release 2.4.1 of `acme` served.

use upstate::{Object, Registry, Resource};
use upstate_compat::lock::Lock;
use upstate_compat::{Deprecation, Names, Snapshot};

#[derive(Resource)]
#[resource(type_name = "acme_bucket", version = 3, oldest = 3)]
struct Bucket {
    #[attribute(computed)]
    id: String,
    name: String,
    #[attribute(default = "public".to_owned())]
    acl: Option<String>,
    #[attribute(deprecated = "Use `acl` instead.")]
    legacy_acl: Option<String>,
    #[attribute(deprecated = "Remove `owner`: nobody reads it.")]
    owner: Option<String>,
    tags: Option<Vec<String>>,
    #[block]
    rule: Vec<Rule>,
}

#[derive(Object)]
struct Rule {
    prefix: Option<String>,
    suffix: Option<String>,
    age: i64,
}

#[derive(Resource)]
#[resource(type_name = "acme_queue", version = 0)]
struct Queue {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "acme_topic", version = 0)]
struct Topic {
    name: String,
    retention: Option<String>,
}

/// The lock that was committed at the release.
pub(crate) fn lock() -> Lock {
    let registry = Registry::new()
        .with::<Bucket>()
        .with::<Queue>()
        .with::<Topic>();
    let mut snapshot = Snapshot::of(&registry);
    let bucket = snapshot.resources.get_mut("acme_bucket").unwrap();
    let mut deprecate = |name: &str, deprecated: Deprecation| {
        bucket.attributes.get_mut(name).unwrap().deprecated = Some(deprecated)
    };
    deprecate(
        "legacy_acl",
        Deprecation {
            message: "Use `acl` instead.".to_owned(),
            replaced_by: Names(vec!["acl".to_owned()]),
            since: Some("2.2.0".to_owned()),
            ..Deprecation::default()
        },
    );
    deprecate(
        "owner",
        Deprecation {
            message: "Remove `owner`: nobody reads it.".to_owned(),
            no_replacement: Some("the API forgot about it".to_owned()),
            since: Some("2.3.0".to_owned()),
            ..Deprecation::default()
        },
    );
    let mut lock = Lock::default();
    lock.freeze(&snapshot, "2.4.1".parse().unwrap()).unwrap();
    lock
}
