use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(computed, required)]
    size: String,
}

fn main() {}
