use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(allow("force-new-aded", reason = "always failed", until = "3.0.0"))]
    size: Option<i64>,
}

fn main() {}
