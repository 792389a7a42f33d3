use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated("Use `name`.", replaced_by = "name", no_replacement = "unused"))]
    id: Option<String>,
    name: Option<String>,
}

fn main() {}
