use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, values(size, "s" => "small", "s" => "short"))]
struct Thing {
    size: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: String,
}

fn main() {}
