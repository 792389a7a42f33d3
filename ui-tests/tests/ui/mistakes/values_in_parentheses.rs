use upstate::Resource;

#[derive(Resource)]
#[resource(type_name("example_thing"), version(2))]
struct Thing {
    #[attribute(name("thing_size"))]
    size: Option<i64>,
}

fn main() {}
