use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(size, with = parse, back = print))]
struct Thing {
    size: u64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: String,
}

fn parse(text: String) -> Result<u64, String> {
    text.parse().map_err(|_| "no number".to_owned())
}

fn print(size: u64) -> Result<u64, String> {
    Ok(size)
}

fn main() {}
