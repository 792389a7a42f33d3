use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
#[move_from(type_name = "store", model = Store, rename(label => name), when = has("lable"))]
struct Bucket {
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "store", version = 0)]
struct Store {
    label: String,
}

fn main() {}
