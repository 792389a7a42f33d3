use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, only_if(has(zone), set(size = 1), otherwise(set(size = 2))))]
struct Thing {
    zone: Option<String>,
    size: i64,
}

fn main() {}
