use upstate::Resource;

#[derive(Resource)]
struct TokenV0 {
    #[attribute(sensitive)]
    akey: String,
    label: String,
    #[attribute(sensitive)]
    zkey: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = TokenV0, carry)]
struct Token {
    akeys: String,
    labels: String,
    #[attribute(sensitive)]
    zkeys: String,
}

fn main() {}
