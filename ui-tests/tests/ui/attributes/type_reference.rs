use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: &'static str,
}

fn main() {}
