use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = BucketV0, carry)]
struct Bucket {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_bucket", version = 0)]
struct BucketV0 {
    name: String,
}

fn main() {}
