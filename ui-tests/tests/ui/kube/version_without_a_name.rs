use upstate::Document;
#[allow(unused_imports)]
use upstate::Union;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", version = 0)]
struct Boat {
    name: String,
}

fn main() {}
