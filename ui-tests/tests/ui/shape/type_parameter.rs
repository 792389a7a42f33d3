use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing<T> {
    id: T,
}

fn main() {}
