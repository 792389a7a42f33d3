use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, conflicts_with(zone, name))]
struct Thing {
    zone: Option<String>,
    region: Option<String>,
    name: String,
}

fn main() {}
