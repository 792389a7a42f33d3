use upstate::Document;
#[allow(unused_imports)]
use upstate::Union;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 2, oldest = 2)]
#[kube(group = "ferry.example.com", kind = "Boat")]
struct Boat {
    name: String,
}

fn main() {}
