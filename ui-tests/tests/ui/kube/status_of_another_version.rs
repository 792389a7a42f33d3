use upstate::Document;
#[allow(unused_imports)]
use upstate::Union;

#[derive(Document)]
#[document(type_name = "ferry.boat", version = 0)]
#[kube(group = "ferry.example.com", kind = "Boat", status = BoatStatus, version(0 = "v1", storage))]
struct Boat {
    name: String,
}

#[derive(Document)]
#[document(type_name = "ferry.status", version = 1)]
#[upgrade_from(0 => 1, carry)]
struct BoatStatus {
    afloat: bool,
}

fn main() {}
