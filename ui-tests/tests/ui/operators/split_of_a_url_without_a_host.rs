use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, split(endpoint: String, url(scheme, port | 443)))]
pub struct Thing {
    scheme: String,
    port: u16,
}

fn main() {}
