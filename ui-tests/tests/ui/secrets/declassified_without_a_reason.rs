use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1,
    rename(#[attribute(sensitive)] key: String => name, declassified = ""),
    rename(#[attribute(sensitive)] third: String => label, declassified = yes),
    drop(fourth: String, "nobody used it", declassified = "it is gone"),
)]
struct Token {
    name: String,
    label: String,
}

fn main() {}
