use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, reformat(size, "{size}" => "{size} GiB"))]
struct Thing {
    size: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: i64,
}

fn main() {}
