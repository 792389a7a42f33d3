use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated("Use `name`.", zone = "a"))]
    id: Option<String>,
    name: Option<String>,
}

fn main() {}
