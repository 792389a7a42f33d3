use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(size, with = upgrade))]
struct Thing {
    size: u16,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: String,
}

fn upgrade(size: String) -> Result<i64, String> {
    size.parse().map_err(|_| "not a number".to_owned())
}

fn main() {}
