use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(pattern_message = "must be small")]
    name: String,
}

fn main() {}
