use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(default = 7)]
    size: String,
}

fn main() {}
