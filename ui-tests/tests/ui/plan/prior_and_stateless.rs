use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, prior, plan)]
struct Prior {
    name: String,
}

#[derive(Resource)]
#[resource(stateless, plan)]
struct Found {
    name: String,
}

fn main() {}
