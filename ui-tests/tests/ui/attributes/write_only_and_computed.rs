use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(computed, write_only)]
    size: Option<String>,
}

fn main() {}
