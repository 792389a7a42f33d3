use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(keys(pattern = "^[a-z]+$"))]
    names: Vec<String>,
}

fn main() {}
