use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, split(endpoint: String, url(scheme, hostname, port)))]
pub struct Thing {
    scheme: String,
    hostname: String,
    port: Option<u16>,
}

fn main() {}
