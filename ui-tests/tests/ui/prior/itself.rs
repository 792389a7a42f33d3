use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1, model = Thing)]
struct Thing {
    id: String,
}

fn main() {}
