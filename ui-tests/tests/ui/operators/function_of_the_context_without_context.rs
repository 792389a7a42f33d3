use upstate::{Resource, UpgradeContext};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(size: String, with = parse))]
struct Thing {
    size: i64,
}

fn parse(size: String, _: &UpgradeContext<'_>) -> Result<i64, String> {
    size.parse().map_err(|_| format!("{size} is no number"))
}

fn main() {}
