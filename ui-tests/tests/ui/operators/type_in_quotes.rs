use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(size: "String", empty = zero))]
struct Thing {
    size: i64,
}

fn main() {}
