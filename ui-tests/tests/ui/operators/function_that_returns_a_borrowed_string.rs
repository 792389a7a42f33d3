use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(size: i64, with = name_of))]
struct Thing {
    size: String,
}

fn name_of(size: i64) -> &'static str {
    if size > 9 { "large" } else { "small" }
}

fn main() {}
