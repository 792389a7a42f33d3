//! `google_storage_notification`: a host name left a topic, an empty text became null.

use upstate::Resource;

/// Messages about changes in a bucket.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_storage_notification", version = 1)]
#[upgrade_from(0 => 1,
    reformat(topic, "//pubsub.googleapis.com/{topic..}" => "{topic}", _ => keep),
    null_if(object_name_prefix, ""),
)]
pub struct StorageNotification {
    #[attribute(computed)]
    pub id: Option<String>,
    pub bucket: String,
    pub object_name_prefix: Option<String>,
    pub payload_format: String,
    pub topic: String,
}
