use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, replaced_by = "x")]
struct Thing {
    id: String,
}

fn main() {}
