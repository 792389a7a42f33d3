use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated(replaced_by = "name"))]
    id: Option<String>,
    name: Option<String>,
}

fn main() {}
