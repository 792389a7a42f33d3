/// A bucket that other types became.
#[derive(Resource)]
#[resource(version = 0, identity = BucketIdentity)]
#[move_from(type_name = "old_bucket", provider = "example/old", model = OldBucketV3)]
#[move_from(type_name = "store", model = Store, rename(label => name))]
pub struct Bucket {
    pub name: String,
}
