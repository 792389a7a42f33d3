use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(each())]
    names: Vec<String>,
}

fn main() {}
