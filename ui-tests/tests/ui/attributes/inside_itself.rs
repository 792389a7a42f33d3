use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: Vec<Self>,
}

fn main() {}
