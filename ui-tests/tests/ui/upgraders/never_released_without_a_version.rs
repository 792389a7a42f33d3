use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(never_released)]
struct Thing {
    id: String,
}

fn main() {}
