use upstate::Resource;

#[derive(Resource)]
#[document(version = 0)]
struct Thing {
    zone: String,
}

fn main() {}
