use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, fill(id => name))]
struct Thing {
    id: String,
    name: String,
}

fn main() {}
