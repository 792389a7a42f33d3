use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, conflicts_with)]
struct Thing {
    zone: Option<String>,
    region: Option<String>,
}

fn main() {}
