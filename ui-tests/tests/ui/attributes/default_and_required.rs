use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(required, default = "a")]
    size: String,
}

fn main() {}
