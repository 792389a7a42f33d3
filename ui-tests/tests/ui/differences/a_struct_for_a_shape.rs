use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(1 => 2, carry)]
#[upgrade_from(0 => 1, model = ServerV0)]
struct Server {
    id: String,
    name: String,
    port: Option<i64>,
}

fn main() {}
