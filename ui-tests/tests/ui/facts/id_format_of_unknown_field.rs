use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, id_format = "{project}/{nmae}")]
struct Thing {
    id: String,
    project: String,
    name: String,
}

fn main() {}
