use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(sensitive =)]
    size: String,
}

fn main() {}
