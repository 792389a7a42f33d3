use upstate::Document;
#[allow(unused_imports)]
use upstate::Union;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 1)]
#[upgrade_from(0 => 1, carry)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1"), version(1 = "v1", storage))]
struct Boat {
    name: String,
}

fn main() {}
