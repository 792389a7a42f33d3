use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated("Use `name`.", message = "Use name.", replaced_by = "name"))]
    id: Option<String>,
    name: Option<String>,
}

fn main() {}
