use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(format = " ")]
    id: Option<String>,
}

fn main() {}
