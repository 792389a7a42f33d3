use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, behaviour("restarts on resize", since = "3.0.0", flag = mode))]
struct Thing {
    id: String,
    mode: Option<String>,
}

fn main() {}
