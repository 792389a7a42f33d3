use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, prior, plan)]
struct Prior {
    name: String,
}

fn main() {}
