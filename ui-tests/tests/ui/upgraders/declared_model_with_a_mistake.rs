use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = Old, rename(name => id), drop(size, "not needed"))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

#[derive(Resource)]
#[resource(versoin = 0)]
struct Old {
    name: String,
    size: i64,
}

fn main() {}
