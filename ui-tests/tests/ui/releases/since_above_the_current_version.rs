use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, since("1.0.0" => 0, "2.0.0" => 3))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
