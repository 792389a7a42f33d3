use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
#[upgrade_from(0 => 1, rename(title => name))]
struct Thing {
    name: String,
}

fn main() {}
