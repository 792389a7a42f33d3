use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, only_if(!has(name), set(size = 1)), only_if(size == 3, set(id = "a")), only_if(has(name) && has(id), set(zone = "b")))]
struct Thing {
    id: Option<String>,
    name: Option<String>,
    size: Option<i64>,
    zone: Option<String>,
}

fn main() {}
