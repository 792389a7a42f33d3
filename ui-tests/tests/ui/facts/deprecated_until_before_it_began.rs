use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated("Use `name`.", replaced_by = "name", since = "2.2.0", remove_in = "2.2.0"))]
    id: Option<String>,
    name: Option<String>,
}

fn main() {}
