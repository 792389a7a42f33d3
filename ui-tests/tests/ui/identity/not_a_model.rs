use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, oldest = 2, identity = Name)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

struct Name {
    id: String,
}

fn main() {}
