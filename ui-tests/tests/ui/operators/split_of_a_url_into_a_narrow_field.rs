use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, split(endpoint: String, url(scheme, host, port | 443)))]
pub struct Thing {
    scheme: String,
    host: String,
    port: u8,
}

fn main() {}
