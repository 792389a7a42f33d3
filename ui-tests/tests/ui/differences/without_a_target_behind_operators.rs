use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(rename(title => name), 0..=1)]
struct Server {
    id: String,
    name: String,
}

fn main() {}
