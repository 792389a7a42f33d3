use upstate::Resource;

#[derive(Resource)]
#[resource(crate = ::upstat)]
struct Thing {
    id: String,
}

fn main() {}
