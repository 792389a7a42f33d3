use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(id: String, async))]
struct Thing {
    id: String,
}

fn main() {}
