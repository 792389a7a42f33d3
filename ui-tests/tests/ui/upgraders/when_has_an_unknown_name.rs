use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ZonedV0, rename(zone => place), when = has("zoen"))]
#[upgrade_from(0, model = LocalV0, rename(host => place), when = lacks("zone"))]
struct Thing {
    place: String,
}

#[derive(Resource)]
#[resource(type_name = "thing", version = 0)]
struct ZonedV0 {
    zone: String,
}

#[derive(Resource)]
#[resource(type_name = "thing", version = 0)]
struct LocalV0 {
    host: String,
}

fn main() {}
