use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1,
    carry(place: PlaceV0),
    rename(place.zone: String => zone),
    rename(old.a.b: i64 => b),
    drop(old.a: Option<{ b: i64 }>, "the API no longer has it"),
    rename(other.port: i64 => port),
    copy(other.port: u16 => again),
)]
struct Thing {
    zone: String,
    b: i64,
    port: i64,
    again: i64,
    place: Place,
    other: Place,
}

#[derive(Object)]
struct Place {
    region: String,
}

#[derive(Object)]
struct PlaceV0 {
    region: String,
    zone: String,
}

fn main() {}
