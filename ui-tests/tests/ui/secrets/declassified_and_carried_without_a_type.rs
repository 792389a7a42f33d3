use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, carry(name, declassified = "the API shows it"))]
struct Token {
    name: String,
}

fn main() {}
