use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, crate = super::upstate)]
struct Thing {
    id: String,
}

fn main() {}
