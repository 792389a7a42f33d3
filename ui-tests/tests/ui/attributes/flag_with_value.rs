use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(sensitive = true)]
    size: String,
}

fn main() {}
