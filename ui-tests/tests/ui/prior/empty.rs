use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from()]
struct Thing {
    id: String,
}

fn main() {}
