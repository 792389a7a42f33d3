use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, required_with(region, zone.name))]
struct Thing {
    zone: Option<String>,
    region: Option<String>,
}

fn main() {}
