use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: u128,
}

fn main() {}
