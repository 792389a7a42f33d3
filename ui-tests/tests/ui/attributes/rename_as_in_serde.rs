use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(rename = "type")]
    kind: String,
}

fn main() {}
