use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, type_name = "")]
struct Thing {
    id: String,
}

fn main() {}
