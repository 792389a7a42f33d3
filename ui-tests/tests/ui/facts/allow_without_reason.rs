use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(allow("force-new-added", reason = "", until = "soon"))]
    size: Option<i64>,
}

fn main() {}
