use upstate::Document;
#[allow(unused_imports)]
use upstate::Union;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 1, oldest = 1)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1"), version(1 = "v2", storage))]
struct Boat {
    name: String,
}

fn main() {}
