use upstate::Resource;

#[derive(Resource)]
struct Thing {
    #[attribute(conflicts_with = "address")]
    name: Option<String>,
    address: Option<String>,
}

fn main() {}
