use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, since(0 => "1.0.0"))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
