use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(deprecated("Use `name`.", replaced_by = "name", since = "2.2", remove_in = "later"))]
    id: Option<String>,
    name: Option<String>,
}

fn main() {}
