use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0, behaviour("restarts on resize", since = "3.0.0", flag = restat))]
struct Thing {
    id: String,
    restart: Option<bool>,
}

fn main() {}
