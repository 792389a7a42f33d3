use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(renamed_from())]
    id: Option<String>,
}

fn main() {}
