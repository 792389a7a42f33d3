use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(size, empty = zero, back = print))]
struct Thing {
    size: u64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: String,
}

fn print(size: u64) -> Result<String, String> {
    Ok(size.to_string())
}

fn main() {}
