use upstate::{Object, Resource};

#[derive(Resource, Object)]
struct Thing {
    id: String,
}

fn main() {}
