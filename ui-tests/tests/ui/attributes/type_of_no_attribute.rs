use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    size: Vec<Vec<Token>>,
}

struct Token;

fn main() {}
