use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(required, api_default = 3)]
    size: i64,
}

fn main() {}
