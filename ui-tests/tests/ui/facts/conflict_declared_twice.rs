use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, conflicts_with(zone, region), conflicts_with(region, zone))]
struct Thing {
    zone: Option<String>,
    region: Option<String>,
}

fn main() {}
