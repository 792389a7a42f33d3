use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(a, b, c, d, e, f, g => address, with = address))]
struct Thing {
    address: String,
}

fn main() {}
