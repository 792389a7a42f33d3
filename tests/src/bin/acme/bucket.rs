//! Buckets and topics.

use upstate::Resource;

use crate::rule::Rule;

/// A bucket.
#[derive(Resource)]
#[resource(type_name = "acme_bucket", version = 3, oldest = 3)]
pub(crate) struct Bucket {
    #[attribute(computed)]
    pub(crate) id: String,
    #[attribute(requires_replace)]
    pub(crate) name: String,
    #[attribute(default = "private".to_owned())]
    pub(crate) acl: Option<String>,
    #[attribute(name = "tags", set)]
    pub(crate) labels: Option<Vec<String>>,
    #[block]
    pub(crate) rule: Vec<Rule>,
}

macro_rules! topic {
    ($name:ident) => {
        #[derive(Resource)]
        #[resource(type_name = "acme_topic", version = 0)]
        pub(crate) struct $name {
            pub(crate) name: String,
            pub(crate) retention: String,
        }
    };
}

topic!(Topic);
