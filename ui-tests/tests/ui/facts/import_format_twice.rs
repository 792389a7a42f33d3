use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, import_format = "{id}", import_format = "{id}")]
struct Thing {
    id: String,
}

fn main() {}
