use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_bucket", version = 1)]
#[upgrade_from(0, model = BucketV0)]
struct Bucket {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_bukcet", version = 0)]
struct BucketV0 {
    name: String,
}

impl From<BucketV0> for Bucket {
    fn from(prior: BucketV0) -> Self {
        Self { name: prior.name }
    }
}

fn main() {}
