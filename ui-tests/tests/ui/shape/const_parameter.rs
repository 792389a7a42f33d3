use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing<const N: usize> {
    id: String,
}

fn main() {}
