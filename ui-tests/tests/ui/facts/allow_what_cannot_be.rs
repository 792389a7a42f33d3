use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, allow("prior-schema-edited", reason = "always failed", until = "3.0.0"))]
struct Thing {
    id: String,
}

fn main() {}
