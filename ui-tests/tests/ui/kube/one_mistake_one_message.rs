use upstate::Document;
use upstate_kube::CustomResource;

#[derive(Document)]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1"))]
struct Boat {
    name: String,
}

fn main() {
    let _ = Boat::crd();
}
