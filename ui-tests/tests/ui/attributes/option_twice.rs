use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(computed, computed)]
    size: String,
}

fn main() {}
