use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
struct Thing {
    #[resource(version = 1)]
    id: String,
}

fn main() {}
