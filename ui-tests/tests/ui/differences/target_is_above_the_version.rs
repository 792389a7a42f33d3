use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(1 => 3, rename(title => name))]
#[upgrade_from(0, never_released)]
struct Server {
    id: String,
    name: String,
    port: Option<i64>,
}

fn main() {}
