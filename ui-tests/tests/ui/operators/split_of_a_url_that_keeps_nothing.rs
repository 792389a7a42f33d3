use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_thing", version = 1)]
#[upgrade_from(0 => 1, split(endpoint: String, url(scheme => _, host => _)))]
pub struct Thing {
    id: String,
}

fn main() {}
