use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(has(unit), convert(size, with = upgrade)))]
struct Thing {
    size: String,
    unit: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: String,
    unit: Option<String>,
}

fn upgrade(size: String) -> Result<i64, String> {
    size.parse().map_err(|_| "not a number".to_owned())
}

fn main() {}
