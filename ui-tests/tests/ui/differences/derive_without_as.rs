use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(title => name), derive(Debug))]
struct Thing {
    name: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(title => name), as = OtherV0, derive)]
struct Other {
    name: String,
}

fn main() {}
