use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, rename(#[attribute(sensitive)] key: String => name))]
struct Token {
    name: String,
}

fn main() {}
