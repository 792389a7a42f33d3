use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(1 => 2, 0 => 2, carry)]
struct Server {
    id: String,
    name: String,
    port: Option<i64>,
}

fn main() {}
