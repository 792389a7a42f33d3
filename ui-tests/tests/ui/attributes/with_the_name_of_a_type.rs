use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(with = "String")]
    size: u8,
}

fn main() {}
