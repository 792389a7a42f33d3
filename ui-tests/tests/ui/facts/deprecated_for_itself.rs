use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated("Use `id`.", replaced_by = "id"))]
    id: Option<String>,
}

fn main() {}
