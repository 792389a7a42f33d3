use upstate::Document;
#[allow(unused_imports)]
use upstate::Union;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "Harbour.Example.com", kind = "Boat", version(0 = "v1", storage))]
struct Boat {
    name: String,
}

fn main() {}
