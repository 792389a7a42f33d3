use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(title, name), copy(name -> label))]
struct Thing {
    name: String,
    label: String,
}

fn main() {}
