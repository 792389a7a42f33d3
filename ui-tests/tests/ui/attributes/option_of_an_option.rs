use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    name: Option<Option<String>>,
    ports: Vec<(String, Option<Option<u16>>)>,
}

fn main() {}
