use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1, model = Self)]
struct Thing {
    id: String,
}

fn main() {}
