use upstate::{Object, Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, unwrap(name, member = id, many = first))]
struct Thing {
    name: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    name: Option<Name>,
}

#[derive(Object)]
struct Name {
    id: Option<String>,
}

fn main() {}
