use upstate::Resource;

#[derive(Resource)]
#[resource(version = 9223372036854775808)]
struct Thing {
    id: String,
}

fn main() {}
