use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, not_null(zone, "a"), changed(region, from_name = "place"))]
struct Thing {
    zone: String,
    region: String,
}

fn main() {}
