use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(0, with = upgrade)]
struct Thing {
    id: String,
}

fn main() {}
