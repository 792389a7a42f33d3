use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, since("v1.4-rc.1" => 0, "1.4.0-rc.01" => 1))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
