use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, id_format = "{id")]
struct Thing {
    id: String,
}

fn main() {}
