use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(0..=1 => 2, only_if(has(legacy: String), set(port = 1)), drop(legacy: Option<String>, "gone"))]
struct Server {
    id: String,
    name: String,
    port: Option<i64>,
}

fn main() {}
