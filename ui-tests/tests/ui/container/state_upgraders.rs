use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_disk", version = 1, state_upgraders = [upgrade])]
struct Disk {
    id: String,
}

fn main() {}
