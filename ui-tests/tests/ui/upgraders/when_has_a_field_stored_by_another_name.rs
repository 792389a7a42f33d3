use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ZonedV0, rename(zone => place), when = has("zone"))]
#[upgrade_from(0, model = LocalV0, rename(host => place), when = lacks("availability_zone"))]
struct Thing {
    place: String,
}

#[derive(Resource)]
#[resource(type_name = "thing", version = 0)]
struct ZonedV0 {
    #[attribute(name = "availability_zone")]
    zone: String,
}

#[derive(Resource)]
#[resource(type_name = "thing", version = 0)]
struct LocalV0 {
    host: String,
}

fn main() {}
