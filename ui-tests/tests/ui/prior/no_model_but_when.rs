use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(0, when = has("zone"))]
struct Thing {
    id: String,
}

fn main() {}
