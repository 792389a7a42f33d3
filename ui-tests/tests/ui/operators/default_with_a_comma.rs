use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, default(size, 3))]
struct Thing {
    size: i64,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, default(size: Option<i64>, 3))]
struct Typed {
    size: i64,
}

fn main() {}
