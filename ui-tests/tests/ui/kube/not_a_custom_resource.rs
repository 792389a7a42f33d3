use upstate::Document;
use upstate_kube::CustomResource;

#[derive(Document)]
struct Boat {
    name: String,
}

fn main() {
    let _ = Boat::crd();
    let _ = written::<Boat>();
}

fn written<T: CustomResource>() {}
