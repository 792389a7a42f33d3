use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: usize,
}

fn main() {}
