use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(size: String, with = parse))]
struct Thing {
    size: i64,
}

fn parse(size: &String) -> Result<i64, String> {
    size.parse().map_err(|_| format!("{size} is no number"))
}

fn main() {}
