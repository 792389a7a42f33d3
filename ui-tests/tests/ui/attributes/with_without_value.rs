use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(with)]
    size: Vec<u8>,
}

fn main() {}
