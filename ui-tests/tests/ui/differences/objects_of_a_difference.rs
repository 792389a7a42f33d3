use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 2)]
#[upgrade_from(1 => 2, rename(place.zone => place.region))]
#[upgrade_from(0 => 1, carry(place: PlaceV0), carry(other: Option<{ region: i64, port: String }>))]
struct Thing {
    place: Place,
    other: Option<Place>,
}

#[derive(Object)]
struct Place {
    region: String,
}

#[derive(Object)]
struct PlaceV0 {
    zone: String,
    port: Option<String>,
}

fn main() {}
