use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[attribute(computed)]
struct Thing {
    id: String,
}

fn main() {}
