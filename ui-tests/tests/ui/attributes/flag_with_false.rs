use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(sensitive = false)]
    size: String,
}

fn main() {}
