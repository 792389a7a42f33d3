use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, id_format = "things")]
struct Thing {
    id: String,
}

fn main() {}
