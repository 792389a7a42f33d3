use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: f32,
}

fn main() {}
