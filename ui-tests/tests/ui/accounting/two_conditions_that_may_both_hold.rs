use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(
    0,
    model = ThingV0,
    set(place = null),
    only_if(has(zone), rename(zone => place)),
    only_if(has(region), rename(region => place)),
)]
struct Thing {
    place: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    region: Option<String>,
    zone: Option<String>,
}

fn main() {}
