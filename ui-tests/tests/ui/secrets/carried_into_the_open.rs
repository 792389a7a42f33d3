use upstate::Resource;

#[derive(Resource)]
struct TokenV0 {
    #[attribute(sensitive)]
    key: String,
    #[attribute(write_only)]
    once: Option<String>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = TokenV0, carry)]
struct Token {
    key: String,
    once: Option<String>,
}

fn main() {}
