use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated("Use `name`.", replaced_by = "name", remove = "3.0.0"))]
    id: Option<String>,
    name: Option<String>,
}

fn main() {}
