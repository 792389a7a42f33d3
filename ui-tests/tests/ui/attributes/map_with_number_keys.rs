use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: std::collections::BTreeMap<u32, String>,
}

fn main() {}
