use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[object(crate = ::upstate)]
struct Thing {
    id: String,
}

fn main() {}
