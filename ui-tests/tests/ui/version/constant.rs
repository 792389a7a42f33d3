use upstate::Resource;

#[derive(Resource)]
#[resource(version = VERSION)]
struct Thing {
    id: String,
}

fn main() {}
