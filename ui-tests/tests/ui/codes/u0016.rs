use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 0)]
pub struct Disk<T> {
    pub name: T,
}

fn main() {}
