use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(each(pattern = "^[a-z]+$"))]
    name: String,
}

fn main() {}
