use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(size: String, with = str::parse))]
struct Thing {
    size: u8,
}

fn main() {}
