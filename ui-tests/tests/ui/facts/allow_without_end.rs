use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(allow("force-new-added", reason = "always failed"))]
    size: Option<i64>,
}

fn main() {}
