use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(0..=1 => 2, warn(legacy, "It is gone."))]
struct Server {
    id: String,
    name: String,
    port: Option<i64>,
}

fn main() {}
