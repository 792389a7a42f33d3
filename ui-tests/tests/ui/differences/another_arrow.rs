use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 -> 1, rename(title => name))]
struct Thing {
    name: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 to 1, rename(title => name))]
struct Other {
    name: String,
}

fn main() {}
