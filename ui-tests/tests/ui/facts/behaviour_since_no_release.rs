use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, behaviour("restarts on resize", since = "soon"))]
struct Thing {
    id: String,
}

fn main() {}
