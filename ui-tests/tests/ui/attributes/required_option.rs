use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(required)]
    size: Option<String>,
}

fn main() {}
