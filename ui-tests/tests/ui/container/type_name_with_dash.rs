use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2, type_name = "example-thing")]
struct Thing {
    id: String,
}

fn main() {}
