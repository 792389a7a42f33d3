use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, since("1.4.0" => 0, "1.4.0-rc.1" => 2))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
