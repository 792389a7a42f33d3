use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(as_string, set)]
    size: Vec<String>,
}

fn main() {}
