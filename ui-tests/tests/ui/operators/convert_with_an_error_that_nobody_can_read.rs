use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(size, with = parse))]
struct Thing {
    size: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: String,
}

struct Odd;

fn parse(size: String) -> Result<i64, Odd> {
    size.parse().map_err(|_| Odd)
}

fn main() {}
