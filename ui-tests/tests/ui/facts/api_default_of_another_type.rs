use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(api_default = "3")]
    size: Option<i64>,
}

fn main() {}
