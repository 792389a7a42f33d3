use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(write_only, default = "1234")]
    pin: Option<String>,
}

fn main() {}
