use upstate::Resource;

#[derive(Resource)]
struct TokenV0 {
    #[attribute(sensitive)]
    key: String,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = TokenV0, rename(key => name))]
struct Token {
    name: String,
}

fn main() {}
