use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(size, with = upgrade))]
struct Thing {
    size: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: i64,
}

fn upgrade(size: u16) -> Result<String, String> {
    Ok(size.to_string())
}

fn main() {}
