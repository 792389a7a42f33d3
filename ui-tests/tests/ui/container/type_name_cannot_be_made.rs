use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
struct Größe {
    id: String,
}

fn main() {}
