use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(accepts = "path")]
    id: Option<String>,
}

fn main() {}
