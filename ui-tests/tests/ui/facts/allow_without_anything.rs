use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(allow)]
    size: Option<i64>,
}

fn main() {}
