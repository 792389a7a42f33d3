use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, deprecated("Use it.", replaced_by = "Other-Thing"))]
struct Thing {
    id: String,
}

fn main() {}
