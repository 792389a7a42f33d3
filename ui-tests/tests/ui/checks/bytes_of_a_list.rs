use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(bytes = 1..=3)]
    names: Vec<String>,
}

fn main() {}
