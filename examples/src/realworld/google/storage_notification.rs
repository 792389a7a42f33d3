//! `google_storage_notification`: a host name left a topic, an empty text became null.

use upstate::Resource;

use crate::realworld::blocks::empty_as_null;

/// Messages about changes in a bucket.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_storage_notification", version = 1)]
#[upgrade_from(0, model = StorageNotificationV0)]
pub struct StorageNotification {
    #[attribute(computed)]
    pub id: Option<String>,
    pub bucket: String,
    pub object_name_prefix: Option<String>,
    pub payload_format: String,
    pub topic: String,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_storage_notification", version = 0)]
pub struct StorageNotificationV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub bucket: String,
    pub object_name_prefix: Option<String>,
    pub payload_format: String,
    pub topic: String,
}

impl From<StorageNotificationV0> for StorageNotification {
    fn from(prior: StorageNotificationV0) -> Self {
        let topic = prior.topic.strip_prefix("//pubsub.googleapis.com/").unwrap_or(&prior.topic);
        Self {
            id: prior.id,
            bucket: prior.bucket,
            object_name_prefix: empty_as_null(prior.object_name_prefix),
            payload_format: prior.payload_format,
            topic: topic.to_owned(),
        }
    }
}
