use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, set(size = null), only_if(has(zone) && has(region), set(size = "a")))]
struct Thing {
    zone: Option<String>,
    region: Option<String>,
    size: Option<String>,
}

fn main() {}
