use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, unwrap(#[block] place.zone: Vec<Zone>), within(places, drop(#[block(max = 1)] old: Vec<Zone>, "the API no longer has it")))]
struct Thing {
    place: Place,
    places: Option<Vec<Place>>,
    #[block]
    blocks: Vec<Place>,
}

#[derive(Object)]
struct Place {
    zone: Option<Zone>,
}

#[derive(Object)]
struct Zone {
    name: String,
}

fn main() {}
