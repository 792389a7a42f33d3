use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_store", renamed_from = "example_bucket")]
struct Store {
    name: String,
}

fn main() {}
