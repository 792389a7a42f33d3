use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(set)]
    size: std::collections::BTreeMap<String, String>,
}

fn main() {}
