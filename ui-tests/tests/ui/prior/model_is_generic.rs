use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = Prior<u8, String>)]
struct Thing {
    id: String,
}

struct Prior<A, B> {
    one: A,
    two: B,
}

impl<A, B> From<Prior<A, B>> for Thing {
    fn from(_: Prior<A, B>) -> Self {
        Thing { id: String::new() }
    }
}

fn main() {}
