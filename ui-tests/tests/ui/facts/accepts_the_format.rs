use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(format = "uri", accepts("uri", "path"))]
    id: Option<String>,
}

fn main() {}
