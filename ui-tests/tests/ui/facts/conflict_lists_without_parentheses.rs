use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, conflicts_with((zone, region), zone, name))]
struct Thing {
    zone: Option<String>,
    region: Option<String>,
    name: Option<String>,
}

fn main() {}
